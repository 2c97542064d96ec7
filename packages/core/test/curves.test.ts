/**
 * Curve geometries in well-known text and binary. Stroking of arcs is tested in arc.test.ts, the resulting geometries
 * here.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ByteOrder, curveWkb } from '../../../test/support/curve-wkb.ts';
import { geometryText } from '../../../test/support/rows.ts';
import {
  GEOMETRY_TYPE_NAMES,
  GeometryBuilder,
  type GeometryColumn,
} from '../src/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '../src/geometry/geometry-notes.ts';
import { WkbReader } from '../src/geometry/wkb.ts';
import { WktReader } from '../src/geometry/wkt.ts';

/** Steps of a quarter turn, so that the expectations are short. */
const COARSE = { maxStepRadians: Math.PI / 2, toleranceUnits: null };
const ORDERS: readonly ByteOrder[] = ['iso little', 'iso big', 'ewkb little', 'ewkb big'];

interface Read {
  readonly column: GeometryColumn;
  readonly notes: number;
}

function readText(text: string): Read {
  const bytes = new TextEncoder().encode(text);
  const builder = new GeometryBuilder();
  const reader = new WktReader(COARSE);
  reader.read(bytes, 0, bytes.length, builder);
  return { column: builder.finish(), notes: reader.notes };
}

function readBytes(bytes: Uint8Array): Read {
  const builder = new GeometryBuilder();
  const reader = new WkbReader(COARSE);
  assert.equal(reader.read(bytes, 0, bytes.length, builder), bytes.length);
  return { column: builder.finish(), notes: reader.notes };
}

/** WKT with the coordinates rounded: (1 1) of a computed quarter turn is not exact. */
function textOf({ column }: Read): string {
  const coordinates = column.coordinates.map((value) => Math.round(value * 1e9) / 1e9 + 0);
  return String(geometryText({ ...column, coordinates }, 0));
}

const { curve, curveGap, emptyMember, ringClosed, degenerate, flattened } = GEOMETRY_NOTE;

