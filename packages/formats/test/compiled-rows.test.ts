/** The compiled functions of wasm/ against readers and writers in JavaScript. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { sourceSha256 } from '../../../scripts/build-compiled-rows.ts';
import { type Cell, columnOf } from '../../../test/support/columns.ts';
import {
  type Geometry,
  geometriesArbitrary,
  geometryColumn,
  simpleArbitrary,
} from '../../../test/support/geometry-arbitrary.ts';
import type { FieldType } from '../../core/src/columns/schema.ts';
import { GEOMETRY_TYPE } from '../../core/src/geometry/geometry-column.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { CompiledRows } from '../../engines/sqlite/src/compiled-rows.ts';
import { CODE, CODE_SHA256, SOURCE_SHA256 } from '../../engines/sqlite/src/compiled-rows-code.ts';
import { readRecords } from '../../engines/sqlite/src/records.ts';
import { encodePlainRecords } from '../src/gpkg/compiled-encode.ts';
import { GeometryBlobReader } from '../src/gpkg/geometry-blob-reader.ts';
import { type PageValues, viewsOf } from '../src/gpkg/page-values.ts';
import { readPlainGeometries } from '../src/gpkg/plain-geometries.ts';
import { encodeAnyRecords } from '../src/gpkg/record-encode.ts';

const SRS = 4326;
const MOST_POSITIONS = 30;

test('the code in the repository is compiled from the source in the repository', () => {
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  assert.equal(sourceSha256(), SOURCE_SHA256, 'run node scripts/build-compiled-rows.ts');
  assert.equal(sha256(inflateRawSync(Buffer.from(CODE, 'base64'))), CODE_SHA256);
});

const plainGeometry = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 9,
    arbitrary: fc.constantFrom<(1 | 2 | 3)[]>(1, 2, 3).chain(simpleArbitrary),
  },
);
const plainGeometries = fc.array(
  plainGeometry.map((shape): Geometry => ({ ordinates: 'XY', shape })),
  { maxLength: 12 },
);

const edges = [7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 63].flatMap((bits) => [
  2n ** BigInt(bits) - 1n,
  -(2n ** BigInt(bits)),
]);
const long = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, ...edges),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const VALUES: Readonly<Record<FieldType, fc.Arbitrary<Cell>>> = {
  boolean: fc.boolean(),
  int32: long.map((value) => Number(BigInt.asIntN(32, value))),
  int64: long,
  float64: fc.oneof(long.map(Number), fc.double({ noNaN: true }), fc.constantFrom(-0, 0.5, 2 ** 47 - 0.5)),
  string: fc.string({ unit: 'grapheme', maxLength: 100 }),
  date: fc.constant('2026-11-24'),
  datetime: fc.constant('2026-11-24T00:00:00.000Z'),
  json: fc.constant('{}'),
  binary: fc.uint8Array({ maxLength: 100 }),
};
const TYPES = Object.keys(VALUES) as FieldType[];

const columnsOf = (rowCount: number) =>
  fc.array(
    fc
      .constantFrom(...TYPES)
      .chain((type) =>
        fc
          .array(fc.option(VALUES[type], { freq: 4 }), { minLength: rowCount, maxLength: rowCount })
          .map((cells) => columnOf(type, cells)),
      ),
    { maxLength: 12 },
  );

test('encodes plain batches as the encoder in JavaScript does, byte for byte', () => {
  fc.assert(
    fc.property(
      plainGeometries.chain((geometries) =>
        fc.tuple(fc.constant(geometryColumn(geometries)), columnsOf(geometries.length)),
      ),
      ([geometry, columns]) => {
        const rowCount = geometry.types.length;
        const encoded = encodePlainRecords(geometry, columns, rowCount, SRS);
        assert.ok(encoded !== null);
        assert.deepEqual(encoded, encodeAnyRecords(geometry, columns, rowCount, SRS));
      },
    ),
    { numRuns: 400 },
  );
});

test('rounds boxes outward at the ends of the range of floats as the encoder in JavaScript does', () => {
  const numbers = [
    0, -0, 5e-324, 1e-39, 1.17e-38, 1e-30, 0.1, 1, 1e10, 3.4028234663852886e38, 3.4028235e38, 1e300,
  ];
  const ordinates = numbers.flatMap((number) => [number, -number]);
  const points = ordinates.map((x, i): Geometry => {
    const y = ordinates[(i * 7) % ordinates.length];
    return {
      ordinates: 'XY',
      shape: {
        kind: 2,
        isMulti: false,
        parts: [
          [
            [
              [x, y, 0, 0],
              [y, x, 0, 0],
            ],
          ],
        ],
      },
    };
  });
  const column = geometryColumn(points);
  assert.deepEqual(
    encodePlainRecords(column, [], points.length, SRS),
    encodeAnyRecords(column, [], points.length, SRS),
  );
});

test('leaves Z, M, collections and large batches to the encoder in JavaScript', () => {
  const shape = { kind: 1, isMulti: false, parts: [[[[1, 2, 3, 4]]]] } as const;
  const encoded = (geometry: Geometry): unknown => encodePlainRecords(geometryColumn([geometry]), [], 1, SRS);
  assert.equal(encoded({ ordinates: 'XYZ', shape }), null);
  assert.equal(encoded({ ordinates: 'XYM', shape }), null);
  assert.equal(encoded({ ordinates: 'XY', shape: { members: [shape] } }), null);
  const text = columnOf('string', ['x'.repeat(17 << 20)]);
  assert.equal(encodePlainRecords(geometryColumn([{ ordinates: 'XY', shape }]), [text], 1, SRS), null);
});

/** The blobs of geometries as a column of values in the memory of compiled functions: end to end, and at the very end of the bytes. */
function valuesOfBlobs(blobs: readonly Uint8Array[]): PageValues {
  const memory = CompiledRows.start();
  const all = Buffer.concat(blobs);
  const starts: number[] = [];
  blobs.reduce((at, blob) => {
    starts.push(at);
    return at + blob.length;
  }, 0);
  const payloads = {
    memory,
    bytes: memory.put(all),
    byteLength: all.length,
    rowCount: blobs.length,
    starts: Uint32Array.from(starts),
    lengths: Uint32Array.from(blobs, ({ length }) => length),
  };
  const serials = memory.put(Uint32Array.from(blobs, ({ length }) => (length === 0 ? 0 : 12 + 2 * length)));
  return { payloads, serials, places: memory.put(Uint32Array.from(starts)) };
}

