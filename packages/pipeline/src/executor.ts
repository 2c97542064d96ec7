/** What runs the tasks of a conversion; executors.ts has those of a process. */
import type { Packer } from '@geomill/io/zip-pack.ts';
import type { PartEncodings, ReaderWork, Session, StepCall, Task, TaskResult } from './task.ts';

export interface Executor {
  /** Maximum number of concurrent tasks. */
  readonly width: number;
  begin(session: Session): void;
  /** Sets the encodings for the tasks that encode parts. */
  useEncodings(encodings: PartEncodings): void;
  /**
   * The tasks that are run next, in this order, each of a partition, and the progress of the conversion before and after them.
   * Default: `run` needs no announcement.
   */
  announce?(tasks: readonly Task[], progress: readonly [from: number, to: number]): Promise<void>;
  /** Runs a task; buffers of a batch input are transferred and unusable afterwards. Rejects with the task's GeomillError. */
  run(task: Task): Promise<TaskResult>;
  /** Runs a call of a collecting step; the buffers in `transfer` are unusable afterwards. */
  call(call: StepCall, transfer: readonly ArrayBuffer[]): Promise<unknown>;
  /** Compresses pieces of the output in the threads, in turn with the tasks. Default: there are no threads. */
  readonly packer?: Packer;
  /** Calls `work` of the reader of a format in a thread, before or after `begin`. Default: there are no threads. */
  read?(work: ReaderWork): Promise<unknown>;
  /** Calls `work` of the writer in a thread, in turn with the tasks. Default: there are no threads. */
  work?(payload: unknown, transfer: readonly ArrayBuffer[]): Promise<unknown>;
  /** Starts no more tasks; resolves when none is running. Threads that are not kept are terminated at once. */
  stop(): Promise<void>;
}