/** Curve, expected geometry, notes. Arcs of 180 degrees become two steps, over the top at (1 1). */
const CASES: readonly (readonly [text: string, expected: string, notes: number])[] = [
  ['CIRCULARSTRING (0 0,1 1,2 0)', 'LINESTRING (0 0,1 1,2 0)', curve],
  ['CIRCULARSTRING (0 0,1 1,2 0,3 -1,4 0)', 'LINESTRING (0 0,1 1,2 0,3 -1,4 0)', curve],
  ['CIRCULARSTRING (0 0,2 0,0 0)', 'LINESTRING (0 0,1 -1,2 0,1 1,0 0)', curve],
  ['CIRCULARSTRING (0 0,1 1,3 3)', 'LINESTRING (0 0,1 1,3 3)', 0],
  ['CIRCULARSTRING EMPTY', 'LINESTRING EMPTY', 0],
  ['CIRCULARSTRING Z (0 0 1,1 1 3,2 0 9)', 'LINESTRING Z (0 0 1,1 1 3,2 0 9)', curve],
  ['CIRCULARSTRING M (0 0 1,1 1 3,2 0 9)', 'LINESTRING M (0 0 1,1 1 3,2 0 9)', curve],
  ['CIRCULARSTRING ZM (0 0 1 4,1 1 3 5,2 0 9 6)', 'LINESTRING ZM (0 0 1 4,1 1 3 5,2 0 9 6)', curve],
  [
    'COMPOUNDCURVE ((-1 0,0 0),CIRCULARSTRING (0 0,1 1,2 0),(2 0,3 0,3 5))',
    'LINESTRING (-1 0,0 0,1 1,2 0,3 0,3 5)',
    curve,
  ],
  ['COMPOUNDCURVE ((0 0,1 0),(1 0,1 1))', 'LINESTRING (0 0,1 0,1 1)', 0],
  ['COMPOUNDCURVE ((0 0,1 0),(2 0,3 1))', 'LINESTRING (0 0,1 0,2 0,3 1)', curveGap],
  ['COMPOUNDCURVE Z ((0 0 1,1 0 2),(1 0 3,1 1 4))', 'LINESTRING Z (0 0 1,1 0 2,1 0 3,1 1 4)', 0],
  ['COMPOUNDCURVE EMPTY', 'LINESTRING EMPTY', 0],
  ['COMPOUNDCURVE (CIRCULARSTRING EMPTY,(0 0,1 1))', 'LINESTRING (0 0,1 1)', emptyMember],
  ['COMPOUNDCURVE (CIRCULARSTRING EMPTY)', 'LINESTRING EMPTY', emptyMember],
  [
    'CURVEPOLYGON (CIRCULARSTRING (0 0,4 0,0 0),(1 0,2 0,2 1,1 0))',
    'POLYGON ((0 0,2 -2,4 0,2 2,0 0),(1 0,2 0,2 1,1 0))',
    curve,
  ],
  [
    'CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (0 0,1 1,2 0),(2 0,0 0)))',
    'POLYGON ((0 0,1 1,2 0,0 0))',
    curve,
  ],
  [
    'CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (0 0,1 1,2 0),(2 0,2 -1)))',
    'POLYGON ((0 0,1 1,2 0,2 -1,0 0))',
    curve | ringClosed,
  ],
  ['CURVEPOLYGON (CIRCULARSTRING EMPTY)', 'POLYGON EMPTY', emptyMember],
  ['CURVEPOLYGON EMPTY', 'POLYGON EMPTY', 0],
  ['CURVEPOLYGON ((0 0,1 1,0 0))', 'POLYGON ((0 0,1 1,0 0))', degenerate],
  [
    'MULTICURVE ((0 0,1 1),CIRCULARSTRING (0 0,1 1,2 0),COMPOUNDCURVE ((5 5,6 6),(6 6,7 8)))',
    'MULTILINESTRING ((0 0,1 1),(0 0,1 1,2 0),(5 5,6 6,7 8))',
    curve,
  ],
  ['MULTICURVE (CIRCULARSTRING EMPTY)', 'MULTILINESTRING EMPTY', emptyMember],
  ['MULTICURVE EMPTY', 'MULTILINESTRING EMPTY', 0],
  [
    'MULTISURFACE (((0 0,1 0,1 1,0 0)),CURVEPOLYGON (CIRCULARSTRING (0 0,4 0,0 0)))',
    'MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((0 0,2 -2,4 0,2 2,0 0)))',
    curve,
  ],
  ['MULTISURFACE (((0 0,1 0,1 1,0 0)))', 'MULTIPOLYGON (((0 0,1 0,1 1,0 0)))', 0],
  [
    'GEOMETRYCOLLECTION (POINT (1 2),CIRCULARSTRING (0 0,1 1,2 0),MULTICURVE ((0 0,1 1),(2 2,3 3)),CURVEPOLYGON EMPTY)',
    'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1,2 0),MULTILINESTRING ((0 0,1 1),(2 2,3 3)),POLYGON EMPTY)',
    curve,
  ],
  [
    'GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (MULTISURFACE (((0 0,1 0,1 1,0 0)))))',
    'GEOMETRYCOLLECTION (MULTIPOLYGON (((0 0,1 0,1 1,0 0))))',
    flattened,
  ],
];

test('reads curves in text as lines and polygons', () => {
  for (const [text, expected, notes] of CASES) {
    const found = readText(text);
    assert.equal(textOf(found), expected, text);
    assert.equal(found.notes, notes, text);
  }
});

test('reads curves in binary the same, in both byte orders, with ISO and EWKB codes', () => {
  for (const [text, expected, notes] of CASES)
    for (const order of ORDERS) {
      const found = readBytes(curveWkb(text, order));
      assert.equal(textOf(found), expected, `${text}, ${order}`);
      assert.equal(found.notes, notes, `${text}, ${order}`);
      assert.equal(GEOMETRY_TYPE_NAMES[found.column.types[0]].toUpperCase(), expected.split(' ')[0]);
    }
});

test('letters of a curve apply to members with and without their own', () => {
  const expected = 'LINESTRING M (0 0 1,1 0 2,2 1 3,3 0 4)';
  for (const text of [
    'COMPOUNDCURVE M ((0 0 1,1 0 2),CIRCULARSTRING M (1 0 2,2 1 3,3 0 4))',
    'COMPOUNDCURVE M ((0 0 1,1 0 2),CIRCULARSTRING (1 0 2,2 1 3,3 0 4))',
    'COMPOUNDCURVEM(LINESTRING M(0 0 1,1 0 2),circularstringm(1 0 2,2 1 3,3 0 4))',
  ])
    assert.equal(textOf(readText(text)), expected);
  const after = 'MULTICURVE M (CIRCULARSTRING M (0 0 1,1 1 2,2 0 3),(0 0 4,1 1 5))';
  assert.equal(textOf(readText(after)), 'MULTILINESTRING M ((0 0 1,1 1 2,2 0 3),(0 0 4,1 1 5))');
});

