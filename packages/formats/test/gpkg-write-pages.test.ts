/** Layers that are written by pages have the rows, records and indexes of the same layers inserted by SQLite. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { columnOf } from '../../../test/support/columns.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import {
  type Geometry,
  geometryArbitrary,
  geometryColumn,
} from '../../../test/support/geometry-arbitrary.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { FieldType } from '../../core/src/columns/schema.ts';
import { batchStatistics } from '../../core/src/columns/statistics.ts';
import { WGS84_DESCRIPTION as crs } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { readPageLayout } from '../../engines/sqlite/src/database-pages.ts';
import { measureTable, readRowPayloads } from '../../engines/sqlite/src/table-pages.ts';
import { fileState } from '../../io/src/output-place.ts';
import { writer } from '../src/gpkg/write.ts';
import type { WriteContext } from '../src/writer.ts';

type Value = null | boolean | number | bigint | string | Uint8Array;

const size = fc.oneof(
  { arbitrary: fc.nat(40), weight: 20 },
  { arbitrary: fc.integer({ min: 3900, max: 4200 }), weight: 1 },
  fc.nat(20_000),
);
const anyInteger = fc
  .tuple(fc.nat(63), fc.constantFrom(-1n, 0n, 1n), fc.boolean())
  .map(([bits, more, isNegative]) => BigInt.asIntN(64, (isNegative ? -1n : 1n) * 2n ** BigInt(bits) + more));
const VALUES: Readonly<Record<FieldType, fc.Arbitrary<Value>>> = {
  boolean: fc.boolean(),
  int32: anyInteger.map((value) => Number(BigInt.asIntN(32, value))),
  int64: anyInteger,
  float64: fc.oneof(
    fc.double(),
    fc.constantFrom(-0, 0, 1, Infinity, -Infinity, Number.NaN),
    anyInteger.map(Number),
  ),
  string: fc.oneof(
    fc.string({ unit: 'grapheme' }),
    size.map((length) => 'é-'.repeat(length / 2)),
  ),
  binary: size.map((length) => Uint8Array.from({ length }, (_, i) => i * 7)),
  date: fc.constantFrom('2024-02-29', '-0044-03-15', '2024', ' 7.50 ', 'unknown', '1.0e-5', ''),
  datetime: fc.constantFrom('2024-02-29T10:11:12.000Z', '1e3', '2024-02-29T10:11:12+02:00', '12'),
  json: fc.constantFrom('{"a":[1]}', '5', '"text"', 'null'),
};
const TYPES = Object.keys(VALUES) as FieldType[];
/** Mostly the plain ones, so that not every layer ends with SQLite. */
const type = fc.oneof(
  { arbitrary: fc.constantFrom(...TYPES.filter((name) => !name.startsWith('date'))), weight: 8 },
  fc.constantFrom(...TYPES),
);

/** With many columns, the header of a record is longer than 127 bytes, so that its length takes two. */
const types = fc.oneof(
  { arbitrary: fc.array(type, { maxLength: 5 }), weight: 30 },
  fc.array(fc.constantFrom<FieldType[]>('int32', 'boolean'), { minLength: 120, maxLength: 126 }),
);

interface Row {
  readonly geometry: Geometry;
  readonly values: readonly Value[];
  readonly id: string | bigint | null;
}
interface Layer {
  readonly types: readonly FieldType[];
  /** Of every batch. */
  readonly idType: 'none' | 'ascending' | 'int64' | 'string';
  readonly batches: readonly (readonly Row[])[];
}

const layer: fc.Arbitrary<Layer> = fc
  .tuple(types, fc.constantFrom('none', 'none', 'ascending', 'ascending', 'int64', 'string'), fc.boolean())
  .chain(([names, idType, hasSimilarShapes]) => {
    const polygon = fc.boolean().map((isMulti): Geometry => {
      const ring = [
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 0, 0],
      ] as const;
      return { ordinates: 'XY', shape: { kind: 3, isMulti, parts: [[ring]] } };
    });
    const id =
      idType === 'string' ? fc.option(fc.string()) : fc.option(fc.bigInt({ min: -3n, max: 9n }), { freq: 9 });
    const row: fc.Arbitrary<Row> = fc.record({
      geometry: hasSimilarShapes ? polygon : geometryArbitrary,
      values: fc.tuple(...names.map((name) => fc.option(VALUES[name], { freq: 5 }))),
      id,
    });
    const batch = fc.oneof(fc.array(row, { maxLength: 6 }), fc.array(row, { maxLength: 60, size: 'max' }));
    return fc.record({
      types: fc.constant(names),
      idType: fc.constant(idType),
      batches: fc.array(batch, { minLength: 1, maxLength: 4 }),
    });
  });

