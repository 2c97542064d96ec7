/**
 * A transformer made from a recipe: if there is only one operation between two CRSs, its PROJ pipeline contains all
 * that is needed. A worker thread that gets it from the main thread does not open the database, which takes longer than
 * a hundred thousand coordinates.
 */
import type { Dimensions } from '@geomill/core/geometry/geometry-column.ts';
import { nativeRun } from './bulk.ts';
import { type ProjContext, type ProjObject, pipelineObject } from './context.ts';
import type { CountedRun } from './counted.ts';
import { OneOperationTransformer, type SingleOperation } from './one-operation.ts';
import type { TransformerRecipe } from './transformer-contract.ts';

export class SingleOperationTransformer extends OneOperationTransformer {
  readonly #context: ProjContext;
  readonly #transformation: ProjObject;

  constructor(context: ProjContext, recipe: TransformerRecipe, single: SingleOperation) {
    super(recipe, single);
    this.#context = context;
    this.#transformation = pipelineObject(context, single.pipeline);
  }

  /** Frees the native object; the transformer must not be used afterwards. */
  [Symbol.dispose](): void {
    this.#transformation[Symbol.dispose]();
  }

  protected override get gainsByApproximation(): boolean {
    return this.single.isSmooth && this.single.operation.gridsUsed.length === 0;
  }

  protected override run(coordinates: Float64Array, dimensions: Dimensions): CountedRun {
    const { source, target } = this.single;
    const isInverse = !source.isGeographic && target.isGeographic;
    return nativeRun(this.#context, this.#transformation, coordinates, dimensions, isInverse);
  }
}
