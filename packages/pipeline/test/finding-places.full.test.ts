/** Findings with places: which features they concern, where these are in EPSG:4326, and the bounds of the list. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { catalogue } from '../../../apps/service/src/catalogue.ts';
import {
  type Converted,
  type ConvertOptions,
  convertFile,
  makeWorkspace,
} from '../../../test/support/convert.ts';
import { writeRawShapefile } from '../../../test/support/raw-shapefile.ts';
import { SOURCE_CRS } from '../../core/src/crs/crs.ts';
import type { ListedFinding } from '../../core/src/messages/findings.ts';
import { MAX_BYTES, writeFindings } from '../src/findings-file.ts';

interface Place {
  readonly properties: {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly layer?: string;
    readonly row?: number;
    readonly id?: string;
    readonly line?: number;
  };
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
}

interface Places {
  readonly type: string;
  readonly totals: Readonly<Record<string, { readonly count: number; readonly listed: number }>>;
  readonly features: readonly Place[];
}

interface Found extends Converted {
  readonly places: Places;
}

async function placesOf(name: string, content: string, options: ConvertOptions): Promise<Found> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, name);
  writeFileSync(path, content);
  return await convertPlaces(path, workspace.path, options);
}

async function convertPlaces(path: string, workspace: string, options: ConvertOptions): Promise<Found> {
  const findingsPath = join(workspace, 'findings.geojson');
  const converted = await convertFile(path, workspace, { ...options, findingsPath });
  const places = JSON.parse(readFileSync(findingsPath, 'utf8')) as Places;
  assertAgrees(places, converted);
  return { ...converted, places };
}

/** The totals are those of the report; no more features are listed than are counted. */
function assertAgrees({ totals, features }: Places, { report }: Converted): void {
  const counts: Record<string, number> = {};
  for (const { code, count } of report.warnings) counts[code] = (counts[code] ?? 0) + count;
  assert.deepEqual(
    Object.fromEntries(Object.entries(totals).map(([code, { count }]) => [code, count])),
    counts,
  );
  for (const [code, { count, listed }] of Object.entries(totals)) {
    assert.equal(features.filter(({ properties }) => properties.code === code).length, listed, code);
    assert.ok(listed <= count && listed <= 10_000, code);
  }
}

/** "RING_CLOSED 1 [7,50,8,51]": code, row, and the box of the geometry. */
function shown({ properties, geometry }: Place): string {
  return [properties.code, properties.row ?? `line ${properties.line}`, JSON.stringify(boxOf(geometry))].join(
    ' ',
  );
}

function boxOf(geometry: Place['geometry']): readonly number[] | null {
  if (geometry === null) return null;
  const numbers = [geometry.coordinates].flat(9) as number[];
  const [xs, ys] = [0, 1].map((axis) => numbers.filter((_, i) => i % 2 === axis));
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  return geometry.type === 'Point' ? box.slice(0, 2) : box;
}

function assertNear(actual: readonly number[] | null, expected: readonly number[], what: string): void {
  assert.equal(actual?.length, expected.length, what);
  for (const [i, value] of expected.entries())
    assert.ok(Math.abs((actual?.[i] ?? Number.NaN) - value) <= 1e-6, `${what}: ${actual} is not ${expected}`);
}

const feature = (geometry: object | null, more: object = {}): object => ({
  type: 'Feature',
  properties: { n: 1 },
  geometry,
  ...more,
});
const collection = (features: readonly object[]): string =>
  JSON.stringify({ type: 'FeatureCollection', features });
const OPEN_RING = {
  type: 'Polygon',
  coordinates: [
    [
      [7, 50],
      [8, 50],
      [8, 51],
      [7, 51],
    ],
  ],
};

