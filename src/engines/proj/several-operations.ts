/**
 * A transformer made from a recipe with several operations: it chooses for each position as PROJ does, from plain data, so it needs no
 * database. Positions for which no operation is meant, or whose operation fails, are transformed by PROJ's own choice, which tries others.
 */
import { type Dimensions, strideOf } from '../../batch/geometry-column.ts';
import { transformRest } from './approximation.ts';
import { transformAll } from './bulk.ts';
import { chosenAt } from './candidate-choice.ts';
import { ChosenOperations, type Several } from './chosen-operations.ts';
import { type ProjContext, type ProjObject, pipelineObject } from './context.ts';
import type { CountedRun, Failures } from './counted.ts';
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

  protected override run(coordinates: Float64Array, dimensions: Dimensions): CountedRun {
    return {
      transform: () => this.#transformAll(coordinates, dimensions),
      reasonOf: (at) => {
        const failed = coordinates.slice(at, at + strideOf(dimensions));
        return this.#byProj().transform(failed, dimensions).reason;
      },
    };
  }

  #transformAll(coordinates: Float64Array, dimensions: Dimensions): Failures {
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
      const hasMoved = moveAll(coordinates, stride, at, (part) =>
        transformAll(this.#context, this.#native(index), part, dimensions),
      );
      if (!hasMoved) for (const failed of at) rest.push(failed);
    }
    rest.sort((a, b) => a - b);
    return transformRest(coordinates, stride, Uint32Array.from(rest), (part) => {
      const { failedPosition, failedCount } = this.#byProj().transform(part, dimensions);
      return { first: failedPosition, count: failedCount };
    });
  }

  #choose(x: number, y: number): number {
    // PROJ chooses by the longitude from -180 to 180.
    if (this.#several.source.isGeographic && !(Math.abs(x) <= 180)) return -1;
    return chosenAt(this.#several.choice, x, y);
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
