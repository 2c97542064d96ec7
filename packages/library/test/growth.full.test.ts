/** What many conversions of one process leave in it, and how fast an abort ends one. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { append, type ConvertJob, convert, GeomillError, inspect, join as joinParts, merge, type Plan, plan, type RunOptions, read, runPart, write } from '../src/library.ts'; // biome-ignore format: one line

const work = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
const skip = process.platform === 'linux' ? false : 'counts descriptors and threads in /proc';

test('1000 conversions leave no memory, descriptors and threads', { skip }, async () => {
  const job = { input: HARBOUR, output: { format: 'gpkg', crs: 'EPSG:25832' } } as const;
  const repeat = async (count: number): Promise<readonly number[]> => {
    for (let i = 0; i < count; i++) await convert(job, { temporaryDirectory: work });
    collect();
    const held = ['fd', 'task'].map((name) => readdirSync(`/proc/self/${name}`).length);
    return [process.memoryUsage().heapUsed, ...held];
  };
  const [heapBefore, ...before] = await repeat(200);
  // The least of four: the engine keeps code for some megabytes, and drops it, when it likes.
  let [heapAfter, ...afterwards] = await repeat(200);
  for (let i = 0; i < 3; i++) {
    const [heap, ...held] = await repeat(200);
    heapAfter = Math.min(heapAfter, heap);
    afterwards = held;
  }
  assert.ok(heapAfter < heapBefore + 2e6, `the heap grew from ${heapBefore} to ${heapAfter} bytes`);
  assert.ok(
    afterwards.every((count, i) => count <= before[i] + 2),
    `${before} became ${afterwards}`,
  );
  assert.deepEqual(readdirSync(work), []);
});

const LARGE = join(work, 'large.geojsonl');
const line = (i: number): string =>
  `{"type":"Feature","properties":{"i":${i}},"geometry":{"type":"Point","coordinates":[${i / 1e4},50]}}\n`;

/** Written once, by the first test that needs it. */
function largeInput(): string {
  if (!existsSync(LARGE)) writeFileSync(LARGE, Array.from({ length: 200_000 }, (_, i) => line(i)).join(''));
  return LARGE;
}

const steps: ConvertJob['steps'] = [{ type: 'buffer', params: { distance: 1, units: 'meters' } }];
const combined = (): Omit<ConvertJob, 'input'> => ({
  steps,
  output: { path: join(work, 'out.gpkg'), crs: 'EPSG:3857' },
});
const largeJob = (): ConvertJob => ({ ...combined(), input: largeInput() });

async function listed(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) assert.ok(item);
}

const functions: Readonly<Record<string, (options: RunOptions) => Promise<unknown>>> = {
  convert: (options) => convert(largeJob(), options),
  append: (options) => append({ ...combined(), inputs: [largeInput(), largeInput()] }, options),
  merge: (options) => merge({ ...combined(), inputs: [largeInput(), largeInput()] }, options),
  inspect: (options) => inspect({ input: largeInput(), output: { format: 'gpkg' }, steps }, options),
  read: (options) => listed(read(largeInput(), { ...options, steps })),
  'read as columns': (options) => listed(read(largeInput(), { ...options, steps, as: 'columns' })),
  write: (options) => write(join(work, 'out.gpkg'), largeInput(), { ...options, steps, crs: 'EPSG:3857' }),
  plan: (options) => plan(largeJob(), { ...options, partBytes: 1 << 22 }),
  runPart: async (options) => runPart((await planned()).parts[0], options),
  join: async (options) => joinParts(await planned(), [], options),
};

let made: Promise<Plan> | undefined;

/** Without steps, with which the parts are not offered in the first pass. */
function planned(): Promise<Plan> {
  const output = { path: join(work, 'out.geojson'), crs: 'EPSG:4326' };
  made ??= plan({ input: largeInput(), output }, { temporaryDirectory: work, partBytes: 1 << 21 });
  return made;
}

for (const [name, run] of Object.entries(functions))
  for (const threads of [1, 2])
    test(`an abort ends ${name} in ${threads} threads and leaves nothing`, async () => {
      largeInput();
      if (/runPart|join/.test(name)) assert.ok((await planned()).parts.length > 0, 'there are parts');
      const abort = new AbortController();
      let abortedAt = 0;
      const running = run({
        ...{ threads, temporaryDirectory: work, signal: abort.signal },
        onProgress({ fraction }) {
          // A plan ends before its conversion has got far.
          if ((name !== 'plan' && fraction < 0.2) || abort.signal.aborted) return;
          abortedAt = process.cpuUsage().user;
          abort.abort();
        },
      });
      await assert.rejects(running, (error) => error instanceof GeomillError && error.code === 'CANCELLED');
      // CPU of the process, which does not depend on what else the machine does.
      const spentMs = (process.cpuUsage().user - abortedAt) / 1000;
      assert.ok(spentMs < 200 * threads, `${spentMs} ms`);
      assert.deepEqual(readdirSync(work), ['large.geojsonl']);
    });