function readByBlobReader(values: PageValues): { column: unknown; findings: unknown } | string {
  const { bytes, serialTypes, offsets } = viewsOf(values);
  const findings = new Findings();
  const context = {
    table: 't',
    geometryType: 'GEOMETRY',
    srsId: SRS,
    coordinatesPerFeature: MOST_POSITIONS,
    rowName: String,
    findings,
  };
  const reader = new GeometryBlobReader(context, 1, 100);
  try {
    serialTypes.forEach((serial, row) => {
      if (serial === 0) reader.none();
      else reader.read(bytes, offsets[row], offsets[row] + (serial - 12) / 2);
    });
    return { column: reader.finish(), findings: findings.found() };
  } catch (error) {
    assert.ok(error instanceof GeomillError);
    return error.code;
  }
}

/** The geometry blobs of records: with one geometry each and no other column. */
function blobsOf(geometries: readonly Geometry[]): Uint8Array[] {
  return geometries.map((geometry) => {
    const { records } = encodeAnyRecords(geometryColumn([geometry]), [], 1, SRS);
    if (geometry.shape === null) return new Uint8Array(0);
    return records.bytes.slice(records.bytes[0]);
  });
}

test('reads plain geometries, whole or damaged, as the reader in JavaScript does, and leaves all others to it', () => {
  let plainCount = 0;
  let damagedCount = 0;
  const damage = fc.option(fc.record({ blob: fc.nat(), at: fc.nat(), value: fc.nat(255), cut: fc.nat(3) }));
  fc.assert(
    fc.property(fc.oneof(plainGeometries, geometriesArbitrary), damage, (geometries, damaged) => {
      const blobs = blobsOf(geometries);
      if (damaged !== null && blobs.length > 0) {
        const blob = damaged.blob % blobs.length;
        blobs[blob] = blobs[blob].slice(0, blobs[blob].length - damaged.cut);
        if (blobs[blob].length > 0) blobs[blob][damaged.at % blobs[blob].length] = damaged.value;
      }
      const values = valuesOfBlobs(blobs);
      const expected = readByBlobReader(values);
      const read = readPlainGeometries(values, SRS, MOST_POSITIONS);
      if (read === null) return;
      plainCount++;
      if (damaged !== null) damagedCount++;
      assert.deepEqual({ column: read, findings: [] }, expected);
    }),
    { numRuns: 600 },
  );
  assert.ok(plainCount > 60 && damagedCount > 20, `${plainCount} and ${damagedCount} columns are plain`);
});

