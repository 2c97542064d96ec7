import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { exampleSteps } from '../../../test/support/example-steps.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { transformations } from '../../operations/src/registry.ts';
import { fieldsAfter, loadSteps, planStages, reprojectionsOf } from '../src/chain.ts';
import type { LoadedStep } from '../src/conversion-plan.ts';

const registry = [...exampleSteps().registry, ...transformations];
const differ = (a: string, b: string): boolean => a !== b;

function stepsOf(...types: readonly string[]): Promise<readonly LoadedStep[]> {
  return loadSteps(
    types.map((type) =>
      type.startsWith('to ') ? { type: 'reproject', params: { crs: type.slice(3) } } : { type, params: {} },
    ),
    registry,
  );
}

/** The chain in a line: "EPSG:1>EPSG:2 shift@EPSG:2 | gather@EPSG:2 | ...". */
function shown(steps: readonly LoadedStep[], source: string, target: string): string {
  const stages = planStages(steps, source, target, differ);
  return stages
    .map(({ links, collect }) =>
      [
        ...links.map((link) =>
          link.kind === 'reproject' ? `${link.from}>${link.to}` : `${steps[link.step].type}@${link.crs}`,
        ),
        ...(collect === null ? [] : [`[${steps[collect.step].type}@${collect.crs}]`]),
      ].join(' '),
    )
    .join(' | ');
}

test('a chain without steps is the reprojection to the output CRS, or nothing', async () => {
  assert.equal(shown([], 'EPSG:1', 'EPSG:2'), 'EPSG:1>EPSG:2');
  assert.equal(shown([], 'EPSG:1', 'EPSG:1'), '');
});

test('steps work in the CRS of the source until one changes it', async () => {
  const steps = await stepsOf('shift', 'to EPSG:3', 'even', 'shift');
  assert.equal(
    shown(steps, 'EPSG:1', 'EPSG:2'),
    'shift@EPSG:1 EPSG:1>EPSG:3 even@EPSG:3 shift@EPSG:3 EPSG:3>EPSG:2',
  );
});

test('of reprojections in a row only the last is done, and none where it leads back', async () => {
  assert.equal(shown(await stepsOf('to EPSG:3', 'to EPSG:4'), 'EPSG:1', 'EPSG:2'), 'EPSG:1>EPSG:2');
  assert.equal(shown(await stepsOf('to EPSG:3', 'to EPSG:1', 'shift'), 'EPSG:1', 'EPSG:1'), 'shift@EPSG:1');
});

test('a collecting step ends a stage; what follows it begins the next', async () => {
  const steps = await stepsOf('shift', 'to EPSG:3', 'gather', 'gather', 'even');
  assert.equal(
    shown(steps, 'EPSG:1', 'EPSG:2'),
    'shift@EPSG:1 EPSG:1>EPSG:3 [gather@EPSG:3] | [gather@EPSG:3] | even@EPSG:3 EPSG:3>EPSG:2',
  );
});

test('whatever the chain: reprojections join up, every step stands once and in order, the end is the output CRS', async () => {
  const word = fc.constantFrom('shift', 'even', 'gather', 'to EPSG:1', 'to EPSG:2', 'to EPSG:3');
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 12 }), async (words) => {
      const steps = await stepsOf(...words);
      const stages = planStages(steps, 'EPSG:1', 'EPSG:2', differ);
      let crs = 'EPSG:1';
      const met: number[] = [];
      for (const { links, collect } of stages) {
        for (const link of collect === null ? links : [...links, collect]) {
          if (link.kind === 'reproject') {
            assert.equal(link.from, crs);
            assert.notEqual(link.to, crs);
            crs = link.to;
          } else {
            assert.equal(link.crs, crs);
            met.push(link.step);
          }
        }
      }
      assert.equal(crs, 'EPSG:2');
      const expected = words.flatMap((step, i) => (step.startsWith('to ') ? [] : [i]));
      assert.deepEqual(met, expected);
      assert.deepEqual(
        reprojectionsOf(stages).map(({ number }) => number),
        reprojectionsOf(stages).map((_, i) => i),
      );
      assert.equal(stages.filter(({ collect }) => collect === null).length, 1);
      assert.equal(stages.at(-1)?.collect, null);
    }),
  );
});

test('fields go through the steps; one that is missing is told with layer and step', async () => {
  const fields = [{ name: 'n', type: 'int32' }] as const;
  assert.deepEqual(fieldsAfter(fields, await stepsOf('even', 'gather'), 'roads'), [
    { name: 'count', type: 'int32' },
  ]);
  const steps = await stepsOf('gather', 'even');
  assert.throws(
    () => fieldsAfter(fields, steps, 'roads'),
    (error) =>
      error instanceof GeomillError &&
      error.message === "layer 'roads' at transformations[1] has no field 'n'; its fields: 'count'",
  );
});
