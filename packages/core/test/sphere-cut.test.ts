import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { geometryText } from '../../../test/support/rows.ts';
import { GeometryBuilder, type GeometryColumn } from '../src/geometry/geometry-column.ts';
import { locateInRing, signedArea } from '../src/geometry/rings.ts';
import { WktReader } from '../src/geometry/wkt.ts';
import { cutAtAntimeridian } from '../src/sphere/cut.ts';

function parseWkts(wkts: readonly string[]): GeometryColumn {
  const builder = new GeometryBuilder();
  for (const wkt of wkts) {
    const bytes = new TextEncoder().encode(wkt);
    new WktReader().read(bytes, 0, bytes.length, builder);
  }
  return builder.finish();
}

function parseWkt(wkt: string): GeometryColumn {
  return parseWkts([wkt]);
}

function cut(wkt: string): { readonly wkt: string | null; readonly changed: boolean } {
  const { geometry, rows } = cutAtAntimeridian(parseWkt(wkt));
  return { wkt: geometryText(geometry, 0), changed: rows.length > 0 };
}

const cases: readonly (readonly [what: string, source: string, result: string])[] = [
  ['a point beyond 180', 'POINT (190.5 3)', 'POINT (-169.5 3)'],
  ['points on both sides', 'MULTIPOINT ((-190 1),(180 2),(540 3))', 'MULTIPOINT ((170 1),(180 2),(-180 3))'],
  [
    'a line that jumps',
    'LINESTRING Z (178 0 0,-178 4 8,-170 4 9)',
    'MULTILINESTRING Z ((178 0 0,180 2 4),(-180 2 4,-178 4 8,-170 4 9))',
  ],
  [
    'a line that goes on beyond 180',
    'LINESTRING (170 0,190 10,170 20)',
    'MULTILINESTRING ((170 0,180 5),(-180 5,-170 10,-180 15),(180 15,170 20))',
  ],
  ['a line wholly beyond 180', 'LINESTRING (181 0,182.25 10)', 'LINESTRING (-179 0,-177.75 10)'],
  [
    'a line with a position on the cut',
    'LINESTRING (170 0,180 5,-175 10)',
    'MULTILINESTRING ((170 0,180 5),(-180 5,-175 10))',
  ],
  [
    'a polygon that jumps',
    'POLYGON ((178 0,-178 0,-178 4,178 4,178 0))',
    'MULTIPOLYGON (((180 4,178 4,178 0,180 0,180 4)),((-180 0,-178 0,-178 4,-180 4,-180 0)))',
  ],
  [
    'a polygon with a hole that is cut too',
    'POLYGON ((170 0,190 0,190 10,170 10,170 0),(175 4,175 6,185 6,185 4,175 4))',
    'MULTIPOLYGON (((180 10,170 10,170 0,180 0,180 4,175 4,175 6,180 6,180 10)),((-180 0,-170 0,-170 10,-180 10,-180 6,-175 6,-175 4,-180 4,-180 0)))',
  ],
  [
    'holes on either side',
    'POLYGON ((170 0,190 0,190 10,170 10,170 0),(172 4,172 6,174 6,172 4),(-175 4,-175 6,-173 6,-175 4))',
    'MULTIPOLYGON (((180 10,170 10,170 0,180 0,180 10),(172 4,172 6,174 6,172 4)),((-180 0,-170 0,-170 10,-180 10,-180 0),(-175 4,-175 6,-173 6,-175 4)))',
  ],
  [
    'a comb that falls into three',
    'POLYGON ((170 0,185 0,185 2,175 2,175 4,185 4,185 6,170 6,170 0))',
    'MULTIPOLYGON (((180 2,175 2,175 4,180 4,180 6,170 6,170 0,180 0,180 2)),((-180 0,-175 0,-175 2,-180 2,-180 0)),((-180 4,-175 4,-175 6,-180 6,-180 4)))',
  ],
  [
    'the line of RFC 7946 3.1.9',
    'LINESTRING (170 45,-170 45)',
    'MULTILINESTRING ((170 45,180 45),(-180 45,-170 45))',
  ],
  [
    'the polygon of RFC 7946 3.1.9',
    'POLYGON ((170 40,-170 40,-170 50,170 50,170 40))',
    'MULTIPOLYGON (((180 50,170 50,170 40,180 40,180 50)),((-180 40,-170 40,-170 50,-180 50,-180 40)))',
  ],
  [
    'a polygon wholly beyond -180',
    'POLYGON ((-190 0,-185 0,-185 5,-190 0))',
    'POLYGON ((170 0,175 0,175 5,170 0))',
  ],
  [
    'a member of a collection',
    'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (179 0,-179 0))',
    'GEOMETRYCOLLECTION (POINT (1 2),MULTILINESTRING ((179 0,180 0),(-180 0,-179 0)))',
  ],
];

