/**
 * Drives the partitions of a layer through an executor and hands the results on in order.
 *
 * Text formats guess where a partition begins. A result counts only when the partition before it ended exactly where
 * this one began; otherwise it is thrown away, with any error it ran into, and the records are read again from the
 * right place. So the outcome is that of one serial read, whatever the guesses were.
 */
import { failure, GeomillError, type Place } from '../errors.ts';
import type { Partition } from '../formats/format.ts';
import type { Executor } from './executor.ts';
import type { Task, TaskResult } from './task.ts';

/** Records, lines and features of the layer that were read before a partition. */
export interface PartitionBase {
  readonly records: number;
  readonly lines: number;
  readonly rows: number;
}

export interface PartitionRun {
  readonly executor: Executor;
  readonly partitions: readonly Partition[];
  readonly makeTask: (partition: Partition) => Task;
  /** Called once per partition that counts, in order. */
  readonly consume: (result: TaskResult, partition: Partition, base: PartitionBase) => void;
  readonly signal: AbortSignal;
  readonly layerName: string;
}

type Settled = { readonly result: TaskResult } | { readonly error: unknown };

/** Resolves when every record was consumed; rejects with the first error in the order of the records. */
export async function runPartitions(run: PartitionRun): Promise<void> {
  const { executor, partitions } = run;
  const ahead = executor.width * 2;
  const inFlight: Promise<Settled>[] = [];
  let dispatched = 0;
  const start = (partition: Partition): Promise<Settled> =>
    executor.run(run.makeTask(partition)).then(
      (result) => ({ result }),
      (error) => ({ error }),
    );
  let base: PartitionBase = { records: 0, lines: 0, rows: 0 };
  let expectedStart = partitions.length > 0 ? partitions[0].start : 0;
  for (let i = 0; i < partitions.length; i++) {
    while (dispatched < partitions.length && dispatched < i + ahead)
      inFlight[dispatched] = start(partitions[dispatched++]);
    let partition = partitions[i];
    let settled = await inFlight[i];
    delete inFlight[i];
    throwIfAborted(run.signal);
    if (partition.start !== expectedStart) {
      // The records before ran on past this partition's start: what was read from a wrong start is void.
      if (expectedStart >= partition.end && i < partitions.length - 1) continue;
      partition = { start: expectedStart, end: Math.max(partition.end, expectedStart) };
      settled = await start(partition);
      throwIfAborted(run.signal);
    }
    if ('error' in settled) throw locateError(settled.error, base, run.layerName);
    const { result } = settled;
    run.consume(result, partition, base);
    expectedStart = result.nextStart;
    base = {
      records: base.records + result.recordCount,
      lines: base.lines + result.lineCount,
      rows: base.rows + result.rowsRead,
    };
  }
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw failure('CANCELLED', {});
}

/** A place within a partition as a place within the layer. */
export function locatePlace(place: Place, base: PartitionBase, layerName: string): Place {
  return {
    layer: layerName,
    ...place,
    ...(place.record === undefined ? {} : { record: place.record + base.records }),
    ...(place.line === undefined ? {} : { line: place.line + base.lines }),
  };
}

/** Errors name records and lines from 1 within their partition; the user wants them from 1 within the layer. */
export function locateError(error: unknown, base: PartitionBase, layerName: string): unknown {
  if (!(error instanceof GeomillError) || error.fault === 'ours') return error;
  const place = locatePlace(error.place ?? {}, base, layerName);
  const params: Record<string, string | number> = { ...error.params };
  if ('record' in params && place.record !== undefined) params.record = place.record;
  if ('line' in params && place.line !== undefined) params.line = place.line;
  if ('place' in params && place.record !== undefined)
    params.place = `layer '${layerName}', feature ${place.record}`;
  return new GeomillError(error.code, params, place, error);
}