test('lists ten defects of a GeoJSON with their places', async () => {
  const bowTie = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [2, 2],
        [2, 0],
        [0, 2],
        [0, 0],
      ],
    ],
  };
  const { places } = await placesOf(
    'defects.geojson',
    collection([
      feature(OPEN_RING, { id: 'open' }),
      feature({
        type: 'LineString',
        coordinates: [
          [170, 10],
          [-170, 12],
        ],
      }),
      feature(bowTie, { id: 3 }),
      feature({ type: 'Point', coordinates: [5, 5, 1, 9] }),
      feature({ type: 'Point', coordinates: [6, 6] }, { colour: 'red' }),
      feature({ type: 'LineString', coordinates: [[9, 9]] }),
      feature({
        type: 'MultiPolygon',
        coordinates: [
          [],
          [
            [
              [1, 1],
              [2, 1],
              [2, 2],
              [1, 1],
            ],
          ],
        ],
      }),
      feature({
        type: 'GeometryCollection',
        geometries: [{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [3, 4] }] }],
      }),
      feature({
        type: 'MultiPoint',
        coordinates: [
          [11, 11],
          [12, 13],
        ],
      }),
      feature({ type: 'Point', coordinates: [10, 95] }),
    ]),
    {
      from: 'geojson',
      to: 'geojson',
      acceptImpossibleCoordinates: true,
      transformations: [
        { type: 'make_valid', params: {} },
        { type: 'explode', params: {} },
      ],
    },
  );
  const all = places.features.map(shown);
  for (const expected of [
    'RING_CLOSED 1 [7,50,8,51]',
    'GEOMETRY_REPAIRED 3 [0,0,2,2]',
    'EXTRA_ORDINATES 4 [5,5]',
    'FOREIGN_MEMBERS_DROPPED 5 [6,6]',
    'GEOMETRY_DEGENERATE 6 [9,9]',
    'EMPTY_MEMBER_DROPPED 7 [1,1,2,2]',
    'COLLECTION_FLATTENED 8 [3,4]',
    // The ninth of the file, and the eighth that reaches the step: nothing was left of the sixth.
    'PARTS_SEPARATED 8 [11,11,12,13]',
    'COORDINATES_OUT_OF_RANGE 10 null',
  ])
    assert.ok(all.includes(expected), `${expected} is not in\n${all.join('\n')}`);
  const cut = places.features.find(({ properties }) => properties.code === 'ANTIMERIDIAN_CUT');
  assert.deepEqual(boxOf(cut?.geometry ?? null), [-170, 10, 170, 12]);
  const closed = places.features.find(({ properties }) => properties.code === 'RING_CLOSED');
  assert.equal(closed?.properties.id, 'open');
  assert.equal(closed?.properties.layer, 'defects');
  assert.equal(closed?.properties.severity, 'changed');
  assert.equal(closed?.properties.message, 'rings whose last position differed from the first were closed');
});

const hasProj = spawnSync('cs2cs', []).status === 0 || spawnSync('which', ['cs2cs']).status === 0;

/** Longitude and latitude of a position in a CRS, by PROJ's own program. */
function degreesByProj(crs: string, x: number, y: number): readonly number[] {
  const done = spawnSync('cs2cs', ['-f', '%.9f', crs, 'EPSG:4326'], {
    input: `${x} ${y}\n`,
    encoding: 'utf8',
  });
  const [latitude, longitude] = done.stdout.trim().split(/\s+/).map(Number);
  return [longitude, latitude];
}

const skip = hasProj ? false : 'cs2cs is not installed';

test('gives the places of a projected CSV as PROJ does, with lines of the file', { skip }, async () => {
  const { places } = await placesOf(
    'survey.csv',
    [
      'id,geom_wkt',
      '1,"POLYGON((500000 5500000,501000 5500000,501000 5502000,500000 5502000))"',
      '2,"POINT(a b)"',
      '3,',
      '4,"GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POINT(350000 5650000)))"',
      '',
    ].join('\n'),
    { from: 'csv', to: 'csv', fromCrs: 'EPSG:25832', readOptions: { on_error: 'skip' } },
  );
  const [closed] = places.features.filter(({ properties }) => properties.code === 'RING_CLOSED');
  assert.equal(closed.properties.line, 2);
  const corners = [
    [500000, 5500000],
    [501000, 5500000],
    [501000, 5502000],
    [500000, 5502000],
  ].map(([x, y]) => degreesByProj('EPSG:25832', x, y));
  const [lons, lats] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
  assertNear(
    boxOf(closed.geometry),
    [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)],
    'the box of the ring',
  );
  const skipped = places.features.find(({ properties }) => properties.code === 'RECORD_SKIPPED');
  assert.deepEqual([skipped?.properties.row, skipped?.properties.line, skipped?.geometry], [2, 3, null]);
  const flat = places.features.find(({ properties }) => properties.code === 'COLLECTION_FLATTENED');
  // The record before it was skipped: the row of the batch is not the record.
  assert.equal(flat?.properties.row, 4);
  assertNear(boxOf(flat?.geometry ?? null), degreesByProj('EPSG:25832', 350000, 5650000), 'the collection');
});

const UTM32 =
  'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';

test('gives the places of values of a shapefile in a projected CRS', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'raw.zip');
  const rows = [['1'], ['abc'], ['3'], ['x'], ['5']];
  await writeRawShapefile(path, { fields: [['n', 'N', 5, 0]], rows, prj: UTM32 });
  const { places } = await convertPlaces(path, workspace.path, { from: 'shp', to: 'geojson' });
  const values = places.features.filter(({ properties }) => properties.code === 'FIELD_WIDENED');
  assert.deepEqual(
    values.map(({ properties }) => properties.row),
    [2, 4],
  );
  assertNear(boxOf(values[0].geometry), degreesByProj('EPSG:25832', 1, 1), 'the second record');
  assertNear(boxOf(values[1].geometry), degreesByProj('EPSG:25832', 3, 1), 'the fourth record');
});

