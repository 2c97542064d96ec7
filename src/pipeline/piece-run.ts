/** Drives the pieces of a layer, whose boundaries are known, through an executor and hands the results on in order. */
import type { FeatureBatch } from '../batch/feature-batch.ts';
import type { OpenType } from '../batch/schema.ts';
import type { Partition } from '../formats/format.ts';
import type { Executor } from './executor.ts';
import { type LayerLocation, locateErrorAt, type PartitionBase, throwIfAborted } from './partition-run.ts';
import type { Task, TaskResult } from './task.ts';

/** A run of features: a partition, or a batch that is nowhere else. */
export interface Piece {
  /** Position of the layer's source that it is of; null: behind a collecting step it is of all of them. */
  readonly source: number | null;
  /** Where it can be read again; null: nowhere. */
  readonly partition: Partition | null;
  readonly base: PartitionBase;
  /** Types that plain text seemed to have in this piece, while the batch goes by them; null: by those of the layer. */
  readonly types: ReadonlyMap<string, OpenType> | null;
  /** Taken by the task that works on it. */
  batch: FeatureBatch | null;
  /** The batch has the links of the current stage behind it. */
  readonly isTransformed: boolean;
}

export interface PieceRun {
  readonly executor: Executor;
  readonly pieces: readonly Piece[];
  readonly makeTask: (piece: Piece) => Task;
  /** Called once per piece, in order. */
  readonly consume: (result: TaskResult, piece: Piece) => void;
  readonly signal: AbortSignal;
  /** What an error in the piece names beside a record. */
  readonly at: (piece: Piece) => LayerLocation;
}

/** Resolves when every piece was consumed; rejects with the first error in their order. */
export async function runPieces({
  executor,
  pieces,
  makeTask,
  consume,
  signal,
  at,
}: PieceRun): Promise<void> {
  const inFlight: Promise<TaskResult>[] = [];
  let dispatched = 0;
  const start = (piece: Piece): Promise<TaskResult> => {
    const running = executor.run(makeTask(piece));
    // Awaited in its turn; until then a failure is not unhandled.
    running.catch(() => {});
    return running;
  };
  for (let i = 0; i < pieces.length; i++) {
    while (dispatched < pieces.length && dispatched < i + executor.width * 2)
      inFlight[dispatched] = start(pieces[dispatched++]);
    let result: TaskResult;
    try {
      result = await inFlight[i];
    } catch (error) {
      throwIfAborted(signal);
      throw locateErrorAt(error, pieces[i].base, at(pieces[i]));
    }
    delete inFlight[i];
    throwIfAborted(signal);
    consume(result, pieces[i]);
  }
}
