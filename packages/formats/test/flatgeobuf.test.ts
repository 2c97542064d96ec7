/** FlatGeobuf: the file that the writer makes, the order of its features, and files that are hostile. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { batchArbitrary, type Geometry, geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { readBytesLayers, readFileLayers } from '../../../test/support/read-layers.ts';
import { batchRows } from '../../../test/support/rows.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import type { EncodedFeatures } from '../src/flatgeobuf/feature-encode.ts';
import { FeatureSpool } from '../src/flatgeobuf/feature-spool.ts';
import { type FlatFields, type FlatValue, writeFlatBuffer } from '../src/flatgeobuf/flat-write.ts';
import { MAGIC } from '../src/flatgeobuf/header.ts';
import { visitSorted } from '../src/flatgeobuf/hilbert-sort.ts';
import { reader } from '../src/flatgeobuf/read.ts';
import { writer } from '../src/flatgeobuf/write.ts';

/** What `encode` needs of the plan. */
const NO_ENCODING = { fields: [], state: { isInDegrees: false } };

/** Writes batches with the same fields to a file. */
async function write(path: string, batches: readonly FeatureBatch[], hasIndex: boolean): Promise<Findings> {
  const findings = new Findings();
  const context = { name: 'out', options: { spatial_index: hasIndex }, findings };
  const layer = {
    name: 'out',
    fields: batches[0].fields,
    statistics: null,
    crs: WGS84_DESCRIPTION,
    coordinatesComputed: false,
  };
  const [encoding] = writer.plan([layer], context);
  const sink = writer.createSink(path, [encoding], context);
  for (const batch of batches) sink.append(0, writer.encode(batch, encoding).data);
  await sink.finish();
  return findings;
}

/** Entries of the index as the specification describes it, and where the features begin. */
function readIndex(bytes: Buffer, count: number) {
  const start = 12 + bytes.readUInt32LE(8);
  const sizes = [count];
  do sizes.push(Math.ceil(sizes[sizes.length - 1] / 16));
  while (sizes[sizes.length - 1] > 1);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const entries = Array.from({ length: total }, (_, i) => {
    const at = start + i * 40;
    const box = [0, 8, 16, 24].map((offset) => bytes.readDoubleLE(at + offset));
    return { box, reference: Number(bytes.readBigUInt64LE(at + 32)) };
  });
  return { sizes, entries, featuresStart: start + total * 40 };
}

/** Throws unless every entry refers to its children and has the union of their boxes, and the last level to the features. */
function checkIndex(bytes: Buffer, count: number): void {
  const { sizes, entries, featuresStart } = readIndex(bytes, count);
  let levelStart = entries.length;
  for (const [height, size] of sizes.entries()) {
    const childrenStart = levelStart;
    levelStart -= size;
    let offset = 0;
    for (let i = 0; i < size; i++) {
      const { box, reference } = entries[levelStart + i];
      if (height === 0) {
        assert.equal(reference, offset, `feature ${i}`);
        offset += 4 + bytes.readUInt32LE(featuresStart + offset);
        continue;
      }
      assert.equal(reference, childrenStart + i * 16, `level ${height}, entry ${i}`);
      const children = entries.slice(reference, Math.min(reference + 16, childrenStart + sizes[height - 1]));
      const union = [0, 1, 2, 3].map((axis) =>
        children
          .map((child) => child.box[axis])
          .reduce(axis < 2 ? (a, b) => Math.min(a, b) : (a, b) => Math.max(a, b)),
      );
      assert.deepEqual(box, union);
    }
    if (height === 0) assert.equal(featuresStart + offset, bytes.length);
  }
  assert.equal(levelStart, 0);
}

/** Batches of the same fields, one of them empty; without fields also points with other ordinates. */
const twoBatches = fc
  .tuple(
    batchArbitrary,
    fc.array(fc.constantFrom('XY', 'XYZ', 'XYM', 'XYZM'), { minLength: 1, maxLength: 2 }),
  )
  .map(([batch, ordinates]) => {
    const geometries = ordinates.map(
      (own, i): Geometry => ({
        ordinates: own,
        shape: { kind: 1, isMulti: false, parts: [[[[i, 2, 3, 4]]]] },
      }),
    );
    const further = {
      ...batch,
      rowCount: 0,
      geometry: geometryColumn([]),
      columns: batch.columns.map(emptied),
    };
    const points = {
      ...further,
      rowCount: geometries.length,
      geometry: geometryColumn(geometries),
      fields: [],
      columns: [],
    };
    return batch.fields.length === 0 ? [batch, further, points] : [batch, further];
  });

