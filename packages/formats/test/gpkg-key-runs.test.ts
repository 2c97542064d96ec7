import assert from 'node:assert/strict';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { type Geometry, geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { ColumnBuilder } from '../../core/src/columns/attribute-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { BulkDatabase } from '../../engines/sqlite/src/bulk-database.ts';
import type { GpkgChunk } from '../src/gpkg/chunk.ts';
import { FeatureTable } from '../src/gpkg/feature-table.ts';
import { KeyRuns } from '../src/gpkg/key-runs.ts';
import type { LayerState } from '../src/gpkg/layer-state.ts';
import { CORE_SQL, SPATIAL_REF_SYS_SQL } from '../src/gpkg/schema-sql.ts';
import { writer } from '../src/gpkg/write.ts';

const OPTIONS = { pageSize: 4096, applicationId: 1, userVersion: 1 };

test('runs of ascending keys are those that were added, at any distance', () => {
  const key = fc.oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), (found) => {
      const keys = [...new Map(found.map((own) => [BigInt(own), own])).values()];
      keys.sort((a, b) => (a < b ? -1 : 1));
      const runs = new KeyRuns();
      const expected: bigint[][] = [];
      for (let i = 0; i + 1 < keys.length; i += 2) {
        // A run of one row has one key.
        const last = i % 4 === 0 ? keys[i] : keys[i + 1];
        runs.add(keys[i], last);
        expected.push([BigInt(keys[i]), BigInt(last)]);
      }
      assert.deepEqual([...runs], expected);
      assert.equal(runs.first, expected[0]?.[0] ?? null);
    }),
  );
});

const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];

function polygonAt(x: number, isMulti: boolean): Geometry {
  const ring = square.map(([dx, dy]) => [x + dx, x * 2 + dy, 0, 0] as const);
  return { ordinates: 'XY', shape: { kind: 3, isMulti, parts: [[ring]] } };
}

function pointAt(x: number): Geometry {
  return { ordinates: 'XY', shape: { kind: 1, isMulti: false, parts: [[[[x, 0.1, 0, 0]]]] } };
}

interface Stored {
  readonly rows: unknown[];
  readonly boxes: unknown[];
}

/** The table of features in batches of three, each with an id or null; `ids` null: without ids. */
function store(
  geometries: readonly Geometry[],
  ids: readonly (number | null)[] | null,
  runBytes: number,
): Stored {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.gpkg');
  const layer = {
    name: 'x',
    fields: [],
    statistics: null,
    crs: WGS84_DESCRIPTION,
    coordinatesComputed: false,
  };
  const findings = new Findings();
  const [encoding] = writer.plan([layer], { name: 'x', options: { promote: true }, findings });
  const state = encoding.state as LayerState;
  assert.ok(state.table.kind === 'new');
  const database = BulkDatabase.create(path, OPTIONS);
  database.exec(SPATIAL_REF_SYS_SQL);
  database.exec(CORE_SQL);
  const table = new FeatureTable(database, state.table.plan, findings, runBytes);
  for (let at = 0; at < geometries.length; at += 3) {
    const own = geometries.slice(at, at + 3);
    const column = new ColumnBuilder('int32');
    for (const id of ids?.slice(at, at + 3) ?? [])
      id === null ? column.appendNull() : column.appendNumber(id);
    const batch = { rowCount: own.length, geometry: geometryColumn(own), fields: [], columns: [] };
    table.append(writer.encode({ ...batch, ids: ids && column.finish() }, encoding).data as GpkgChunk);
  }
  table.finish();
  database.finish();
  using read = new DatabaseSync(path, { readOnly: true });
  assert.deepEqual(Object.values(read.prepare('PRAGMA integrity_check').get() ?? {}), ['ok']);
  return {
    rows: read.prepare('SELECT * FROM x').all(),
    boxes: read.prepare('SELECT * FROM rtree_x_geom ORDER BY id').all(),
  };
}

test('promoted rows are the same where their runs have no room', () => {
  const polygons = Array.from({ length: 30 }, (_, i) => polygonAt(i, i % 2 === 0));
  const inOrder = polygons.map((_, i) => i * 3);
  for (const geometries of [polygons, [...polygons, pointAt(3)]]) {
    const expected = store(geometries, inOrder.concat(200).slice(0, geometries.length), 1 << 20);
    assert.deepEqual(store(geometries, inOrder.concat(200).slice(0, geometries.length), 4), expected);
  }
});

test('rows without a usable id are in the index with the boxes of their geometries', () => {
  const geometries = Array.from({ length: 70 }, (_, i): Geometry => {
    if (i % 3 === 0) return pointAt(i / 7);
    if (i % 5 === 0) return { ordinates: 'XY', shape: { kind: 3, isMulti: true, parts: [] } };
    return polygonAt(i / 11, i % 2 === 0);
  });
  // The first has an id, and the others get the keys after it, as they have without ids.
  const ids = geometries.map((_, i) => (i === 0 ? 1 : null));
  assert.deepEqual(store(geometries, ids, 1 << 20), store(geometries, null, 1 << 20));
});

test('a file whose first statement fails is closed', { skip: process.platform !== 'linux' }, () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.gpkg');
  const isOpen = (): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        // The descriptor with which the directory was listed.
        return false;
      }
    });
  const invalid = 'no number' as unknown as number;
  assert.throws(() => BulkDatabase.create(path, { ...OPTIONS, userVersion: invalid }), /syntax error/);
  assert.equal(isOpen(), false);
  writeFileSync(path, 'no database'.repeat(100));
  assert.throws(() => BulkDatabase.edit(path), /not a database/);
  assert.equal(isOpen(), false);
});
