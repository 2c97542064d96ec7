/** Runs a part of a conversion of another process, and says what a pass that was offered does. */
import { fileBytes } from '@geomill/platform/files.ts';
import { deserialized } from '@geomill/platform/serialization.ts';
import { inlineExecutor, threadExecutor } from '../executors.ts';
import type { Session, Task } from '../task.ts';
import type { ThreadSource } from '../threads.ts';
import type { Offer } from './division.ts';
import { writePart } from './part-file.ts';

export interface PartOrder {
  /** Paths. */
  readonly session: string;
  readonly tasks: string;
  readonly result: string;
  /** Of this machine. */
  readonly gridDirectory: string | null;
  readonly threads: number;
  /** As PartRun. */
  readonly readableEnd: number | null;
  /** Path of the tasks of the part before; null: there is none. Default: they are not known. */
  readonly previous?: string | null;
  /** As PartRun. */
  readonly throwsFaults?: true;
  /** Where files are that the session has at other paths. */
  readonly moved: readonly (readonly [from: string, to: string])[];
}

/** Resolves when the results are in the file. `onProgress`: the share of the tasks that are done. */
export async function runPart(
  {
    session: sessionPath,
    tasks: tasksPath,
    result,
    gridDirectory,
    threads,
    readableEnd,
    moved,
    ...more
  }: PartOrder,
  source: ThreadSource,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const session = deserialized(fileBytes(sessionPath)) as Session;
  const tasks = deserialized(fileBytes(tasksPath)) as Task[];
  const paths = new Map(moved);
  const layers = session.layers.map((layer) => {
    const state = withTexts(layer.source.state, paths);
    return { ...layer, source: { ...layer.source, state } };
  });
  const count = Math.min(threads, source.size, tasks.length);
  const executor = count < 2 ? inlineExecutor() : threadExecutor(source, count);
  try {
    executor.begin({ ...session, layers, gridDirectory });
    await writePart({
      ...{ tasks, executor, path: result, readableEnd },
      ...(more.throwsFaults === undefined ? {} : { throwsFaults: more.throwsFaults }),
      ...(more.previous === undefined ? {} : { previous: lastTask(more.previous) }),
      onDone: (done) => onProgress(done / tasks.length),
    });
  } finally {
    await executor.stop();
  }
}

export interface OfferFacts {
  /** The pass writes the output: no other one follows. */
  readonly isEncoding: boolean;
  /** Names of the layers that are read. */
  readonly layers: readonly string[];
}

export function offerFacts({ session, parts }: Offer): OfferFacts {
  const { layers } = deserialized(fileBytes(session)) as Session;
  const [task] = deserialized(fileBytes(parts[0].tasks)) as Task[];
  const names = layers.flatMap(({ stages }) => stages.slice(0, 1).map(({ layerName }) => layerName));
  return { isEncoding: task.encoding !== null, layers: [...new Set(names)] };
}

function lastTask(path: string | null): Task | null {
  return path === null ? null : ((deserialized(fileBytes(path)) as Task[]).at(-1) ?? null);
}

/** Plain data with some texts replaced. */
function withTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return texts.get(value) ?? value;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, texts));
  // Other objects than plain ones, such as maps, hold no paths.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one, texts)]));
}
