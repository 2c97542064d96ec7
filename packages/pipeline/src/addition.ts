/** Runs the part of a streaming step that adds features after the last ones of a layer: in this thread, and in the workers that it calls. */

import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { AdditionRun, BatchStore, WorkerCalls } from '@geomill/operations/transformation.ts';
import { eventTurn } from '@geomill/platform/scheduling.ts';
import type { LoadedStep } from './conversion-plan.ts';
import type { LayerContext } from './layer-context.ts';
import { throwIfAborted } from './partition-run.ts';
import { type Growth, stepSetting } from './step-setting.ts';
import type { LayerTally } from './tally.ts';
import type { SessionStage, SessionStep, StepOutcome, TransformSetting } from './task.ts';
import { transformersFor } from './transformers.ts';

export class AdditionStage {
  readonly #step: SessionStep;
  readonly #run: AdditionRun;
  readonly #growth: Growth;
  #seconds = 0;

  private constructor(step: SessionStep, run: AdditionRun, growth: Growth) {
    this.#step = step;
    this.#run = run;
    this.#growth = growth;
  }

  /** Null: the last step of the stage adds no features. */
  static async begin(
    { links, layerName }: SessionStage,
    steps: readonly LoadedStep[],
    transforming: TransformSetting,
    outputFactor: number,
    store: BatchStore,
  ): Promise<AdditionStage | null> {
    const step = links.at(-1);
    if (step?.kind !== 'step') return null;
    const { code } = steps[step.step];
    if (code.kind !== 'streaming' || !code.addition?.isWanted(step.parameters)) return null;
    const growth = { positionsIn: 0, factor: outputFactor };
    const transformers = await transformersFor([{ links: [step], collect: null }], transforming);
    const setting = stepSetting(step, layerName, transformers, growth);
    return new AdditionStage(step, await code.addition.begin(step.parameters, setting, store), growth);
  }

  /** Of the next batch of the layer. */
  add(outcomes: readonly StepOutcome[]): void {
    const outcome = outcomes.find(({ step }) => step === this.#step.step);
    if (outcome === undefined) return;
    const startedAt = performance.now();
    this.#growth.positionsIn += outcome.positionsIn;
    if (outcome.forAddition !== undefined) this.#run.add(outcome.forAddition);
    this.#seconds += (performance.now() - startedAt) / 1000;
  }

  /** `fields` of the batches of the layer. */
  async finish(
    fields: readonly Field[],
    tally: LayerTally,
    context: Pick<LayerContext, 'findings' | 'signal'>,
    workers: WorkerCalls,
    take: (batch: FeatureBatch) => void,
  ): Promise<void> {
    const startedAt = performance.now();
    const findings = new Findings();
    let rowsOut = 0;
    for await (const batch of this.#run.finish(fields, findings, workers)) {
      rowsOut += batch.rowCount;
      take(batch);
      // So that a cancellation is noticed.
      await eventTurn();
      throwIfAborted(context.signal);
    }
    const found = findings.noted();
    const seconds = this.#seconds + (performance.now() - startedAt) / 1000;
    tally.step(this.#step.step).add({ rowsIn: 0, rowsOut, findings: found, seconds });
    context.findings.merge(found, (location) => ({ layer: tally.plan.name, ...location }), null);
  }
}
