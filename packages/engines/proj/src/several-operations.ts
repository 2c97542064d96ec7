/**
 * A transformer made from a recipe with several operations: it chooses for each position as PROJ does, from plain data, so it needs no
 * database. Positions for which no operation is meant, or whose operation fails, are transformed by PROJ's own choice, which tries others.
 */
import type { Dimensions } from '@geomill/core/geometry/geometry-column.ts';
import { transformAll } from './bulk.ts';
import { ChosenOperations, type Several } from './chosen-operations.ts';
import { type ProjContext, type ProjObject, pipelineObject } from './context.ts';
import type { Failures } from './failures.ts';
import type { Transformer, TransformerRecipe } from './transformer-contract.ts';

export class SeveralOperationsTransformer extends ChosenOperations {
  readonly #several: Several;
  readonly #context: ProjContext;
  readonly #byProj: () => Transformer;
  readonly #operations: (ProjObject | null)[];

  /** `byProj` transforms by PROJ's own choice. */
  constructor(context: ProjContext, recipe: TransformerRecipe, several: Several, byProj: () => Transformer) {
    super(recipe, several);
    this.#several = several;
    this.#context = context;
    this.#byProj = byProj;
    this.#operations = several.choice.operations.map(() => null);
  }

  /** Frees the native objects; the transformer stays usable and sets them up again when needed. */
  release(): void {
    for (const operation of this.#operations) operation?.[Symbol.dispose]();
    this.#operations.fill(null);
  }

  protected override transformBy(index: number, part: Float64Array, dimensions: Dimensions): Failures {
    return transformAll(this.#context, this.#native(index), part, dimensions);
  }

  protected override transformRest(part: Float64Array, dimensions: Dimensions): Failures {
    const { failedPosition, failedCount } = this.#byProj().transform(part, dimensions);
    return { first: failedPosition, count: failedCount };
  }

  protected override reasonOf(position: Float64Array, dimensions: Dimensions): string {
    return this.#byProj().transform(position, dimensions).reason;
  }

  #native(index: number): ProjObject {
    const known = this.#operations[index];
    if (known !== null) return known;
    const { pipeline } = this.#several.choice.operations[index];
    const made = pipelineObject(this.#context, pipeline);
    this.#operations[index] = made;
    return made;
  }
}
