/** What holds for every function of the library: aborts, progress, limits and options, and that an error is an answer. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { append, type ConvertJob, convert, createConverter, type Feature, GeomillError, inspect, join as joinParts, merge, type Part, type Plan, plan, type RunOptions, read, runPart, write } from '../src/library.ts'; // biome-ignore format: one line

const work = mkdtempSync(join(tmpdir(), 'geomill-test-'));
const temporaryDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => {
  for (const directory of [work, temporaryDirectory]) rmSync(directory, { recursive: true });
});

const lines = (rows: number, characters: number): string =>
  Array.from(
    { length: rows },
    (_, i) =>
      `{"type":"Feature","id":${i},"properties":{"text":"${'x'.repeat(characters)}"},"geometry":{"type":"Point","coordinates":[10,54]}}\n`,
  ).join('');
const ROWS = 50;
const LINES = join(work, 'lines.geojsonl');
writeFileSync(LINES, lines(ROWS, 100));
/** So large that a plan has parts. */
const LARGE = join(work, 'large.geojsonl');
writeFileSync(LARGE, lines(2500, 2000));
const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
const OUT = join(work, 'out.csv');
const job: ConvertJob = { input: LINES, output: OUT };
const largeJob: ConvertJob = { input: LARGE, output: { path: OUT, format: 'geojson', crs: 'EPSG:4326' } };
const partBytes = 1 << 20;

let planned: { readonly plan: Plan; readonly part: Part } | undefined;

/** The plan of a job, made once. */
async function plannedJob(): Promise<{ readonly plan: Plan; readonly part: Part }> {
  if (planned === undefined) {
    const made = await plan(largeJob, { temporaryDirectory, partBytes });
    assert.ok(made.parts.length > 0, 'the job has parts');
    planned = { plan: made, part: made.parts[0] };
  }
  return planned;
}

async function all(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) assert.ok(item);
}

async function withConverter<Result>(
  use: (converter: ReturnType<typeof createConverter>) => Promise<Result>,
): Promise<Result> {
  // biome-ignore format: one line
  await using converter = createConverter({ threads: 1 });
  return await use(converter);
}

interface Use {
  run(options: RunOptions, input?: ConvertJob['input']): Promise<unknown>;
  /** Takes any input. */
  readonly isGeneral: boolean;
}

const functions: Readonly<Record<string, Use>> = {
  convert: { isGeneral: true, run: (options, input = LINES) => convert({ ...job, input }, options) },
  append: {
    isGeneral: true,
    run: (options, input = LINES) => append({ inputs: [input, HARBOUR], output: OUT }, options),
  },
  merge: {
    isGeneral: true,
    run: (options, input = LINES) => merge({ inputs: [HARBOUR, input], output: OUT }, options),
  },
  inspect: { isGeneral: true, run: (options, input = LINES) => inspect({ input }, options) },
  'inspect with an output': {
    isGeneral: true,
    run: (options, input = LINES) => inspect({ input, output: { format: 'gpkg' } }, options),
  },
  read: { isGeneral: true, run: (options, input = LINES) => all(read(input, options)) },
  'read as columns': {
    isGeneral: true,
    run: (options, input = LINES) => all(read(input, { ...options, as: 'columns' })),
  },
  write: {
    isGeneral: false,
    run: (options) => write(OUT, read(LINES, { temporaryDirectory }), options),
  },
  plan: { isGeneral: false, run: (options) => plan(largeJob, { ...options, partBytes }) },
  runPart: { isGeneral: false, run: async (options) => runPart((await plannedJob()).part, options) },
  join: { isGeneral: false, run: async (options) => joinParts((await plannedJob()).plan, [], options) },
  'convert of a converter': {
    isGeneral: true,
    run: (options, input = LINES) => withConverter((own) => own.convert({ ...job, input }, options)),
  },
  'inspect of a converter': {
    isGeneral: true,
    run: (options, input = LINES) => withConverter((own) => own.inspect({ input }, options)),
  },
};

