import assert from 'node:assert/strict';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import type { CommandLineForm, Transformation } from '../../../packages/operations/src/transformation.ts';
import { formatFlags, parse } from '../src/arguments.ts';
import { stepFlags, stepsOf, stepUsage } from '../src/steps.ts';

function record(
  id: string,
  properties: Record<string, object>,
  commandLine: CommandLineForm,
): Transformation {
  return {
    id,
    title: id,
    group: 'shape',
    summary: 'An example.',
    description: '',
    parameters: { type: 'object', properties, additionalProperties: false },
    guarantees: [],
    longitudes: 'as written',
    usesGeometries: 'never',
    commandLine,
    load: () => Promise.reject(new Error('a command line needs no code')),
  };
}

const registry = [
  record(
    'melt',
    { by: { type: 'string' }, sums: { type: 'array', items: { type: 'string' } } },
    {
      flag: 'melt',
      placeholder: 'FIELD',
      description: 'melts',
      parameters: (by) => ({ by }),
      modifiers: [
        {
          flag: 'sum',
          placeholder: 'FIELD',
          description: 'sums',
          parameters: (field, before) => ({ ...before, sums: [...((before.sums as string[]) ?? []), field] }),
        },
      ],
    },
  ),
  record('join', {}, { flag: 'join', placeholder: null, description: 'joins', parameters: () => ({}) }),
];

async function steps(...argv: readonly string[]) {
  const parsed = parse(argv, { ...formatFlags('in'), ...stepFlags(registry) });
  return (await stepsOf(parsed, registry)).map(({ type, params }) => ({ type, ...params }));
}

test('flags become steps in the order they were given; modifiers belong to the step before them', async () => {
  assert.deepEqual(
    await steps(
      '--join',
      '--melt',
      'zone',
      '--sum',
      'a',
      '--in-delimiter',
      ';',
      '--sum=b',
      '--melt',
      '-1x',
      '--join',
    ),
    [
      { type: 'join' },
      { type: 'melt', by: 'zone', sums: ['a', 'b'] },
      { type: 'melt', by: '-1x' },
      { type: 'join' },
    ],
  );
  assert.deepEqual(await steps(), []);
});

test('a modifier without its step is refused', async () => {
  for (const argv of [
    ['--sum', 'a'],
    ['--join', '--sum', 'a'],
  ])
    await assert.rejects(
      steps(...argv),
      (error) =>
        error instanceof GeomillError &&
        error.code === 'USAGE' &&
        error.message === '--sum is an option of --melt: put it after --melt',
    );
});

test('help lists every flag', () => {
  for (const { commandLine } of transformations)
    if (commandLine !== null) assert.match(stepUsage(), new RegExp(`--${commandLine.flag}\\b`));
  assert.match(
    stepUsage(registry),
    /^ {2}--melt FIELD +melts\n {2}--join +joins\n[\s\S]*Options of transformations.*\n {2}--sum FIELD +--melt: sums\n {2}--on-layer NAME +any transformation: [^\n]*\n +repeated$/,
  );
});

test('no two transformations share a flag, and none takes one of convert', () => {
  const flags = transformations.flatMap(({ commandLine }) =>
    commandLine === null ? [] : [commandLine.flag],
  );
  assert.equal(new Set(flags).size, flags.length);
  const own = ['from', 'to', 'from-crs', 'to-crs', 'layer', 'overwrite', 'threads', 'json', 'quiet', 'help'];
  for (const flag of [...own, ...Object.keys(formatFlags('in')), ...Object.keys(formatFlags('out'))])
    assert.ok(!Object.hasOwn(stepFlags(), flag), flag);
});
