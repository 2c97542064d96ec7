/**
 * The interface to PROJ: facts about a CRS, and transformations between CRSs. Other modules import nothing else from this
 * directory (except operation-description.ts, which is plain data, and plain-transformer.ts, which needs no PROJ); it exposes no pointers and no native objects.
 */
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { ProjContext } from './context.ts';
import { describeCrs } from './crs.ts';
import { extentOfUse } from './degrees.ts';
import { SeveralOperationsTransformer } from './several-operations.ts';
import { SingleOperationTransformer } from './single-operation.ts';
import { ProjTransformer } from './transformer.ts';
import type { Transformer, TransformerRecipe } from './transformer-contract.ts';

export type { OperationDescription } from './operation-description.ts';
export type { Transformer, TransformerRecipe, TransformOutcome } from './transformer-contract.ts';

export interface ProjOptions {
  /** Directory with grids (GeoTIFF, NTv2, GTX) that PROJ may use; null: none. */
  readonly gridDirectory: string | null;
}

/** Number of transformers that keep their native objects; beyond it, the least recently used one frees its objects. */
const MAX_READY_TRANSFORMERS = 32;
/** Limit of each cache: runners live long, so memory must not grow with the number of jobs. */
const MAX_REMEMBERED = 256;

const instances = new Map<string | null, Promise<Proj>>();

export class Proj {
  readonly #context: ProjContext;
  readonly #descriptions = new Map<string, CrsDescription>();
  readonly #extents = new Map<string, Bounds | null>();
  readonly #transformers = new Map<string, ProjTransformer>();
  readonly #several = new Map<string, SeveralOperationsTransformer>();

  private constructor(context: ProjContext) {
    this.#context = context;
  }

  /**
   * PROJ in this thread: loaded at the first call, the same instance at every later one with the same grid directory.
   * An instance that a trap has broken is replaced. About 20 MB of memory and 0.1 s.
   */
  static async load({ gridDirectory }: ProjOptions): Promise<Proj> {
    const existing = instances.get(gridDirectory);
    if (existing !== undefined && !(await existing).#context.isBroken) return existing;
    const loading = ProjContext.load(gridDirectory).then((context) => new Proj(context));
    instances.set(gridDirectory, loading);
    loading.catch(() => instances.delete(gridDirectory));
    return loading;
  }

  /**
   * Facts about a CRS. `path`: where the definition was given, for the message.
   * Throws CRS_UNKNOWN with PROJ's reason.
   */
  describe(definition: CrsText, path: string): CrsDescription {
    const known = this.#descriptions.get(definition);
    if (known !== undefined) return known;
    return remember(this.#descriptions, definition, describeCrs(this.#context, definition, path));
  }

  /** Bounds of the area of use of a CRS in its own coordinates; null if the CRS has no area of use or it crosses the antimeridian. */
  extentOf(definition: CrsText): Bounds | null {
    const known = this.#extents.get(definition);
    if (known !== undefined) return known;
    return remember(this.#extents, definition, extentOfUse(this.#context, definition));
  }

  /** The transformer of a pair; made once. Throws CRS_UNKNOWN and CRS_NO_OPERATION. */
  transformer(from: CrsText, to: CrsText): Transformer {
    const key = `${from}\0${to}`;
    const known = this.#transformers.get(key);
    const transformer =
      known ??
      new ProjTransformer(this.#context, this.describe(from, 'input CRS'), this.describe(to, 'output CRS'));
    return keepReady(this.#transformers, key, transformer);
  }

  /** The transformer for a recipe from another thread. Throws as `transformer`. */
  transformerOf(recipe: TransformerRecipe): Transformer {
    const { from, to, single, several } = recipe;
    const key = `${from}\0${to}`;
    if (several !== null) {
      const byProj = (): Transformer => this.transformer(from, to);
      const known = this.#several.get(key);
      const transformer = known ?? new SeveralOperationsTransformer(this.#context, recipe, several, byProj);
      return keepReady(this.#several, key, transformer);
    }
    // If the pair is set up already, as in a warm runner's main thread, that transformer is used.
    if (single === null || this.#transformers.has(key)) return this.transformer(from, to);
    return new SingleOperationTransformer(this.#context, recipe, single);
  }
}

/** Makes the transformer the most recently used one; the least recently used one may free its objects. */
function keepReady<Kind extends { release(): void }>(
  transformers: Map<string, Kind>,
  key: string,
  transformer: Kind,
): Kind {
  transformers.delete(key);
  transformers.set(key, transformer);
  if (transformers.size > MAX_READY_TRANSFORMERS) {
    const oldest = firstKey(transformers);
    // It can still be used: it sets up its objects again.
    transformers.get(oldest)?.release();
    transformers.delete(oldest);
  }
  return transformer;
}

function remember<Answer>(answers: Map<string, Answer>, definition: string, answer: Answer): Answer {
  answers.set(definition, answer);
  if (answers.size > MAX_REMEMBERED) answers.delete(firstKey(answers));
  return answer;
}

function firstKey(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value ?? '';
}
