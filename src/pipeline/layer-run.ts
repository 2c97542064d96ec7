/**
 * One layer on its way: passes that find out, where some are needed, the collecting steps, and the pass that encodes.
 *
 * Between passes the layer is a list of pieces: partitions of the source, with their batches while there is room for
 * them, or, behind a collecting step, batches alone. Those are held whole: the memory of a collecting step is that of all
 * features of a layer as they come out of the steps before it, and of its result.
 */
import { castKeepsText } from '../batch/cast.ts';
import { batchByteLength, type FeatureBatch } from '../batch/feature-batch.ts';
import type { Field, OpenType } from '../batch/schema.ts';
import { emptyStatistics, fieldsOf, type LayerStatistics, mergeStatistics } from '../batch/statistics.ts';
import type { Findings } from '../findings.ts';
import type { FormatReader, LayerEncoding, SourceLayer } from '../formats/format.ts';
import { changesFeatures, fieldsAfter, type LoadedStep } from './chain.ts';
import { COLLECTING_WEIGHT, collectStage } from './collect.ts';
import type { Executor } from './executor.ts';
import { locatePlace, type PartitionBase, runPartitions } from './partition-run.ts';
import { type Piece, runPieces } from './piece-run.ts';
import type { LayerPlan } from './plan.ts';
import type { ProgressMeter } from './progress.ts';
import { LayerTally } from './report-builder.ts';
import type { SessionLayer, Task, TaskResult } from './task.ts';

/** Batches that are kept for the next pass, in bytes; beyond that the source is read again. */
const KEPT_BYTES = 160 << 20;

/** What the layers of a conversion share. */
export interface LayerContext {
  readonly reader: Pick<FormatReader, 'typing' | 'mixedType'>;
  readonly steps: readonly LoadedStep[];
  readonly executor: Executor;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly progress: ProgressMeter;
  readonly gridDirectory: string | null;
  /** Bytes of batches that all layers keep together. */
  keptBytes: number;
}

/** What one pass is to do. */
type Pass = Pick<Task, 'scan' | 'encoding'> & {
  /** Take batches through the links of the current stage. */
  readonly links: boolean;
  readonly keep: 'nothing' | 'while there is room' | 'all';
  readonly consume: (result: TaskResult, source: PieceSource) => void;
};

type PieceSource = Pick<Piece, 'partition' | 'base'>;

const NO_BASE: PartitionBase = { records: 0, lines: 0, rows: 0 };

export class LayerRun {
  /** Position among the chosen layers; also in the session. */
  readonly index: number;
  readonly plan: LayerPlan;
  readonly source: SourceLayer;
  readonly tally: LayerTally;
  /** Of what comes out of the steps; filled by `scan`. */
  readonly statistics: LayerStatistics = emptyStatistics();
  readonly #context: LayerContext;
  readonly #session: SessionLayer;
  /** Null until every record was met. */
  #pieces: Piece[] | null = null;
  /** Fields before the first step; null: not known. */
  #inputFields: readonly Field[] | null;
  #isSurveyed = false;
  #stage = 0;
  /** A pass through the links of this stage was made, and what it noted was counted. */
  #isStageTallied = false;

  constructor(
    index: number,
    plan: LayerPlan,
    source: SourceLayer,
    session: SessionLayer,
    context: LayerContext,
  ) {
    this.index = index;
    this.plan = plan;
    this.source = source;
    this.tally = new LayerTally(plan, context.reader.mixedType);
    this.#session = session;
    this.#context = context;
    this.#inputFields = source.fields;
  }

  /** Weight of a pass over the layer, for the progress. */
  get weight(): number {
    return Math.max(1, this.source.partitions.length);
  }

