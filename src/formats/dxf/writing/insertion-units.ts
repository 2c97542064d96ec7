/** $INSUNITS: what a drawing unit is, so that CAD programs scale what they insert. */
import type { CrsDescription } from '../../../crs/crs.ts';
import { metresPerUnit } from '../drawing-units.ts';

export interface InsertionUnits {
  /** Value of $INSUNITS; 0: no unit. */
  readonly code: number;
  /** Value of $MEASUREMENT: whether linetypes and patterns are metric. */
  readonly isMetric: boolean;
}

/** Codes of $INSUNITS that are written: the units that CRSs have. */
const METRIC_CODES = [6, 7, 5, 4]; // m, km, cm, mm
const IMPERIAL_CODES = [2, 21, 1, 10, 3]; // foot, US survey foot, inch, yard, mile
/** Between the international and the US survey foot lie 2e-6. */
const SAME_UNIT = 1e-9;

/** Degrees are no unit that a drawing knows: their code is 0. */
export function insertionUnits(crs: CrsDescription): InsertionUnits {
  if (crs.kind === 'geographic' || /degree|radian|gon|grad/i.test(crs.unitName))
    return { code: 0, isMetric: true };
  const isUnit = (code: number): boolean =>
    Math.abs(crs.unitFactor / (metresPerUnit(code) ?? 0) - 1) < SAME_UNIT;
  const imperial = IMPERIAL_CODES.find(isUnit);
  if (imperial !== undefined) return { code: imperial, isMetric: false };
  return { code: METRIC_CODES.find(isUnit) ?? 0, isMetric: true };
}

/** Metres on the ground that a degree of latitude has, near enough for the height of letters. */
const METRES_PER_DEGREE = 111_320;

/** A length in metres in drawing units, roughly where they are degrees. */
export function drawingUnits(metres: number, crs: CrsDescription): number {
  if (crs.kind === 'geographic') return Number((metres / METRES_PER_DEGREE).toPrecision(3));
  return crs.unitFactor > 0 ? metres / crs.unitFactor : metres;
}
