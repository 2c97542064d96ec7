/** Every step, with data for the law of the sphere; data is near longitude 0, and goes to 180 degrees when it is turned. */
import type { LawFeature, LawGeometry, LawStep, Writing } from './turned.ts';
import { assertTurned, runTurned, turnedLongitude } from './turned.ts';

export interface LawCase extends LawStep {
  readonly data: readonly LawFeature[];
  /** Degrees; default 1e-7, about a centimetre. */
  readonly tolerance?: number;
  readonly longitudes?: readonly string[];
  readonly isOrdered?: false;
  /** The turns must be multiples of this. */
  readonly turnUnit?: number;
  /** Why the result differs where the data is cut at 180 degrees. */
  readonly otherwiseIfCut?: string;
}

export function features(...geometries: readonly (LawGeometry | null)[]): LawFeature[] {
  return geometries.map((geometry, i) => ({
    type: 'Feature',
    id: i + 1,
    properties: { n: i + 1, group: i % 2 },
    geometry,
  }));
}

const polygon = (...coordinates: number[][][]): LawGeometry => ({ type: 'Polygon', coordinates });
const line = (...coordinates: number[][]): LawGeometry => ({ type: 'LineString', coordinates });
const point = (...coordinates: number[]): LawGeometry => ({ type: 'Point', coordinates });
const box = (west: number, south: number, east: number, north: number): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

const star = [
  [-9, 40.5],
  [-2.25, 38],
  [0.5, 33.1],
  [3.75, 38.5],
  [11, 41.25],
  [4, 44],
  [0.25, 50.5],
  [-3, 44.75],
  [-9, 40.5],
];
/** Across longitude 0 in several ways: with holes, islands on both sides, edges along it, and a wide one. */
export const AREAS = features(
  polygon(star, [
    [-2, 41],
    [-1, 43],
    [2, 42.5],
    [1.5, 40],
    [-2, 41],
  ]),
  {
    type: 'MultiPolygon',
    coordinates: [
      [box(-6, 10, -3, 12)],
      [
        box(1, 9, 5, 13),
        [
          [2, 10],
          [2, 11],
          [3, 11],
          [2, 10],
        ],
      ],
    ],
  },
  polygon(box(0, 20, 7, 25)),
  polygon(box(-7, 20, 0, 25)),
  polygon([
    [-60, -20],
    [-20, -35],
    [40, -30],
    [70, -10],
    [10, -5],
    [-60, -20],
  ]),
  polygon(box(-30, 82, 50, 86)),
);
export const LINES = features(
  line([-10, 10], [2, 11], [10, 10]),
  line([-40, 60], [0, 62], [0.5, 61], [55, 70]),
  {
    type: 'MultiLineString',
    coordinates: [
      [
        [-3, 0],
        [-1, 1],
      ],
      [
        [1, 2],
        [4, 0],
        [6, 3],
      ],
    ],
  },
  line([-20, 85], [1, 86], [30, 88]),
  line([0, -10], [0, 1], [0, 10]),
);
export const POINTS = features(
  point(-1, 5),
  point(1, 6),
  {
    type: 'MultiPoint',
    coordinates: [
      [-3, 1],
      [2, 2],
      [4, -3],
    ],
  },
  point(0, 0),
  point(12, 44),
  point(-20, 80),
);
const MIXED = [...AREAS, ...LINES, ...POINTS, ...features(null)].map((one, i) => ({
  ...one,
  id: i + 1,
  properties: { n: i + 1, group: i % 2 },
}));
/** Bow ties, and a hole outside of its shell. */
const INVALID = features(
  polygon([
    [-4, 0],
    [4, 4],
    [4, 0],
    [-4, 4],
    [-4, 0],
  ]),
  polygon(box(-3, 10, 3, 14), box(1, 12, 5, 16)),
  { type: 'MultiPolygon', coordinates: [[box(-5, 20, 1, 24)], [box(-1, 22, 5, 26)]] },
);
/** Polygons that share borders, one of them at longitude 0. */
const COVERAGE = features(
  polygon([
    [-8, 0],
    [0, 0],
    [0.3, 2],
    [-0.2, 4],
    [0, 6],
    [-8, 6],
    [-8, 0],
  ]),
  polygon([
    [0, 0],
    [8, 0],
    [8, 6],
    [0, 6],
    [-0.2, 4],
    [0.3, 2],
    [0, 0],
  ]),
  polygon([
    [-8, 6],
    [0, 6],
    [8, 6],
    [8.1, 9],
    [-8, 9],
    [-8, 6],
  ]),
  polygon(box(20, 0, 25, 4)),
);
const CLOSED = features(line(...box(-5, -5, 5, 5)), line([0, 10], [5, 10]), {
  type: 'MultiLineString',
  coordinates: [box(-9, 20, 9, 30), box(-2, 22, 3, 27)],
});
const NETWORK = features(
  line([-5, 0], [5, 0]),
  line([5, -1], [5, 6]),
  line([6, 5], [-6, 5]),
  line([-4, -1], [-4, 6]),
);
const ZONES = features(
  polygon(box(-15, -15, 0, 60)),
  polygon(box(0, -15, 15, 60)),
  polygon(box(-2, -40, 3, 88)),
  line([-30, 8], [30, 11]),
  point(-1, 5),
).map((one) => ({ ...one, properties: { zone: `z${one.id}` } }));
const AREA_ZONES = ZONES.slice(0, 3);
const MASK = features(polygon(box(-4, -4, 3.5, 45), box(-1, 2, 1, 3)));

