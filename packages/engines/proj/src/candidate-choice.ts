/**
 * PROJ's choice between the candidates of a pair of systems, as plain data: a worker thread, or a later command, needs no database for it.
 *
 * The rule is that of PROJ 9 (pj_get_suggested_operation): of the boxes that hold a position, the one whose operation is most accurate, then the
 * smallest one. ProjTransformer compares the results with PROJ's before it gives the data to others.
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type Area, isWithin } from './area.ts';
import type { OperationDescription } from './operation-description.ts';

/** Plain data: crosses threads, and is kept as JSON. */
export interface CandidateChoice {
  readonly operations: readonly CandidateOperation[];
  /** In the order of the operations; an area across the antimeridian has two boxes. */
  readonly boxes: readonly CandidateBox[];
  /** Operations as if all grids known to PROJ were installed. */
  readonly known: readonly KnownOperation[];
  /** The operation of positions in no box; null: only PROJ can choose it. Default: not known. */
  readonly elsewhere?: number | null;
}

export interface CandidateOperation {
  /** Between x, y in the order east, north. */
  readonly pipeline: string;
  /** Without missing grids. */
  readonly description: OperationDescription;
}

export interface CandidateBox {
  readonly operation: number;
  /** x and y of the source. */
  readonly bounds: Readonly<Bounds>;
  /** Metres; negative: unknown. */
  readonly accuracy: number;
  readonly pseudoArea: number;
  /** PROJ prefers it to smaller ones of the same accuracy. */
  readonly isPriority: boolean;
  /** PROJ prefers others to it. */
  readonly isOffshore: boolean;
  readonly isUnknownArea: boolean;
}

export interface KnownOperation {
  /** Metres; negative: unknown. */
  readonly accuracy: number;
  readonly area: Area | null;
  readonly gridsMissing: readonly string[];
}

/** Index of the operation at a position; -1: none of them is meant for it. */
export function chosenAt({ boxes }: CandidateChoice, x: number, y: number): number {
  let best: CandidateBox | null = null;
  for (const box of boxes) {
    const [west, south, east, north] = box.bounds;
    if (x >= west && y >= south && x <= east && y <= north && (best === null || isBetter(box, best)))
      best = box;
  }
  return best === null ? -1 : best.operation;
}

function isBetter(box: CandidateBox, best: CandidateBox): boolean {
  if (box.isOffshore) return false;
  if (box.accuracy >= 0 && box.accuracy < best.accuracy) return true;
  const isSmaller = box.accuracy === best.accuracy && box.pseudoArea < best.pseudoArea;
  return isSmaller && !(box.isUnknownArea && !best.isUnknownArea) && !best.isPriority;
}

/** Index of the one operation of all positions in a cell; -1: there are several, or none. */
export function chosenIn(choice: CandidateChoice, [west, south, east, north]: Readonly<Bounds>): number {
  for (const { bounds } of choice.boxes) {
    const isApart = bounds[0] > east || bounds[2] < west || bounds[1] > north || bounds[3] < south;
    const isAround = bounds[0] <= west && bounds[2] >= east && bounds[1] <= south && bounds[3] >= north;
    if (!isApart && !isAround) return -1;
  }
  return chosenAt(choice, west, south);
}

/** The description of an operation at a place, with the grids that a better one needs. */
export function describedAt(
  { operations, known }: CandidateChoice,
  index: number,
  longitude: number,
  latitude: number,
): OperationDescription {
  const { description } = operations[index];
  let best: KnownOperation | null = null;
  for (const operation of known) {
    const { accuracy, area } = operation;
    if (accuracy < 0 || (area !== null && !isWithin(area, longitude, latitude))) continue;
    if (best === null || accuracy < best.accuracy) best = operation;
  }
  const { accuracyMeters } = description;
  const isBetterKnown = best !== null && (accuracyMeters === null || best.accuracy < accuracyMeters);
  return isBetterKnown ? { ...description, gridsMissing: best!.gridsMissing } : description;
}

/** Positions on both sides of the boundaries of all boxes, and inside, on which the choice can be compared with that of PROJ. */
export function boundaryPositions({ boxes }: CandidateChoice): Float64Array {
  const positions: number[] = [];
  for (const { bounds } of boxes) {
    const [west, south, east, north] = bounds;
    if (east - west > Number.MAX_VALUE) continue;
    const xs = around(west, east);
    const ys = around(south, north);
    for (const x of xs) for (const y of ys) positions.push(x, y);
  }
  return Float64Array.from(positions);
}

function around(low: number, high: number): number[] {
  const step = (high - low) * 1e-7;
  const inside = [0.25, 0.5, 0.75].map((share) => low + (high - low) * share);
  return [low - step, low, low + step, ...inside, high - step, high, high + step];
}

/** Positions in no box. */
export function positionsElsewhere(choice: CandidateChoice, isGeographic: boolean): Float64Array {
  const positions = [...boundaryPositions(choice)];
  if (isGeographic)
    for (let x = -175; x <= 175; x += 25) for (let y = -80; y <= 80; y += 20) positions.push(x, y);
  const isElsewhere = (x: number, y: number): boolean => chosenAt(choice, x, y) < 0;
  return Float64Array.from(positions.filter((_, i) => isElsewhere(positions[i & ~1], positions[i | 1])));
}