test('names entities of a DXF by handle and line', async () => {
  const dxf = [
    '0,SECTION,2,ENTITIES',
    '0,CIRCLE,5,A1,8,walls,10,3.0,20,4.0,40,1.0',
    '0,INSERT,5,B2,8,walls,2,missing,10,1.0,20,1.0',
    '0,ENDSEC,0,EOF,',
  ]
    .join(',')
    .replaceAll(',', '\n');
  const { places } = await placesOf('plan.dxf', dxf, { from: 'dxf', to: 'geojson', fromCrs: 'EPSG:4326' });
  const [curve] = places.features.filter(({ properties }) => properties.code === 'CURVES_STROKED');
  assert.equal(curve.properties.id, 'A1');
  const [west, south, east, north] = boxOf(curve.geometry) ?? [];
  assertNear([west, east], [2, 4], 'the circle');
  // Its steps leave out the top and the bottom.
  assert.ok(Math.abs(south - 3) < 1e-3 && Math.abs(north - 5) < 1e-3);
  const [block] = places.features.filter(({ properties }) => properties.code === 'BLOCK_MISSING');
  assert.equal(block.properties.id, 'B2');
  assert.equal(block.geometry, null);
  assert.equal(dxf.split('\n')[(block.properties.line ?? 0) - 1 + 1], 'INSERT');
});

test('gives the places of a projected GeoPackage where GDAL puts them', { skip }, async () => {
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'source.csv');
  const path = join(workspace.path, 'parcels.gpkg');
  const bowTie = 'POLYGON((500000 5500000,502000 5502000,502000 5500000,500000 5502000,500000 5500000))';
  writeFileSync(source, `n,WKT\n1,"POINT(1 1)"\n2,"${bowTie}"\n`);
  const done = spawnSync('ogr2ogr', [
    '-f',
    'GPKG',
    '-a_srs',
    'EPSG:25832',
    '-oo',
    'GEOM_POSSIBLE_NAMES=WKT',
    path,
    source,
  ]);
  assert.equal(done.status, 0, String(done.stderr));
  const { places } = await convertPlaces(path, workspace.path, {
    from: 'gpkg',
    to: 'geojson',
    transformations: [{ type: 'make_valid', params: {} }],
  });
  const [repaired] = places.features.filter(({ properties }) => properties.code === 'GEOMETRY_REPAIRED');
  assert.equal(repaired.properties.id, '2');
  const [west, south] = degreesByProj('EPSG:25832', 500000, 5500000);
  const box = boxOf(repaired.geometry) ?? [];
  assertNear([box[0]], [west], 'the western side');
  assert.ok(Math.abs(box[1] - south) < 1e-3 && box[1] <= south + 1e-6);
});

test('a conversion without findings has an empty collection', async () => {
  const { places } = await placesOf(
    'fine.geojson',
    collection([feature({ type: 'Point', coordinates: [1, 2] })]),
    {
      from: 'geojson',
      to: 'geojson',
    },
  );
  assert.deepEqual(places, { type: 'FeatureCollection', totals: {}, features: [] });
});

test('features of a CRS without a known position on the Earth have no geometry', async () => {
  const { places } = await placesOf('plan.csv', 'wkt\n"POLYGON((0 0,1 0,1 1,0 1))"\n', {
    from: 'csv',
    to: 'csv',
    toCrs: SOURCE_CRS,
    fromCrs: 'LOCAL_CS["site",UNIT["metre",1]]',
  });
  const [closed] = places.features.filter(({ properties }) => properties.code === 'RING_CLOSED');
  assert.deepEqual([closed.geometry, closed.properties.row], [null, 1]);
});

test('counts all features and lists 10,000 of a code, 50,000 in all', async () => {
  const defective = feature(
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2, 3, 4] }] },
        {
          type: 'Polygon',
          coordinates: [
            [
              [7, 50],
              [8, 50],
              [8, 51],
              [7, 51],
            ],
            [],
          ],
        },
        { type: 'LineString', coordinates: [[170, 10]] },
      ],
    },
    { colour: 'red' },
  );
  const { places } = await placesOf('many.geojson', collection(new Array(10_500).fill(defective)), {
    from: 'geojson',
    to: 'geojson',
    transformations: [{ type: 'explode', params: {} }],
  });
  const totals = Object.values(places.totals).filter(({ listed }) => listed > 0);
  assert.ok(totals.length > 5);
  // Each code has the same share.
  const share = Math.floor(50_000 / totals.length);
  assert.deepEqual(
    totals,
    totals.map(() => ({ count: 10_500, listed: share })),
  );
});

