/** Worker threads that outlive a conversion: what one leaves behind, the next does not see. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import type { Thread, ThreadListener } from '../../platform/src/node/threads.ts';
import { KeptThreads, startWorker, type ThreadSource } from '../src/threads.ts';

/** A file of this many points is cut into more partitions than are read without threads. */
const MANY = 20_000;
const ROOT = join(import.meta.dirname, '../../..');
const PIPELINE = join(ROOT, 'packages', 'pipeline', 'src');

function points(count: number, properties: (index: number) => string): string {
  const features = Array.from({ length: count }, (_, i) => {
    const position = `[${9 + (i % 200) / 10_000},${50 + Math.floor(i / 200) / 10_000}]`;
    return `{"type":"Feature","properties":${properties(i)},"geometry":{"type":"Point","coordinates":${position}}}`;
  });
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`;
}

const good = points(MANY, (i) => `{"n":${i},"pad":"${'x'.repeat(40)}"}`);

interface Run {
  readonly threadSource?: ThreadSource;
  readonly signal?: AbortSignal;
  readonly onProgress?: () => void;
}

async function convert(workspace: string, text: string, run: Run = {}): Promise<string> {
  const path = join(workspace, 'in.geojson');
  writeFileSync(path, text);
  const { outputPath } = await convertFile(path, workspace, {
    from: 'geojson',
    to: 'csv',
    toCrs: 'EPSG:25832',
    // A step makes the pieces small, so that a small file is worth threads.
    transformations: [{ type: 'centroid', params: {} }],
    threads: 2,
    ...run,
  });
  return readFileSync(outputPath, 'utf8');
}

/** A thread whose listeners are in the map. */
function startObserved(listeners: Map<Thread, ThreadListener[]>): Thread {
  const thread = startWorker();
  const listen = (listener: ThreadListener): (() => void) => {
    listeners.set(observed, [...(listeners.get(observed) ?? []), listener]);
    return thread.listen(listener);
  };
  const observed: Thread = Object.defineProperty({ ...thread, listen }, 'hasEnded', {
    get: () => thread.hasEnded,
  });
  return observed;
}

/** Kept threads that are ended with the scope, and count how often they were used. */
function keptThreads(count: number) {
  const listeners = new Map<Thread, ThreadListener[]>();
  const kept = new KeptThreads(count, () => startObserved(listeners));
  const source = {
    taken: 0,
    get size() {
      return kept.size;
    },
    take(wanted: number) {
      source.taken += 1;
      return kept.take(wanted);
    },
    giveBack: kept.giveBack.bind(kept),
    /** As a thread does that fails; it goes on here. */
    fail(thread: Thread, error: Error) {
      for (const listener of listeners.get(thread) ?? []) listener.error?.(error);
    },
    [Symbol.asyncDispose]: () => kept.terminate(),
  };
  return source;
}

test('kept threads serve one conversion after the other, with the results of new ones', async () => {
  using workspace = makeWorkspace();
  const expected = await convert(workspace.path, good);
  await using threadSource = keptThreads(2);
  for (let round = 0; round < 3; round++)
    assert.equal(await convert(workspace.path, good, { threadSource }), expected);
  assert.equal(threadSource.taken, 3);
  assert.equal(threadSource.size, 2);
});

test('a conversion that fails or is cancelled leaves nothing in kept threads', async () => {
  using workspace = makeWorkspace();
  const expected = await convert(workspace.path, good);
  await using threadSource = keptThreads(2);
  const bad = good.replace('"n":15000,', '"n":,');
  await assert.rejects(convert(workspace.path, bad, { threadSource }), { code: 'GEOJSON_SYNTAX' });
  assert.equal(await convert(workspace.path, good, { threadSource }), expected);
  const abort = new AbortController();
  const cancelled = convert(workspace.path, good, {
    threadSource,
    signal: abort.signal,
    onProgress: () => abort.abort(),
  });
  await assert.rejects(cancelled, { code: 'CANCELLED' });
  assert.equal(await convert(workspace.path, good, { threadSource }), expected);
});

test('a conversion fails when a kept thread dies, and the next works with those that are left', async (context) => {
  using workspace = makeWorkspace();
  const expected = await convert(workspace.path, good);
  await using threadSource = keptThreads(3);
  let victim: ReturnType<typeof threadSource.take>[number] | undefined;
  // A thread that is no longer kept has to be ended here, also after a failure.
  context.after(() => victim?.terminate());
  const failing = convert(workspace.path, good, {
    threadSource,
    onProgress: () => {
      // The first progress is that of opening the input, before threads are taken.
      if (threadSource.taken === 0) return;
      victim ??= threadSource.take(1)[0];
      threadSource.fail(victim, Object.assign(new Error('no memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
    },
  });
  await assert.rejects(failing, { code: 'JOB_OUT_OF_MEMORY' });
  assert.equal(threadSource.size, 2);
  assert.equal(await convert(workspace.path, good, { threadSource }), expected);
});

test('a process that has dropped the permission starts no thread, from none of its threads', (context) => {
  if (!process.allowedNodeEnvironmentFlags.has('--allow-net'))
    return context.skip('this Node cannot drop permissions');
  using workspace = makeWorkspace();
  const script = join(workspace.path, 'probe.mjs');
  const url = (file: string): string => JSON.stringify(pathToFileURL(join(PIPELINE, file)).href);
  // A thread begins as those of a runner do; the other one shows that it is the thread's own doing.
  writeFileSync(
    script,
    `import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
     import { dropThreadPermission } from ${url('../../platform/src/node/threads.ts')};
     const escape = () => { try { new Worker('0', { eval: true, execArgv: [] }); return 'started'; } catch (error) { return error.code; } };
     if (isMainThread) {
       const threads = [true, false].map((asOurs) => new Worker(new URL(import.meta.url), { workerData: asOurs }));
       dropThreadPermission();
       const said = [];
       for (const thread of threads) {
         thread.postMessage('go');
         said.push(await new Promise((resolve) => thread.once('message', resolve)));
       }
       console.log(escape(), ...said);
       process.exit();
     } else {
       parentPort.once('message', () => parentPort.postMessage(escape()));
       if (workerData) await import(${url('worker-entry.js')});
     }`,
  );
  const run = spawnSync(
    process.execPath,
    [
      '--permission',
      `--allow-fs-read=${join(ROOT, 'packages')}`,
      `--allow-fs-read=${join(ROOT, 'node_modules')}`,
      `--allow-fs-read=${workspace.path}`,
      '--allow-worker',
      '--no-warnings',
      script,
    ],
    { encoding: 'utf8', env: {} },
  );
  assert.equal(run.stdout, 'ERR_ACCESS_DENIED ERR_ACCESS_DENIED started\n', run.stderr);
});
