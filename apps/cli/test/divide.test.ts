/** The scripts and manifests of `geomill divide`, and those of deploy/batch. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseAllDocuments } from 'yaml';
import { DEPLOY, type Manifest } from '../../../test/support/deployment.ts';
import { manifestFaults } from '../../../test/support/manifest-schema.ts';
import { type Parsed, parse } from '../src/arguments.ts';
import { commands } from '../src/commands.ts';
import { flags, scriptOf } from '../src/divide.ts';
import { ENGINES, quoted } from '../src/divided/scripts.ts';

const BATCH = join(DEPLOY, 'batch');
const EXAMPLE = ['roads.geojsonl', 'roads.csv', '--parts', '8', '--work', 'work', '--image', 'geomill'];

const divided = (...argv: readonly string[]): string => scriptOf(parse(argv, flags()));

function documents(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

/** The commands of geomill in a text, as words; variables stay as they are. */
function commandsIn(text: string): string[][] {
  const shell = [...text.matchAll(/\bgeomill ((?:plan|part|join) [^;|)\n"]*(?:"\$\w+"[^;|)\n"]*)*)/g)];
  const lists = [...text.matchAll(/\[("geomill", )?("(?:plan|part|join)",[^\]]*)\]/g)];
  return [
    ...shell.map(([, words]) => words.trim().split(/\s+/)),
    // Words without quotes are variables of Python.
    ...lists.map(([, , words]) => words.split(',').map((word) => word.trim().replaceAll('"', ''))),
  ];
}

/** Without what the shell or the engine adds at the end. */
function requireRealFlags(words: readonly string[], known: Parameters<typeof parse>[1]): Parsed {
  const given = words.at(-1)?.startsWith('--index') ? [...words, '0'] : words;
  return parse(given.slice(1), known);
}

for (const [engine, file] of Object.entries({
  slurm: 'slurm.sh',
  kubernetes: 'kubernetes.yaml',
  argo: 'argo.yaml',
  parallel: 'parallel.sh',
}))
  test(`deploy/batch/${file} is what geomill divide prints`, () => {
    assert.equal(readFileSync(join(BATCH, file), 'utf8'), divided(...EXAMPLE, '--on', engine));
  });

for (const file of readdirSync(BATCH))
  test(`deploy/batch/${file} calls commands and flags that there are`, async () => {
    const found = commandsIn(readFileSync(join(BATCH, file), 'utf8'));
    assert.ok(found.length > 0);
    for (const words of found) requireRealFlags(words, (await commands[words[0]].load()).flags());
  });

test('the jobs of Kubernetes fit its schema and end with the statuses of a part', () => {
  const jobs = documents(divided(...EXAMPLE, '--on', 'kubernetes')) as Manifest[];
  assert.deepEqual(jobs.map(({ metadata }) => metadata.name), ['geomill-plan', 'geomill-part-1', 'geomill-part-2', 'geomill-part-3', 'geomill-join']); // biome-ignore format: one line
  for (const job of jobs) {
    assert.deepEqual(manifestFaults(job), []);
    const { rules } = job.spec.podFailurePolicy;
    const actionOf = (status: number): string =>
      rules.find((rule: { onExitCodes?: { values: number[] } }) => rule.onExitCodes?.values.includes(status))
        .action;
    assert.deepEqual([65, 75, 78].map(actionOf), ['FailJob', 'Ignore', 'FailJob']);
  }
  assert.equal(jobs[1].spec.completions, 8);
});

test('the workflow of Argo names its own templates, and takes the number of parts from the plan', () => {
  const [workflow] = documents(divided(...EXAMPLE, '--on', 'argo')) as Manifest[];
  const { templates, entrypoint } = workflow.spec;
  const names = templates.map(({ name }: { name: string }) => name);
  const steps = templates.find(({ name }: { name: string }) => name === entrypoint).steps.flat();
  for (const { template } of steps) assert.ok(names.includes(template), template);
  assert.deepEqual(steps[1].withSequence, { count: '{{steps.plan.outputs.result}}' });
  for (const { container, script } of templates.slice(1))
    assert.equal((container ?? script).image, 'geomill');
});

test('names and values keep their characters', () => {
  assert.equal(quoted("it's $x"), "'it'\\''s $x'");
  const odd = [
    'a b.geojson',
    "it's.csv",
    '--parts',
    '3',
    '--work',
    'w $x',
    '--filter',
    "name = 'a'",
    '--buffer=-5m',
  ];
  for (const engine of ['slurm', 'parallel']) {
    const script = divided(...odd, '--on', engine);
    assert.match(script, /geomill plan 'a b\.geojson' 'it'\\''s\.csv' --parts 3 --work 'w \$x'/);
    assert.match(script, /--filter 'name = '\\''a'\\''' --buffer=-5m/);
    assert.match(script, /geomill join 'w \$x'|geomill join '\\''w \$x/);
  }
  const [plan] = documents(divided(...odd, '--on', 'kubernetes')) as Manifest[];
  assert.deepEqual(plan.spec.template.spec.containers[0].args.slice(0, 3), [
    'plan',
    'a b.geojson',
    "it's.csv",
  ]);
});

test('what is missing or wrong is said, and nothing is printed', () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [EXAMPLE, /--on ENGINE is required: slurm, kubernetes, argo, parallel/],
    [[...EXAMPLE, '--on', 'pbs'], /--on takes slurm, .*, not 'pbs'/],
    [['a.csv', 'b.csv', '--parts', '2', '--on', 'slurm'], /--work DIR is required/],
    [['a.csv', 'b.csv', '--work', 'w', '--on', 'slurm'], /state one of --parts N and --part-size SIZE/],
    [
      ['a.csv', 'b.csv', '--work', 'w', '--part-size', '1MB', '--on', 'kubernetes'],
      /states the number of parts/,
    ],
    [[...EXAMPLE, '--on', 'argo', '--claim', 'a"b'], /--claim wants a name/],
    [['nowhere', '--on', 'slurm'], /there is no plan in 'nowhere'/],
    [['nowhere', '--parts', '3', '--on', 'slurm'], /--parts belongs to a plan/],
    [['--on', 'slurm'], /divide takes IN and OUT/],
  ];
  for (const [argv, message] of cases) assert.throws(() => divided(...argv), message);
  assert.deepEqual(Object.keys(ENGINES), ['slurm', 'kubernetes', 'argo', 'parallel']);
});
