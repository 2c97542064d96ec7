/**
 * The operations that most conversions need, computed without PROJ: between longitude and latitude in degrees and a system
 * in transverse Mercator (all of UTM), Web Mercator, Lambert's conformal conic or oblique azimuthal equal-area projection,
 * of the same datum or of one that is shifted by geocentric coordinates. Loading PROJ takes longer than converting a small
 * file, and these functions need half of PROJ's time for each position. Which operation it is has been decided by PROJ: it
 * is taken from PROJ's pipeline. Results differ from those of PROJ by rounding: a few nanometres, or 40 in equal-area
 * systems up to 85 degrees of latitude.
 */
import type { Dimensions } from '@geomill/core/geometry/geometry-column.ts';
import { chosenAt } from './candidate-choice.ts';
import { ChosenOperations, type Several, wrappedDegrees } from './chosen-operations.ts';
import type { CountedRun } from './counted.ts';
import type { Failures } from './failures.ts';
import { OneOperationTransformer, type SingleOperation } from './one-operation.ts';
import { type PlainOperation, plainOperation, plainRun } from './plain-operation.ts';
import type { Transformer, TransformerRecipe } from './transformer-contract.ts';

/** The transformer of a recipe; null if only PROJ can compute it. */
export function plainTransformer(recipe: TransformerRecipe): Transformer | null {
  const { single, several } = recipe;
  if (single !== null) {
    const operation = plainOperation(single.pipeline);
    return operation === null ? null : new PlainTransformer(recipe, single, operation);
  }
  if (several === null) return null;
  const { operations, elsewhere } = several.choice;
  if (elsewhere === undefined || elsewhere === null) return null;
  const plain = new Map<string, PlainOperation>();
  for (const { pipeline } of operations) {
    const operation = plainOperation(pipeline);
    if (operation === null) return null;
    plain.set(pipeline, operation);
  }
  const all = operations.map(({ pipeline }) => plain.get(pipeline) as PlainOperation);
  return new PlainChosen(recipe, several, all, all[elsewhere]);
}

class PlainTransformer extends OneOperationTransformer {
  readonly #operation: PlainOperation;

  constructor(recipe: TransformerRecipe, single: SingleOperation, operation: PlainOperation) {
    super(recipe, single);
    this.#operation = operation;
  }

  protected override get gainsByApproximation(): boolean {
    return !this.#operation.isFast;
  }

  protected override run(coordinates: Float64Array, dimensions: Dimensions): CountedRun {
    return plainRun(this.#operation, coordinates, dimensions);
  }
}

class PlainChosen extends ChosenOperations {
  readonly #several: Several;
  readonly #operations: readonly PlainOperation[];
  /** Of positions for which none is meant. */
  readonly #elsewhere: PlainOperation;

  constructor(
    recipe: TransformerRecipe,
    several: Several,
    operations: readonly PlainOperation[],
    elsewhere: PlainOperation,
  ) {
    super(recipe, several);
    this.#several = several;
    this.#operations = operations;
    this.#elsewhere = elsewhere;
  }

  protected override get isOneForAll(): boolean {
    return this.#operations.every((operation) => operation === this.#elsewhere);
  }

  protected override transformBy(index: number, part: Float64Array, dimensions: Dimensions): Failures {
    return plainRun(this.#operations[index], part, dimensions).transform();
  }

  protected override transformRest(part: Float64Array, dimensions: Dimensions, stride: number): Failures {
    const failures: Failures = { first: -1, count: 0 };
    for (let at = 0; at < part.length; at += stride) {
      const position = part.subarray(at, at + stride);
      if (plainRun(this.#operationAt(position), position, dimensions).transform().count === 0) continue;
      if (plainRun(this.#elsewhere, position, dimensions).transform().count === 0) continue;
      if (failures.first < 0) failures.first = at / stride;
      failures.count++;
    }
    return failures;
  }

  protected override reasonOf(position: Float64Array, dimensions: Dimensions): string {
    const reasons = [this.#operationAt(position), this.#elsewhere].map((operation) =>
      plainRun(operation, position, dimensions).reasonOf(0),
    );
    // PROJ's messages from one operation after another.
    return [...new Set(reasons)].join(' ');
  }

  #operationAt([x, y]: Float64Array): PlainOperation {
    const { source, choice } = this.#several;
    return (
      this.#operations[chosenAt(choice, source.isGeographic ? wrappedDegrees(x) : x, y)] ?? this.#elsewhere
    );
  }
}
