/** Runs the pieces of a layer, whose boundaries are known, through an executor and returns the results in order. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { OpenType } from '@geomill/core/columns/schema.ts';
import { OrderedTasks } from '@geomill/core/ordered-tasks.ts';
import type { Partition } from '@geomill/formats/reader.ts';
import type { StoredBatch } from '@geomill/operations/transformation.ts';
import type { Executor } from './executor.ts';
import { type LayerLocation, locateErrorAt, type PartitionBase, throwIfAborted } from './partition-run.ts';
import type { Task, TaskResult } from './task.ts';

/** A run of features: a partition, a batch in a file, or a batch that exists only in memory. */
export interface Piece {
  /** Position of its source; null: it has features of all sources, after a collecting step. */
  readonly source: number | null;
  /** The partition to read it from again; null: it cannot be read again. */
  readonly partition: Partition | null;
  /** The batch to load again. Default: the features are not in a file. */
  readonly stored?: StoredBatch;
  readonly base: PartitionBase;
  /** Number of features of the layer before it, at the begin of the current stage. Default: they were not counted. */
  readonly rowsBefore?: number;
  /** Inferred types of plain text in this piece, if the batch has them; null: the batch has the types of the layer. */
  readonly types: ReadonlyMap<string, OpenType> | null;
  /** Transferred to the task that processes it. */
  batch: FeatureBatch | null;
  /** The links of the current stage were applied to the batch. */
  readonly isTransformed: boolean;
}

export interface PieceRun {
  readonly executor: Executor;
  readonly pieces: readonly Piece[];
  readonly makeTask: (piece: Piece) => Task;
  /** Called once per piece, in order. */
  readonly consume: (result: TaskResult, piece: Piece) => void;
  readonly signal: AbortSignal;
  /** File and layer for errors in the piece. */
  readonly at: (piece: Piece) => LayerLocation;
}

/** Bytes of stored batches that are loaded at a time; a larger batch is loaded alone. Most batches have at most 8 MB. */
const LOADED_BYTES = 48 << 20;

/** Resolves when every piece was consumed; rejects with the first error in their order. */
export async function runPieces({
  executor,
  pieces,
  makeTask,
  consume,
  signal,
  at,
}: PieceRun): Promise<void> {
  const tasks = new OrderedTasks<Piece, TaskResult>({
    tasks: pieces,
    run: (piece) => executor.run(makeTask(piece)),
    width: executor.width * 2,
    costs: { of: storedBytes, room: LOADED_BYTES },
  });
  try {
    for (let next = await tasks.next(); next !== null; next = await tasks.next()) {
      const { task: piece, outcome } = next;
      throwIfAborted(signal);
      if ('error' in outcome) throw locateErrorAt(outcome.error, piece.base, at(piece));
      consume(outcome.result, piece);
    }
  } finally {
    // Nobody waits for the tasks under way, which may run in other processes: the executor stops them.
    void tasks.close();
  }
}

function storedBytes({ stored }: Piece): number {
  return stored === undefined ? 0 : stored.end - stored.start;
}
