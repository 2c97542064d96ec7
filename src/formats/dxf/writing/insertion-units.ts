/** $INSUNITS: what a drawing unit is, so that CAD programs scale what they insert. */
import type { CrsDescription } from '../../../crs/crs.ts';

export interface InsertionUnits {
  /** Value of $INSUNITS; 0: no unit. */
  readonly code: number;
  /** Value of $MEASUREMENT: whether linetypes and patterns are metric. */
  readonly isMetric: boolean;
}

/** Metres per unit and the code of $INSUNITS (DXF reference, HEADER section). */
const UNITS: readonly (readonly [metres: number, code: number, isMetric: boolean])[] = [
  [1, 6, true],
  [0.3048, 2, false],
  [1200 / 3937, 21, false],
  [1000, 7, true],
  [0.01, 5, true],
  [0.001, 4, true],
  [0.0254, 1, false],
  [0.9144, 10, false],
  [1609.344, 3, false],
];
/** Between the international and the US survey foot lie 2e-6. */
const SAME_UNIT = 1e-9;

/** Degrees are no unit that a drawing knows: their code is 0. */
export function insertionUnits(crs: CrsDescription): InsertionUnits {
  if (crs.kind !== 'geographic' && !/degree|radian|gon|grad/i.test(crs.unitName))
    for (const [metres, code, isMetric] of UNITS)
      if (Math.abs(crs.unitFactor / metres - 1) < SAME_UNIT) return { code, isMetric };
  return { code: 0, isMetric: true };
}

/** Metres on the ground that a degree of latitude has, near enough for the height of letters. */
const METRES_PER_DEGREE = 111_320;

/** A length in metres in drawing units, roughly where they are degrees. */
export function drawingUnits(metres: number, crs: CrsDescription): number {
  if (crs.kind === 'geographic') return Number((metres / METRES_PER_DEGREE).toPrecision(3));
  return crs.unitFactor > 0 ? metres / crs.unitFactor : metres;
}