function batchesOf({ types, idType, batches }: Layer): FeatureBatch[] {
  let id = -5n;
  return batches.map((rows) => ({
    rowCount: rows.length,
    geometry: geometryColumn(rows.map(({ geometry }) => geometry)),
    fields: types.map((name, i) => ({ name: `f${i}`, type: name })),
    columns: types.map((name, i) =>
      columnOf(
        name,
        rows.map(({ values }) => values[i]),
      ),
    ),
    ids:
      idType === 'none'
        ? null
        : idType === 'ascending'
          ? columnOf(
              'int64',
              rows.map(({ id: step }) => {
                id += BigInt(step ?? 0) > 0n ? BigInt(step ?? 0) ** 7n : 1n;
                return id;
              }),
            )
          : columnOf(
              idType,
              rows.map((row) => row.id),
            ),
  }));
}

/** Layers l0, l1, ...; added to `existing`, SQLite inserts all rows. */
async function write(
  path: string,
  layers: readonly (readonly FeatureBatch[])[],
  existing?: string,
): Promise<void> {
  const context: WriteContext = { name: 'out', options: {}, findings: new Findings() };
  if (existing !== undefined) {
    const state = fileState(existing);
    assert.ok(state !== null);
    Object.assign(context, { existing: { path: existing, name: 'x.gpkg', mode: 'add', state } });
  }
  const encodings = writer.plan(
    layers.map((batches, i) => ({
      name: `l${i}`,
      fields: batches[0].fields,
      statistics: batchStatistics(batches[0], 'fields'),
      crs,
      coordinatesComputed: false,
    })),
    context,
  );
  const sink = writer.createSink(path, encodings, context);
  layers.forEach((batches, i) => {
    for (const batch of batches) {
      const { data, transfer } = writer.encode(batch, encodings[i]);
      sink.append(i, structuredClone(data, { transfer: [...transfer] }));
    }
  });
  await sink.finish();
}

/** Everything that SQLite says about the layers, and the bytes of their records by key. */
function contentOf(path: string, layerCount: number): Record<string, unknown> {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = (sql: string): unknown[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all().map((row) => ({ ...row }));
  };
  try {
    assert.deepEqual(rows('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
    const content: Record<string, unknown> = {
      sequence: rows("SELECT * FROM sqlite_sequence WHERE name GLOB 'l[0-9]' ORDER BY name"),
      columns: rows("SELECT * FROM gpkg_geometry_columns WHERE table_name GLOB 'l[0-9]' ORDER BY table_name"),
      counts: rows("SELECT * FROM gpkg_ogr_contents WHERE table_name GLOB 'l[0-9]' ORDER BY table_name"),
    };
    for (let i = 0; i < layerCount; i++) {
      assert.deepEqual(rows(`SELECT rtreecheck('rtree_l${i}_geom') AS found`), [{ found: 'ok' }]);
      const names = rows(`SELECT name FROM pragma_table_info('l${i}')`) as { name: string }[];
      const types = names.map(({ name }) => `typeof("${name}")`).join(', ');
      content[`l${i}`] = rows(`SELECT *, ${types} FROM l${i} ORDER BY fid`);
      // Records without an id text may end before that column.
      if (!names.some(({ name }) => name === 'id'))
        content[`records ${i}`] = recordsOf(database, path, `l${i}`);
      for (const shadow of ['node', 'rowid', 'parent'])
        content[`${shadow} ${i}`] = rows(`SELECT * FROM rtree_l${i}_geom_${shadow} ORDER BY 1`);
    }
    return content;
  } finally {
    database.close();
  }
}

function recordsOf(database: DatabaseSync, path: string, table: string): Map<bigint, string> {
  const { root } = database
    .prepare('SELECT rootpage AS root FROM sqlite_schema WHERE name = ?')
    .get(table) as {
    root: number;
  };
  const layout = readPageLayout(path);
  assert.ok(layout !== null);
  const measures = measureTable(path, layout, root);
  assert.ok(measures !== null);
  const { pages, rowCounts } = measures;
  const run = {
    leafStart: 0,
    leafEnd: pages.leaves.length,
    firstKey: -(2n ** 63n),
    lastKey: 2n ** 63n - 1n,
    wantedKeys: null,
    rowCount: rowCounts.reduce((sum, count) => sum + count, 0),
  };
  const payloads = readRowPayloads(path, pages, run);
  assert.ok(payloads !== null);
  const { starts, lengths, keys } = payloads;
  const bytes = payloads.memory.bytes(payloads.bytes, payloads.byteLength);
  return new Map(
    Array.from(starts, (start, row) => [
      keys[row],
      Buffer.from(bytes.subarray(start, start + lengths[row])).toString('latin1'),
    ]),
  );
}

test('layers of any values, geometries and ids are those that SQLite writes', async () => {
  using workspace = makeWorkspace();
  const empty = join(workspace.path, 'empty.gpkg');
  await write(empty, []);
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(layer, { minLength: 1, maxLength: 3 }), async (layers) => {
      const byPages = join(workspace.path, `${n}-pages.gpkg`);
      const bySql = join(workspace.path, `${n++}-sql.gpkg`);
      await write(byPages, layers.map(batchesOf));
      await write(bySql, layers.map(batchesOf), empty);
      assert.deepEqual(contentOf(byPages, layers.length), contentOf(bySql, layers.length));
    }),
    { numRuns: 80 },
  );
});