for (const [what, source, result] of cases)
  test(`cuts or moves ${what} at 180 degrees`, () => {
    assert.deepEqual(cut(source), { wkt: result, changed: true });
  });

for (const [source, result] of [
  [
    'POLYGON ((-175 80,-60 80,60 80,175 80,-175 80))',
    'POLYGON ((-180 80,-175 80,-60 80,60 80,175 80,180 80,180 90,-180 90,-180 80))',
  ],
  // Clockwise, as a shapefile has its shells, around the south pole, with Z.
  [
    'POLYGON Z ((-175 -80 1,-60 -70 2,60 -80 3,175 -80 1,-175 -80 1))',
    'POLYGON Z ((180 -80 1,175 -80 1,60 -80 3,-60 -70 2,-175 -80 1,-180 -80 1,-180 -90 1,180 -90 1,180 -80 1))',
  ],
  [
    'POLYGON ((-175 70,-60 70,60 70,175 70,-175 70),(-175 80,-60 80,60 80,175 80,-175 80))',
    'POLYGON ((-180 70,-175 70,-60 70,60 70,175 70,180 70,180 80,175 80,60 80,-60 80,-175 80,-180 80,-180 70))',
  ],
  // A hole across 180 degrees beside the pole.
  [
    'POLYGON ((-175 70,-60 70,60 70,175 70,-175 70),(175 75,-175 75,-175 78,175 78,175 75))',
    'POLYGON ((-180 70,-175 70,-60 70,60 70,175 70,180 70,180 75,175 75,175 78,180 78,180 90,-180 90,-180 78,-175 78,-175 75,-180 75,-180 70))',
  ],
  // A hole elsewhere stays one.
  [
    'POLYGON ((-175 70,-60 70,60 70,175 70,-175 70),(10 75,20 75,20 78,10 78,10 75))',
    'POLYGON ((-180 70,-175 70,-60 70,60 70,175 70,180 70,180 90,-180 90,-180 70),(10 75,10 78,20 78,20 75,10 75))',
  ],
] as const)
  test(`closes ${source.slice(0, 60)} along the pole`, () => {
    const { geometry, closed, cut, moved, rows } = cutAtAntimeridian(parseWkt(source));
    assert.equal(geometryText(geometry, 0), result);
    assert.deepEqual({ closed, cut, moved, rows }, { closed: [0], cut: [], moved: [], rows: [0] });
  });

test('tells features that were moved from those that were cut, and from those that could not be', () => {
  const column = parseWkts([
    'POINT (191 48)',
    'LINESTRING (179 0,-179 0)',
    'LINESTRING (181 0,182 1)',
    // Rings that cross one another at the cut.
    'POLYGON ((170 0,190 0,190 10,170 10,170 0),(175 -6,185 5,185 9,175 -2,175 -6))',
    'POINT (1 1)',
  ]);
  const { cut, moved, uncut, rows } = cutAtAntimeridian(column);
  assert.deepEqual({ cut, moved, uncut, rows }, { cut: [1], moved: [0, 2], uncut: [3], rows: [0, 1, 2] });
});

for (const source of [
  'POLYGON ((-180 -90,180 -90,180 90,-180 90,-180 -90))',
  'POLYGON ((-180 60,-90 60,0 60,90 60,180 60,180 90,-180 90,-180 60))',
  'LINESTRING (-90 0,90 0)',
  'LINESTRING (-180 0,180 0)',
  'POLYGON ((175 0,180 0,180 5,175 0))',
  'LINESTRING (180 0,180 5)',
  'POLYGON EMPTY',
])
  test(`does not change ${source.slice(0, 60)}`, () => {
    const column = parseWkt(source);
    const { geometry, rows } = cutAtAntimeridian(column);
    assert.equal(geometryText(geometry, 0), geometryText(column, 0));
    assert.deepEqual(rows, []);
  });

test('snaps longitudes beyond 180 only by rounding without counting them', () => {
  const source = 'POLYGON ((175 0,180.00000000000003 0,180.00000000000003 5,175 0))';
  assert.deepEqual(cut(source), { wkt: 'POLYGON ((175 0,180 0,180 5,175 0))', changed: false });
});

// --- laws -------------------------------------------------------------------------------------------------------

/** A star with a wavy outline around a centre near 180, perhaps with a hole of the same shape at a third of its size. */
const star = fc
  .tuple(
    fc.double({ min: 171, max: 189, noNaN: true }),
    fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 3, maxLength: 24 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([centre, radii, withHole, jumps]) => ({ centre, radii, withHole, jumps }));

