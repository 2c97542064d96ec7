/** What transformers of recipes with one operation have in common. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { Dimensions } from '@geomill/core/geometry/geometry-column.ts';
import { Approximation } from './approximation.ts';
import type { PositionRows } from './area.ts';
import { approximatedRun, type CountedRun, transformAndCount } from './counted.ts';
import type { OperationDescription } from './operation-description.ts';
import { smoothOperation } from './smooth-operation.ts';
import {
  eachPosition,
  NOTHING_DONE,
  type Transformer,
  type TransformerRecipe,
  type TransformOutcome,
} from './transformer-contract.ts';

export type SingleOperation = NonNullable<TransformerRecipe['single']>;

export abstract class OneOperationTransformer implements Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  readonly isIdentity = false;
  readonly recipe: TransformerRecipe;
  protected readonly single: SingleOperation;

  constructor(recipe: TransformerRecipe, single: SingleOperation) {
    this.from = recipe.from;
    this.to = recipe.to;
    this.recipe = recipe;
    this.single = single;
  }

  get operation(): OperationDescription {
    return this.single.operation;
  }

  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows: PositionRows = eachPosition(coordinates, dimensions),
    approximation: Approximation | null = null,
  ): TransformOutcome {
    if (coordinates.length === 0) return NOTHING_DONE;
    const run = approximatedRun((part) => this.run(part, dimensions), coordinates, dimensions, approximation);
    const facts = { ...this.single, bounds, rows };
    const { outside, outcome } = transformAndCount(run, coordinates, dimensions, facts);
    return { ...outcome, outside, operations: [this.single.operation] };
  }

  approximation(inputBytes: number): Approximation | null {
    if (!this.gainsByApproximation) return null;
    const { areas, source, target } = this.single;
    const transform = (positions: Float64Array) => this.run(positions, 'XY').transform();
    const smooth = smoothOperation({ areas, source, target, transform, degreesOf: () => null }, inputBytes);
    return smooth === null ? null : new Approximation(smooth);
  }

  /** The operation is smooth, and takes longer than a polynomial. */
  protected abstract get gainsByApproximation(): boolean;

  protected abstract run(coordinates: Float64Array, dimensions: Dimensions): CountedRun;
}