test('arcs that widen the batch keep earlier positions', () => {
  const text = 'GEOMETRYCOLLECTION (CIRCULARSTRING (0 0,1 1,2 0),CIRCULARSTRING Z (0 0 5,1 1 6,2 0 7))';
  const expected =
    'GEOMETRYCOLLECTION Z (LINESTRING Z (0 0 NaN,1 1 NaN,2 0 NaN),LINESTRING Z (0 0 5,1 1 6,2 0 7))';
  assert.equal(textOf(readText(text)).replaceAll(' Z', ''), expected.replaceAll(' Z', ''));
  for (const order of ORDERS) assert.equal(textOf(readBytes(curveWkb(text, order))), textOf(readText(text)));
});

test('neighbours that share an arc have the same vertices on it', () => {
  const builder = new GeometryBuilder();
  const reader = new WktReader();
  for (const text of [
    'CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (0.1 0.2,1.3 1.1,2.7 0.3),(2.7 0.3,2 5,0.1 0.2)))',
    'CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (2.7 0.3,1.3 1.1,0.1 0.2),(0.1 0.2,1 -5,2.7 0.3)))',
  ]) {
    const bytes = new TextEncoder().encode(text);
    reader.read(bytes, 0, bytes.length, builder);
  }
  const { coordOffsets, coordinates } = builder.finish();
  const ring = (index: number): number[][] =>
    Array.from({ length: coordOffsets[index + 1] - coordOffsets[index] }, (_, i) => [
      ...coordinates.subarray((coordOffsets[index] + i) * 2, (coordOffsets[index] + i + 1) * 2),
    ]);
  const arcs = [ring(0), ring(1)].map((positions) => positions.slice(0, -2));
  assert.ok(arcs[0].length > 20);
  assert.deepEqual(arcs[1].toReversed(), arcs[0]);
  assert.deepEqual(ring(0).at(-1), ring(0)[0]);
});

test('rejects invalid curves in text with their location', () => {
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['CIRCULARSTRING (0 0,1 1)', 15, /3, 5, 7, \.\.\. positions, this one has 2/],
    ['COMPOUNDCURVE ((0 0,1 1),CIRCULARSTRING (1 1))', 40, /this one has 1/],
    [
      'COMPOUNDCURVE (COMPOUNDCURVE ((0 0,1 1)))',
      15,
      /a CompoundCurve is a CompoundCurve; it can be LineString/,
    ],
    ['CURVEPOLYGON (POINT (0 0))', 14, /a CurvePolygon is a Point/],
    ['MULTICURVE (POLYGON ((0 0,1 0,1 1,0 0)))', 12, /a MultiCurve is a Polygon/],
    ['MULTISURFACE (CIRCULARSTRING (0 0,1 1,2 0))', 14, /a MultiSurface is a CircularString/],
    ['MULTILINESTRING (CIRCULARSTRING (0 0,1 1,2 0))', 17, /'\(' is expected/],
    ['MULTISURFACE Z (CURVEPOLYGON ((0 0,1 0,1 1,0 0)))', 34, /2 numbers where Z wants 3/],
    ['CURVE (0 0,1 1)', 0, /a geometry name/],
  ];
  for (const [text, offset, reason] of cases) {
    assert.throws(() => readText(text), { code: 'WKT_SYNTAX', message: reason }, text);
    assert.throws(() => readText(text), { message: new RegExp(`^WKT character ${offset}:`) }, text);
  }
});

test('rejects invalid curves in binary: truncated anywhere or with invalid members', () => {
  const whole = curveWkb(
    'MULTISURFACE (CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (0 0,1 1,2 0),(2 0,0 0))))',
    'iso little',
  );
  for (let length = 0; length < whole.length; length++)
    assert.throws(() => readBytes(whole.subarray(0, length)), { code: 'WKB_SYNTAX' });
  for (const [text, reason] of [
    ['CIRCULARSTRING (0 0,1 1)', /this one has 2/],
    ['COMPOUNDCURVE (COMPOUNDCURVE ((0 0,1 1)))', /is a CompoundCurve/],
    ['CURVEPOLYGON (GEOMETRYCOLLECTION (POINT (0 0)))', /is a GeometryCollection/],
    ['MULTISURFACE (COMPOUNDCURVE ((0 0,1 1)))', /is a CompoundCurve; it can be Polygon, CurvePolygon/],
  ] as const)
    assert.throws(() => readBytes(curveWkb(text, 'ewkb big')), { code: 'WKB_SYNTAX', message: reason });
});
