/** Runs a part of a conversion of another process. */
import { fileBytes } from '@geomill/platform/files.ts';
import { deserialized } from '@geomill/platform/serialization.ts';
import { inlineExecutor, threadExecutor } from '../executors.ts';
import type { Session, Task } from '../task.ts';
import type { ThreadSource } from '../threads.ts';
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
  /** Where files are that the session has at other paths. */
  readonly moved: readonly (readonly [from: string, to: string])[];
}

/** Resolves when the results are in the file. `onProgress`: the share of the tasks that are done. */
export async function runPart(
  { session: sessionPath, tasks: tasksPath, result, gridDirectory, threads, readableEnd, moved }: PartOrder,
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
      onDone: (done) => onProgress(done / tasks.length),
    });
  } finally {
    await executor.stop();
  }
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