function emptied(column: FeatureBatch['columns'][number]): FeatureBatch['columns'][number] {
  if ('offsets' in column)
    return { ...column, bytes: new Uint8Array(0), offsets: new Uint32Array(1), validity: null };
  return { ...column, values: column.values.slice(0, 0), validity: null } as typeof column;
}

test('any features survive: in their order without an index, all of them with a correct one', async () => {
  await fc.assert(
    fc.asyncProperty(twoBatches, async (batches) => {
      using workspace = makeWorkspace();
      const expected = batches
        .flatMap(batchRows)
        .map(({ geometry, properties }) => ({ geometry, properties }));
      for (const hasIndex of [false, true]) {
        const path = join(workspace.path, `${hasIndex}.fgb`);
        await write(path, batches, hasIndex);
        const { layers } = await readFileLayers(reader, path, { partitionBytes: 500 });
        const rows = layers[0].rows.map(({ geometry, properties }) => ({ geometry, properties }));
        const [found, wanted] = hasIndex ? [rows, expected].map(sorted) : [rows, expected];
        assert.deepEqual(found, wanted);
        assert.deepEqual(layers[0].fields, batches[0].fields);
        if (hasIndex && expected.length > 0) checkIndex(readFileSync(path), expected.length);
      }
    }),
    { numRuns: 80 },
  );
});

function sorted(rows: readonly object[]): string[] {
  return rows
    .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
    .sort();
}

/** Squares on a grid, out of order, every tenth without a geometry. */
function squares(count: number): FeatureBatch {
  const geometries = Array.from({ length: count }, (_, i): Geometry => {
    const [x, y] = [(i * 7919) % 101, (i * 104_729) % 97];
    const ring = [[0, 0], [1, 0], [1, 1], [0, 0]].map(([a, b]) => [x + a, y + b, 0, 0] as const); // biome-ignore format: one line
    return { ordinates: 'XY', shape: i % 10 === 9 ? null : { kind: 3, isMulti: false, parts: [[ring]] } };
  });
  return { rowCount: count, geometry: geometryColumn(geometries), fields: [], columns: [], ids: null };
}

/** The features in the order in which they are visited, as hex. */
function order(
  spool: FeatureSpool,
  path: string,
  bucketBytes?: number,
): { features: string[]; moved: number } {
  const features: string[] = [];
  const moved = visitSorted(
    spool,
    path,
    (words, start, end) => features.push(Buffer.from(words.slice(start, end).buffer).toString('hex')),
    bucketBytes,
  );
  return { features, moved };
}

test('reports feature ids, which the format does not have', () => {
  const ids = { type: 'int64', values: BigInt64Array.of(7n), validity: null } as const;
  const { findings } = writer.encode({ ...squares(1), ids }, NO_ENCODING);
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [['IDS_DROPPED', 1]],
  );
});

test('the bytes of a batch do not depend on the batches before it', () => {
  fc.assert(
    fc.property(batchArbitrary, batchArbitrary, (batch, other) => {
      const bytesOf = (): Uint8Array => (writer.encode(batch, NO_ENCODING).data as EncodedFeatures).bytes;
      const first = bytesOf();
      const kept = first.slice();
      writer.encode(other, NO_ENCODING);
      assert.deepEqual(bytesOf(), kept);
      assert.deepEqual(first, kept, 'bytes that were returned do not change');
    }),
  );
});

test('features are in the same order whether they are sorted in memory or in buckets in a file', () => {
  using workspace = makeWorkspace();
  const spoolOf = (name: string, most?: number, processBytes = 0): FeatureSpool => {
    const memory = most === undefined ? undefined : { least: 10_000, most, processBytes };
    const spool = new FeatureSpool(join(workspace.path, name), memory);
    for (let i = 0; i < 20; i++)
      spool.append(writer.encode(squares(200), NO_ENCODING).data as EncodedFeatures);
    return spool;
  };
  const expected = order(spoolOf('memory'), join(workspace.path, 'a'));
  assert.equal(expected.features.length, 4000);
  assert.ok(expected.moved > 3000);
  assert.ok(!spoolOf('roomy', 1 << 30, Number.POSITIVE_INFINITY).isInFile);
  for (const bucketBytes of [1 << 30, 100_000, 3000, 1]) {
    // Small buckets also for a process with too much in memory.
    const spool = spoolOf('file', bucketBytes > 3000 ? 10_000 : 1 << 30);
    assert.ok(spool.isInFile);
    const found = order(spool, join(workspace.path, 'b'), bucketBytes);
    // Features of one section of the curve may be in several buckets, in their own order.
    if (bucketBytes >= 3000) assert.deepEqual(found, expected, `${bucketBytes}`);
    assert.deepEqual(found.features.toSorted(), expected.features.toSorted());
    spool.discard();
  }
  assert.ok(!existsSync(join(workspace.path, 'file')) && !existsSync(join(workspace.path, 'b')));
});

