/**
 * Coordinate operations: finds which of PROJ's candidates transforms a position, and describes it.
 *
 * Between two systems PROJ has a list of candidates, each with an area, and chooses one for each position. The module
 * does not export the C function that returns the last used one, so the same list is requested here, with the
 * same criteria, and PROJ is asked for its member for a position. A second list, as if every grid that
 * PROJ knows were installed, shows which grids would have given a better result.
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type Area, grown, isWholeWorld, isWithin, METERS_PER_DEGREE, widthOf } from './area.ts';
import type { CandidateBox, CandidateChoice, CandidateOperation } from './candidate-choice.ts';
import { type ProjContext, ProjObject } from './context.ts';
import { areaOf, horizontalAxis, horizontalCrs } from './crs.ts';
import type { DegreesView } from './degrees.ts';
import {
  PJ_FWD,
  PJ_GRID_AVAILABILITY,
  PJ_PROJ_5,
  PJ_SPATIAL_PARTIAL_INTERSECTION,
  PJ_TYPE,
  type Pointer,
} from './native.ts';
import type { OperationDescription } from './operation-description.ts';
import type { CellFacts } from './smooth-operation.ts';

/** The candidates between two CRSs. Owns native lists: dispose it. */
export class OperationCandidates {
  readonly #context: ProjContext;
  /** Candidates whose grids are installed: PROJ uses these. */
  readonly #available: OperationList;
  /** Candidates as if all grids known to PROJ were installed; not a superset: PROJ omits candidates that these supersede. */
  readonly #known: OperationList;
  readonly #swapsAxes: boolean;
  readonly #byIndexes = new Map<string, OperationDescription>();
  #knownFacts: KnownOperation[] | null = null;
  #availableFacts: KnownOperation[] | null = null;

  constructor(context: ProjContext, source: ProjObject, target: ProjObject) {
    this.#context = context;
    this.#available = new OperationList(context, source, target, PJ_GRID_AVAILABILITY.discardIfMissing);
    this.#known = new OperationList(context, source, target, PJ_GRID_AVAILABILITY.knownAvailable);
    this.#swapsAxes = isNorthBeforeEast(context, source);
  }

  /** Whether all positions have the same operation and no better one is known: then one description is enough. */
  get isOnlyOne(): boolean {
    return this.#available.count === 1 && this.#known.count <= 1 && this.#missingGrids(0).length === 0;
  }

  /**
   * The operation for a position of the source CRS, x and y as east and north, which lies at `longitude` and
   * `latitude` (degrees; NaN: unknown, then no missing grids are reported). Null if PROJ finds none.
   */
  at(x: number, y: number, longitude: number, latitude: number): OperationDescription | null {
    const first = this.#swapsAxes ? y : x;
    const second = this.#swapsAxes ? x : y;
    const used = this.#available.suggested(first, second);
    return used < 0 ? null : this.#describe(used, this.#bestKnown(longitude, latitude));
  }

  /** The operation that PROJ ranks first, independent of the position; null if there is none. */
  first(): OperationDescription | null {
    return this.#available.count === 0 ? null : this.#describe(0, -1);
  }

