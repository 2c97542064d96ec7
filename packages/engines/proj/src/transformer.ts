/** Coordinates from one CRS to another, in place and in bulk. */
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type Dimensions, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { Approximation } from './approximation.ts';
import {
  type Area,
  type AreasOfUse,
  countOutside,
  isWholeWorld,
  middleOf,
  NONE_OUTSIDE,
  type OutsideCounts,
  type PositionRows,
} from './area.ts';
import { nativeRun, transformAll } from './bulk.ts';
import { boundaryPositions, type CandidateChoice, positionsElsewhere } from './candidate-choice.ts';
import { type ProjContext, type ProjObject, pipelineObject } from './context.ts';
import { approximatedRun, transformAndCount } from './counted.ts';
import { isSameInXyOrder } from './crs.ts';
import { abbreviate, createCrs } from './definition.ts';
import { DegreesView } from './degrees.ts';
import { projErrors } from './errors.ts';
import { PJ_PROJ_5 } from './native.ts';
import { NO_OPERATION_NEEDED, type OperationDescription } from './operation-description.ts';
import { OperationCandidates } from './operations.ts';
import { SeveralOperationsTransformer } from './several-operations.ts';
import { smoothOperation } from './smooth-operation.ts';
import { createTransformation } from './transformation.ts';
import {
  type AnglesOf,
  eachPosition,
  NOTHING_DONE,
  SAMPLE_SIZE,
  type Transformer,
  type TransformerRecipe,
  type TransformOutcome,
} from './transformer-contract.ts';

/**
 * Projections whose inverse PROJ iterates until a position changes by less than 6 micrometres, so its results have steps of up to that
 * size. PROJ 9.8 does so for no other projection of EPSG: test/accuracy/run.ts finds them.
 */
