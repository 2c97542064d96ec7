/** Plan, part and join in one process: the bytes of one machine, and what is wrong with a plan is said before anything is written. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { readConfig } from '../../service/src/settings/config.ts';
import { parse } from '../src/arguments.ts';
import { run as convert } from '../src/convert.ts';
import { partStatusOf } from '../src/divided/part-status.ts';
import { jobOfFlags } from '../src/divided/plan-job.ts';
import { planConversion, requireFreeWork } from '../src/divided/planned-conversion.ts';
import { run as joinRun } from '../src/join.ts';
import { run as partRun } from '../src/part.ts';
import { flags as planFlags } from '../src/plan.ts';

const config = readConfig({});
const files = makeWorkspace();
after(() => files[Symbol.dispose]());
const within = (name: string): string => join(files.path, name);
let works = 0;

/** Of 1.5 MB: six partitions if there is a step. More would start threads, which take longer than all else. */
function featureCollection(count: number): string {
  const text = 'x'.repeat(4000);
  const features = Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      type: 'Feature',
      properties: {
        n,
        text,
        ...(n % 7 === 0 ? { seldom: n / 3 } : {}),
        ...(n > 300 ? { late: `"${n}"` } : {}),
      },
      geometry: { type: 'Point', coordinates: [8 + n / 1000, 48, ...(n % 11 === 0 ? [n] : [])] },
    }),
  );
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`;
}

before(async () => {
  writeFileSync(within('in.geojson'), featureCollection(360));
  for (const [to, ending] of [
    ['csv', 'csv'],
    ['gpkg', 'gpkg'],
    ['shp', 'zip'],
  ] as const) {
    using workspace = makeWorkspace();
    const { outputPath } = await convertFile(within('in.geojson'), workspace.path, { from: 'geojson', to });
    copyFileSync(outputPath, within(`in.${ending}`));
  }
});

async function plan(input: string, output: string, parts: number, flags: readonly string[] = []) {
  const work = within(`work-${++works}`);
  const parsed = parse([input, output, '--quiet', '--threads', '1', ...flags], planFlags());
  const job = await jobOfFlags(input, output, parsed);
  const planned = await planConversion({ work, job, overwrite: false, parts }, parsed, config);
  return { work, count: planned.firstPass.parts.length, passes: planned.passes };
}

const part = (work: string, index: number, ...flags: string[]): Promise<number> =>
  partRun([work, '--quiet', '--threads', '1', '--index', String(index), ...flags], config, {});
const joinParts = (work: string, ...flags: string[]): Promise<number> =>
  joinRun([work, '--quiet', '--threads', '1', ...flags], config);

async function runAll({ work, count, passes }: Awaited<ReturnType<typeof plan>>): Promise<void> {
  for (let pass = 1; pass <= passes; pass++)
    for (let index = count - 1; index >= 0; index--)
      assert.equal(await part(work, index, '--pass', String(pass)), 0);
}

/** Throws the error with the exit status that an engine sees. */
async function refused(work: Promise<unknown>, status: number, message: RegExp): Promise<void> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GeomillError, String(error));
  assert.match(error.message, message);
  assert.equal(partStatusOf(error), status, error.message);
}

const PAIRS: readonly (readonly [input: string, output: string, flags: readonly string[]])[] = [
  ['in.geojson', 'out.csv', ['--select', 'n,seldom,late']],
  ['in.csv', 'out.geojson', ['--filter', 'n > 3', '--from-crs', 'EPSG:4326']],
  ['in.gpkg', 'out.geojsonl', ['--drop', 'text']],
  ['in.zip', 'out.csv', ['--select', 'n', '--to-crs', 'EPSG:25832']],
];

for (const [input, output, flags] of PAIRS)
  test(`${input} to ${output} in 1, 2 and 7 parts gives the bytes of one machine`, async () => {
    using workspace = makeWorkspace();
    const whole = join(workspace.path, output);
    await convert([within(input), whole, '--quiet', '--threads', '1', ...flags], config);
    for (const parts of [1, 2, 7]) {
      using own = makeWorkspace();
      const divided = join(own.path, output);
      const planned = await plan(within(input), divided, parts, flags);
      // Texts of a shapefile are short, so that it is small.
      assert.equal(planned.count, input.endsWith('.zip') ? 1 : Math.min(parts, 6));
      await runAll(planned);
      await joinParts(planned.work);
      assert.ok(readFileSync(divided).equals(readFileSync(whole)), `${parts} parts`);
      assert.equal(existsSync(planned.work), false);
      assert.deepEqual(own.entries(), [output]);
    }
  });

test('a conversion that cannot be divided is refused with the reason', async () => {
  const cases: readonly (readonly [string, string, readonly string[], RegExp])[] = [
    ['in.geojson', 'a.gpkg', [], /GeoPackage is not written in parts; formats that are: GeoJSON, CSV/],
    ['in.geojson', 'a.csv', ['--dissolve', 'late'], /the step dissolve needs all features/],
    ['in.geojson', 'a.csv', ['--sort', 'n'], /the step sort needs all features/],
    ['in.geojson', 'a.zip', ['--to', 'csv', '--split-by', 'n'], /the output is split by a field/],
    ['in.geojson', 'a.csv', ['--limit', '3'], /the step limit needs all features|only a part of the input/],
    ['in.kml', 'a.csv', [], /KML is not read in parts; formats that are: .*GeoPackage/],
  ];
  writeFileSync(
    within('in.kml'),
    '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><Point><coordinates>8,48</coordinates></Point></Placemark></kml>',
  );
  for (const [input, output, flags, reason] of cases)
    await assert.rejects(plan(within(input), within(output), 2, flags), reason);
  assert.deepEqual(
    readdirSync(files.path).filter((name) => /^work|^a\./.test(name)),
    [],
  );
});

test('files that other machines cannot read, and a directory in use, are refused', async () => {
  await assert.rejects(plan('-', within('a.csv'), 2), /'-' is no file that every part can read/);
  await assert.rejects(
    plan('https://example.org/a.geojson', within('a.csv'), 2),
    /is no file that every part/,
  );
  await assert.rejects(plan(within('in.geojson'), '-', 2, ['--to', 'csv']), /OUT must be a file/);
  await assert.rejects(plan(within('in.geojson'), within('in.csv'), 2), /exists; say --overwrite/);
  assert.throws(() => requireFreeWork(files.path, () => false), /is not empty/);
  assert.throws(() => requireFreeWork(within('in.csv'), () => false), /is a file/);
});

test('a part whose result is complete is not run again, and one that is damaged is', async () => {
  const planned = await plan(within('in.geojson'), within('again.csv'), 2, ['--select', 'n']);
  const result = join(planned.work, 'pass-1', 'result-0');
  await Promise.all([part(planned.work, 0), part(planned.work, 0)]);
  const { ino, size } = statSync(result);
  await part(planned.work, 0);
  assert.equal(statSync(result).ino, ino);
  truncateSync(result, size - 20);
  await refused(joinParts(planned.work), 75, /parts 0, 1 of pass 1 are/);
  await part(planned.work, 0);
  assert.equal(statSync(result).size, size);
  assert.deepEqual(
    readdirSync(join(planned.work, 'pass-1')).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('the index comes from the flag or the engine, and is checked', async () => {
  const { work } = await plan(within('in.geojson'), within('index.csv'), 2, ['--select', 'n']);
  const done = (): string[] => readdirSync(join(work, 'pass-1')).filter((name) => name.startsWith('result-'));
  const run = (flags: readonly string[], environment: Record<string, string>): Promise<number> =>
    partRun([work, '--quiet', '--threads', '1', ...flags], config, environment);
  await run(['--index-from', '1'], { SLURM_ARRAY_TASK_ID: '1' });
  assert.deepEqual(done(), ['result-0']);
  await run(['--index', '0'], { JOB_COMPLETION_INDEX: '1' });
  assert.deepEqual(done(), ['result-0']);
  await run([], { AWS_BATCH_JOB_ARRAY_INDEX: '1' });
  assert.deepEqual(done(), ['result-0', 'result-1']);
  await assert.rejects(run([], {}), /--index I is required: none of JOB_COMPLETION_INDEX/);
  for (const index of ['2', '-1', '1.5', 'x', '99999999999999999999', ''])
    await assert.rejects(run([`--index=${index}`], {}), /--index wants a number from 0 to 1/);
  await assert.rejects(
    run([], { SLURM_ARRAY_TASK_ID: '7' }),
    /SLURM_ARRAY_TASK_ID wants a number from 0 to 1/,
  );
  await assert.rejects(run(['--index', '0', '--index-from', '1'], {}), /wants a number from 1 to 2/);
});

test('a pass waits for the one before, and one that is not needed does nothing', async () => {
  const planned = await plan(within('in.geojson'), within('passes.csv'), 2, ['--select', 'n']);
  assert.equal(planned.passes, 3);
  await part(planned.work, 0);
  await refused(part(planned.work, 0, '--pass', '2'), 75, /part 1 of pass 1 is not complete in /);
  await part(planned.work, 1);
  await refused(joinParts(planned.work), 75, /the parts of pass 2 are not complete in /);
  await Promise.all([part(planned.work, 0, '--pass', '2'), part(planned.work, 1, '--pass', '2')]);
  await Promise.all([part(planned.work, 1, '--pass', '3'), part(planned.work, 0, '--pass', '3')]);
  assert.equal(await part(planned.work, 0, '--pass', '4'), 0);
  assert.equal(await joinParts(planned.work, '--keep'), 0);
  assert.ok(existsSync(join(planned.work, 'plan.json')));
});

for (const [name, at] of [
  ['first', 3],
  ['middle', 180],
  ['last', 350],
] as const)
  test(`an error in the ${name} part ends it with 65, and the join reports it as one machine does`, async () => {
    const input = within(`bad-${name}.geojson`);
    writeFileSync(input, featureCollection(360).replace(`"n":${at},`, `"n":${at} `));
    const planned = await plan(input, within(`bad-${name}.csv`), 2, ['--select', 'n']);
    const expected = await convert([input, within('one.csv'), '--quiet', '--select', 'n'], config).catch(
      (error: GeomillError) => error,
    );
    assert.ok(expected instanceof GeomillError);
    const statuses: (string | number)[] = [];
    for (let index = 0; index < 2; index++)
      statuses.push(
        await part(planned.work, index).catch((error: GeomillError) => partStatusOf(error)),
        await part(planned.work, index).catch((error: GeomillError) => partStatusOf(error)),
      );
    assert.equal(statuses.filter((status) => status === 65).length, 2, String(statuses));
    await refused(joinParts(planned.work), 65, /./);
    await assert.rejects(joinParts(planned.work), { message: expected.message, location: expected.location });
    assert.equal(existsSync(within(`bad-${name}.csv`)), false);
  });

test('a changed input, another version and damaged files end with 78 and say what', async () => {
  const input = within('changing.geojson');
  const content = featureCollection(360);
  writeFileSync(input, content);
  utimesSync(input, 1e9, 1e9);
  const { work } = await plan(input, within('changing.csv'), 2, ['--select', 'n']);
  const both = async (message: RegExp): Promise<void> => {
    await refused(part(work, 0), 78, message);
    await refused(joinParts(work), 78, message);
  };
  writeFileSync(input, `${content} `);
  await both(/changing\.geojson' has \d+ bytes, not \d+: it has changed since the plan/);
  writeFileSync(input, content);
  await both(/changing\.geojson' has changed since/);
  writeFileSync(input, content.replace('"n":1,', '"n":2,'));
  utimesSync(input, 1e9, 1e9);
  await both(/changing\.geojson' has changed since/);
  writeFileSync(input, content);
  utimesSync(input, 1e9, 1e9);
  assert.equal(await part(work, 0), 0);

  const path = join(work, 'plan.json');
  const good = readFileSync(path, 'utf8');
  const document = JSON.parse(good);
  const faults: readonly (readonly [string | Uint8Array, RegExp])[] = [
    [good.slice(0, 100), /is damaged: it is not valid JSON/],
    [new Uint8Array([0xff, 0xfe, 0x7b]), /is damaged: it is not valid JSON/],
    ['', /is damaged: it is not valid JSON/],
    ['[]', /is damaged: it must be object/],
    [JSON.stringify({ ...document, geomill: '0.0.1' }), /was made by geomill 0\.0\.1, and this is/],
    [JSON.stringify({ ...document, formatVersion: 2 }), /'formatVersion' must be 1/],
    [JSON.stringify({ ...document, extra: 1 }), /is damaged/],
    [JSON.stringify({ ...document, requestedParts: 1e9 }), /'requestedParts' must be <= 1000/],
    [good.replace(/"passes": \d+/, '"passes": 1e999'), /'passes' must be integer/],
    [JSON.stringify({ ...document, time: '2026-99-99T00:00:00.000Z' }), /not a time/],
    [
      JSON.stringify({ ...document, inputs: [{ ...document.inputs[0], byteLength: -1 }] }),
      /'inputs\.0\.byteLength' must be >= 0/,
    ],
    [
      JSON.stringify({ ...document, firstPass: { ...document.firstPass, parts: 7 } }),
      /'firstPass\.parts' must be array/,
    ],
  ];
  for (const [text, message] of faults) {
    writeFileSync(path, text);
    await both(message);
  }
  writeFileSync(path, JSON.stringify({ ...document, job: { inputs: 7 } }));
  await part(work, 1);
  await part(work, 0);
  await refused(part(work, 0, '--pass', '2'), 78, /is damaged: 'job': /);
  writeFileSync(path, good);
  rmSync(join(work, 'pass-1', 'result-1'));
  writeFileSync(join(work, 'pass-1', 'tasks-1'), 'other');
  await refused(part(work, 1), 78, /tasks-1' is damaged: it is not the file that geomill plan wrote/);
  assert.equal(existsSync(within('changing.csv')), false);
});

test('a directory without a plan may get one', async () => {
  await refused(part(within('nothing'), 0), 75, /there is no plan in/);
  await refused(joinParts(within('nothing')), 75, /there is no plan in/);
});