const uses = Object.entries(functions);
const general = uses.filter(([, { isGeneral }]) => isGeneral);

/** The error of a call, which leaves no file behind. */
async function failureOf(running: Promise<unknown>): Promise<GeomillError> {
  const error = await running.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GeomillError, `no GeomillError: ${String(error)}`);
  assert.deepEqual(readdirSync(temporaryDirectory), []);
  assert.deepEqual(readdirSync(work), ['large.geojsonl', 'lines.geojsonl']);
  return error;
}

for (const [name, { run }] of uses) {
  test(`${name}: an abort before the call and one at its first progress leave nothing behind`, async () => {
    await plannedJob();
    const before = await failureOf(run({ temporaryDirectory, signal: AbortSignal.abort() }));
    assert.equal(before.code, 'CANCELLED');
    const abort = new AbortController();
    const onProgress = (): void => abort.abort();
    const during = await failureOf(run({ temporaryDirectory, threads: 1, signal: abort.signal, onProgress }));
    assert.equal(during.code, 'CANCELLED');
  });

  test(`${name}: progress is between 0 and 1 and never falls`, async () => {
    const fractions: number[] = [];
    await run({ temporaryDirectory, threads: 1, onProgress: ({ fraction }) => fractions.push(fraction) });
    rmSync(OUT, { force: true });
    assert.ok(fractions.length > 0);
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
    );
    assert.ok(fractions.every((fraction) => fraction >= 0 && fraction <= 1));
    assert.deepEqual(readdirSync(temporaryDirectory), []);
  });

  test(`${name}: what a listener throws, and wrong options, are errors of the call`, async () => {
    await plannedJob();
    const onProgress = (): void => {
      throw new Error('of the listener');
    };
    const thrown = await failureOf(run({ temporaryDirectory, threads: 1, onProgress }));
    assert.match(String(thrown.cause), /of the listener/);
    const wrong: readonly (readonly [options: RunOptions, code: string])[] = [
      [{ temporaryDirectory, threads: 0 }, 'CONFIG_INVALID'],
      [{ temporaryDirectory, limits: { features: 0 } }, 'CONFIG_INVALID'],
      [{ temporaryDirectory, limits: { bytes: 1 } as RunOptions['limits'] }, 'CONFIG_INVALID'],
      [{ temporaryDirectory: join(work, 'none') }, 'SETTING_INVALID'],
    ];
    for (const [options, code] of wrong) assert.equal((await failureOf(run(options))).code, code);
  });
}

for (const [name, { run }] of general) {
  test(`${name}: a limit is an error`, async () => {
    const { code } = await failureOf(run({ temporaryDirectory, limits: { features: ROWS - 1 } }));
    assert.equal(code, 'LIMIT_EXCEEDED');
  });

  test(`${name}: a source that fails is an error of the call, and is ended`, async () => {
    let isEnded = false;
    async function* failing(): AsyncGenerator<Feature> {
      try {
        yield { type: 'Feature', properties: {}, geometry: null };
        throw new Error('of the source');
      } finally {
        isEnded = true;
      }
    }
    const error = await failureOf(run({ temporaryDirectory }, failing()));
    assert.match(String(error.cause), /of the source/);
    assert.ok(isEnded);
  });

  test(`${name}: invalid inputs are errors`, async () => {
    const inputs = [null, undefined, 5, {}, '', [1], new Uint8Array(0), { path: 'a', data: 'b' }, join(work, 'none.gpkg'), { data: [], format: 7 }]; // biome-ignore format: one line
    for (const input of inputs) {
      if (input === undefined) continue;
      const { code } = await failureOf(run({ temporaryDirectory }, input as ConvertJob['input']));
      assert.notEqual(code, 'INTERNAL', JSON.stringify(input));
    }
  });
}