function starColumn(shape: {
  centre: number;
  radii: number[];
  withHole: boolean;
  jumps: boolean;
}): GeometryColumn {
  const builder = new GeometryBuilder();
  for (const scale of shape.withHole ? [8, 2] : [8]) {
    const positions = shape.radii.map((radius, i) => {
      const angle = (2 * Math.PI * i) / shape.radii.length;
      return [shape.centre + scale * radius * Math.cos(angle), scale * radius * Math.sin(angle)];
    });
    for (const [x, y] of [...positions, positions[0]])
      builder.position(shape.jumps && x > 180 ? x - 360 : x, y);
    builder.endRing();
  }
  builder.endPart(3);
  builder.endFeature(3);
  return builder.finish();
}

function rings({ coordOffsets, coordinates }: GeometryColumn): Float64Array[] {
  return Array.from(coordOffsets.subarray(1), (end, ring) =>
    coordinates.slice(coordOffsets[ring] * 2, end * 2),
  );
}

function isInside(column: GeometryColumn, x: number, y: number): boolean {
  return rings(column).filter((ring) => locateInRing(x, y, ring, 2, 0, ring.length / 2) > 0).length % 2 === 1;
}

/**
 * From a point to the nearest edge, in degrees. A turn moves positions by roundings of 1e-13, so a point so near to an
 * edge may change its side without anything being wrong.
 */
function edgeDistance(column: GeometryColumn, x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const ring of rings(column))
    for (let at = 2; at < ring.length; at += 2) {
      const dx = ring[at] - ring[at - 2];
      const dy = ring[at + 1] - ring[at - 1];
      const along = ((x - ring[at - 2]) * dx + (y - ring[at - 1]) * dy) / (dx * dx + dy * dy);
      const t = Math.max(0, Math.min(1, along));
      nearest = Math.min(nearest, Math.hypot(x - ring[at - 2] - t * dx, y - ring[at - 1] - t * dy));
    }
  return nearest;
}

test('the pieces have the area of the whole, are in range and cover the same points', () => {
  fc.assert(
    fc.property(
      star,
      fc.array(fc.tuple(fc.double({ min: 163, max: 197 }), fc.double({ min: -8, max: 8 }))),
      (shape, points) => {
        // A star narrower than 170 to 190 leaves no doubt which way its edges go.
        fc.pre(shape.radii.every((radius) => Math.abs(shape.centre + 8 * radius - 180) < 10 || !shape.jumps));
        fc.pre(!shape.jumps || (shape.centre - 8 > 170 && shape.centre + 8 < 190));
        const straight = starColumn({ ...shape, jumps: false });
        const { geometry } = cutAtAntimeridian(starColumn(shape));
        const area = (column: GeometryColumn): number => {
          const { partOffsets, ringOffsets } = column;
          const all = rings(column);
          let sum = 0;
          for (let part = partOffsets[0]; part < partOffsets[1]; part++)
            for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
              const own = Math.abs(signedArea(all[ring], 2, 0, all[ring].length / 2));
              sum += ring === ringOffsets[part] ? own : -own;
            }
          return sum;
        };
        assert.ok(
          Math.abs(area(geometry) - area(straight)) < 1e-8,
          `${area(geometry)} for ${area(straight)}`,
        );
        for (let i = 0; i < geometry.coordinates.length; i += 2)
          assert.ok(Math.abs(geometry.coordinates[i]) <= 180, String(geometry.coordinates[i]));
        for (const [x, y] of points)
          if (Math.abs(x - 180) > 1e-6 && edgeDistance(straight, x, y) > 1e-9)
            assert.equal(isInside(geometry, x > 180 ? x - 360 : x, y), isInside(straight, x, y), `${x} ${y}`);
      },
    ),
    { numRuns: 400 },
  );
});

test('an area that is closed from corner to corner of the map stays as it is', () => {
  for (const wkt of [
    'POLYGON ((-179.99995 -89.9989,179.99995 -89.9989,179.99995 -80,0 -70,-179.99995 -80,-179.99995 -89.9989))',
    'POLYGON ((-179.9999 89.9999,-179.9999 80,0 70,179.9999 80,179.9999 89.9999,-179.9999 89.9999))',
  ])
    assert.deepEqual(cut(wkt), { wkt, changed: false });
});

test('an edge that ends at the antimeridian elsewhere crosses it', () => {
  assert.deepEqual(cut('LINESTRING (179.9999 60,-179.9999 60)').changed, true);
  assert.deepEqual(cut('LINESTRING (179.9999 -89.999,-179.9999 -80)').changed, true);
});
