/** Runs the pieces of a layer, whose boundaries are known, through an executor and returns the results in order. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { OpenType } from '@geomill/core/columns/schema.ts';
import type { Partition } from '@geomill/formats/format.ts';
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
  /** The batch to load again; missing if the features are not in a file. */
  readonly stored?: StoredBatch;
  readonly base: PartitionBase;
  /** Number of features of the layer before it, at the begin of the current stage; missing: they were not counted. */
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
  const inFlight: Promise<TaskResult>[] = [];
  let dispatched = 0;
  let loadedBytes = 0;
  const start = (piece: Piece): Promise<TaskResult> => {
    const running = executor.run(makeTask(piece));
    // Awaited in order; this prevents an unhandled rejection until then.
    running.catch(() => {});
    return running;
  };
  for (let i = 0; i < pieces.length; i++) {
    while (dispatched < pieces.length && dispatched < i + executor.width * 2) {
      const bytes = storedBytes(pieces[dispatched]);
      if (dispatched > i && loadedBytes + bytes > LOADED_BYTES) break;
      loadedBytes += bytes;
      inFlight[dispatched] = start(pieces[dispatched++]);
    }
    let result: TaskResult;
    try {
      result = await inFlight[i];
    } catch (error) {
      throwIfAborted(signal);
      throw locateErrorAt(error, pieces[i].base, at(pieces[i]));
    }
    delete inFlight[i];
    loadedBytes -= storedBytes(pieces[i]);
    throwIfAborted(signal);
    consume(result, pieces[i]);
  }
}

function storedBytes({ stored }: Piece): number {
  return stored === undefined ? 0 : stored.end - stored.start;
}
