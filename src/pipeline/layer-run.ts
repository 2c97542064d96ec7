/** One layer on its way: the first pass that finds out, where one is needed, and the pass that encodes. */
import { castKeepsText } from '../batch/cast.ts';
import { batchByteLength, type FeatureBatch } from '../batch/feature-batch.ts';
import type { Field, OpenType } from '../batch/schema.ts';
import { emptyStatistics, fieldsOf, type LayerStatistics, mergeStatistics } from '../batch/statistics.ts';
import type { Findings } from '../findings.ts';
import type { FormatReader, LayerEncoding, Partition, SourceLayer } from '../formats/format.ts';
import type { Executor } from './executor.ts';
import { locatePlace, type PartitionBase, runPartitions, throwIfAborted } from './partition-run.ts';
import type { LayerPlan } from './plan.ts';
import { LayerTally } from './report-builder.ts';
import type { Task, TaskResult } from './task.ts';

/** Batches of the first pass that are kept for the second, in bytes; beyond that the source is read again. */
const KEPT_BYTES = 160 << 20;

/** What the layers of a conversion share. */
export interface LayerContext {
  readonly reader: Pick<FormatReader, 'typing' | 'mixedType'>;
  readonly executor: Executor;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  /** Bytes of batches that all layers keep together. */
  keptBytes: number;
  /** Called after each partition of each pass. */
  readonly onPartition: () => void;
}

/** A run of records with what the first pass found out about it. */
interface ScannedPartition {
  readonly partition: Partition;
  readonly base: PartitionBase;
  readonly types: ReadonlyMap<string, OpenType>;
  batch: FeatureBatch | null;
}

type NoteResult = (result: TaskResult, base: PartitionBase) => void;

export class LayerRun {
  /** Position among the chosen layers; also in the session. */
  readonly index: number;
  readonly plan: LayerPlan;
  readonly source: SourceLayer;
  readonly tally: LayerTally;
  /** Filled by `scan`. */
  readonly statistics: LayerStatistics = emptyStatistics();
  readonly #context: LayerContext;
  #scanned: ScannedPartition[] | null = null;

  constructor(index: number, plan: LayerPlan, source: SourceLayer, context: LayerContext) {
    this.index = index;
    this.plan = plan;
    this.source = source;
    this.tally = new LayerTally(plan, context.reader.mixedType);
    this.#context = context;
  }

  /** The first pass: statistics of all rows. Batches are kept while there is room. */
  async scan(depth: 'fields' | 'all'): Promise<void> {
    const context = this.#context;
    const scanned: ScannedPartition[] = [];
    await this.#readAll(
      (partition) => ({
        layerIndex: this.index,
        input: { kind: 'partition', partition, fields: null },
        scan: depth,
        keepBatch: context.keptBytes < KEPT_BYTES,
        encoding: null,
      }),
      (result, partition, base) => {
        this.tally.read(result, base, context.findings);
        const statistics = result.statistics as LayerStatistics;
        mergeStatistics(this.statistics, statistics, context.reader.mixedType);
        if (result.batch !== null) context.keptBytes += batchByteLength(result.batch);
        const types = new Map(statistics.fields.map(({ name, type }) => [name, type]));
        scanned.push({ partition, base, types, batch: result.batch });
        context.onPartition();
      },
    );
    this.#scanned = scanned;
  }

  /** The pass that encodes; `deliver` gets the chunks in the order of the features. */
  async encode(encoding: LayerEncoding, deliver: (chunk: unknown) => void): Promise<void> {
    const context = this.#context;
    const common = { layerIndex: this.index, scan: null, keepBatch: false, encoding } as const;
    const note: NoteResult = (result, base) => {
      this.tally.wrote(result.rowCount);
      // A writer counts the rows of a batch, not the records of the source.
      const rowBase = { records: base.rows, lines: base.lines, rows: base.rows };
      context.findings.merge(result.encodeFindings, (place) => locatePlace(place, rowBase, this.source.name));
      deliver(result.chunk);
      context.onPartition();
    };
    if (this.#scanned !== null) return this.#encodeScanned(this.#scanned, common, note);
    await this.#readAll(
      (partition) => ({ ...common, input: { kind: 'partition', partition, fields: null } }),
      (result, _partition, base) => {
        this.tally.read(result, base, context.findings);
        note(result, base);
      },
    );
  }

  #readAll(
    makeTask: (partition: Partition) => Task,
    consume: (result: TaskResult, partition: Partition, base: PartitionBase) => void,
  ): Promise<void> {
    const { executor, signal } = this.#context;
    const { partitions, name } = this.source;
    return runPartitions({ executor, partitions, signal, layerName: name, makeTask, consume });
  }

  /** The second pass: boundaries are known now, so partitions are just done in order. */
  async #encodeScanned(
    scanned: readonly ScannedPartition[],
    common: Omit<Task, 'input'>,
    note: NoteResult,
  ): Promise<void> {
    const { executor, reader, signal } = this.#context;
    const rereadWith = reader.typing === 'layer' ? fieldsOf(this.statistics) : null;
    const start = (entry: ScannedPartition): Promise<TaskResult> => {
      const { batch } = entry;
      entry.batch = null;
      const isUsable = batch !== null && (rereadWith === null || textIsKept(entry.types, rereadWith));
      const input: Task['input'] = isUsable
        ? { kind: 'batch', batch }
        : { kind: 'partition', partition: entry.partition, fields: rereadWith };
      const running = executor.run({ ...common, input });
      // Awaited in its turn; until then a failure is not unhandled.
      running.catch(() => {});
      return running;
    };
    const inFlight: Promise<TaskResult>[] = [];
    let dispatched = 0;
    for (let i = 0; i < scanned.length; i++) {
      while (dispatched < scanned.length && dispatched < i + executor.width * 2) {
        inFlight[dispatched] = start(scanned[dispatched++]);
      }
      const result = await inFlight[i];
      delete inFlight[i];
      throwIfAborted(signal);
      note(result, scanned[i].base);
    }
  }
}

/** Whether casting a batch with these types to the layer's final types still says what the text said. */
function textIsKept(types: ReadonlyMap<string, OpenType>, fields: readonly Field[]): boolean {
  return fields.every(({ name, type }) => castKeepsText(types.get(name) ?? 'null', type));
}