  /** The fields after the steps; null where only what comes out of them tells. Throws FIELD_UNKNOWN. */
  get outputFields(): readonly Field[] | null {
    const fields = this.#inputFields;
    return fields === null ? null : fieldsAfter(fields, this.#context.steps, this.source.name);
  }

  /** Throws FIELD_UNKNOWN when a step names a field that is known not to be there. */
  checkFields(): void {
    this.outputFields;
  }

  /** What the source declares, where it still holds for the output. */
  get declaredStatistics(): LayerStatistics | null {
    return changesFeatures(this.#context.steps) ? null : (this.source.declaredStatistics ?? null);
  }

  /** A pass before the steps that finds fields and types. Batches are kept while there is room. */
  async survey(): Promise<void> {
    const statistics = emptyStatistics();
    const pieces: Piece[] = [];
    await this.#pass({
      scan: 'fields',
      encoding: null,
      links: false,
      keep: 'while there is room',
      consume: (result, piece) => {
        pieces.push(this.#scanned(result, piece, statistics, { isThrough: false, isTyped: false }));
      },
    });
    this.#pieces = pieces;
    this.#inputFields = fieldsOf(statistics);
    this.#isSurveyed = true;
  }

  /** A pass through all steps that finds statistics of what comes out. Batches are kept while there is room. */
  async scan(depth: 'fields' | 'all'): Promise<void> {
    await this.#collectStages();
    const pieces: Piece[] = [];
    await this.#pass({
      scan: depth,
      encoding: null,
      links: true,
      keep: 'while there is room',
      consume: (result, piece) => {
        const kept = { isThrough: true, isTyped: this.#isSurveyed };
        pieces.push(this.#scanned(result, piece, this.statistics, kept));
      },
    });
    this.#pieces = pieces;
  }

  /** The pass that encodes; `deliver` gets the chunks in the order of the features. */
  async encode(encoding: LayerEncoding, deliver: (chunk: unknown) => void): Promise<void> {
    await this.#collectStages();
    const { findings, progress } = this.#context;
    progress.stage('converting');
    await this.#pass({
      scan: null,
      encoding,
      links: true,
      keep: 'nothing',
      consume: (result) => {
        // A writer counts the features that it got, not the records of the source.
        const records = this.tally.rowsWritten;
        const base = { records, lines: 0, rows: records };
        this.tally.wrote(result.rowCount);
        findings.merge(result.encodeFindings, (place) => locatePlace(place, base, this.source.name));
        deliver(result.chunk);
      },
    });
  }

  /** Runs the stages that end in a collecting step; after this the layer stands at its last stage. */
  async #collectStages(): Promise<void> {
    const { stages } = this.#session;
    const { progress, steps, reader } = this.#context;
    while (this.#stage < stages.length - 1) {
      progress.stage('collecting');
      const statistics = emptyStatistics();
      const batches: FeatureBatch[] = [];
      await this.#pass({
        scan: 'fields',
        encoding: null,
        links: true,
        keep: 'all',
        consume: (result) => {
          batches.push(result.batch as FeatureBatch);
          mergeStatistics(statistics, result.statistics as LayerStatistics, reader.mixedType);
        },
      });
      this.#pieces = null;
      const collect = this.plan.stages[this.#stage].collect;
      if (collect === null) throw new Error('a stage before the last collects');
      const known = this.#inputFields;
      const collected = await collectStage({
        batches,
        fields:
          known === null
            ? fieldsOf(statistics)
            : fieldsAfter(known, steps.slice(0, collect.step), this.source.name),
        step: steps[collect.step],
        session: this.#session,
        stage: this.#stage,
        layerIndex: this.index,
        weight: this.weight * COLLECTING_WEIGHT,
        ...this.#context,
      });
      this.#pieces = collected.map((batch) => ({
        partition: null,
        base: NO_BASE,
        types: null,
        batch,
        isThrough: false,
      }));
      this.#stage++;
      this.#isStageTallied = false;
    }
  }

  /** What is left of a piece after a pass that looked at it. */
  #scanned(
    result: TaskResult,
    { partition, base }: PieceSource,
    statistics: LayerStatistics,
    { isThrough, isTyped }: { readonly isThrough: boolean; readonly isTyped: boolean },
  ): Piece {
    const found = result.statistics as LayerStatistics;
    mergeStatistics(statistics, found, this.#context.reader.mixedType);
    if (result.batch !== null) this.#context.keptBytes += batchByteLength(result.batch);
    const types = isTyped ? null : new Map(found.fields.map(({ name, type }) => [name, type]));
    return { partition, base, types, batch: result.batch, isThrough };
  }

  /** One pass over all pieces, or over the source where there are none yet; `consume` is called in their order. */
  #pass(pass: Pass): Promise<void> {
    const { executor, signal, findings, progress } = this.#context;
    const layerName = this.source.name;
    const pieces = this.#pieces;
    const count = pieces === null ? this.source.partitions.length : pieces.length;
    const share = this.weight / Math.max(1, count);
    const isFirstTime = pass.links && !this.#isStageTallied;
    if (pass.links) this.#isStageTallied = true;
    const consume = (result: TaskResult, piece: PieceSource): void => {
      if (isFirstTime) this.tally.transformed(result, findings);
      pass.consume(result, piece);
      progress.advance(share);
    };
    if (pieces !== null)
      return runPieces({
        executor,
        pieces,
        signal,
        layerName,
        makeTask: (piece) => this.#taskFor(pass, piece),
        consume,
      });
    return runPartitions({
      executor,
      partitions: this.source.partitions,
      signal,
      layerName,
      makeTask: (partition) => this.#task(pass, { kind: 'partition', partition, fields: null }, pass.links),
      consume: (result, partition, base) => {
        this.tally.read(result, base, findings);
        consume(result, { partition, base });
      },
    });
  }

  #taskFor(pass: Pass, piece: Piece): Task {
    const fields = this.#textFields();
    const { batch, types, partition } = piece;
    piece.batch = null;
    if (batch !== null && partition !== null) this.#context.keptBytes -= batchByteLength(batch);
    if (batch !== null && (fields === null || types === null || textIsKept(types, fields)))
      return this.#task(pass, { kind: 'batch', batch }, pass.links && !piece.isThrough, partition === null);
    if (partition === null) throw new Error('a batch that is nowhere else was not kept');
    return this.#task(pass, { kind: 'partition', partition, fields }, pass.links);
  }

  #task(pass: Pass, input: Task['input'], links: boolean, isOnlyCopy = false): Task {
    const { scan, encoding, keep } = pass;
    const hasRoom = isOnlyCopy || this.#context.keptBytes < KEPT_BYTES;
    return {
      layerIndex: this.index,
      input,
      stage: links ? this.#stage : null,
      stageFields: links && this.#stage === 0 && this.#isSurveyed ? this.#inputFields : null,
      scan,
      keepBatch: keep === 'all' || (keep === 'while there is room' && hasRoom),
      encoding,
    };
  }

  /** The fields that plain text is read with once all of it was seen; null for sources that say their types. */
  #textFields(): readonly Field[] | null {
    if (this.#context.reader.typing !== 'layer') return null;
    return this.#isSurveyed ? this.#inputFields : fieldsOf(this.statistics);
  }
}

/** Whether casting a batch with these types to the layer's final types still says what the text said. */
function textIsKept(types: ReadonlyMap<string, OpenType>, fields: readonly Field[]): boolean {
  return fields.every(({ name, type }) => castKeepsText(types.get(name) ?? 'null', type));
}
