/** What a call of the library works with, from its options: a temporary directory, a signal, threads and limits. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { DEFAULT_LIMITS, type InputLimits } from '@geomill/io/limits.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { newThreads, type ThreadSource } from '@geomill/pipeline/threads.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { coreCount } from '@geomill/platform/process-facts.ts';
import { FetchedSources } from './fetch-source.ts';
import { asJobError, invalidJob } from './messages.ts';
import type { Call } from './run.ts';
import type { RunOptions } from './types.ts';

/** Gives the threads for a call; undefined: threads that end with it. */
export type ThreadsFor = ((signal: AbortSignal) => ThreadSource) | undefined;

/** A call that began: `close` removes its temporary directory. */
export interface OpenCall extends Call {
  readonly signal: AbortSignal;
  readonly fetched: FetchedSources;
  /** A thrown value as an error of the library. */
  failure(thrown: unknown): unknown;
  close(): void;
}

/** Throws CANCELLED, CONFIG_INVALID, and SETTING_INVALID for a temporary directory that cannot be used. */
export function openCall(options: RunOptions, threadsFor?: ThreadsFor): OpenCall {
  try {
    const { fetchedBytes, ...limits } = checkedLimits(options.limits);
    const settings = {
      gridDirectory: options.gridDirectory ?? null,
      threads: threadCount(options.threads),
      limits,
      ...(options.time === undefined ? {} : { timeMs: options.time.getTime() }),
    };
    if (options.signal?.aborted === true)
      throw failure(generalErrors.CANCELLED, {}, undefined, options.signal.reason);
    const abort = new AbortController();
    const onAbort = (): void => abort.abort(options.signal?.reason);
    const { signal } = abort;
    const temporary = TemporaryDirectory.required('geomill-', options.temporaryDirectory);
    // The signal of the caller may live long: it keeps nothing of a call that has ended.
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const { fetch = (url, init) => globalThis.fetch(url, init) } = options;
    return {
      ...{ temporary, signal },
      fetched: new FetchedSources(fetch, fetchedBytes, joinedPath(temporary.path, 'inputs'), signal),
      paths: { ...settings, scratchDirectory: temporary.directory('scratch') },
      control: {
        signal,
        onProgress: (progress) => options.onProgress?.(progress),
        threads: threadsFor?.(signal) ?? newThreads,
      },
      failure: (thrown) => asJobError(temporary.explained(thrown)),
      close() {
        options.signal?.removeEventListener('abort', onAbort);
        temporary.remove();
      },
    };
  } catch (error) {
    throw asJobError(error);
  }
}

/** Calls `work` with a temporary directory, which is removed when it ends. Throws only errors of the library. */
export async function withCall<Result>(
  options: RunOptions,
  threadsFor: ThreadsFor,
  work: (call: OpenCall) => Promise<Result>,
): Promise<Result> {
  const call = openCall(options, threadsFor);
  try {
    return await work(call);
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.close();
  }
}

function threadCount(threads: unknown): number {
  if (threads === undefined) return coreCount();
  if (typeof threads === 'number' && Number.isInteger(threads) && threads >= 1 && threads <= 256)
    return threads;
  throw invalidJob(`the option 'threads' must be a number from 1 to 256, not ${JSON.stringify(threads)}`);
}

interface CallLimits extends InputLimits {
  readonly fetchedBytes: number;
}

const LIMITS: CallLimits = { ...DEFAULT_LIMITS, fetchedBytes: 5 * 2 ** 30 };

function checkedLimits(stated: RunOptions['limits'] = {}): CallLimits {
  for (const [name, value] of Object.entries(stated)) {
    if (!Object.hasOwn(LIMITS, name))
      throw invalidJob(`the option 'limits.${name}' is unknown; limits: ${Object.keys(LIMITS).join(', ')}`);
    if (typeof value !== 'number' || !(value > 0))
      throw invalidJob(`the option 'limits.${name}' must be a number above 0`);
  }
  return { ...LIMITS, ...stated };
}
