/** Limits how many positions steps may make of their input: a short request can ask for any number. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { pipelineErrors } from './errors.ts';
import type { SessionStep } from './task.ts';

/** Always allowed, however few the input has: 80 MB of longitudes and latitudes. */
export const FREE_POSITIONS = 5_000_000;

export function positionCount({ geometry }: FeatureBatch): number {
  // Not the length of the coordinates, which may be in a file.
  return geometry.coordOffsets[geometry.coordOffsets.length - 1];
}

/** Throws OUTPUT_FACTOR_EXCEEDED where a step makes too many positions of `positionsIn`. */
export function checkGrowth(
  step: Pick<SessionStep, 'type' | 'path'>,
  positionsIn: number,
  positionsOut: number,
  factor: number,
): void {
  if (positionsOut <= FREE_POSITIONS || positionsOut <= positionsIn * factor) return;
  throw failure(pipelineErrors.OUTPUT_FACTOR_EXCEEDED, {
    step: step.type,
    path: field(step.path),
    positions: positionsOut,
    input: positionsIn,
    factor,
    setting: 'MAX_OUTPUT_FACTOR',
  });
}

/** Sums over the batches of a layer: positions at the begin of the stage, and after each step. */
export class LayerGrowth {
  readonly #steps = new Map<number, { positionsIn: number; positionsOut: number }>();
  readonly #factor: number;

  constructor(factor: number) {
    this.#factor = factor;
  }

  add(
    number: number,
    step: Pick<SessionStep, 'type' | 'path'>,
    counts: { readonly positionsIn: number; readonly positionsOut: number },
  ): void {
    let total = this.#steps.get(number);
    if (total === undefined) {
      total = { positionsIn: 0, positionsOut: 0 };
      this.#steps.set(number, total);
    }
    total.positionsIn += counts.positionsIn;
    total.positionsOut += counts.positionsOut;
    checkGrowth(step, total.positionsIn, total.positionsOut, this.#factor);
  }
}
