import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { geometriesArbitrary, geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { geometryText } from '../../../test/support/rows.ts';
import { writeWkb } from '../../../test/support/wkb-write.ts';
import { ByteWriter } from '../src/bytes/byte-writer.ts';
import { GeometryBuilder, type GeometryColumn } from '../src/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '../src/geometry/geometry-notes.ts';
import { WkbReader } from '../src/geometry/wkb.ts';
import { GeomillError } from '../src/messages/errors.ts';

function read(hex: string): { column: GeometryColumn; reader: WkbReader; end: number } {
  const bytes = Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  const builder = new GeometryBuilder();
  const reader = new WkbReader();
  const end = reader.read(bytes, 0, bytes.length, builder);
  return { column: builder.finish(), reader, end };
}

const textOf = (hex: string): string | null => geometryText(read(hex).column, 0);

function errorOf(hex: string): GeomillError {
  try {
    read(hex);
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.code, 'WKB_SYNTAX');
    return error;
  }
  assert.fail(`${hex} was read`);
}

const ONE = '000000000000f03f';
const TWO = '0000000000000040';
const THREE = '0000000000000840';
const BIG_ONE = '3ff0000000000000';
const BIG_TWO = '4000000000000000';
const NAN = '000000000000f87f';

test('reads ISO and EWKB points in both byte orders', () => {
  assert.equal(textOf(`01 01000000 ${ONE} ${TWO}`), 'POINT (1 2)');
  assert.equal(textOf(`00 00000001 ${BIG_ONE} ${BIG_TWO}`), 'POINT (1 2)');
  assert.equal(textOf(`01 e9030000 ${ONE} ${TWO} ${THREE}`), 'POINT Z (1 2 3)');
  assert.equal(textOf(`01 d1070000 ${ONE} ${TWO} ${THREE}`), 'POINT M (1 2 3)');
  assert.equal(textOf(`01 b90b0000 ${ONE} ${TWO} ${THREE} ${ONE}`), 'POINT ZM (1 2 3 1)');
  assert.equal(textOf(`01 01000080 ${ONE} ${TWO} ${THREE}`), 'POINT Z (1 2 3)');
  assert.equal(textOf(`01 01000040 ${ONE} ${TWO} ${THREE}`), 'POINT M (1 2 3)');
  assert.equal(textOf(`01 010000c0 ${ONE} ${TWO} ${THREE} ${ONE}`), 'POINT ZM (1 2 3 1)');
  const ewkb = read(`01 01000020 e6100000 ${ONE} ${TWO}`);
  assert.equal(ewkb.reader.srid, 4326);
  assert.equal(geometryText(ewkb.column, 0), 'POINT (1 2)');
});

test('accepts members of a multi geometry with another byte order', () => {
  assert.equal(
    textOf(`01 04000000 02000000 00 00000001 ${BIG_ONE} ${BIG_TWO} 01 01000000 ${TWO} ${ONE}`),
    'MULTIPOINT ((1 2),(2 1))',
  );
});

test('reads a point of NaN as empty', () => {
  assert.equal(textOf(`01 01000000 ${NAN} ${NAN}`), 'POINT EMPTY');
  assert.equal(textOf(`01 07000000 01000000 01 01000000 ${NAN} ${NAN}`), 'GEOMETRYCOLLECTION (POINT EMPTY)');
});

test('flattens nested collections, closes open rings, and notes both', () => {
  const point = `01 01000000 ${ONE} ${TWO}`;
  const nested = read(`01 07000000 02000000 01 07000000 01000000 ${point} ${point}`);
  assert.equal(geometryText(nested.column, 0), 'GEOMETRYCOLLECTION (POINT (1 2),POINT (1 2))');
  assert.equal(nested.reader.notes, GEOMETRY_NOTE.flattened);
  const open = read(`01 03000000 01000000 03000000 ${ONE} ${ONE} ${TWO} ${ONE} ${TWO} ${THREE}`);
  assert.equal(geometryText(open.column, 0), 'POLYGON ((1 1,2 1,2 3,1 1))');
  assert.equal(open.reader.notes, GEOMETRY_NOTE.ringClosed);
});

test('errors name location and reason', () => {
  const cases: [string, number, RegExp][] = [
    ['', 0, /end where a geometry header/],
    ['02 01000000', 0, /byte order is 2/],
    [`01 01000000 ${ONE}`, 5, /end where a position/],
    ['01 63000000', 1, /99 is not a geometry type/],
    ['01 0d000000 00000000', 1, /Curve is an abstract type/],
    ['01 02000000 ffffffff', 5, /4294967295 positions do not fit into the 0 bytes left/],
    ['01 03000000 ffffff7f', 5, /rings do not fit/],
    [`01 04000000 01000000 01 02000000 00000000`, 9, /MultiPoint is a LineString; it can be Point/],
    [`01 02000000 01000000 ${NAN} ${ONE}`, 9, /finite/],
  ];
  for (const [hex, offset, reason] of cases) {
    const error = errorOf(hex);
    assert.equal(error.params.offset, offset, hex);
    assert.match(error.message, reason);
  }
});

test('rejects deep nesting instead of overflowing the stack', () => {
  assert.match(errorOf('0107000000 01000000'.repeat(100_000)).message, /nested deeper than 32/);
});

test('random geometries survive writing and reading; every truncation is rejected', () => {
  fc.assert(
    fc.property(geometriesArbitrary, fc.nat(), (geometries, cut) => {
      const column = geometryColumn(geometries);
      const writer = new ByteWriter();
      const builder = new GeometryBuilder(column.dimensions);
      const reader = new WkbReader();
      for (let row = 0; row < geometries.length; row++) {
        writer.reset();
        writeWkb(writer, column, row);
        const bytes = writer.take();
        if (bytes.length === 0) {
          builder.endFeature(0);
          continue;
        }
        assert.equal(reader.read(bytes, 0, bytes.length, builder), bytes.length);
        const shorter = cut % bytes.length;
        assert.throws(() => reader.read(bytes, 0, shorter, builder), { code: 'WKB_SYNTAX' });
        builder.rollback();
      }
      assert.deepEqual(builder.finish(), column);
    }),
    { numRuns: 300 },
  );
});