const relations = ['intersects', 'within', 'contains', 'touches', 'crosses', 'overlaps'] as const;

/** Cases by the id of the step; a text says why the law does not hold of it. */
export const LAW_CASES: Readonly<Record<string, readonly Omit<LawCase, 'type'>[] | string>> = {
  affine: 'moves positions of any plane',
  swap_xy: 'longitudes become latitudes',
  buffer: [
    {
      data: [...AREAS.slice(0, 5), ...LINES.slice(0, 3), ...POINTS.slice(0, 5)],
      params: () => ({ distance: 100, units: 'kilometers' }),
      tolerance: 2e-3,
    },
  ],
  calculate: [
    {
      data: MIXED,
      params: () => ({
        fields: {
          cx: 'centroid_x()',
          cy: 'centroid_y()',
          w: 'xmin()',
          e: 'xmax()',
          s: 'ymin()',
          t: 'ymax()',
          x: 'x()',
          a: 'area_km2()',
          l: 'length_km()',
          p: 'perimeter_km()',
          pa: 'area_planar()',
          pl: 'length_planar()',
          pp: 'perimeter_planar()',
          v: 'is_valid()',
          c: 'hilbert() >= 0',
        },
      }),
      longitudes: ['cx', 'w', 'e', 'x'],
    },
    {
      data: MIXED,
      params: () => ({ fields: { k: 'num_parts()', h: 'num_holes()', n: 'num_points()' } }),
      otherwiseIfCut: 'parts and positions are counted as they are written',
    },
    {
      data: MIXED,
      params: (by) => {
        const corner = (x: number, y: number): string => `${turnedLongitude(x, by)} ${y}`;
        const area = `POLYGON((${[corner(-4, -4), corner(3.5, -4), corner(3.5, 45), corner(-4, 45), corner(-4, -4)].join()}))`;
        const wide = `BBOX(${turnedLongitude(-4, by)}, -4, ${turnedLongitude(3.5, by)}, 45)`;
        const names = [
          'intersects',
          'disjoint',
          'within',
          'contains',
          'touches',
          'crosses',
          'overlaps',
          'equals',
        ];
        return {
          fields: Object.fromEntries(
            names.flatMap((name) => [
              [name, `s_${name}(geometry, ${area})`],
              [`box_${name}`, `s_${name}(geometry, ${wide})`],
              [`own_${name}`, `s_${name}(geometry, geometry)`],
              [`back_${name}`, `s_${name}(${area}, geometry)`],
            ]),
          ),
        };
      },
    },
  ],
  cast: [{ data: MIXED, params: () => ({ fields: { n: 'text' } }) }],
  centroid: [{ data: MIXED }],
  check: [{ data: [...INVALID, ...AREAS], params: () => ({ valid_field: 'valid' }) }],
  clip: [{ data: MIXED, source: MASK }],
  convex_hull: [{ data: MIXED }],
  dimensions: [{ data: MIXED, params: () => ({ to: 'XY' }) }],
  dissolve: [
    { data: [...AREAS, ...COVERAGE] },
    { data: AREAS, params: () => ({ by: ['group'] }) },
    { data: [...LINES, ...POINTS] },
  ],
  distinct: [{ data: MIXED }],
  drop: [{ data: MIXED, params: () => ({ fields: ['n'] }) }],
  envelope: [{ data: MIXED }],
  erase: [{ data: MIXED, source: MASK }],
  explode: [{ data: MIXED, otherwiseIfCut: 'parts are those that are written' }],
  filter: [
    { data: MIXED, params: (by) => ({ bbox: [turnedLongitude(-2, by), -4, turnedLongitude(3.5, by), 45] }) },
    {
      data: MIXED,
      params: (by) => ({ bbox: [turnedLongitude(-50, by), -40, turnedLongitude(-10, by), 80] }),
    },
    {
      data: MIXED,
      params: (by) => ({
        where: `s_intersects(geometry, BBOX(${turnedLongitude(-2, by)}, -4, ${turnedLongitude(3.5, by)}, 45))`,
      }),
    },
    { data: MIXED, params: () => ({ where: 'xmax() - xmin() < 30' }) },
  ],
  grid: [
    { data: MIXED, params: () => ({ size: 2, units: 'crs' }), isOrdered: false, turnUnit: 2 },
    {
      data: POINTS,
      params: () => ({ size: 3, units: 'crs', empty: false, aggregate: { n: 'sum' } }),
      isOrdered: false,
      turnUnit: 3,
    },
    { data: POINTS, params: () => ({ size: 5, units: 'crs', shape: 'hex' }), isOrdered: false, turnUnit: 5 },
  ],
  join: 'takes no geometries',
  limit: [{ data: MIXED, params: () => ({ count: 5 }) }],
  lines_to_polygons: [
    { data: CLOSED },
    { data: NETWORK, params: () => ({ method: 'network' }), isOrdered: false },
  ],
  make_valid: [
    { data: [...INVALID, ...AREAS] },
    {
      data: INVALID,
      params: () => ({ method: 'linework' }),
      otherwiseIfCut: 'parts that overlap cannot be joined',
    },
  ],
  overlay: ['intersection', 'identity', 'union', 'symmetric_difference'].map((how) => ({
    data: AREAS.slice(0, 5),
    source: AREA_ZONES,
    params: () => ({ how }),
    isOrdered: false,
  })),
  point_on_surface: [{ data: MIXED }],
  points_to_line: [{ data: POINTS }, { data: POINTS, params: () => ({ by: ['group'] }) }],
  polygons_to_lines: [{ data: AREAS }],
  promote: [{ data: MIXED }],
  rename: [{ data: MIXED, params: () => ({ fields: { n: 'm' } }) }],
  reproject: 'changes the CRS; the target may have its seam elsewhere',
  sample: [{ data: MIXED, params: () => ({ count: 4 }) }],
  segmentize: [{ data: MIXED, params: () => ({ max_length: 100, units: 'kilometers' }) }],
  select: [{ data: MIXED, params: () => ({ fields: ['n'] }) }],
  simplify: [
    { data: MIXED, params: () => ({ tolerance: 50, units: 'kilometers' }) },
    { data: MIXED, params: () => ({ tolerance: 50, units: 'kilometers', preserve_topology: false }) },
  ],
  simplify_coverage: [{ data: COVERAGE, params: () => ({ tolerance: 50, units: 'kilometers' }) }],
  snap: [{ data: MIXED, params: () => ({ size: 1, units: 'crs' }), turnUnit: 1 }],
  sort: [{ data: MIXED, params: () => ({ by: ['xmax() - xmin()', 'n'] }) }],
  spatial_join: relations.flatMap((predicate) => [
    { data: MIXED, source: ZONES, params: () => ({ predicate, matches: 'all' }), isOrdered: false as const },
  ]),
  union: [{ data: [...AREAS, ...COVERAGE] }, { data: [...LINES, ...POINTS] }],
  vertices: [{ data: MIXED, otherwiseIfCut: 'rings that are joined begin elsewhere' }],
};

/** Throws unless the law holds of a case, for data that is turned by so many degrees. */
export async function holdsWhenTurned(
  one: LawCase,
  turns: readonly (readonly [by: number, writing: Writing])[],
): Promise<void> {
  const expected = await runTurned(one, one.data, 0);
  for (const [by, writing] of turns) {
    if (writing === 'cut' && one.otherwiseIfCut !== undefined) continue;
    const unit = one.turnUnit ?? 1;
    const turn = Math.round(by / unit) * unit;
    const actual = await runTurned(one, one.data, turn, writing);
    await assertTurned(expected.features, actual.features, turn, {
      tolerance: one.tolerance ?? 1e-7,
      ...(one.longitudes === undefined ? {} : { longitudes: one.longitudes }),
      ...(one.isOrdered === undefined ? {} : { isOrdered: one.isOrdered }),
    });
  }
}
