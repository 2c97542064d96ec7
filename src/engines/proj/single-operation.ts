/**
 * A transformer made from a recipe: if there is only one operation between two CRSs, its PROJ pipeline contains all
 * that is needed. A worker thread that gets it from the main thread does not open the database, which takes longer than
 * a hundred thousand coordinates.
 */
import type { Bounds } from '../../batch/bounds.ts';
import type { Dimensions } from '../../batch/geometry-column.ts';
import type { CrsText } from '../../crs/crs.ts';
import { failure } from '../../errors.ts';
import { Approximation } from './approximation.ts';
import type { PositionRows } from './area.ts';
import { nativeRun, transformAll } from './bulk.ts';
import { type ProjContext, ProjObject } from './context.ts';
import { approximatedRun, transformAndCount } from './counted.ts';
import type { OperationDescription } from './operation-description.ts';
import { smoothOperation } from './smooth-operation.ts';
import {
  eachPosition,
  NOTHING_DONE,
  type Transformer,
  type TransformerRecipe,
  type TransformOutcome,
} from './transformer-contract.ts';

export class SingleOperationTransformer implements Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  readonly isIdentity = false;
  readonly recipe: TransformerRecipe;
  readonly #single: NonNullable<TransformerRecipe['single']>;
  readonly #context: ProjContext;
  readonly #transformation: ProjObject;

  constructor(
    context: ProjContext,
    recipe: TransformerRecipe,
    single: NonNullable<TransformerRecipe['single']>,
  ) {
    this.from = recipe.from;
    this.to = recipe.to;
    this.recipe = recipe;
    this.#single = single;
    this.#context = context;
    this.#transformation = new ProjObject(
      context,
      context.withString(single.pipeline, (text) => context.native.proj_create(context.pointer, text)),
    );
    if (this.#transformation.pointer === 0) {
      throw failure('INTERNAL', {
        reason: `PROJ does not take its own pipeline: ${context.reason(single.pipeline)}`,
      });
    }
  }

  get operation(): OperationDescription {
    return this.#single.operation;
  }

  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows: PositionRows = eachPosition(coordinates, dimensions),
    approximation: Approximation | null = null,
  ): TransformOutcome {
    if (coordinates.length === 0) return NOTHING_DONE;
    const run = approximatedRun(
      (part) => nativeRun(this.#context, this.#transformation, part, dimensions),
      coordinates,
      dimensions,
      approximation,
    );
    const { outside, outcome } = transformAndCount(run, coordinates, dimensions, {
      ...this.#single,
      bounds,
      rows,
    });
    return { ...outcome, outside, operations: [this.#single.operation] };
  }

  approximation(inputBytes: number): Approximation | null {
    const { areas, source, target, operation, isSmooth } = this.#single;
    if (operation.gridsUsed.length > 0 || !isSmooth) return null;
    const transform = (positions: Float64Array) =>
      transformAll(this.#context, this.#transformation, positions, 'XY');
    const smooth = smoothOperation({ areas, source, target, transform, degreesOf: () => null }, inputBytes);
    return smooth === null ? null : new Approximation(smooth);
  }

  /** Frees the native object; the transformer must not be used afterwards. */
  [Symbol.dispose](): void {
    this.#transformation[Symbol.dispose]();
  }
}
