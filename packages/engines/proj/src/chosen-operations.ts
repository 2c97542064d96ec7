/** What transformers made from a recipe with several operations have in common: the description of the operations, and the approximation. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type Dimensions, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { Approximation, transformRest } from './approximation.ts';
import type { PositionRows } from './area.ts';
import { chosenAt, chosenIn, describedAt } from './candidate-choice.ts';
import { approximatedRun, type CountedRun, transformAndCount } from './counted.ts';
import type { Failures } from './failures.ts';
import type { OperationDescription } from './operation-description.ts';
import { type CellFacts, smoothOperation } from './smooth-operation.ts';
import {
  eachPosition,
  NOTHING_DONE,
  SAMPLE_SIZE,
  type Transformer,
  type TransformerRecipe,
  type TransformOutcome,
} from './transformer-contract.ts';

export type Several = NonNullable<TransformerRecipe['several']>;

export abstract class ChosenOperations implements Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  readonly isIdentity = false;
  readonly recipe: TransformerRecipe;
  readonly #several: Several;
  readonly #descriptions = new Map<string, OperationDescription>();

  constructor(recipe: TransformerRecipe, several: Several) {
    this.from = recipe.from;
    this.to = recipe.to;
    this.recipe = recipe;
    this.#several = several;
  }

  /** All operations are the same. */
  protected get isOneForAll(): boolean {
    return false;
  }

  /** Transforms by the operation with this index, in place. */
  protected abstract transformBy(index: number, part: Float64Array, dimensions: Dimensions): Failures;

  /** Transforms positions for which no operation is meant, or whose operation fails. */
  protected abstract transformRest(part: Float64Array, dimensions: Dimensions, stride: number): Failures;

  /** Why a position fails. */
  protected abstract reasonOf(position: Float64Array, dimensions: Dimensions): string;

  get operation(): OperationDescription {
    return this.#several.operation;
  }

  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows: PositionRows = eachPosition(coordinates, dimensions),
    approximation: Approximation | null = null,
  ): TransformOutcome {
    if (coordinates.length === 0) return NOTHING_DONE;
    const stride = strideOf(dimensions);
    const sampled = sampleOf(coordinates.length / stride);
    const source = sampled.map((position) => [
      coordinates[position * stride],
      coordinates[position * stride + 1],
    ]);
    const run = approximatedRun(
      (part) => this.#run(part, dimensions),
      coordinates,
      dimensions,
      approximation,
    );
    const facts = { ...this.#several, bounds, rows };
    const { outside, outcome } = transformAndCount(run, coordinates, dimensions, facts);
    const operations = new Set<OperationDescription>();
    for (const [i, [x, y]] of source.entries()) {
      if (Number.isNaN(x) || Number.isNaN(y)) continue;
      const at = sampled[i] * stride;
      const isFromDegrees = this.#several.source.isGeographic;
      const [east, north] = isFromDegrees ? [x, y] : [coordinates[at], coordinates[at + 1]];
      const angles = isFromDegrees ? this.#several.source : this.#several.target;
      const longitude = east * angles.degreesPerUnit + angles.primeMeridianDegrees;
      const index = chosenAt(this.#several.choice, isFromDegrees ? wrappedDegrees(x) : x, y);
      operations.add(this.#describe(index, longitude, north * angles.degreesPerUnit));
    }
    if (operations.size === 0) operations.add(this.#several.choice.operations[0].description);
    return { ...outcome, outside, operations: [...operations] };
  }

  approximation(inputBytes: number): Approximation | null {
    const { areas, source, target, isSmooth } = this.#several;
    if (!isSmooth) return null;
    const transform = (positions: Float64Array): Failures => this.#run(positions, 'XY').transform();
    const hasOneOperation = ({ corners }: CellFacts): boolean => {
      const [[west, south], , , [east, north]] = corners;
      if (source.isGeographic && (west < -180 || east > 180)) return false;
      const index = chosenIn(this.#several.choice, [west, south, east, north]);
      return index >= 0 && this.#several.choice.operations[index].description.gridsUsed.length === 0;
    };
    const operation = { areas, source, target, transform, degreesOf: () => null, hasOneOperation };
    const smooth = smoothOperation(operation, inputBytes);
    return smooth === null ? null : new Approximation(smooth);
  }

  #run(coordinates: Float64Array, dimensions: Dimensions): CountedRun {
    return {
      transform: () => this.#transformAll(coordinates, dimensions),
      reasonOf: (at) => this.reasonOf(coordinates.slice(at, at + strideOf(dimensions)), dimensions),
    };
  }

  #transformAll(coordinates: Float64Array, dimensions: Dimensions): Failures {
    if (this.isOneForAll) return this.transformBy(0, coordinates, dimensions);
    const stride = strideOf(dimensions);
    const groups = new Map<number, number[]>();
    let last = -2;
    let group: number[] = [];
    for (let at = 0; at < coordinates.length; at += stride) {
      if (Number.isNaN(coordinates[at]) || Number.isNaN(coordinates[at + 1])) continue;
      const index = this.#choose(coordinates[at], coordinates[at + 1]);
      if (index !== last) {
        group = groups.get(index) ?? [];
        groups.set(index, group);
        last = index;
      }
      group.push(at);
    }
    const rest = groups.get(-1) ?? [];
    groups.delete(-1);
    for (const [index, at] of groups) {
      const hasMoved = moveAll(coordinates, stride, at, (part) => this.transformBy(index, part, dimensions));
      if (!hasMoved) for (const failed of at) rest.push(failed);
    }
    rest.sort((a, b) => a - b);
    return transformRest(coordinates, stride, Uint32Array.from(rest), (part) =>
      this.transformRest(part, dimensions, stride),
    );
  }

  #choose(x: number, y: number): number {
    // PROJ chooses by the longitude from -180 to 180.
    if (this.#several.source.isGeographic && !(Math.abs(x) <= 180)) return -1;
    return chosenAt(this.#several.choice, x, y);
  }

  #describe(index: number, longitude: number, latitude: number): OperationDescription {
    const { choice } = this.#several;
    if (index < 0) return choice.operations[0].description;
    const description = describedAt(choice, index, longitude, latitude);
    const key = `${index} ${description.gridsMissing.join()}`;
    const known = this.#descriptions.get(key);
    if (known !== undefined) return known;
    this.#descriptions.set(key, description);
    return description;
  }
}

/** The longitude from -180 to 180 degrees, by which PROJ chooses. */
export function wrappedDegrees(longitude: number): number {
  return Math.abs(longitude) <= 180 ? longitude : longitude - 360 * Math.round(longitude / 360);
}

/** Indexes of at most SAMPLE_SIZE positions, evenly spread, the first and the last among them. */
function sampleOf(count: number): number[] {
  const size = Math.min(count, SAMPLE_SIZE);
  return Array.from({ length: size }, (_, i) =>
    size === 1 ? 0 : Math.floor((i * (count - 1)) / (size - 1)),
  );
}

/** Transforms the positions at these ordinates; false: one fails, and nothing has changed. */
function moveAll(
  coordinates: Float64Array,
  stride: number,
  at: readonly number[],
  transform: (positions: Float64Array) => Failures,
): boolean {
  const positions = new Float64Array(at.length * stride);
  for (let i = 0; i < at.length; i++)
    for (let ordinate = 0; ordinate < stride; ordinate++)
      positions[i * stride + ordinate] = coordinates[at[i] + ordinate];
  if (transform(positions).count > 0) return false;
  for (let i = 0; i < at.length; i++)
    for (let ordinate = 0; ordinate < stride; ordinate++)
      coordinates[at[i] + ordinate] = positions[i * stride + ordinate];
  return true;
}
