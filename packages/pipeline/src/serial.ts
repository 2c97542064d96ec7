/** Runs a serial step over the features of a layer, in this thread, in their order. */

import { castBatch } from '@geomill/core/columns/cast.ts';
import { batchByteLength, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import type { SerialRun, SerialTransformation, StoredBatch } from '@geomill/operations/transformation.ts';
import { eventTurn } from '@geomill/platform/scheduling.ts';
import type { LoadedStep } from './conversion-plan.ts';
import { type LayerContext, RESULT_BYTES } from './layer-context.ts';
import { locateFindings } from './locate-findings.ts';
import { locateInLayer } from './locations.ts';
import { needsUnwrapping, unwrappedBatch, wrappedBatch } from './longitudes.ts';
import { throwIfAborted } from './partition-run.ts';
import type { Kept } from './pieces.ts';
import { stepSetting, UNBOUNDED } from './step-setting.ts';
import type { StepTally } from './tally.ts';
import type { SessionStage } from './task.ts';
import { transformersFor } from './transformers.ts';

export interface SerialSetting {
  readonly step: LoadedStep;
  readonly code: SerialTransformation;
  /** The stage that the step ends. */
  readonly stage: SessionStage;
  readonly layerName: string;
  /** All batches are cast to these fields first; null: they stay as they are. */
  readonly fields: readonly Field[] | null;
  readonly tally: StepTally;
  readonly context: LayerContext;
}

export class SerialStage {
  readonly #setting: SerialSetting;
  readonly #run: SerialRun;
  readonly #crs: string;
  readonly #found: FoundFinding[] = [];
  #seconds = 0;
  /** Features were unwrapped for the step; some could not be. */
  #isChanged = false;
  #hasLeft = false;
  /** Features so far. */
  rowsIn = 0;

  private constructor(setting: SerialSetting, run: SerialRun, crs: string) {
    this.#setting = setting;
    this.#run = run;
    this.#crs = crs;
  }

  static async begin(setting: SerialSetting): Promise<SerialStage> {
    const { step, code, layerName, context } = setting;
    const { collect } = setting.stage;
    if (collect === null) throw new Error(`'${step.type}' does not end the stage`);
    const transformers = await transformersFor([{ links: [], collect }], context.transforming);
    const own = stepSetting(collect, layerName, transformers, UNBOUNDED);
    return new SerialStage(
      setting,
      await code.begin(step.params, own, context.store),
      collect.crs.definition,
    );
  }

  get #unwraps(): boolean {
    const { step, stage } = this.#setting;
    return stage.collect !== null && needsUnwrapping(step, stage.collect.crs);
  }

  #unwrapped(batch: FeatureBatch, noted: Findings): FeatureBatch {
    const { step } = this.#setting;
    const before = unwrappedBatch(batch, step.type, step.longitudes, noted);
    this.#isChanged ||= before.isChanged;
    this.#hasLeft ||= before.hasLeft;
    return before.batch;
  }

  #wrapped(batch: FeatureBatch | StoredBatch, noted: Findings): FeatureBatch | StoredBatch {
    if (!this.#isChanged) return batch;
    const own = 'shape' in batch ? this.#setting.context.store.load(batch) : batch;
    return wrappedBatch(own, { isChanged: true, hasLeft: this.#hasLeft }, noted);
  }

  get isComplete(): boolean {
    return this.#run.isComplete?.() ?? false;
  }

  /** `rows`: as the step gets them. */
  add(batch: FeatureBatch, rows: BigInt64Array<ArrayBuffer> | null): void {
    const startedAt = performance.now();
    const { fields, layerName, context } = this.#setting;
    const own = fields === null ? batch : castBatch(batch, fields);
    const { rowCount } = own;
    const noted = new Findings();
    this.#run.add(this.#unwraps ? this.#unwrapped(own, noted) : own, noted, rows);
    const found = context.locatesFindings ? locateFindings(noted.found(), [own]) : noted.noted();
    const before = { records: this.rowsIn, lines: 0, rows: this.rowsIn };
    context.findings.merge(found, (location) => locateInLayer(location, before, layerName), {
      crs: this.#crs,
    });
    for (const one of found) this.#found.push(one);
    this.rowsIn += rowCount;
    this.#seconds += (performance.now() - startedAt) / 1000;
  }

  /** The features after the step, in batches; none if there are no features. */
  async finish(): Promise<Kept[]> {
    const { tally, context, layerName } = this.#setting;
    const noted = new Findings();
    const startedAt = performance.now();
    const kept: Kept[] = [];
    let rowsOut = 0;
    let bytes = 0;
    for (const result of this.#run.finish(noted)) {
      const batch = this.#wrapped(result, noted);
      rowsOut += batch.rowCount;
      if ('shape' in batch) kept.push({ stored: batch });
      else {
        bytes += batchByteLength(batch);
        kept.push(bytes <= RESULT_BYTES ? { batch } : { stored: context.store.store(batch) });
      }
      // So that a cancellation is noticed.
      await eventTurn();
      throwIfAborted(context.signal);
    }
    const found = noted.noted();
    for (const one of found) this.#found.push(one);
    context.findings.merge(found, (location) => ({ layer: layerName, ...location }), null);
    const seconds = this.#seconds + (performance.now() - startedAt) / 1000;
    tally.add({ rowsIn: this.rowsIn, rowsOut, findings: this.#found, seconds });
    return kept;
  }
}
