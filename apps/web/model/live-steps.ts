/** Steps whose result can be shown while a slider is moved, and the scale of the slider. Pure. */
import type { StepChoice } from './document.ts';

/** `simplify`: positions are left out. `reach`: all within a distance is marked. */
export type LiveKind = 'simplify' | 'reach';

interface LiveStep {
  readonly kind: LiveKind;
  /** Parameter with the length; its unit is in the parameter `units`. */
  readonly parameter: string;
}

/** By id of the step. */
const LIVE_STEPS: Readonly<Record<string, LiveStep>> = {
  simplify: { kind: 'simplify', parameter: 'tolerance' },
  buffer: { kind: 'reach', parameter: 'distance' },
};

const METRES: Readonly<Record<string, number>> = {
  meters: 1,
  kilometers: 1000,
  feet: 0.3048,
  miles: 1609.344,
};
const DEFAULT_UNIT = 'meters';

export function liveStepOf({ type }: Pick<StepChoice, 'type'>): LiveStep | null {
  return Object.hasOwn(LIVE_STEPS, type) ? LIVE_STEPS[type] : null;
}

export function unitOf({ params }: Pick<StepChoice, 'params'>): string {
  const { units } = params;
  return typeof units === 'string' && Object.hasOwn(METRES, units) ? units : DEFAULT_UNIT;
}

/** Null: there is no number yet. */
export function metresOf(step: Pick<StepChoice, 'type' | 'params'>): number | null {
  const live = liveStepOf(step);
  const value = live === null ? undefined : step.params[live.parameter];
  return typeof value === 'number' && Number.isFinite(value) ? value * METRES[unitOf(step)] : null;
}

/** The parameters with another length, in the unit that they have. */
export function withMetres(step: Pick<StepChoice, 'type' | 'params'>, metres: number): StepChoice['params'] {
  const live = liveStepOf(step);
  const units = unitOf(step);
  const length = Number((metres / METRES[units]).toPrecision(SLIDER_DIGITS));
  return live === null ? step.params : { ...step.params, [live.parameter]: length, units };
}

const SLIDER_DIGITS = 2;
/** Positions of the slider. */
export const SLIDER_STEPS = 100;
/** Lengths at both ends of the slider, in pixels of the map: less is not seen, more leaves nothing. */
const PIXELS: Readonly<Record<LiveKind, readonly [least: number, most: number]>> = {
  simplify: [0.2, 100],
  reach: [1, 300],
};

/** The length at a position: each step of the slider is the same share of the length before it. */
export function sliderMetres(kind: LiveKind, position: number, metresPerPixel: number): number {
  const [least, most] = PIXELS[kind];
  return least * metresPerPixel * (most / least) ** (position / SLIDER_STEPS);
}

/** The position nearest to a length. */
export function sliderPosition(kind: LiveKind, metres: number, metresPerPixel: number): number {
  const [least, most] = PIXELS[kind];
  const position = (SLIDER_STEPS * Math.log(metres / (least * metresPerPixel))) / Math.log(most / least);
  return Number.isNaN(position) ? 0 : Math.round(Math.min(Math.max(position, 0), SLIDER_STEPS));
}