  /**
   * Whether all positions of a cell have the same operation, and it uses no grid. PROJ chooses by boxes in the source's coordinates. A box
   * at least as large as the cell that has a part of it has one of its corners, so the corners decide; near a smaller box nothing does.
   */
  hasOneOperation({ corners, degrees, sizeMeters }: CellFacts): boolean {
    const [one, ...others] = corners.map(([x, y]) =>
      this.#available.suggested(this.#swapsAxes ? y : x, this.#swapsAxes ? x : y),
    );
    if (one < 0 || others.some((other) => other !== one)) return false;
    if (this.#describe(one, -1).gridsUsed.length > 0) return false;
    if (this.#available.count === 1) return true;
    this.#availableFacts ??= this.#available.facts();
    for (const { area } of this.#availableFacts)
      if (area !== null && isSmaller(area, sizeMeters) && isNear(area, degrees)) return false;
    return true;
  }

  /** The candidates as plain data; null if PROJ cannot express one of them. `source`: of the source CRS. */
  choice(source: DegreesView): CandidateChoice | null {
    const operations: CandidateOperation[] = [];
    const boxes: CandidateBox[] = [];
    const { native, pointer } = this.#context;
    for (let index = 0; index < this.#available.count; index++) {
      using operation = this.#available.get(index);
      using normalized = new ProjObject(
        this.#context,
        native.proj_normalize_for_visualization(pointer, operation.pointer),
      );
      const pipeline =
        normalized.pointer === 0
          ? null
          : this.#context.text(native.proj_as_proj_string(pointer, normalized.pointer, PJ_PROJ_5, 0));
      this.#context.clearMessages();
      if (pipeline === null) return null;
      operations.push({ pipeline, description: this.#describe(index, -1) });
      for (const box of boxesOf(this.#context, operation, index, source)) boxes.push(box);
    }
    // Without alternatives PROJ uses the operation everywhere.
    if (operations.length === 1) boxes.splice(0, boxes.length, { ...EVERYWHERE, operation: 0, accuracy: 0 });
    const known = this.#known
      .facts()
      .map((facts, index) => ({ ...facts, gridsMissing: this.#missingGrids(index) }));
    return { operations, boxes, known };
  }

  [Symbol.dispose](): void {
    this.#available[Symbol.dispose]();
    this.#known[Symbol.dispose]();
  }

  /**
   * Index of the most accurate known operation at a position; -1 if none is known.
   * PROJ could answer this too, but it would set up every operation of the list: 80 ms instead of 1 ms.
   */
  #bestKnown(longitude: number, latitude: number): number {
    if (Number.isNaN(longitude)) return -1;
    this.#knownFacts ??= this.#known.facts();
    let best = -1;
    for (const [index, { accuracy, area }] of this.#knownFacts.entries()) {
      if (accuracy < 0 || (area !== null && !isWithin(area, longitude, latitude))) continue;
      if (best < 0 || accuracy < this.#knownFacts[best].accuracy) best = index;
    }
    return best;
  }

  #describe(usedIndex: number, bestIndex: number): OperationDescription {
    const key = `${usedIndex} ${bestIndex}`;
    let description = this.#byIndexes.get(key);
    if (description === undefined) {
      using used = this.#available.get(usedIndex);
      description = describeOperation(this.#context, used, []);
      const best = bestIndex < 0 ? null : this.#knownFacts![bestIndex];
      if (
        best !== null &&
        (description.accuracyMeters === null || best.accuracy < description.accuracyMeters)
      )
        description = { ...description, gridsMissing: this.#missingGrids(bestIndex) };
      this.#byIndexes.set(key, description);
    }
    return description;
  }

  /** Missing grids that a known operation needs. */
  #missingGrids(index: number): string[] {
    if (index >= this.#known.count) return [];
    using best = this.#known.get(index);
    const { native, pointer } = this.#context;
    if (native.proj_coordoperation_is_instantiable(pointer, best.pointer) !== 0) return [];
    const missing = gridsOf(this.#context, best.pointer).filter((grid) => !grid.isAvailable);
    this.#context.clearMessages();
    return missing.map((grid) => grid.name);
  }
}

/** Whether the box of an area, as wide as its widest parallel, is narrower or lower than a cell, with a reserve for distortion. */
function isSmaller(area: Area, sizeMeters: number): boolean {
  const height = (area.north - area.south) * METERS_PER_DEGREE;
  const widest = Math.max(0, area.south, -area.north);
  const { west, east } = area;
  // PROJ makes two boxes of an area across the antimeridian.
  const degrees = west > east ? Math.min(180 - west, east + 180) : east - west;
  const width = degrees * METERS_PER_DEGREE * Math.cos((widest * Math.PI) / 180);
  return Math.min(width, height) < 1.2 * sizeMeters;
}

/** Whether one of the positions is so close to the area that they may be in its box in projected coordinates. */
function isNear(area: Area, degrees: Float64Array): boolean {
  const around = grown(area, Math.max(2, widthOf(area), area.north - area.south));
  for (let i = 0; i < degrees.length; i += 2) if (isWithin(around, degrees[i], degrees[i + 1])) return true;
  return false;
}

/** Operations that PROJ prefers to those of smaller areas. */
const PRIORITY = /NAD83 to NAD83\(HARN\) \((?:47|48|49|50)\)|GDA94 to WGS 84 \(1\)|GDA2020 to WGS 84 \(2\)/;
const EVERYWHERE: Omit<CandidateBox, 'operation' | 'accuracy'> & { readonly bounds: Bounds } = {
  bounds: [-Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE],
  pseudoArea: 4 * Math.PI,
  isPriority: false,
  isOffshore: false,
  isUnknownArea: false,
};
/** Steps along each side of an area, for its box. */
const BOX_STEPS = 20;

/** The boxes by which PROJ decides whether an operation is meant for a position. */
function boxesOf(
  context: ProjContext,
  operation: ProjObject,
  index: number,
  source: DegreesView,
): CandidateBox[] {
  const { native, pointer } = context;
  const areaName = context.slot(4);
  const [west, south, east, north] = [0, 1, 2, 3].map((slot) => context.slot(slot));
  const hasArea =
    native.proj_get_area_of_use(pointer, operation.pointer, west, south, east, north, areaName) !== 0;
  const area = hasArea ? areaOf(context, operation.pointer) : null;
  const name = (hasArea ? context.textAt(areaName) : null) ?? '';
  const facts = {
    operation: index,
    accuracy: native.proj_coordoperation_get_accuracy(pointer, operation.pointer),
    isPriority: PRIORITY.test(context.text(native.proj_get_name(operation.pointer)) ?? ''),
    isOffshore: name.includes('- offshore'),
    isUnknownArea: name === '' || name === 'unknown',
  };
  context.clearMessages();
  const whole = area ?? { west: -180, south: -90, east: 180, north: 90 };
  const parts =
    whole.west <= whole.east
      ? [whole]
      : [
          { ...whole, east: 180 },
          { ...whole, west: -180 },
        ];
  return parts.flatMap((part) => {
    const bounds = boxOf(part, source);
    const pseudoArea = (part.east - part.west) * (sine(part.north) - sine(part.south));
    return bounds[0] <= bounds[2] ? [{ ...facts, bounds, pseudoArea }] : [];
  });
}

function sine(degrees: number): number {
  return Math.sin((degrees * Math.PI) / 180);
}

/** The bounds of positions along the sides, as PROJ computes them; of the whole world, no limits. */
function boxOf(area: Area, source: DegreesView): Bounds {
  if (isWholeWorld(area)) return EVERYWHERE.bounds;
  const { west, south, east, north } = area;
  const sides: number[] = [];
  for (let step = 0; step <= BOX_STEPS; step++) {
    const x = west + step * ((east - west) / BOX_STEPS);
    const y = south + step * ((north - south) / BOX_STEPS);
    sides.push(x, south, x, north, west, y, east, y);
  }
  const positions = Float64Array.from(sides);
  source.fromDegrees(positions);
  const bounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    const [x, y] = [positions[i], positions[i + 1]];
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    bounds[0] = Math.min(bounds[0], x);
    bounds[1] = Math.min(bounds[1], y);
    bounds[2] = Math.max(bounds[2], x);
    bounds[3] = Math.max(bounds[3], y);
  }
  return bounds;
}

interface KnownOperation {
  /** Metres; negative: unknown. */
  readonly accuracy: number;
  readonly area: Area | null;
}

/** A PJ_OBJ_LIST of operations, best first. */
class OperationList {
  readonly count: number;
  readonly #context: ProjContext;
  #list: Pointer;

  constructor(context: ProjContext, source: ProjObject, target: ProjObject, gridAvailability: number) {
    const { native, pointer } = context;
    this.#context = context;
    const factory = native.proj_create_operation_factory_context(pointer, 0);
    native.proj_operation_factory_context_set_spatial_criterion(
      pointer,
      factory,
      PJ_SPATIAL_PARTIAL_INTERSECTION,
    );
    native.proj_operation_factory_context_set_grid_availability_use(pointer, factory, gridAvailability);
    this.#list = native.proj_create_operations(pointer, source.pointer, target.pointer, factory);
    native.proj_operation_factory_context_destroy(factory);
    this.count = this.#list === 0 ? 0 : native.proj_list_get_count(this.#list);
    context.clearMessages();
  }

  get(index: number): ProjObject {
    const { native, pointer } = this.#context;
    return new ProjObject(this.#context, native.proj_list_get(pointer, this.#list, index));
  }

  /** Index of the operation for a position in the source's own axis order; -1: none. */
  suggested(first: number, second: number): number {
    if (this.count < 2) return this.count - 1;
    const context = this.#context;
    const at = context.scratch / 8;
    context.doubles.set([first, second, 0, Number.POSITIVE_INFINITY], at);
    const index = context.native.proj_get_suggested_operation(
      context.pointer,
      this.#list,
      PJ_FWD,
      context.scratch,
    );
    context.clearMessages();
    return index;
  }

  facts(): KnownOperation[] {
    const { native, pointer } = this.#context;
    return Array.from({ length: this.count }, (_, index) => {
      using operation = this.get(index);
      return {
        accuracy: native.proj_coordoperation_get_accuracy(pointer, operation.pointer),
        area: areaOf(this.#context, operation.pointer),
      };
    });
  }

  [Symbol.dispose](): void {
    if (this.#list !== 0) this.#context.native.proj_list_destroy(this.#list);
    this.#list = 0;
  }
}

/**
 * The name of a step without a known transformation between its datums. PROJ's flag is also set for a step from one prime meridian
 * to another on the same datum ("Transformation from NTF (Paris) to NTF"), which is exact.
 */
const BALLPARK_STEP = /\bballpark\b/i;

function describeOperation(
  context: ProjContext,
  operation: ProjObject,
  gridsMissing: readonly string[],
): OperationDescription {
  const { native, pointer } = context;
  const accuracy = native.proj_coordoperation_get_accuracy(pointer, operation.pointer);
  const name = context.text(native.proj_get_name(operation.pointer)) ?? 'unnamed';
  const mayBeBallpark =
    native.proj_coordoperation_has_ballpark_transformation(pointer, operation.pointer) !== 0;
  const description = {
    name,
    accuracyMeters: accuracy >= 0 ? accuracy : isConversion(context, operation.pointer) ? 0 : null,
    ballpark: mayBeBallpark && BALLPARK_STEP.test(name),
    gridsUsed: gridsOf(context, operation.pointer).map((grid) => grid.name),
    gridsMissing,
  };
  context.clearMessages();
  return description;
}

/** Whether the operation is only mathematics (map projections, units, axes), exact by definition. */
function isConversion(context: ProjContext, operation: Pointer): boolean {
  const { native, pointer } = context;
  const type = native.proj_get_type(operation);
  if (type === PJ_TYPE.conversion) return true;
  if (type !== PJ_TYPE.concatenatedOperation) return false;
  const count = native.proj_concatoperation_get_step_count(pointer, operation);
  for (let i = 0; i < count; i++) {
    using step = new ProjObject(context, native.proj_concatoperation_get_step(pointer, operation, i));
    if (!isConversion(context, step.pointer)) return false;
  }
  return true;
}

function gridsOf(context: ProjContext, operation: Pointer): { name: string; isAvailable: boolean }[] {
  const { native, pointer } = context;
  const [shortName, fullName, packageName, url, direct, license, available] = [0, 1, 2, 3, 4, 5, 6].map((i) =>
    context.slot(i),
  );
  const grids: { name: string; isAvailable: boolean }[] = [];
  const count = native.proj_coordoperation_get_grid_used_count(pointer, operation);
  for (let i = 0; i < count; i++) {
    const isKnown = native.proj_coordoperation_get_grid_used(
      pointer,
      operation,
      i,
      shortName,
      fullName,
      packageName,
      url,
      direct,
      license,
      available,
    );
    if (isKnown === 0) continue;
    grids.push({ name: context.textAt(shortName) ?? '', isAvailable: context.int32At(available) !== 0 });
  }
  return grids;
}

/**
 * Whether a CRS lists its north axis before its east axis, so that PROJ's `normalize_for_visualization` swaps them;
 * the two rules for polar systems, whose axes both point north or south, are PROJ's too.
 */
function isNorthBeforeEast(context: ProjContext, crs: ProjObject): boolean {
  using horizontal = horizontalCrs(context, crs);
  const first = horizontalAxis(context, horizontal, 0);
  const second = horizontalAxis(context, horizontal, 1);
  if (first === null || second === null) return false;
  if (first.direction === 'north' && second.direction === 'east') return true;
  const isPolar = first.direction === second.direction && /^(?:north|south)$/.test(first.direction);
  return isPolar && /^northing/i.test(first.name) && /^easting/i.test(second.name);
}
