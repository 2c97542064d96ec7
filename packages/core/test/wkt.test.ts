import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { geometriesArbitrary, geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { geometryText } from '../../../test/support/rows.ts';
import { ByteWriter } from '../src/bytes/byte-writer.ts';
import { GeometryBuilder, type GeometryColumn } from '../src/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '../src/geometry/geometry-notes.ts';
import { WktReader } from '../src/geometry/wkt.ts';
import { writeWkt } from '../src/geometry/wkt-write.ts';
import { GeomillError } from '../src/messages/errors.ts';

const encoder = new TextEncoder();

function read(...texts: string[]): { column: GeometryColumn; reader: WktReader } {
  const builder = new GeometryBuilder();
  const reader = new WktReader();
  for (const text of texts) {
    const bytes = encoder.encode(`@@${text}@@`);
    reader.read(bytes, 2, bytes.length - 2, builder);
  }
  return { column: builder.finish(), reader };
}

function normalised(text: string): string | null {
  return geometryText(read(text).column, 0);
}

function errorOf(text: string): GeomillError {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.code, 'WKT_SYNTAX');
    return error;
  }
  assert.fail(`'${text}' was read`);
}

test('reads and writes every geometry type as ISO WKT', () => {
  for (const text of [
    'POINT (30 10)',
    'LINESTRING (30 10,10 30,40 40)',
    'POLYGON ((35 10,45 45,15 40,10 20,35 10),(20 30,35 35,30 20,20 30))',
    'MULTIPOINT ((10 40),(40 30))',
    'MULTILINESTRING ((10 10,20 20),(40 40,30 30,40 20))',
    'MULTIPOLYGON (((30 20,45 40,10 40,30 20)),((15 5,40 10,10 20,15 5),(16 6,20 9,17 8,16 6)))',
    'GEOMETRYCOLLECTION (POINT (1 2),MULTIPOINT ((1 2),(3 4)),MULTIPOINT ((5 6)),LINESTRING (1 2,3 4))',
    'GEOMETRYCOLLECTION (POINT EMPTY,MULTIPOLYGON EMPTY,POLYGON EMPTY,POINT (1 2))',
    'GEOMETRYCOLLECTION EMPTY',
    'MULTILINESTRING EMPTY',
    'POINT ZM (1 2 3 4)',
    'LINESTRING M (1 2 3,4 5 6)',
    'GEOMETRYCOLLECTION Z (POINT Z (1 2 3),POLYGON Z ((0 0 1,1 0 1,1 1 1,0 0 1)))',
  ])
    assert.equal(normalised(text), text);
});

test('accepts any case, with or without blanks and letters', () => {
  assert.equal(normalised('  LineString(0 1,2 3)\n'), 'LINESTRING (0 1,2 3)');
  assert.equal(normalised('pointz(1 2 3)'), 'POINT Z (1 2 3)');
  assert.equal(normalised('POINTZM(1 2 3 4)'), 'POINT ZM (1 2 3 4)');
  assert.equal(normalised('POINT M(1 2 3)'), 'POINT M (1 2 3)');
  assert.equal(normalised('POLYGON((0 0 1,1 0 2,1 1 3,0 0 1))'), 'POLYGON Z ((0 0 1,1 0 2,1 1 3,0 0 1))');
  assert.equal(normalised('POINT(1 2 3 4)'), 'POINT ZM (1 2 3 4)');
  assert.equal(normalised('MULTIPOINT( 1 2 , (3 4),5 6)'), 'MULTIPOINT ((1 2),(3 4),(5 6))');
  assert.equal(normalised('POINT Z EMPTY'), 'POINT EMPTY');
  assert.equal(normalised('point empty'), 'POINT EMPTY');
  assert.equal(normalised('POINT (-1.5e-3 +.25)'), 'POINT (-0.0015 0.25)');
});

test('a geometry with Z widens the batch and does not add Z to the others', () => {
  const { column } = read('POINT (1 2)', 'POINT Z (3 4 5)', 'LINESTRING M (6 7 8,9 10 11)', 'POINT (12 13)');
  assert.equal(column.dimensions, 'XYZM');
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => geometryText(column, row)),
    ['POINT (1 2)', 'POINT Z (3 4 5)', 'LINESTRING M (6 7 8,9 10 11)', 'POINT (12 13)'],
  );
});

test('returns the SRID of an EWKT prefix', () => {
  const { reader, column } = read('srid = 28350 ; POINT(1 2)');
  assert.equal(reader.srid, 28350);
  assert.equal(geometryText(column, 0), 'POINT (1 2)');
  assert.equal(read('POINT(1 2)').reader.srid, 0);
});

