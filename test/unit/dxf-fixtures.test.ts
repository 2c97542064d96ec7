/**
 * Every fixture in test/fixtures/dxf is read and compared with its `<name>.expected.json`.
 * REGENERATE=1 writes the expectations anew; look at the difference before you believe it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../src/formats/dxf/read.ts';
import { readFileLayers } from '../support/read-layers.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'dxf');
/** Both spaces are read, so that the fixtures show them. */
const OPTIONS = { layouts: 'all' };

/** Sines differ in their last bits between machines. */
const rounded = (wkt: string): string =>
  wkt.replace(/-?\d+\.\d+(?:[eE][-+]?\d+)?/g, (number) => String(Number(Number(number).toFixed(9))));

async function facts(name: string, partitionBytes?: number): Promise<unknown> {
  const { layers, findings } = await readFileLayers(reader, join(FOLDER, name), {
    partitionBytes,
    options: OPTIONS,
  });
  const plain = {
    layers: layers.map(({ source, fields, rows }) => ({
      name: source.name,
      encoding: source.encoding,
      // Sorted, for they come in the order in which the partitions meet them.
      fields: fields.map((field) => `${field.name} ${field.type}`).sort(),
      rows: rows.map(({ geometry, properties }) => {
        const set = Object.entries(properties).filter(([, value]) => value !== null);
        return { ...Object.fromEntries(set), geometry: geometry === null ? null : rounded(geometry) };
      }),
    })),
    findings: findings
      .map(({ code, count, params }) => `${[code, ...Object.values(params)].join(' ').trim()}: ${count}`)
      .sort(),
  };
  return JSON.parse(JSON.stringify(plain));
}

for (const name of readdirSync(FOLDER)) {
  if (!name.endsWith('.dxf')) continue;
  const expectedPath = join(FOLDER, name.replace(/dxf$/, 'expected.json'));

  test(`the fixture ${name} is read as expected, in one partition and in many`, async () => {
    const found = await facts(name);
    if (process.env.REGENERATE === '1') writeFileSync(expectedPath, `${JSON.stringify(found, null, 1)}\n`);
    assert.deepEqual(found, JSON.parse(readFileSync(expectedPath, 'utf8')));
    assert.deepEqual(await facts(name, 1), found);
  });
}

test('binary drawings are read as their ASCII twins, and newer releases as R2000', async () => {
  const rowsOf = async (name: string): Promise<unknown> => {
    const { layers } = await readFileLayers(reader, join(FOLDER, `${name}.dxf`), { options: OPTIONS });
    return layers.map(({ rows }) => rows);
  };
  assert.deepEqual(await rowsOf('binary-r12'), await rowsOf('r12'));
  const expected = await rowsOf('r2000');
  for (const name of ['r2004', 'r2007', 'r2010', 'r2018', 'binary-r2000', 'binary-r2018'])
    assert.deepEqual(await rowsOf(name), expected, name);
});
