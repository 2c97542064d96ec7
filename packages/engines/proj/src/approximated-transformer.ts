/** A transformer that uses an approximation of its own: positions of the same cells share the polynomials. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { Dimensions } from '@geomill/core/geometry/geometry-column.ts';
import type { Approximation } from './approximation.ts';
import type { PositionRows } from './area.ts';
import type { Transformer, TransformerRecipe, TransformOutcome } from './transformer-contract.ts';

export class ApproximatedTransformer implements Transformer {
  readonly #exact: Transformer;
  readonly #approximation: Approximation;

  constructor(exact: Transformer, approximation: Approximation) {
    this.#exact = exact;
    this.#approximation = approximation;
  }

  get from(): Transformer['from'] {
    return this.#exact.from;
  }

  get to(): Transformer['to'] {
    return this.#exact.to;
  }

  get isIdentity(): boolean {
    return this.#exact.isIdentity;
  }

  get operation(): Transformer['operation'] {
    return this.#exact.operation;
  }

  get recipe(): TransformerRecipe {
    return this.#exact.recipe;
  }

  approximation(inputBytes: number): Approximation | null {
    return this.#exact.approximation(inputBytes);
  }

  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows?: PositionRows,
  ): TransformOutcome {
    return this.#exact.transform(coordinates, dimensions, bounds, rows, this.#approximation);
  }
}
