/** Runs the pieces of a layer, whose boundaries are known, through an executor and returns the results in order. */
import { OrderedTasks } from '@geomill/core/ordered-tasks.ts';
import type { Executor } from './executor.ts';
import { type LayerLocation, locateErrorAt } from './locations.ts';
import { throwIfAborted } from './partition-run.ts';
import type { Piece } from './pieces.ts';
import type { Task, TaskResult } from './task.ts';

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
