import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../src/formats/geojson/read.ts';
import { readFileLayers } from '../support/read-layers.ts';

const DIRECTORY = join(import.meta.dirname, '../fixtures/geojson');

for (const name of readdirSync(DIRECTORY).filter((file) => /\.geojson[ls]?$/.test(file))) {
  test(`${name} is read as expected`, async () => {
    const { layers, findings } = await readFileLayers(reader, join(DIRECTORY, name));
    const actual = JSON.parse(
      JSON.stringify(
        {
          name: layers[0].source.name,
          fields: layers[0].fields,
          rows: layers[0].rows,
          findings: findings.map(({ code, count, params }) => ({ code, count, params })),
        },
        (_, value) => (typeof value === 'bigint' ? `${value}n` : value),
      ),
    );
    const expectedPath = join(DIRECTORY, name.replace(/\.[^.]*$/, '.expected.json'));
    if (process.env.UPDATE_FIXTURES === '1')
      writeFileSync(expectedPath, `${JSON.stringify(actual, null, 2)}\n`);
    assert.deepEqual(actual, JSON.parse(readFileSync(expectedPath, 'utf8')));
  });
}