// --- hostile files ----------------------------------------------------------------------------------------------

const slots = (values: Readonly<Record<number, FlatValue>>): FlatFields =>
  Array.from({ length: 14 }, (_, slot) => values[slot] ?? null);
const header = (more: Readonly<Record<number, FlatValue>> = {}): Uint8Array =>
  writeFlatBuffer(slots({ 7: { tables: [] }, 9: { uint16: 0 }, ...more }));
const geometry = (type: number, more: Readonly<Record<number, FlatValue>>): FlatFields =>
  slots({ 6: { uint8: type }, ...more });
const feature = (value: FlatFields): Uint8Array => writeFlatBuffer(slots({ 0: { table: value } }));
const file = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat([MAGIC, ...parts]);
const patched = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value, at);
  return copy;
};
const column = (type: number): Readonly<Record<number, FlatValue>> => ({
  7: { tables: [slots({ 0: { text: 'a' }, 1: { uint8: type } })] },
});
const properties = (...bytes: readonly number[]): Uint8Array =>
  writeFlatBuffer(slots({ 1: { bytes: Uint8Array.from(bytes) } }));

test('reports bytes that are not UTF-8 in columns of texts and of JSON', async () => {
  const value = (...text: readonly number[]): Uint8Array => properties(0, 0, text.length, 0, 0, 0, ...text);
  for (const [type, text] of [
    [11, '\ufffd'],
    [12, ['\ufffd']],
  ] as const) {
    const json = [0x5b, 0x22, 0xe4, 0x22, 0x5d];
    const bytes = file(header(column(type)), type === 12 ? value(...json) : value(0xe4), value(0x31));
    const { layers, findings } = await readBytesLayers(reader, bytes, { name: 'a.fgb' });
    assert.deepEqual(layers[0].rows[0].properties.a, text);
    const replaced = findings.filter(({ code }) => code === 'TEXT_REPLACED');
    assert.deepEqual(
      replaced.map(({ count, params }) => [count, params.field]),
      [[1, 'a']],
    );
  }
});

/** Collections of one member each, this deep. */
function nested(depth: number): FlatFields {
  return depth === 0
    ? geometry(1, { 1: { doubles: [1, 2] } })
    : geometry(7, { 7: { tables: [nested(depth - 1)] } });
}

/** A collection whose members are all the same table: exponential in the depth if they are read again and again. */
function shared(depth: number): Uint8Array {
  // Feature: vtable at 8, table at 16; geometries follow, each a vtable of 20 bytes, a table and two references to the next.
  const bytes = Buffer.alloc(64 + depth * 64);
  bytes.writeUInt32LE(12, 4);
  bytes.writeUInt16LE(6, 8);
  bytes.writeUInt16LE(8, 10);
  bytes.writeUInt16LE(4, 12);
  bytes.writeInt32LE(8, 16);
  bytes.writeUInt32LE(24 + 24 - 20, 20);
  for (let level = 0; level < depth; level++) {
    const vtable = 24 + level * 64;
    const table = vtable + 24;
    bytes.writeUInt16LE(20, vtable);
    bytes.writeUInt16LE(12, vtable + 2);
    bytes.writeUInt16LE(8, vtable + 4 + 2 * 6);
    bytes.writeUInt16LE(4, vtable + 4 + 2 * 7);
    bytes.writeInt32LE(24, table);
    bytes.writeUInt8(7, table + 8);
    bytes.writeUInt32LE(8, table + 4); // the list of members
    bytes.writeUInt32LE(level === depth - 1 ? 0 : 2, table + 12);
    for (const at of [table + 16, table + 20]) bytes.writeUInt32LE(table + 64 - at, at);
  }
  bytes.writeUInt32LE(bytes.length - 4, 0);
  return bytes;
}

