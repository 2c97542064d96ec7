/** Fixtures with other page sizes, and checks that reading does not change files. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/gpkg/read.ts';

const FOLDER = join(import.meta.dirname, '../../../test/fixtures/gpkg');

async function facts(path: string): Promise<unknown> {
  const { layers, findings } = await readFileLayers(reader, path);
  const plain = {
    layers: layers.map(({ source, fields, rows }) => ({
      name: source.name,
      crs: source.crs ?? `none: ${source.crsMissingReason}`,
      fields: fields.map(({ name, type }) => `${name} ${type}`),
      rows,
    })),
    findings: Object.fromEntries(
      findings.map(({ code, count, params }) => [`${code} ${Object.values(params).join(' ')}`.trim(), count]),
    ),
  };
  return JSON.parse(
    JSON.stringify(plain, (_key, value: unknown) =>
      typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
        ? `${value}`
        : value,
    ),
  );
}

test('reads every page size of SQLite the same', async () => {
  using workspace = makeWorkspace();
  const original = await facts(join(FOLDER, 'blobs.gpkg'));
  for (const pageBytes of [1024, 4096, 65_536]) {
    const path = join(workspace.path, `${pageBytes}.gpkg`);
    const database = new DatabaseSync(join(FOLDER, 'blobs.gpkg'), { readOnly: true });
    database.exec(`PRAGMA page_size = ${pageBytes}`);
    database.prepare('VACUUM INTO ?').run(path);
    database.close();
    assert.deepEqual(await facts(path), original, `${pageBytes} bytes`);
  }
});

test('reading does not change the file or its directory', async () => {
  using workspace = makeWorkspace();
  for (const name of ['wal', 'index']) {
    const bytes = readFileSync(join(FOLDER, `${name}.gpkg`));
    const path = join(workspace.path, `${name}.gpkg`);
    writeFileSync(path, bytes);
    await facts(path);
    assert.deepEqual(readFileSync(path), bytes);
  }
  assert.deepEqual(workspace.entries(), ['index.gpkg', 'wal.gpkg']);
});
