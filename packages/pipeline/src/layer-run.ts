/**
 * Converts one layer: passes that infer the schema or collect statistics if needed, the collecting steps, the encoding pass.
 * Its features come from one source, or from several in sequence: layers of files that are appended or merged.
 *
 * Between passes the layer is a list of pieces: partitions of the sources, with their batches while there is room for
 * them, or, after a collecting step, batches alone. Those stay in memory: a collecting step needs memory for all
 * features of a layer after the steps before it, and for its result.
 */
import { castKeepsText } from '@geomill/core/columns/cast.ts';
import { batchByteLength, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field, OpenType } from '@geomill/core/columns/schema.ts';
import {
  emptyStatistics,
  fieldsOf,
  type LayerStatistics,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import type { LayerEncoding } from '@geomill/formats/format.ts';
import { KeptBatches } from '@geomill/operations/parts/kept-batches.ts';
import { isFieldName } from '@geomill/operations/split_by/record.ts';
import type {
  CollectingTransformation,
  SerialTransformation,
  WorkerCalls,
} from '@geomill/operations/transformation.ts';
import { AdditionStage } from './addition.ts';
import { fieldsAfter, requireField, visibleSteps } from './chain.ts';
import { COLLECTING_WEIGHT, collectStage, emptyBatch } from './collect.ts';
import { ExcerptTooSmall, refuseDoubtful } from './excerpt.ts';
import { planFieldMappings } from './field-mappings.ts';
import { pipelineFindings } from './findings.ts';
import { LayerGrowth } from './growth.ts';
import { KEPT_BYTES, type LayerContext } from './layer-context.ts';
import type { LayerPlan } from './layer-plan.ts';
import { planMergedFields } from './merged-fields.ts';
import { ContradictedDeclaration } from './misfits.ts';
import {
  type LayerLocation,
  locateInLayer,
  type PartitionBase,
  runSources,
  throwIfAborted,
} from './partition-run.ts';
import { type Piece, runPieces } from './piece-run.ts';
import { numberedPieces, pieceOf, pieceOfKept } from './pieces.ts';
import { passWeight } from './progress-weight.ts';
import type { MergeRequest } from './request.ts';
import type { RunSource } from './run-source.ts';
import { SerialStage } from './serial.ts';
import { LayerTally } from './tally.ts';
import type { SessionLayer, Task, TaskResult } from './task.ts';

/** The work of one pass. */
type Pass = Pick<Task, 'statisticsDepth' | 'encoding' | 'idField' | 'split' | 'numbersRows'> & {
  /** Apply the links of the current stage. */
  readonly links: boolean;
  readonly keep: 'nothing' | 'while there is room' | 'all';
  /** Whether the features after those consumed so far need not be read. Missing: all are needed. */
  readonly isDone?: () => boolean;
  readonly consume: (result: TaskResult, origin: PieceOrigin) => void;
};

type PieceOrigin = Pick<Piece, 'source' | 'partition' | 'base' | 'stored' | 'rowsBefore'>;

export class LayerRun {
  /** Position among the layers of the plan. */
  readonly index: number;
  readonly plan: LayerPlan;
  readonly sources: readonly RunSource[];
  readonly tally: LayerTally;
  /** Of the output of the steps; filled by `collectStatistics`. */
  readonly statistics: LayerStatistics = emptyStatistics();
  readonly #context: LayerContext;
  readonly #growth: LayerGrowth;
  /** Of the first source; the stages after stage 0 are the same for all sources. */
  readonly #session: SessionLayer;
  /** Null until all records were read once. */
  #pieces: Piece[] | null = null;
  /** Fields before the first step; null: not known. */
  #inputFields: readonly Field[] | null;
  #isSchemaInferred = false;
  #stage = 0;
  /** A pass has applied the links of this stage, and its counts and findings were added. */
  #isStageTallied = false;

  constructor(
    index: number,
    plan: LayerPlan,
    sources: readonly RunSource[],
    session: SessionLayer,
    context: LayerContext,
  ) {
    this.index = index;
    this.plan = plan;
    this.sources = sources;
    this.tally = new LayerTally(plan);
    this.#session = session;
    this.#context = context;
    this.#growth = new LayerGrowth(context.limits.outputFactor);
    this.#inputFields = sources[0].fieldMapping?.mapping.fields ?? sources[0].layer.fields;
  }

  /** Weight of a pass over the layer, for the progress. */
  get weight(): number {
    return passWeight(this.sources);
  }

  /** The fields after the steps; null where only the output of the steps shows them. Throws FIELD_UNKNOWN. */
  get outputFields(): readonly Field[] | null {
    const fields = this.#inputFields;
    return fields === null ? null : fieldsAfter(fields, visibleSteps(this.#context.steps), this.plan.name);
  }

  /** Throws FIELD_UNKNOWN if a step, or the split, names a field that is known to be missing. */
  checkFields(): void {
    const fields = this.outputFields;
    if (fields !== null) this.#checkSplit(fields);
  }

  #checkSplit(fields: readonly Field[]): void {
    const { split, steps } = this.#context;
    if (split === null) return;
    if (isFieldName(split.field)) requireField(fields, split.field, this.plan.name);
    else fieldsAfter(fields, steps.slice(-1), this.plan.name);
  }

  /** A pass before the steps that infers the schema: fields and their types. Batches are kept while there is room. */
  async inferSchema(): Promise<void> {
    const found = this.sources.map(() => emptyStatistics());
    const pieces: Piece[] = [];
    await this.#pass({
      statisticsDepth: 'fields',
      encoding: null,
      links: false,
      keep: 'while there is room',
      consume: (result, origin) => {
        const statistics = found[origin.source ?? 0];
        pieces.push(
          this.#examinedPiece(result, origin, statistics, { isTransformed: false, isTyped: false }),
        );
      },
    });
    this.#pieces = pieces;
    for (const [i, { fields, ids }] of found.entries())
      Object.assign(this.sources[i], { found: fields, foundIds: ids });
    this.#inputFields = fieldsOf(found[0]);
    this.#isSchemaInferred = true;
  }

  /**
   * Maps the fields of all sources to those of the first, the target, or to those of a merge; `inferSchema` comes before it
   * where needed.
   */
  unifyFields(merge: MergeRequest | null): void {
    const { findings } = this.#context;
    const unified =
      merge === null
        ? planFieldMappings(this.sources, this.plan.name, findings)
        : planMergedFields(this.sources, this.plan.name, merge, findings);
    for (const [i, { fieldMapping, readFields }] of unified.sources.entries())
      Object.assign(this.sources[i], { fieldMapping, readFields });
    this.#inputFields = unified.fields;
  }

  /** A pass through all steps that collects statistics of their output. Batches are kept while there is room. */
  async collectStatistics(depth: 'fields' | 'all'): Promise<void> {
    await this.#collectStages();
    const pieces: Piece[] = [];
    const { split } = this.#context;
    await this.#pass({
      statisticsDepth: depth,
      encoding: null,
      ...this.#taskSplit,
      links: true,
      keep: 'while there is room',
      consume: (result, origin) => {
        if (result.parts !== undefined) split?.add(this.index, result.parts);
        const isTyped = this.#isSchemaInferred || this.sources[0].fieldMapping !== null;
        pieces.push(this.#examinedPiece(result, origin, this.statistics, { isTransformed: true, isTyped }));
      },
    });
    this.#pieces = pieces;
    if (this.outputFields === null && this.statistics.rowCount > 0)
      this.#checkSplit(fieldsOf(this.statistics));
  }

  /** Counts the features that stay in the target as written. */
  countKept(): void {
    const { layer, tally } = this.sources[0];
    if (layer.isTarget) this.tally.wrote(tally.rowsRead, []);
  }

  /**
   * The pass that encodes; `deliver` gets the results in the order of the features. `encoding` is null for a split, whose parts
   * have encodings of their own.
   */
  async encode(
    encoding: LayerEncoding | null,
    idField: string | null,
    deliver: (result: TaskResult) => void,
  ): Promise<void> {
    await this.#collectStages();
    const { findings, progress } = this.#context;
    progress.stage('converting');
    await this.#pass({
      statisticsDepth: null,
      encoding,
      idField,
      ...this.#taskSplit,
      links: true,
      keep: 'nothing',
      consume: (result) => {
        // A writer counts the features that it received, not the records of the source.
        const records = this.tally.rowsWritten;
        const base = { records, lines: 0, rows: records };
        this.tally.wrote(result.rowCount, result.encodeFindings);
        findings.merge(result.encodeFindings, (location) => locateInLayer(location, base, this.plan.name), {
          crs: this.plan.targetCrs,
        });
        deliver(result);
      },
    });
  }

  get #hasSerialStep(): boolean {
    return this.plan.stages.some(
      ({ collect }) => collect !== null && this.#context.steps[collect.step].code.kind === 'serial',
    );
  }

  get #taskSplit(): Pick<Task, 'split'> {
    const { split } = this.#context;
    if (split === null) return {};
    return { split: { field: isFieldName(split.field) ? split.field : null, layer: this.index } };
  }

  /** Runs the stages that end in a collecting or serial step; afterwards the last stage is the current one. */
  async #collectStages(): Promise<void> {
    const { stages } = this.#session;
    const { progress, steps } = this.#context;
    while (this.#stage < stages.length - 1) {
      progress.stage('collecting');
      const { collect } = this.plan.stages[this.#stage];
      if (collect === null) this.#pieces = await this.#addRows();
      else {
        const { code, type } = steps[collect.step];
        if (code.kind === 'serial') this.#pieces = await this.#serial(collect.step, code);
        else if (code.kind === 'collecting') this.#pieces = await this.#collect(collect.step, code);
        else throw new Error(`'${type}' does not end a stage`);
      }
      this.#stage++;
      this.#isStageTallied = false;
    }
  }

  /**
   * The features after the stage and those that its last step adds, each batch with the number of features before it, as the next
   * step may number them.
   */
  async #addRows(): Promise<Piece[]> {
    const { store, transforming, limits } = this.#context;
    const kept = new KeptBatches(store);
    const stage = this.#session.stages[this.#stage];
    const { outputFactor } = limits;
    const addition = await AdditionStage.begin(stage, this.#context.steps, transforming, outputFactor, store);
    let fields: readonly Field[] = [];
    let empty: FeatureBatch | null = null;
    await this.#pass({
      statisticsDepth: null,
      encoding: null,
      links: true,
      keep: 'all',
      consume: ({ batch, steps }) => {
        addition?.add(steps);
        fields = batch?.fields ?? fields;
        if (batch?.rowCount === 0) empty = batch;
        else kept.add(batch as FeatureBatch);
      },
    });
    await addition?.finish(fields, this.tally, this.#context, this.#workerCalls, (batch) => kept.add(batch));
    const pieces = numberedPieces(kept.all());
    return pieces.length > 0 || empty === null ? pieces : [{ ...pieceOf(empty), rowsBefore: 0 }];
  }

  /** To the last step of the current stage. */
  get #workerCalls(): WorkerCalls {
    const { executor, signal } = this.#context;
    const { sessionIndex: layerIndex } = this.sources[0];
    const stage = this.#stage;
    return {
      width: executor.width,
      async call(payload, transfer = []) {
        throwIfAborted(signal);
        return executor.call({ layerIndex, stage, payload }, transfer);
      },
    };
  }

  /** The features after a collecting step. */
  async #collect(step: number, { readsParts }: CollectingTransformation): Promise<Piece[]> {
    const { steps, reader, geometry } = this.#context;
    const statistics = emptyStatistics();
    const batches: FeatureBatch[] = [];
    await this.#pass({
      statisticsDepth: 'fields',
      encoding: null,
      links: true,
      keep: 'all',
      consume: (result) => {
        const batch = result.batch as FeatureBatch;
        batches.push(readsParts ? { ...batch, geometry: geometry.keep(batch.geometry) } : batch);
        mergeStatistics(statistics, result.statistics as LayerStatistics, reader.mixedType);
      },
    });
    this.#pieces = null;
    const kept = await collectStage({
      batches,
      fields: this.#fieldsBefore(step) ?? fieldsOf(statistics),
      step: steps[step],
      tally: this.tally.step(step),
      session: this.#session,
      stage: this.#stage,
      layerIndex: this.sources[0].sessionIndex,
      weight: this.weight * COLLECTING_WEIGHT,
      ...this.#context,
    });
    geometry.discard();
    return kept.map(pieceOfKept);
  }

  /** The features after a serial step. */
  async #serial(step: number, code: SerialTransformation): Promise<Piece[]> {
    const { steps } = this.#context;
    const { params } = steps[step];
    const serial = await SerialStage.begin({
      step: steps[step],
      code,
      stage: this.#session.stages[this.#stage],
      layerName: this.plan.name,
      fields: code.usesFields?.(params) ? this.#fieldsBefore(step) : null,
      tally: this.tally.step(step),
      context: this.#context,
    });
    const outcome = await this.#pass({
      statisticsDepth: null,
      encoding: null,
      ...(code.needsRows?.(params) ? { numbersRows: true } : {}),
      links: true,
      keep: 'all',
      isDone: () => serial.isComplete,
      consume: ({ batch, rowNumbers }, { base }) => {
        const isNumbered = rowNumbers !== undefined && !Number.isNaN(base.rows);
        serial.add(batch as FeatureBatch, isNumbered ? rowsInLayer(rowNumbers, base) : null);
      },
    });
    const wanted = code.sampleSize?.(params) ?? 0;
    if (serial.rowsIn < wanted && this.sources.some(({ layer }) => layer.excerpt?.isSampled))
      throw new ExcerptTooSmall(serial.rowsIn, wanted);
    if (outcome === 'stopped') {
      const read = this.sources.reduce((sum, { tally }) => sum + tally.rowsRead, 0);
      this.#context.findings.note(pipelineFindings.READING_STOPPED, {
        layer: this.plan.name,
        read,
        step: steps[step].type,
      });
    }
    const kept = await serial.finish();
    // Like a reader, a step returns a layer without features as one batch without rows.
    if (kept.length === 0) return [pieceOf(emptyBatch(this.#fieldsBefore(step + 1) ?? []))];
    return kept.map(pieceOfKept);
  }

  /** The fields that a step gets; null: not known. */
  #fieldsBefore(step: number): readonly Field[] | null {
    const known = this.#inputFields;
    return known === null ? null : fieldsAfter(known, this.#context.steps.slice(0, step), this.plan.name);
  }

  /** A piece after a pass that collected its statistics. */
  #examinedPiece(
    result: TaskResult,
    origin: PieceOrigin,
    statistics: LayerStatistics,
    { isTransformed, isTyped }: { readonly isTransformed: boolean; readonly isTyped: boolean },
  ): Piece {
    const found = result.statistics as LayerStatistics;
    mergeStatistics(statistics, found, this.#context.reader.mixedType);
    if (result.batch !== null) this.#context.keptBytes += batchByteLength(result.batch);
    const types = isTyped ? null : new Map(found.fields.map(({ name, type }) => [name, type]));
    const { source, partition, base, stored, rowsBefore } = origin;
    const again = stored === undefined ? {} : { stored };
    const numbered = rowsBefore === undefined ? {} : { rowsBefore };
    return { source, partition, base, ...again, ...numbered, types, batch: result.batch, isTransformed };
  }

  /** One pass over all pieces, or over the sources where there are none yet; `consume` is called in their order. */
  async #pass(pass: Pass): Promise<'read' | 'stopped'> {
    const { executor, signal, findings, progress, limits, reader } = this.#context;
    const pieces = this.#pieces;
    const count = pieces?.length ?? this.sources.reduce((sum, { layer }) => sum + layer.partitions.length, 0);
    const share = this.weight / Math.max(1, count);
    const isFirstTime = pass.links && !this.#isStageTallied;
    if (pass.links) this.#isStageTallied = true;
    const consume = (result: TaskResult, origin: PieceOrigin): void => {
      if (isFirstTime) {
        const source = origin.source === null ? null : this.sources[origin.source].tally;
        this.tally.transformed(result, source, origin.base, findings);
        for (const outcome of result.steps)
          this.#growth.add(outcome.step, this.#context.steps[outcome.step], outcome);
      } else this.tally.spent(result);
      pass.consume(result, origin);
      progress.advance(share);
    };
    await this.#announce(pass);
    if (pieces !== null) {
      const makeTask = (piece: Piece): Task => this.#taskFor(pass, piece);
      const at = ({ source }: Piece): LayerLocation =>
        source === null ? { layer: this.plan.name } : this.sources[source].tally.facts.at;
      await runPieces({ executor, signal, pieces, makeTask, consume, at });
      return 'read';
    }
    const isWhole = await runSources({
      ...(pass.isDone === undefined ? {} : { isDone: pass.isDone }),
      executor,
      signal,
      limits,
      sources: this.sources.map(({ layer, tally, readFields: fields }, source) => ({
        partitions: layer.partitions,
        isSequential: layer.isSequential,
        at: tally.facts.at,
        makeTask: (partition) =>
          this.#task(pass, { kind: 'partition', partition, fields }, pass.links, source),
        consume: (result, partition, base) => {
          if (result.misfits.length > 0 && this.#context.trustsDeclarations)
            throw new ContradictedDeclaration();
          if (partition.featuresBefore !== undefined && reader.excerpts?.boundaries === 'guessed')
            refuseDoubtful(result.readFindings);
          tally.read(result, base, findings);
          consume(result, { source, partition, base });
        },
      })),
    });
    return isWhole ? 'read' : 'stopped';
  }

  /** Lets an executor that asks for it begin the tasks of the pass, but those for which a batch is kept. */
  async #announce(pass: Pass): Promise<void> {
    const { executor, progress } = this.#context;
    if (executor.announce === undefined) return;
    const tasks =
      this.#pieces?.filter(({ batch }) => batch === null).map((piece) => this.#taskFor(pass, piece)) ??
      this.sources.flatMap(({ layer, readFields: fields }, source) =>
        layer.partitions.map((partition) =>
          this.#task(pass, { kind: 'partition', partition, fields }, pass.links, source),
        ),
      );
    await executor.announce(tasks, [progress.after(0), progress.after(this.weight)]);
  }

  #taskFor(pass: Pass, piece: Piece): Task {
    const { batch, types, partition, stored, source } = piece;
    const fields = this.#textFields(source ?? 0);
    this.#release(piece);
    if (stored !== undefined && batch === null) {
      const loaded = this.#context.store.load(stored);
      return this.#task(pass, { kind: 'batch', batch: loaded }, pass.links, source, piece);
    }
    if (batch !== null && (fields === null || types === null || textIsKept(types, fields)))
      return this.#task(pass, { kind: 'batch', batch }, pass.links && !piece.isTransformed, source, piece);
    if (partition === null) throw new Error('a batch without a partition was not kept');
    return this.#task(pass, { kind: 'partition', partition, fields }, pass.links, source);
  }

  #release(piece: Piece): void {
    const { batch, partition, stored } = piece;
    piece.batch = null;
    if (batch !== null && (partition !== null || stored !== undefined))
      this.#context.keptBytes -= batchByteLength(batch);
  }

  #task(
    pass: Pass,
    input: Task['input'],
    links: boolean,
    source: number | null,
    { stored, rowsBefore }: Pick<Piece, 'stored' | 'rowsBefore'> = {},
  ): Task {
    const { statisticsDepth, encoding, idField, keep, split, numbersRows } = pass;
    // A batch that is only in memory cannot be read again.
    // A serial step, such as a sort, needs memory of its own.
    const room = this.#hasSerialStep ? KEPT_BYTES / 4 : KEPT_BYTES;
    const hasRoom = (source === null && stored === undefined) || this.#context.keptBytes < room;
    const { sessionIndex, fieldMapping } = this.sources[source ?? 0];
    const isFirst = links && this.#stage === 0;
    return {
      layerIndex: sessionIndex,
      input,
      stage: links ? this.#stage : null,
      stageFields: isFirst && this.#isSchemaInferred && fieldMapping === null ? this.#inputFields : null,
      fieldMapping: isFirst ? fieldMapping : null,
      statisticsDepth,
      keepBatch: keep === 'all' || (keep === 'while there is room' && hasRoom),
      encoding,
      idField,
      ...(split === undefined ? {} : { split }),
      ...(numbersRows === undefined ? {} : { numbersRows }),
      ...(rowsBefore === undefined ? {} : { rowsBefore }),
    };
  }

  /** The fields to read a source with in later passes; null: those that the reader finds. */
  #textFields(source: number): readonly Field[] | null {
    const { readFields, fieldMapping } = this.sources[source];
    if (fieldMapping !== null || this.#context.reader.typing !== 'layer') return readFields;
    return this.#isSchemaInferred ? this.#inputFields : fieldsOf(this.statistics);
  }
}

/** The numbers from 1 in the layer of rows that count from 0 in their partition. */
function rowsInLayer(rows: Int32Array, base: PartitionBase): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from({ length: rows.length }, (_, i) => BigInt(base.rows + rows[i] + 1));
}

/** Whether casting a batch with these types to the layer's final types keeps the text of all values. */
function textIsKept(types: ReadonlyMap<string, OpenType>, fields: readonly Field[]): boolean {
  return fields.every(({ name, type }) => castKeepsText(types.get(name) ?? 'null', type));
}
