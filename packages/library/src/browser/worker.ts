/** The worker that a page starts: runs the functions of the library on files of its own. */
import { loadWantedParts } from '@geomill/platform/browser/parts.ts';
import { startPlatform } from '@geomill/platform/browser/start.ts';
import type { FileRequest } from '../file-requests.ts';
import type { CrsQuestion } from '../lists.ts';
import type { FromWorker, FunctionName, ToWorker, WireConverted, WireError } from './calls.ts';

type Library = typeof import('../library.ts');

const platform = startPlatform();
const library = platform.then(() => import('../library.ts'));

/** What only the workspace calls. */
const own = (): Promise<typeof import('../file-requests.ts') & typeof import('../lists.ts')> =>
  Promise.all([import('../file-requests.ts'), import('../lists.ts')]).then(([requests, lists]) => ({
    ...requests,
    ...lists,
  }));

const aborts = new Map<number, AbortController>();
const readings = new Map<number, AsyncIterator<unknown>>();

const send = (message: FromWorker): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if ('name' in data) void answer(data.call, () => run(data.call, data.name, data.args));
  else if ('next' in data) void answer(data.next, () => nextItem(data.next));
  else if ('abort' in data) void end(data.abort);
  else void close();
});

async function answer(call: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    aborts.delete(call);
    readings.delete(call);
    send({ call, error: wireError(error) });
  }
}

async function run(call: number, name: FunctionName, args: readonly unknown[]): Promise<void> {
  const abort = new AbortController();
  aborts.set(call, abort);
  const functions = await library;
  if (name === 'read') {
    readings.set(call, startReading(functions, call, args, abort.signal));
    return nextItem(call);
  }
  const result = await complete(() => called(functions, call, name, args, abort.signal));
  aborts.delete(call);
  send({ call, result });
}

/** Runs `work` again with the parts of the program that it asked for in vain. */
async function complete<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      const result = await work();
      if (!(await loadWantedParts())) return result;
    } catch (error) {
      if (!(await loadWantedParts())) throw error;
    }
  }
}

function called(
  functions: Library,
  call: number,
  name: Exclude<FunctionName, 'read'>,
  [job, options]: readonly unknown[],
  signal: AbortSignal,
): unknown {
  if (name === 'suggest') return own().then(({ suggestedCrs }) => suggestedCrs(job as CrsQuestion));
  if (name === 'crs') return functions.crs(job as string, options as Parameters<Library['crs']>[1]);
  const onProgress = (progress: { fraction: number; stage: string }): void => send({ call, progress });
  const run = { ...(options as object), signal, onProgress };
  if (name === 'request') return own().then(({ runFileRequest }) => runFileRequest(job as FileRequest, run));
  if (name === 'inspect') return functions.inspect(job as Parameters<Library['inspect']>[0], run);
  return functions[name](job as never, run).then(wireConverted);
}

async function wireConverted({
  files,
  report,
}: Awaited<ReturnType<Library['convert']>>): Promise<WireConverted> {
  const all = files.map(async ({ name, mediaType, blob }) => ({ name, mediaType, content: await blob() }));
  return { files: await Promise.all(all), report };
}

/** The items of a reading; its conversion is begun anew when a part of the program is missing, before the first item. */
async function* startReading(
  functions: Library,
  call: number,
  [input, options]: readonly unknown[],
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const run = {
    ...(options as object),
    signal,
    onProgress: (progress: { fraction: number; stage: string }) => send({ call, progress }),
    onReport: (report: Awaited<ReturnType<Library['convert']>>['report']) => send({ call, report }),
  };
  const items = await complete(async () => {
    const iterator = functions.read(input as Parameters<Library['read']>[0], run as never);
    return { first: await iterator.next(), iterator };
  });
  for (
    let item: IteratorResult<unknown> = items.first;
    item.done !== true;
    item = await items.iterator.next()
  )
    yield item.value;
}

async function nextItem(call: number): Promise<void> {
  const item = await readings.get(call)?.next();
  if (item !== undefined && item.done !== true) return send({ call, item: item.value });
  readings.delete(call);
  aborts.delete(call);
  send({ call, result: undefined });
}

async function end(call: number): Promise<void> {
  aborts.get(call)?.abort();
  await readings.get(call)?.return?.();
  readings.delete(call);
}

/** The page ends the worker then. */
async function close(): Promise<void> {
  await (await platform).stop();
  send({ closed: true });
}

function wireError(thrown: unknown): WireError {
  const { code = 'INTERNAL', location, suggestions = [], fixes = [] } = thrown as Partial<WireError>;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // The details of an error of ours are in the console, where they can be reported from.
  if (code === 'INTERNAL') console.error(thrown);
  return { code, message, location, suggestions, fixes };
}