test('lists 10,000 features of a code', async () => {
  const { places } = await placesOf('rings.geojson', collection(new Array(12_000).fill(feature(OPEN_RING))), {
    from: 'geojson',
    to: 'geojson',
  });
  assert.deepEqual(places.totals, { RING_CLOSED: { count: 12_000, listed: 10_000 } });
});

test('texts of the input are quoted and shortened', async () => {
  const hostile = `"><script>alert(1)</script>\u2028${'x'.repeat(100_000)}`;
  const { places } = await placesOf(
    '<b>&.geojson',
    collection([feature(OPEN_RING, { id: hostile, [hostile]: 1 }), feature(OPEN_RING, { id: '__proto__' })]),
    { from: 'geojson', to: 'geojson' },
  );
  const ids = places.features.map(({ properties }) => properties.id ?? '');
  assert.ok(ids[0].startsWith('"><script>') && ids[0].length <= 200);
  assert.equal(ids[1], '__proto__');
  assert.ok(places.features.every(({ properties }) => properties.message.length <= 400));
});

test('the file is at most 20 MB and a little more, whatever the texts', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'findings.geojson');
  const count = 10_000;
  const rows = {
    rows: new Int32Array(count),
    records: new Uint32Array(count).fill(1),
    lines: null,
    ids: new Array<string>(count).fill('\u{10348}'.repeat(100)),
    boxes: null,
  };
  const finding = (code: string): ListedFinding => ({
    entry: catalogue.findings[code],
    code,
    message: 'm'.repeat(5000),
    count,
    places: [],
    params: {},
    listed: [{ rows, base: { record: 0, line: 0 }, at: { layer: 'l' }, crs: 'EPSG:4326' }],
  });
  await writeFindings(path, [finding('RING_CLOSED'), finding('TEXT_CUT'), finding('Z_DROPPED')], null);
  const content = readFileSync(path);
  assert.ok(content.length <= MAX_BYTES + 1000, `${content.length}`);
  const { totals, features } = JSON.parse(content.toString()) as Places;
  assert.ok(features.length < 30_000);
  assert.equal(totals.Z_DROPPED.count, count);
});

test('property: the places of a code are its features, each where it is', async () => {
  const kinds = fc.constantFrom('fine', 'open', 'tie', 'null', 'extra');
  await fc.assert(
    fc.asyncProperty(fc.array(kinds, { maxLength: 30 }), fc.boolean(), async (list, isProjected) => {
      const geometries = list.map((kind, i) => {
        const square = [
          [i, 1],
          [i + 0.5, 1],
          [i + 0.5, 2],
          [i, 2],
          [i, 1],
        ];
        if (kind === 'null') return null;
        if (kind === 'extra') return { type: 'Point', coordinates: [i, 1, 2, 3] };
        if (kind === 'open') return { type: 'Polygon', coordinates: [square.slice(0, 4)] };
        const ring = kind === 'tie' ? [square[0], square[2], square[1], square[3], square[0]] : square;
        return { type: 'Polygon', coordinates: [ring] };
      });
      const { places } = await placesOf(
        'list.geojson',
        collection(geometries.map((geometry) => feature(geometry))),
        {
          from: 'geojson',
          to: isProjected ? 'dxf' : 'csv',
          toCrs: isProjected ? 'EPSG:3857' : 'EPSG:4326',
          transformations: [{ type: 'make_valid', params: {} }],
        },
      );
      for (const [kind, code] of [
        ['open', 'RING_CLOSED'],
        ['tie', 'GEOMETRY_REPAIRED'],
        ['extra', 'EXTRA_ORDINATES'],
      ]) {
        const found = places.features.filter(({ properties }) => properties.code === code);
        const expected = list.flatMap((other, i) => (other === kind ? [i] : []));
        assert.deepEqual(
          found.map(({ properties }) => (properties.row ?? 0) - 1),
          expected,
          code,
        );
        for (const [i, place] of found.entries())
          assertNear(boxOf(place.geometry)?.slice(0, 2) ?? null, [expected[i], 1], code);
      }
      const undrawn = places.features.filter(({ properties }) => properties.code === 'GEOMETRY_NOT_DRAWN');
      assert.equal(undrawn.length, isProjected ? list.filter((kind) => kind === 'null').length : 0);
    }),
    { numRuns: 25 },
  );
});
