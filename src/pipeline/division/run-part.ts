/** Runs a part of a conversion of another process. */
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { inlineExecutor, threadExecutor } from '../executor.ts';
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
}

/** Resolves when the results are in the file. `onProgress`: the share of the tasks that are done. */
export async function runPart(
  { session: sessionPath, tasks: tasksPath, result, gridDirectory, threads, readableEnd }: PartOrder,
  source: ThreadSource,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const session = deserialize(readFileSync(sessionPath)) as Session;
  const tasks = deserialize(readFileSync(tasksPath)) as Task[];
  const count = Math.min(threads, source.size, tasks.length);
  const executor = count < 2 ? inlineExecutor() : threadExecutor(source, count);
  try {
    executor.begin({ ...session, gridDirectory });
    await writePart({
      ...{ tasks, executor, path: result, readableEnd },
      onDone: (done) => onProgress(done / tasks.length),
    });
  } finally {
    await executor.stop();
  }
}
