/** Workers of the library. A call has a worker of its own, which stays a while for the next one: starting one takes a third of a second. */
import type { Progress } from '@geomill/client/client.ts';
import type { OwnFunctionName } from '@geomill/library/browser/calls.ts';
import { PageWorker } from '@geomill/library/browser/page-worker.ts';
import { LocalFailure } from './failures.ts';

/** Directory of `worker.js`, relative to the scripts of this page; the build replaces it. */
declare const ENGINE_DIRECTORY: string;

/** More calls wait: each has the memory of a conversion. */
const MAX_WORKERS = 2;
/** A worker without calls for so long is ended, which gives its memory back. */
const IDLE_MS = 20_000;

interface Idle {
  readonly worker: PageWorker;
  readonly timer: ReturnType<typeof setTimeout>;
}

const idle: Idle[] = [];
const queue: (() => void)[] = [];
let running = 0;

/** Runs a function of the worker. An abort ends it. Throws LocalFailure. */
export async function callWorker<Result>(
  name: OwnFunctionName | 'crs',
  args: readonly unknown[],
  signal: AbortSignal,
  onProgress: (progress: Progress) => void = () => {},
): Promise<Result> {
  if (running < MAX_WORKERS) running += 1;
  else await turn(signal);
  const worker = takeWorker();
  try {
    signal.throwIfAborted();
    return await worker.call<Result>(name, args, {
      signal,
      onProgress: (progress) => onProgress(progress as Progress),
    });
  } catch (error) {
    throw failureOf(error);
  } finally {
    keep(worker);
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Resolves when another call has ended, whose place this one takes. */
function turn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onTurn = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = () => {
      queue.splice(queue.indexOf(onTurn), 1);
      reject(cancelled());
    };
    if (signal.aborted) return reject(cancelled());
    queue.push(onTurn);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function takeWorker(): PageWorker {
  const known = idle.pop();
  if (known !== undefined) {
    clearTimeout(known.timer);
    return known.worker;
  }
  const url = new URL(`${ENGINE_DIRECTORY}/worker.js`, import.meta.url);
  return new PageWorker(() => new Worker(url, { type: 'module', name: 'geomill' }));
}

function keep(worker: PageWorker): void {
  const timer = setTimeout(() => {
    idle.splice(
      idle.findIndex((one) => one.worker === worker),
      1,
    );
    void worker[Symbol.asyncDispose]();
  }, IDLE_MS);
  idle.push({ worker, timer });
}

/** Calls of the library throw errors with a code. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const code = String(error.code);
  const message =
    code === 'INTERNAL'
      ? `This tab could not do it: ${error.message}. A file may be too large for it, or damaged in a way that geomill does not know.`
      : error.message;
  return new LocalFailure(message, {
    code,
    place: null,
    suggestions: [],
    fixes: [],
    isAboutRequest: code !== 'INTERNAL',
  });
}

function cancelled(): LocalFailure {
  return new LocalFailure('The conversion was cancelled.', {
    code: 'CANCELLED',
    place: null,
    suggestions: [],
    fixes: [],
    isAboutRequest: true,
  });
}