test('notes tolerated irregularities', () => {
  const cases: [string, string, number][] = [
    ['POLYGON ((0 0,1 0,1 1))', 'POLYGON ((0 0,1 0,1 1,0 0))', GEOMETRY_NOTE.ringClosed],
    ['MULTIPOINT (EMPTY,1 2)', 'MULTIPOINT ((1 2))', GEOMETRY_NOTE.emptyMember],
    ['POLYGON (EMPTY)', 'POLYGON EMPTY', GEOMETRY_NOTE.emptyMember],
    [
      'GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (MULTIPOINT (1 2,3 4)),POINT (5 6))',
      'GEOMETRYCOLLECTION (MULTIPOINT ((1 2),(3 4)),POINT (5 6))',
      GEOMETRY_NOTE.flattened,
    ],
    ['LINESTRING (1 2)', 'LINESTRING (1 2)', GEOMETRY_NOTE.degenerate],
    ['POLYGON ((0 0,1 1,0 0))', 'POLYGON ((0 0,1 1,0 0))', GEOMETRY_NOTE.degenerate],
    [
      'TIN Z (((0 0 0,0 0 1,0 1 0,0 0 0)))',
      'MULTIPOLYGON Z (((0 0 0,0 0 1,0 1 0,0 0 0)))',
      GEOMETRY_NOTE.surface,
    ],
  ];
  for (const [text, expected, notes] of cases) {
    const { column, reader } = read(text);
    assert.equal(geometryText(column, 0), expected);
    assert.equal(reader.notes, notes, text);
  }
});

test('errors name location and expectation', () => {
  const cases: [string, number, RegExp][] = [
    ['', 0, /a geometry name .* the text ends/],
    ['POINTY (1 2)', 0, /geometry name/],
    ['POINT (1 2', 10, /',' or '\)'/],
    ['POINT 1 2', 6, /'\('/],
    ['POINT (1,2)', 8, /a number is expected, found ','/],
    ['POINT (1 2, 3 4)', 6, /one position, this one has 2/],
    ['POINT (1 2) x', 12, /the end is expected, found 'x'/],
    ['POINT Z (1 2)', 12, /2 numbers where Z wants 3/],
    ['LINESTRING (1 2,3 4 5)', 21, /3 numbers where the ones before have 2/],
    ['POINT (1 1e999)', 9, /beyond the range/],
    ['POINT (NaN 1)', 12, /finite/],
    ['CIRCULARSTRING (0 0,1 1,2 0,3 1)', 15, /has 3, 5, 7, ... positions, this one has 4/],
    ['SRID=4326 POINT (1 2)', 10, /';'/],
    ['MULTIPOLYGON (((0 0,1 1,0 1,0 0)),', 34, /'\(' is expected, the text ends/],
  ];
  for (const [text, offset, reason] of cases) {
    const error = errorOf(text);
    assert.equal(error.params.offset, offset, text);
    assert.match(error.message, reason);
  }
});

test('rejects deep nesting instead of overflowing the stack', () => {
  assert.match(errorOf('GEOMETRYCOLLECTION ('.repeat(100_000)).message, /nested deeper than 32/);
});

test('an invalid geometry can be rolled back', () => {
  const builder = new GeometryBuilder();
  const reader = new WktReader();
  const feed = (text: string): void => reader.read(encoder.encode(text), 0, text.length, builder);
  feed('POINT (1 2)');
  assert.throws(() => feed('MULTIPOLYGON Z (((0 0 1,1 1 1,0 1 1,0 0 1)),((5'));
  builder.rollback();
  feed('LINESTRING (3 4,5 6)');
  const column = builder.finish();
  assert.deepEqual(
    [geometryText(column, 0), geometryText(column, 1)],
    ['POINT (1 2)', 'LINESTRING (3 4,5 6)'],
  );
});

test('rounds to a number of significant digits', () => {
  const { column } = read('POINT (12.3456789012345678 -0.000123456789)');
  const writer = new ByteWriter();
  writeWkt(writer, column, 0, { xy: 7, zm: 7 });
  assert.equal(new TextDecoder().decode(writer.written()), 'POINT (12.34568 -0.0001234568)');
});

test('random geometries survive writing and reading', () => {
  fc.assert(
    fc.property(geometriesArbitrary, (geometries) => {
      const column = geometryColumn(geometries);
      const writer = new ByteWriter();
      const builder = new GeometryBuilder(column.dimensions);
      const reader = new WktReader();
      for (let row = 0; row < geometries.length; row++) {
        writer.reset();
        writeWkt(writer, column, row);
        if (writer.length === 0) builder.endFeature(0);
        else reader.read(writer.bytes, 0, writer.length, builder);
        assert.equal(reader.notes & GEOMETRY_NOTE.ringClosed, 0);
      }
      assert.deepEqual(builder.finish(), column);
    }),
    { numRuns: 300 },
  );
});

test('rejects every truncation of a valid text without a crash', () => {
  const text =
    'SRID=1;GEOMETRYCOLLECTION Z (MULTIPOLYGON Z (((0 0 1,1 0 1,1 1 1,0 0 1)),EMPTY),POINT Z (1 2 3))';
  for (let length = 0; length < text.length; length++) errorOf(text.slice(0, length));
});
