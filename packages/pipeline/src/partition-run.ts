/**
 * Drives the partitions of a layer through an executor and hands the results on in order.
 *
 * Text formats guess where a partition begins. A result is used only if the partition before it ended exactly where
 * this one began; otherwise it is discarded, with any error, and the records are read again from the
 * right position. The result is that of one serial read, whatever the guesses were.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { OrderedTasks } from '@geomill/core/ordered-tasks.ts';
import type { Partition } from '@geomill/formats/reader.ts';
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import type { Executor } from './executor.ts';
import { type LayerLocation, locateErrorAt, type PartitionBase } from './locations.ts';
import type { Task, TaskResult } from './task.ts';

interface RunBasis {
  readonly executor: Executor;
  readonly signal: AbortSignal;
  /** A reader checks the limits for each partition; here the sum of all is checked. */
  readonly limits: Pick<InputLimits, 'features' | 'fields'>;
}

export interface PartitionRun extends RunBasis {
  readonly partitions: readonly Partition[];
  /** As in SourceLayer. */
  readonly isSequential?: true | undefined;
  readonly makeTask: (partition: Partition) => Task;
  /** Called once per used partition, in order. */
  readonly consume: (result: TaskResult, partition: Partition, base: PartitionBase) => void;
  readonly layerName: string;
}

/** Resolves when every record was consumed; rejects with the first error in the order of the records. */
export async function runPartitions({
  partitions,
  isSequential,
  makeTask,
  consume,
  layerName,
  ...basis
}: PartitionRun): Promise<void> {
  const source = { partitions, isSequential, makeTask, consume, at: { layer: layerName } };
  await runSources({ ...basis, sources: [source] });
}

/** Layers of files in sequence. The next ones start while one is running: they may be many and small. */
export interface SourcesRun extends RunBasis {
  /** Asked after each partition: whether the others are not needed. Default: all are needed. */
  readonly isDone?: () => boolean;
  readonly sources: readonly PartitionSource[];
}

export interface PartitionSource
  extends Pick<PartitionRun, 'partitions' | 'isSequential' | 'makeTask' | 'consume'> {
  /** What locations and errors name beside records. */
  readonly at: LayerLocation;
}

/** As `runPartitions`; errors come in the order of the sources. False: partitions were left out, as `isDone`. */
export async function runSources({
  executor,
  signal,
  limits,
  sources,
  isDone = () => false,
}: SourcesRun): Promise<boolean> {
  // A thread that is alone gets every task: its pages are in memory once.
  const isSequential = sources.some((source) => source.isSequential === true);
  const tasks = new OrderedTasks<SourcePartition, TaskResult>({
    tasks: partitionsOf(sources),
    run: ({ source, partition }) => executor.run(source.makeTask(partition)),
    width: isSequential ? 1 : executor.width * 2,
  });
  try {
    return await consumeInOrder(tasks, sources, signal, limits, isDone);
  } finally {
    // Nobody waits for the tasks under way, which may run in other processes: the executor stops them.
    void tasks.close();
  }
}

interface SourcePartition {
  readonly source: PartitionSource;
  readonly partition: Partition;
}

function* partitionsOf(sources: readonly PartitionSource[]): Generator<SourcePartition> {
  for (const source of sources) for (const partition of source.partitions) yield { source, partition };
}

async function consumeInOrder(
  tasks: OrderedTasks<SourcePartition, TaskResult>,
  sources: readonly PartitionSource[],
  signal: AbortSignal,
  limits: RunBasis['limits'],
  isDone: () => boolean,
): Promise<boolean> {
  for (const source of sources) {
    const { partitions } = source;
    const fields = new Set<string>();
    let base: PartitionBase = { records: 0, lines: 0, rows: 0 };
    let expectedStart = partitions.length > 0 ? partitions[0].start : 0;
    for (let i = 0; i < partitions.length; i++) {
      let partition = partitions[i];
      const next = await tasks.next();
      throwIfAborted(signal);
      if (next === null) throw new Error('there are fewer outcomes than partitions');
      let { outcome } = next;
      if (partition.featuresBefore !== undefined) base = baseAfter(partition.featuresBefore);
      else if (partition.start !== expectedStart) {
        // The records before it went past this partition's start: a result from a wrong start is discarded.
        if (expectedStart >= partition.end && i < partitions.length - 1) continue;
        partition = { start: expectedStart, end: Math.max(partition.end, expectedStart) };
        outcome = await tasks.runNow({ source, partition });
        throwIfAborted(signal);
      }
      if ('error' in outcome) throw locateErrorAt(outcome.error, base, source.at);
      const { result } = outcome;
      checkLimits(result, base, fields, source.at, limits);
      source.consume(result, partition, base);
      if (isDone()) return source === sources.at(-1) && i === partitions.length - 1;
      expectedStart = result.nextStart;
      base = {
        records: base.records + result.recordCount,
        lines: base.lines + result.lineCount,
        rows: base.rows + result.rowsRead,
      };
    }
  }
  return true;
}

function baseAfter(features: number | null): PartitionBase {
  // Of the records, those that became no features were not counted.
  return { records: Number.NaN, lines: Number.NaN, rows: features ?? Number.NaN };
}

/** Throws LIMIT_EXCEEDED; `met`: the field names found so far. */
function checkLimits(
  { rowsRead, fields }: TaskResult,
  base: PartitionBase,
  met: Set<string>,
  at: LayerLocation,
  limits: RunBasis['limits'],
): void {
  const layer = at.layer ?? '';
  for (const { name } of fields) met.add(name);
  checkFieldCount(layer, met.size, limits);
  const actual = base.rows + rowsRead;
  if (actual > limits.features)
    throw failure(
      generalErrors.LIMIT_EXCEEDED,
      {
        what: `the number of features of layer '${layer}'`,
        actual,
        limit: limits.features,
        setting: 'MAX_FEATURES',
      },
      at,
    );
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw failure(generalErrors.CANCELLED, {});
}