const ITERATED = /METHOD\["(?:Hyperbolic )?Cassini-Soldner"/;

/** All native objects of a transformer; they are freed together and set up again at the next use. */
class Machinery {
  readonly transformation: ProjObject;
  readonly candidates: OperationCandidates;
  readonly source: DegreesView;
  readonly target: DegreesView;

  constructor(context: ProjContext, from: CrsText, to: CrsText) {
    using source = createCrs(context, from, 'input CRS');
    using target = createCrs(context, to, 'output CRS');
    context.clearMessages();
    this.transformation = createTransformation(context, source, target);
    if (this.transformation.pointer === 0) {
      const reason = context.reason(
        'PROJ has no operation between them; a local (engineering) CRS, for example, has no known position on the Earth',
      );
      const path = 'input.epsg';
      throw failure(projErrors.CRS_NO_OPERATION, {
        from: abbreviate(from),
        to: abbreviate(to),
        reason,
        path: field(path),
      });
    }
    this.candidates = new OperationCandidates(context, source, target);
    this.source = new DegreesView(context, source);
    this.target = new DegreesView(context, target);
    context.clearMessages();
  }

  [Symbol.dispose](): void {
    this.transformation[Symbol.dispose]();
    this.candidates[Symbol.dispose]();
    this.source[Symbol.dispose]();
    this.target[Symbol.dispose]();
  }
}

export class ProjTransformer implements Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  readonly isIdentity: boolean;
  readonly #context: ProjContext;
  readonly #areas: AreasOfUse;
  readonly #isSmooth: boolean;
  readonly #middle: { readonly longitude: number; readonly latitude: number } | null;
  #machinery: Machinery | null = null;
  #operation: OperationDescription | null = null;
  #recipe: TransformerRecipe | null = null;

  /** Throws CRS_NO_OPERATION for a pair that PROJ rejects. */
  constructor(context: ProjContext, source: CrsDescription, target: CrsDescription) {
    this.#context = context;
    this.from = source.definition;
    this.to = target.definition;
    this.#isSmooth = source.wkt2 !== null && !ITERATED.test(source.wkt2);
    this.isIdentity = this.from === this.to || isSameCrs(context, this.from, this.to);
    const areas = [source.areaOfUse, target.areaOfUse].filter((area) => area !== null);
    const limited = (area: Area | null): Area | null => (area === null || isWholeWorld(area) ? null : area);
    this.#areas = { source: limited(source.areaOfUse), target: limited(target.areaOfUse) };
    this.#middle = areas.length === 0 ? null : middleOf(areas[0], areas[1] ?? null);
    if (!this.isIdentity) this.#ready();
  }

  get recipe(): TransformerRecipe {
    this.#recipe ??= this.#makeRecipe();
    return this.#recipe;
  }

  #makeRecipe(): TransformerRecipe {
    const plain = { from: this.from, to: this.to, single: null, several: null };
    if (this.isIdentity) return plain;
    const { candidates, transformation, source, target } = this.#ready();
    if (!source.isGeographic && !target.isGeographic) return plain;
    const viewOf = (view: DegreesView): AnglesOf => ({
      isGeographic: view.isGeographic,
      degreesPerUnit: view.degreesPerUnit,
      primeMeridianDegrees: view.primeMeridianDegrees,
      metersPerUnit: view.metersPerUnit,
    });
    const facts = {
      areas: this.#areas,
      source: viewOf(source),
      target: viewOf(target),
      isSmooth: this.#isSmooth,
    };
    if (!candidates.isOnlyOne) {
      const choice = candidates.choice(source);
      if (choice === null || choice.operations.length === 0) return plain;
      const several = { ...plain, several: { choice, ...facts, operation: this.operation } };
      if (!this.#isSameAs(several)) return plain;
      const elsewhere = this.#elsewhereOf(choice, source.isGeographic);
      return { ...several, several: { ...several.several, choice: { ...choice, elsewhere } } };
    }
    const { native, pointer } = this.#context;
    const pipeline = this.#context.text(
      native.proj_as_proj_string(pointer, transformation.pointer, PJ_PROJ_5, 0),
    );
    this.#context.clearMessages();
    const operation = candidates.first() ?? UNNAMED_OPERATION;
    return pipeline === null ? plain : { ...plain, single: { pipeline, ...facts, operation } };
  }

  /** The operation by which PROJ transforms positions for which none is meant; null: there is not one for all. */
  #elsewhereOf({ operations, ...rest }: CandidateChoice, isGeographic: boolean): number | null {
    const positions = positionsElsewhere({ operations, ...rest }, isGeographic);
    const exact = positions.slice();
    this.transform(exact, 'XY');
    for (const [index, { pipeline }] of operations.entries()) {
      using object = pipelineObject(this.#context, pipeline);
      const found = positions.slice();
      transformAll(this.#context, object, found, 'XY');
      if (found.every((value, i) => Object.is(value, exact[i]))) return index;
    }
    return null;
  }

  /** Whether a recipe gives the results of PROJ, bit for bit, at and around the boundaries between its operations. */
  #isSameAs(
    recipe: TransformerRecipe & { readonly several: NonNullable<TransformerRecipe['several']> },
  ): boolean {
    const positions = boundaryPositions(recipe.several.choice);
    const exact = positions.slice();
    this.transform(exact, 'XY');
    try {
      const other = new SeveralOperationsTransformer(this.#context, recipe, recipe.several, () => this);
      other.transform(positions, 'XY');
      other.release();
    } catch {
      // PROJ does not take one of its pipelines.
      return false;
    }
    return positions.every((value, i) => Object.is(value, exact[i]));
  }

  get operation(): OperationDescription {
    this.#operation ??= this.isIdentity ? NO_OPERATION_NEEDED : this.#operationInTheMiddle();
    return this.#operation;
  }

  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows: PositionRows = eachPosition(coordinates, dimensions),
    approximation: Approximation | null = null,
  ): TransformOutcome {
    if (this.isIdentity || coordinates.length === 0) return NOTHING_DONE;
    const machinery = this.#ready();
    const stride = strideOf(dimensions);
    const sample = this.#sample(coordinates, stride, machinery);
    const { source, target } = machinery;
    const { transformation } = machinery;
    const areas = this.#areas;
    const isInverse = !source.isGeographic && target.isGeographic;
    const run = approximatedRun(
      (part) => nativeRun(this.#context, transformation, part, dimensions, isInverse),
      coordinates,
      dimensions,
      approximation,
    );
    const { outside, outcome } = transformAndCount(run, coordinates, dimensions, {
      areas,
      source,
      target,
      bounds,
      rows,
    });
    const isEstimate = !source.isGeographic && !target.isGeographic;
    return {
      ...outcome,
      outside: isEstimate ? estimated(sample.outside, sample.size, rows.count) : outside,
      operations: sample.operations,
    };
  }

  approximation(inputBytes: number): Approximation | null {
    if (this.isIdentity || !this.#isSmooth) return null;
    const { source, target } = this.#ready();
    const smooth = smoothOperation(
      {
        areas: this.#areas,
        source,
        target,
        transform: (positions) => transformAll(this.#context, this.#ready().transformation, positions, 'XY'),
        degreesOf: (positions) => {
          const view = this.#ready().source;
          const degrees = positions.slice();
          if (view.isPossible) view.toDegrees(degrees);
          return view.isPossible ? degrees : null;
        },
        hasOneOperation: (cell) => this.#ready().candidates.hasOneOperation(cell),
      },
      inputBytes,
    );
    return smooth === null ? null : new Approximation(smooth);
  }

  /** Frees the native objects; the transformer stays usable and sets them up again when needed. */
  release(): void {
    this.#machinery?.[Symbol.dispose]();
    this.#machinery = null;
  }

  #ready(): Machinery {
    this.#machinery ??= new Machinery(this.#context, this.from, this.to);
    return this.#machinery;
  }

  #operationInTheMiddle(): OperationDescription {
    const { candidates, source } = this.#ready();
    const first = candidates.first() ?? UNNAMED_OPERATION;
    if (candidates.isOnlyOne || this.#middle === null || !source.isPossible) return first;
    const { longitude, latitude } = this.#middle;
    const position = Float64Array.of(longitude, latitude);
    source.fromDegrees(position);
    return candidates.at(position[0], position[1], longitude, latitude) ?? first;
  }

  /** Operations of an evenly spread sample of the (untransformed) positions, and the number of positions outside. */
  #sample(
    coordinates: Float64Array,
    stride: number,
    { candidates, source, target }: Machinery,
  ): { operations: OperationDescription[]; outside: OutsideCounts; size: number } {
    const first = candidates.first() ?? UNNAMED_OPERATION;
    const hasAreas = this.#areas.source !== null || this.#areas.target !== null;
    const needsArea = hasAreas && !source.isGeographic && !target.isGeographic;
    if (candidates.isOnlyOne && !needsArea) return { operations: [first], outside: NONE_OUTSIDE, size: 1 };
    const positions = sampleOf(coordinates, stride);
    const degrees = positions.slice();
    if (source.isPossible) source.toDegrees(degrees);
    else degrees.fill(Number.NaN);
    const operations = new Set<OperationDescription>();
    for (let i = 0; i < positions.length; i += 2) {
      if (Number.isNaN(positions[i])) continue;
      const operation = candidates.isOnlyOne
        ? first
        : candidates.at(positions[i], positions[i + 1], degrees[i], degrees[i + 1]);
      operations.add(operation ?? first);
    }
    const each = eachPosition(degrees, 'XY');
    const outside = needsArea ? countOutside(this.#areas, degrees, 2, each) : NONE_OUTSIDE;
    return { operations: [...operations], outside, size: each.count };
  }
}

/** Estimate for `rowCount` rows from a sample of `size` positions: at least one if the sample has any. */
function estimated({ either, source, target }: OutsideCounts, size: number, rowCount: number): OutsideCounts {
  const ofAll = (found: number): number =>
    found === 0 ? 0 : Math.max(1, Math.round((found / size) * rowCount));
  return { either: ofAll(either), source: ofAll(source), target: ofAll(target) };
}

function isSameCrs(context: ProjContext, from: CrsText, to: CrsText): boolean {
  using source = createCrs(context, from, 'input CRS');
  using target = createCrs(context, to, 'output CRS');
  return isSameInXyOrder(context, source, target);
}

const UNNAMED_OPERATION: OperationDescription = {
  name: 'not known',
  accuracyMeters: null,
  ballpark: false,
  gridsUsed: [],
  gridsMissing: [],
};

/** x and y of at most SAMPLE_SIZE positions, evenly spread, the first and the last among them. */
function sampleOf(coordinates: Float64Array, stride: number): Float64Array {
  const count = coordinates.length / stride;
  const size = Math.min(count, SAMPLE_SIZE);
  const sample = new Float64Array(size * 2);
  for (let i = 0; i < size; i++) {
    const position = size === 1 ? 0 : Math.floor((i * (count - 1)) / (size - 1));
    sample[i * 2] = coordinates[position * stride];
    sample[i * 2 + 1] = coordinates[position * stride + 1];
  }
  return sample;
}