test('reads closed polygons of large batches as plain', () => {
  const ring = [
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [1, 1, 0, 0],
    [0, 0, 0, 0],
  ] as const;
  const polygon: Geometry = {
    ordinates: 'XY',
    shape: { kind: 3, isMulti: true, parts: [[ring], [ring, ring]] },
  };
  const geometries = Array.from({ length: 300 }, () => polygon);
  const column = readPlainGeometries(valuesOfBlobs(blobsOf(geometries)), SRS, MOST_POSITIONS);
  assert.deepEqual(column, geometryColumn(geometries));
  assert.equal(column?.types[299], GEOMETRY_TYPE.multiPolygon);
});

const SIZES: readonly (number | undefined)[] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** Serial types and offsets of the values of a record, as the file format describes it; null: not a record, or with longer varints than needed. */
function recordOf(bytes: Uint8Array, columnCount: number, least: number): [number, number][] | null {
  const varint = (at: number): [value: number, end: number] => {
    const length = bytes.subarray(at).findIndex((byte) => byte < 0x80) + 1;
    if (length === 0 || length > 5) return [Number.NaN, Number.NaN];
    const value = bytes.subarray(at, at + length).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    return [value, at + length];
  };
  const [header, afterLength] = varint(0);
  let at = afterLength;
  let place = header;
  if (!(header <= bytes.length)) return null;
  const values: [number, number][] = [];
  while (at < header) {
    const [serial, next] = varint(at);
    const size = serial >= 12 ? Math.floor((serial - 12) / 2) : SIZES[serial];
    if (size === undefined) return null;
    values.push([serial, place]);
    place += size;
    at = next;
  }
  if (at !== header || place !== bytes.length) return null;
  if (values.length < least || values.length > columnCount) return null;
  while (values.length < columnCount) values.push([0, -1]);
  return values;
}

test('reads records, whole or damaged, as the file format describes them', () => {
  let readCount = 0;
  const byte = fc.oneof(fc.nat(20), fc.nat(255));
  const record = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.array(byte, { minLength: 1, maxLength: 6 }).map((serials) => {
      const sizes = serials.map((serial) => (serial >= 12 ? (serial - 12) >> 1 : (SIZES[serial] ?? 0)));
      const body = sizes.reduce((sum, size) => sum + size, 0);
      return Uint8Array.from([serials.length + 1, ...serials, ...new Array<number>(body).fill(7)]);
    }),
  );
  fc.assert(
    fc.property(record, fc.integer({ min: 1, max: 6 }), fc.nat(6), (bytes, columnCount, least) => {
      if (bytes.length === 0) return;
      const memory = CompiledRows.start();
      const place = memory.put(bytes);
      const lengths = Uint32Array.of(bytes.length);
      const payloads = {
        memory,
        bytes: place,
        byteLength: bytes.length,
        rowCount: 1,
        starts: Uint32Array.of(0),
        lengths,
      };
      const expected = recordOf(bytes, columnCount, Math.min(least, columnCount));
      const records = readRecords(payloads, columnCount, Math.min(least, columnCount));
      if (records === null) {
        assert.equal(expected, null);
        return;
      }
      readCount++;
      const serials = memory.uint32(records.serials, columnCount);
      const places = memory.uint32(records.places, columnCount);
      const values = Array.from(serials, (serial, i) => [serial, expected?.[i][1] === -1 ? -1 : places[i]]);
      assert.deepEqual(values, expected);
    }),
    { numRuns: 3000 },
  );
  assert.ok(readCount > 50, `${readCount} records were read`);
});
