import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../src/formats/csv/read.ts';
import { readFileLayers } from '../support/read-layers.ts';

const DIRECTORY = join(import.meta.dirname, '../fixtures/csv');

for (const name of readdirSync(DIRECTORY).filter((file) => file.endsWith('.csv'))) {
  test(`${name} is read as expected`, async () => {
    const { layers, findings } = await readFileLayers(reader, join(DIRECTORY, name));
    const actual = JSON.parse(
      JSON.stringify(
        {
          fields: layers[0].fields,
          rows: layers[0].rows.map(({ geometry, properties }) => ({ geometry, properties })),
          findings: findings.map(({ code, count }) => ({ code, count })),
        },
        (_, value) => (typeof value === 'bigint' ? `${value}n` : value),
      ),
    );
    const expectedPath = join(DIRECTORY, name.replace(/\.csv$/, '.expected.json'));
    if (process.env.UPDATE_FIXTURES === '1')
      writeFileSync(expectedPath, `${JSON.stringify(actual, null, 2)}\n`);
    assert.deepEqual(actual, JSON.parse(readFileSync(expectedPath, 'utf8')));
  });
}
