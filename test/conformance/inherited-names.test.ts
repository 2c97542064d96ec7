/** Fields named like inherited members of objects keep their values through every format and every step. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { isOutputFormat } from '../../packages/formats/src/format.ts';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { parseSteps } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { inOrder, statedCrs, traitsOf } from '../support/formats.ts';

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'prototype',
  'length',
  'name',
];
/** A shapefile truncates and reports longer names. */
const MAX_SHP_NAME = 10;

type Values = readonly (readonly [name: string, value: string | number])[];

/** `__proto__` is written as in JSON, not as in an object literal. */
function collection(rows: readonly Values[]): string {
  const features = rows.map((values, i) => {
    const members = values.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `{"type":"Feature","properties":{${members}},"geometry":{"type":"Point","coordinates":[${i},50]}}`;
  });
  return `{"type":"FeatureCollection","features":[${features}]}`;
}

function valuesIn(path: string): Values[] {
  const { features } = JSON.parse(readFileSync(path, 'utf8')) as {
    features: { properties: Record<string, string | number> }[];
  };
  return features.map(({ properties }) => Object.entries(properties).filter(([, value]) => value !== null));
}

const sorted = (values: Values): Values => values.toSorted(([a], [b]) => (a < b ? -1 : 1));

const rows = fc
  .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc.array(
      fc.tuple(
        ...names.map((name) => fc.integer({ min: 0, max: 999 }).map((value) => [name, value] as const)),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  );

const withFields = inputFormats.filter(isOutputFormat).filter(({ outputFields }) => outputFields !== 'none');

for (const { id, outputExtension } of withFields)
  test(`${id} keeps fields with names of inherited members`, async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        const held =
          id === 'shp' ? values.map((row) => row.filter(([name]) => name.length <= MAX_SHP_NAME)) : values;
        fc.pre(held[0].length > 0);
        using workspace = makeWorkspace();
        const input = join(workspace.path, 'in.geojson');
        writeFileSync(input, collection(held));
        const there = await convertFile(input, workspace.path, {
          from: 'geojson',
          to: id,
          writeOptions: { ...traitsOf(id).roundTrip.options, ...inOrder(id) },
        });
        const copy = join(workspace.path, `copy${outputExtension}`);
        writeFileSync(copy, readFileSync(there.outputPath));
        const back = await convertFile(copy, workspace.path, {
          from: id,
          to: 'geojson',
          outputName: 'back',
          fromCrs: statedCrs(id),
        });
        // KML has fields of its own, which come first.
        assert.deepEqual(valuesIn(back.outputPath).map(sorted), held.map(sorted));
      }),
      { numRuns: 12 },
    );
  });

test('steps use fields with names of inherited members', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  for (const name of NAMES) {
    const row = (value: number): Values => [
      [name, value],
      ['other', value * 10],
    ];
    writeFileSync(input, collection([row(1), row(2), row(1)]));
    const run = async (steps: unknown): Promise<Values[]> => {
      const checked = parseSteps(steps, 'transformations', transformations);
      using own = makeWorkspace();
      const { outputPath } = await convertFile(input, own.path, {
        from: 'geojson',
        to: 'geojson',
        transformations: checked,
      });
      return valuesIn(outputPath);
    };
    const member = (value: unknown): unknown =>
      JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    assert.deepEqual(await run([{ type: 'filter', where: `"${name}" = 1` }]), [row(1), row(1)], name);
    assert.deepEqual(await run([{ type: 'select', fields: [name] }]), [
      [[name, 1]],
      [[name, 2]],
      [[name, 1]],
    ]);
    assert.deepEqual(await run([{ type: 'select', drop: ['other'], rename: member('b') }]), [
      [['b', 1]],
      [['b', 2]],
      [['b', 1]],
    ]);
    assert.deepEqual(await run([{ type: 'dissolve', by: [name], aggregate: { other: 'sum' } }]), [
      [
        [name, 1],
        ['other', 20],
      ],
      row(2),
    ]);
    assert.deepEqual(await run([{ type: 'dissolve', aggregate: member('sum') }]), [
      [
        [name, 4],
        ['other', 10],
      ],
    ]);
  }
});
