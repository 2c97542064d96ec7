/** row() numbers the features of a layer in their order, whichever threads and partitions read them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';

/** More than four partitions of the size that is usual with steps. */
const MANY = 20_000;

const numbers = Array.from({ length: MANY }, (_, i) => i + 1);
const pad = 'x'.repeat(100);
/** Partitions have different numbers of features. */
const geojson = `{"type":"FeatureCollection","features":[${numbers
  .map((n) => `{"type":"Feature","properties":{"n":${n},"pad":"${pad.repeat(n % 7)}"},"geometry":{"type":"Point","coordinates":[${n % 180},1]}}`)
  .join(',\n')}]}`; // biome-ignore format: a feature
const csv = `n,pad,longitude,latitude\n${numbers.map((n) => `${n},${pad.repeat(n % 7)},${n % 180},1`).join('\n')}\n`;

async function converted(input: string, steps: readonly object[], options: Partial<ConvertOptions> = {}) {
  using workspace = makeWorkspace();
  const from = input.startsWith('{') ? 'geojson' : 'csv';
  const path = join(workspace.path, `input.${from}`);
  writeFileSync(path, input);
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from,
    to: 'geojson',
    ...(from === 'csv' ? { fromCrs: 'EPSG:4326' } : {}),
    threads: 2,
    transformations: parseSteps(steps, 'transformations', transformations),
    ...options,
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8'));
  const rows = features.map(({ properties }: { properties: Record<string, number> }) => properties);
  return { rows: rows as Record<string, number>[], report };
}

for (const [name, input] of [
  ['GeoJSON', geojson],
  ['CSV', csv],
] as const) {
  // biome-ignore format: one line
  test(`features of ${name} have their numbers`, async () => {
    const { rows } = await converted(input, [{ type: 'calculate', fields: { row: 'row()' } }]);
    assert.equal(rows.length, MANY);
    for (const { n, row } of rows) assert.equal(row, n);
  });
}

test('features are numbered as the step gets them, and steps before and after see the same', async () => {
  const { rows, report } = await converted(geojson, [
    { type: 'calculate', fields: { first: 'row()' } },
    { type: 'filter', where: 'row() % 3 = 0' },
    { type: 'calculate', fields: { second: 'row() * 10', label: "to_text(row()) || '/' || to_text(first)" } },
    { type: 'filter', where: 'second > 10' },
  ]);
  assert.equal(rows.length, Math.floor(MANY / 3) - 1);
  for (const [i, { n, first, second, label }] of rows.entries()) {
    assert.equal(n, 3 * (i + 2));
    assert.equal(first, n);
    assert.equal(second, 10 * (i + 2));
    assert.equal(label, `${i + 2}/${n}`);
  }
  const counts = (report.steps ?? []).map(({ featuresIn, featuresOut }) => [featuresIn, featuresOut]);
  const third = Math.floor(MANY / 3);
  assert.deepEqual(counts, [[MANY, MANY], [MANY, third], [third, third], [third, third - 1]]); // biome-ignore format: one line
});

test('numbers are right after a collecting step, with statistics, and in a sort', async () => {
  const fields = { row: 'row()' };
  const { rows } = await converted(geojson, [
    { type: 'filter', where: 'n <= 5000' },
    { type: 'sort', by: ['row() desc'] },
    { type: 'calculate', fields },
    { type: 'dimensions', to: 'XYZ', z: 'row()' },
  ]);
  assert.equal(rows.length, 5000);
  for (const { n, row } of rows) assert.equal(row, 5001 - n);
});

test('a layer without features has no numbers', async () => {
  const steps = [{ type: 'filter', where: 'n < 0' }, { type: 'calculate', fields: { row: 'row()' } }]; // biome-ignore format: one line
  const { rows } = await converted(csv, steps);
  assert.deepEqual(rows, []);
});

test('row() is refused where features are not counted', () => {
  const mask = { type: 'clip', mask: 'zones.geojson', mask_filter: 'row() < 3' };
  const error = { code: 'TRANSFORMATION_INVALID', message: /row\(\)/ };
  assert.throws(() => parseSteps([mask], 't', transformations, 'paths'), error);
  const sampled = [{ type: 'filter', where: 'row() > 3' }, { type: 'sample', count: 3, row_field: 'r' }]; // biome-ignore format: one line
  assert.throws(() => parseSteps(sampled, 't', transformations), { code: 'TRANSFORMATION_INVALID' });
  assert.throws(() => parseSteps([{ type: 'filter', where: 'row(1) > 3' }], 't', transformations), error);
});
