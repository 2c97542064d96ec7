/**
 * Every fixture in test/fixtures/shp is read and compared with its `<name>.expected.json`. REGENERATE=1 rewrites the
 * expectations; review the difference.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../src/formats/shp/read.ts';
import { readFileLayers } from '../support/read-layers.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'shp');

async function facts(path: string, partitionBytes?: number): Promise<unknown> {
  const { layers, findings } = await readFileLayers(reader, path, { partitionBytes });
  const plain = {
    layers: layers.map(({ source, fields, rows }) => ({
      name: source.name,
      encoding: source.encoding,
      hasCrs: source.crs !== null,
      fields: fields.map(({ name, type }) => `${name} ${type}`),
      rows: rows.map(({ geometry, properties }) => ({ geometry, properties })),
    })),
    findings: Object.fromEntries(
      findings.map(({ code, count, params }) => [`${code} ${Object.values(params).join(' ')}`.trim(), count]),
    ),
  };
  return JSON.parse(
    JSON.stringify(plain, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );
}

for (const name of readdirSync(FOLDER)) {
  if (!name.endsWith('.zip')) continue;
  const expectedPath = join(FOLDER, name.replace(/zip$/, 'expected.json'));

  test(`reads the fixture ${name} as expected, in one partition and in many`, async () => {
    const found = await facts(join(FOLDER, name));
    if (process.env.REGENERATE === '1') writeFileSync(expectedPath, `${JSON.stringify(found, null, 2)}\n`);
    assert.deepEqual(found, JSON.parse(readFileSync(expectedPath, 'utf8')));
    assert.deepEqual(await facts(join(FOLDER, name), 1), found);
  });
}