const point = feature(geometry(1, { 1: { doubles: [1, 2] } }));
const HOSTILE: Readonly<Record<string, readonly [file: Uint8Array, reason: RegExp]>> = {
  'another version': [Buffer.from('fgb\x02fgb\0____________'), /version 2 of the format/],
  'a header beyond the end': [patched(file(header()), 8, 5000), /its header ends at byte 5012/],
  'a huge header': [patched(file(header()), 8, 2 ** 32 - 1), /its header has 4294967295 bytes; the limit/],
  'an unknown column type': [file(header(column(15))), /column 1 has the unknown type 15/],
  'a column without name': [file(header({ 7: { tables: [slots({})] } })), /column 1 has no name/],
  'an index beyond the end': [
    file(header({ 8: { uint64: 1_000_000n }, 9: { uint16: 16 } })),
    /its index ends at byte \d+, and the file has/,
  ],
  'more features than can be': [
    file(header({ 8: { uint64: 2n ** 63n } })),
    /it declares 9223372036854775808 features/,
  ],
  'nodes of one entry': [file(header({ 8: { uint64: 1n }, 9: { uint16: 1 } }), point), /nodes of its index/],
  'fewer features than declared': [
    file(header({ 8: { uint64: 3n } }), point, point),
    /declares 3 features, and 2/,
  ],
  'a feature beyond the end': [
    file(header(), point, patched(point, 0, 2 ** 31)),
    /feature 2 at .* 2147483648 bytes/,
  ],
  'a size that is cut off': [file(header(), point, Uint8Array.of(8, 0)), /feature 2 .* ends within its size/],
  'a root beyond the end': [file(header(), patched(point, 4, 2 ** 31)), /an offset points beyond its end/],
  'nested collections': [file(header(), feature(nested(40))), /nested deeper than 32 levels/],
  'members that are one table': [file(header(), shared(30)), /its tables and lists overlap/],
  'an odd number of ordinates': [
    file(header(), feature(geometry(2, { 1: { doubles: [1, 2, 3] } }))),
    /3 ordinates, an odd number/,
  ],
  'Z for other positions': [
    file(header(), feature(geometry(2, { 1: { doubles: [1, 2, 3, 4] }, 2: { doubles: [1] } }))),
    /1 Z values for 2 positions/,
  ],
  'ends that go back': [
    file(
      header(),
      feature(geometry(3, { 1: { doubles: [0, 0, 1, 0, 1, 1, 0, 0] }, 0: { uint32s: [3, 2, 4] } })),
    ),
    /the end 2 of line or ring 2/,
  ],
  'ends before the last position': [
    file(header(), feature(geometry(5, { 1: { doubles: [0, 0, 1, 0, 1, 1] }, 0: { uint32s: [1, 2] } }))),
    /the end 2 of line or ring 2/,
  ],
  'no type': [
    file(header(), feature(geometry(0, { 1: { doubles: [1, 2] } }))),
    /neither a geometry nor its layer/,
  ],
  'an abstract type': [file(header(), feature(geometry(13, {}))), /13 is no geometry type/],
  'an infinite position': [
    file(header(), feature(geometry(1, { 1: { doubles: [1, Number.POSITIVE_INFINITY] } }))),
    /x and y must be finite/,
  ],
  'a surface of points': [
    file(header(), feature(geometry(15, { 7: { tables: [geometry(1, { 1: { doubles: [1, 2] } })] } }))),
    /a member of a MultiPolygon is a Point/,
  ],
  'positions in place of parts': [
    file(header(), feature(geometry(6, { 1: { doubles: [1, 2] } }))),
    /has positions in place of parts/,
  ],
  'a value of an unknown column': [file(header(column(5)), properties(1, 0, 9, 9, 9, 9)), /column 2 of 1/],
  'a column twice': [file(header(column(0)), properties(0, 0, 7, 0, 0, 8)), /two values of column 'a'/],
  'a value that is cut off': [file(header(column(10)), properties(0, 0, 7)), /has 8 bytes, of which 1/],
  'a text beyond the end': [
    file(header(column(11)), properties(0, 0, 255, 255, 255, 255)),
    /has 4294967295 bytes/,
  ],
};

for (const [name, [bytes, reason]] of Object.entries(HOSTILE))
  test(`rejects ${name}`, async () => {
    await assert.rejects(readBytesLayers(reader, bytes, { name: 'x.fgb' }), (error: unknown) => {
      assert.ok(error instanceof GeomillError && error.fault === 'user', String(error));
      assert.match(error.message, reason);
      return true;
    });
  });

test('ignores a single byte after the last value, as the reference reader does', async () => {
  // Binary 01 02, then one byte; and a byte after a number.
  const binary = file(header(column(14)), properties(0, 0, 2, 0, 0, 0, 1, 2, 0));
  const { layers } = await readBytesLayers(reader, binary, { name: 'a.fgb' });
  assert.deepEqual(layers[0].rows[0].properties, { a: '0102' });
  const number = file(header(column(0)), properties(0, 0, 7, 0));
  assert.deepEqual((await readBytesLayers(reader, number, { name: 'a.fgb' })).layers[0].rows[0].properties, {
    a: 7,
  });
});
