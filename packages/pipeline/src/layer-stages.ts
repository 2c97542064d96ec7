/** The stages of a layer that end in a step which needs all features before the next step begins. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  emptyStatistics,
  fieldsOf,
  type LayerStatistics,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import { KeptBatches } from '@geomill/operations/parts/kept-batches.ts';
import type {
  CollectingTransformation,
  SerialTransformation,
  WorkerCalls,
} from '@geomill/operations/transformation.ts';
import { AdditionStage } from './addition.ts';
import { collectStage, emptyBatch } from './collect.ts';
import type { StagePlan } from './conversion-plan.ts';
import { ExcerptTooSmall } from './excerpt.ts';
import { pipelineFindings } from './findings.ts';
import type { LayerPasses } from './layer-passes.ts';
import type { LayerState } from './layer-state.ts';
import type { PartitionBase } from './locations.ts';
import { throwIfAborted } from './partition-run.ts';
import { numberedPieces, type Piece, pieceOf, pieceOfKept } from './pieces.ts';
import { COLLECTING_WEIGHT } from './progress-weight.ts';
import { SerialStage } from './serial.ts';

export class LayerStages {
  readonly #state: LayerState;
  readonly #passes: LayerPasses;

  constructor(state: LayerState, passes: LayerPasses) {
    this.#state = state;
    this.#passes = passes;
  }

  /** Afterwards the last stage is the current one. */
  async run(): Promise<void> {
    const { session, plan, context } = this.#state;
    while (this.#passes.stage < session.stages.length - 1) {
      context.progress.stage('collecting');
      this.#passes.nextStage(await this.#piecesAfter(plan.stages[this.#passes.stage]));
    }
  }

  async #piecesAfter({ collect }: StagePlan): Promise<Piece[]> {
    if (collect === null) return this.#addRows();
    const { code, type } = this.#state.context.steps[collect.step];
    if (code.kind === 'serial') return this.#serial(collect.step, code);
    if (code.kind === 'collecting') return this.#collect(collect.step, code);
    throw new Error(`'${type}' does not end a stage`);
  }

  /**
   * The features after the stage and those that its last step adds, each batch with the number of features before it, as the next
   * step may number them.
   */
  async #addRows(): Promise<Piece[]> {
    const { store, transforming, limits } = this.#state.context;
    const kept = new KeptBatches(store);
    const stage = this.#state.session.stages[this.#passes.stage];
    const { outputFactor } = limits;
    const addition = await AdditionStage.begin(
      stage,
      this.#state.context.steps,
      transforming,
      outputFactor,
      store,
    );
    let fields: readonly Field[] = [];
    let empty: FeatureBatch | null = null;
    await this.#passes.run({
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
    await addition?.finish(fields, this.#state.tally, this.#state.context, this.#workerCalls, (batch) =>
      kept.add(batch),
    );
    const pieces = numberedPieces(kept.all());
    return pieces.length > 0 || empty === null ? pieces : [{ ...pieceOf(empty), rowsBefore: 0 }];
  }

  /** To the last step of the current stage. */
  get #workerCalls(): WorkerCalls {
    const { executor, signal } = this.#state.context;
    const { sessionIndex: layerIndex } = this.#state.sources[0];
    const stage = this.#passes.stage;
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
    const { steps, reader, geometry } = this.#state.context;
    const statistics = emptyStatistics();
    const batches: FeatureBatch[] = [];
    await this.#passes.run({
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
    this.#passes.pieces = null;
    const kept = await collectStage({
      batches,
      fields: this.#state.fieldsBefore(step) ?? fieldsOf(statistics),
      step: steps[step],
      tally: this.#state.tally.step(step),
      session: this.#state.session,
      stage: this.#passes.stage,
      layerIndex: this.#state.sources[0].sessionIndex,
      weight: this.#passes.weight * COLLECTING_WEIGHT,
      ...this.#state.context,
    });
    geometry.discard();
    return kept.map(pieceOfKept);
  }

  /** The features after a serial step. */
  async #serial(step: number, code: SerialTransformation): Promise<Piece[]> {
    const { steps } = this.#state.context;
    const { params } = steps[step];
    const serial = await SerialStage.begin({
      step: steps[step],
      code,
      stage: this.#state.session.stages[this.#passes.stage],
      layerName: this.#state.plan.name,
      fields: code.usesFields?.(params) ? this.#state.fieldsBefore(step) : null,
      tally: this.#state.tally.step(step),
      context: this.#state.context,
    });
    const outcome = await this.#passes.run({
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
    if (serial.rowsIn < wanted && this.#state.sources.some(({ layer }) => layer.excerpt?.isSampled))
      throw new ExcerptTooSmall(serial.rowsIn, wanted);
    if (outcome === 'stopped') {
      const read = this.#state.sources.reduce((sum, { tally }) => sum + tally.rowsRead, 0);
      this.#state.context.findings.note(pipelineFindings.READING_STOPPED, {
        layer: this.#state.plan.name,
        read,
        step: steps[step].type,
      });
    }
    const kept = await serial.finish();
    // Like a reader, a step returns a layer without features as one batch without rows.
    if (kept.length === 0) return [pieceOf(emptyBatch(this.#state.fieldsBefore(step + 1) ?? []))];
    return kept.map(pieceOfKept);
  }
}

/** The numbers from 1 in the layer of rows that count from 0 in their partition. */
function rowsInLayer(rows: Int32Array, base: PartitionBase): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from({ length: rows.length }, (_, i) => BigInt(base.rows + rows[i] + 1));
}
