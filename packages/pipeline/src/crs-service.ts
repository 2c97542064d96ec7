/** PROJ for the main thread, loaded only when a CRS other than EPSG:4326 occurs. */
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import { isPlainWgs84, WGS84_DESCRIPTION } from '@geomill/core/crs/wgs84.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { OperationDescription, Proj, TransformerRecipe } from '@geomill/proj/proj.ts';
import type { CrsAuthority } from './crs-authority.ts';
import { loadProj } from './load-proj.ts';

/** What PROJ says about a pair of systems. */
export interface CrsPair {
  readonly isIdentity: boolean;
  readonly recipe: TransformerRecipe;
  readonly operation: OperationDescription;
}

/**
 * Answers of PROJ that the caller keeps between conversions, also of other processes with the same PROJ and the same
 * grids: to find them takes longer than to convert a small file. New answers are added.
 */
export interface CrsMemory {
  readonly descriptions: Map<CrsText, CrsDescription>;
  readonly extents: Map<CrsText, Bounds | null>;
  /** By both definitions, separated by NUL. */
  readonly pairs: Map<string, CrsPair>;
}

/** An answer is not in the memory: call `load`, then plan again. */
export class CrsAnswerMissing extends Error {}

export class CrsService implements CrsAuthority {
  readonly #gridDirectory: string | null;
  readonly #memory: CrsMemory | null;
  #proj: Proj | null = null;

  constructor(gridDirectory: string | null, memory: CrsMemory | null = null) {
    this.#gridDirectory = gridDirectory;
    this.#memory = memory;
  }

  /**
   * Loads PROJ if any of the definitions needs it; after this the other methods are synchronous. With a memory PROJ is loaded
   * only if it does not know the definitions, and the other methods throw CrsAnswerMissing for what else it does not know.
   */
  async prepare(definitions: readonly (CrsText | null)[]): Promise<void> {
    const isKnown = (definition: CrsText | null): boolean =>
      definition === null || isPlainWgs84(definition) || this.#memory?.descriptions.has(definition) === true;
    if (!definitions.every(isKnown)) await this.load();
  }

  async load(): Promise<void> {
    this.#proj ??= await loadProj(this.#gridDirectory);
  }

  describe(definition: CrsText, path: string): CrsDescription {
    if (isPlainWgs84(definition)) return WGS84_DESCRIPTION;
    return remembered(this.#memory?.descriptions, definition, () =>
      this.#loaded().describe(definition, path),
    );
  }

  equivalent(a: CrsText, b: CrsText): boolean {
    return a === b || (isPlainWgs84(a) && isPlainWgs84(b)) || this.#pair(a, b).isIdentity;
  }

  extentOf(definition: CrsText): Bounds | null {
    if (isPlainWgs84(definition)) return [-180, -90, 180, 90];
    return remembered(this.#memory?.extents, definition, () => this.#loaded().extentOf(definition));
  }

  /** The definitions that a worker thread needs to transform between two systems. */
  recipe(from: CrsText, to: CrsText): TransformerRecipe {
    return this.#pair(from, to).recipe;
  }

  /** The coordinate operation between two systems, for the report. */
  operation(from: CrsText, to: CrsText): OperationDescription {
    return this.#pair(from, to).operation;
  }

  #pair(from: CrsText, to: CrsText): CrsPair {
    const ask = (): CrsPair => this.#loaded().transformer(from, to);
    if (this.#memory === null) return ask();
    return remembered(this.#memory.pairs, `${from}\0${to}`, () => {
      const { isIdentity, recipe, operation } = ask();
      return { isIdentity, recipe, operation };
    });
  }

  #loaded(): Proj {
    if (this.#proj !== null) return this.#proj;
    if (this.#memory !== null) throw new CrsAnswerMissing('PROJ is not loaded');
    throw new Error('CrsService.prepare was not called with this CRS');
  }
}

/** For readers, which ask before the plan knows any CRS. */
export function describing(crs: CrsService): (definition: CrsText) => Promise<CrsDescription> {
  return async (definition) => {
    await crs.prepare([definition]);
    return crs.describe(definition, 'input');
  };
}

function remembered<Answer>(
  answers: Map<string, Answer> | undefined,
  key: string,
  ask: () => Answer,
): Answer {
  const known = answers?.get(key);
  if (known !== undefined) return known;
  const answer = ask();
  answers?.set(key, answer);
  return answer;
}
