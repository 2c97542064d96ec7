/** Inputs with many fields: rejected beyond the limit, and never more than n log n work below it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { UniqueNames } from '../../packages/core/src/columns/unique-names.ts';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { DEFAULT_INPUT_LIMITS as LIMITS } from '../support/limits.ts';

const samplePath = (name: string): string => fileURLToPath(new URL(`../../samples/${name}`, import.meta.url));

const CRS = 'EPSG:25832';
/** Number of columns that once took quadratic time. */
const MANY = 50_000;

for (const { id, sample, inputCrs, outputFields } of inputFormats) {
  const fromCrs = inputCrs === 'request' ? CRS : null;
  const limited = [
    ['features', 'MAX_FEATURES'],
    ...(outputFields === 'none' ? [] : [['fields', 'MAX_FIELDS']]),
  ];
  for (const [limit, setting] of limited)
    test(`${id}: rejects an input beyond ${setting} with number and limit`, async () => {
      using workspace = makeWorkspace();
      const limits = { ...LIMITS, [limit]: 1 };
      const conversion = convertFile(samplePath(sample), workspace.path, {
        from: id,
        to: 'geojson',
        fromCrs,
        limits,
      });
      await assert.rejects(conversion, ({ code, message }: Error & { code?: string }) => {
        assert.equal(code, 'LIMIT_EXCEEDED');
        assert.match(message, new RegExp(`${limit}.* is .*\\d+; the limit is 1 \\(${setting}\\)`));
        return true;
      });
      assert.deepEqual(
        workspace.entries().filter((name) => name.endsWith('.geojson')),
        [],
      );
    });
}

test('counts the fields of all partitions of a layer together', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'own.geojson');
  // Each feature has its own field, over several partitions with fewer fields than the limit each.
  const padding = 'x'.repeat(60_000);
  const feature = (i: number): string =>
    `{"type":"Feature","geometry":null,"properties":{"f${i}":"${padding}"}}`;
  writeFileSync(path, Array.from({ length: 200 }, (_, i) => feature(i)).join('\n'));
  for (const threads of [1, 2])
    await assert.rejects(
      convertFile(path, workspace.path, {
        from: 'geojson',
        to: 'geojson',
        threads,
        limits: { ...LIMITS, fields: 100 },
      }),
      { code: 'LIMIT_EXCEEDED' },
    );
});

test('converts 50,000 columns where the limit allows them', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'wide.csv');
  const names = Array.from({ length: MANY }, (_, i) => `c${i}`);
  const values = names.map((_, i) => String(i));
  writeFileSync(path, `${[...names, 'geom_wkt'].join()}\n${[...values, 'POINT(1 2)'].join()}\n`);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'csv',
    to: 'geojson',
    fromCrs: 'EPSG:4326',
    threads: 1,
    limits: { ...LIMITS, fields: MANY },
  });
  const [{ properties }] = (JSON.parse(readFileSync(outputPath, 'utf8')) as { features: [Feature] }).features;
  assert.equal(Object.keys(properties).length, MANY);
  assert.equal(properties[`c${MANY - 1}`], MANY - 1);
});

interface Feature {
  readonly properties: Readonly<Record<string, unknown>>;
}

test('gives columns of one name names of their own', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'same.csv');
  const names = ['a', 'a_2', 'a', '', 'a', 'column_4', 'geom_wkt', ''];
  writeFileSync(path, `${names.join()}\n1,2,3,4,5,6,POINT(1 2),8\n`);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'csv',
    to: 'geojson',
    fromCrs: 'EPSG:4326',
  });
  const [{ properties }] = (JSON.parse(readFileSync(outputPath, 'utf8')) as { features: [Feature] }).features;
  assert.deepEqual(properties, {
    a: 1,
    a_2: 2,
    a_3: 3,
    column_4_2: 4,
    a_4: 5,
    column_4: 6,
    column_8: 8,
  });
});

test('finds a free name without trying those that it gave before', () => {
  let folds = 0;
  const names = new UniqueNames({
    fold: (name) => {
      folds++;
      return name.toLowerCase();
    },
  });
  const given = Array.from({ length: MANY }, (_, i) => names.take(i % 2 === 0 ? 'Same' : 'same'));
  assert.equal(new Set(given.map((name) => name.toLowerCase())).size, MANY);
  assert.ok(folds < 4 * MANY, `${folds} names were looked at for ${MANY}`);
});
