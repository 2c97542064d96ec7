/** PROJ for the main thread, loaded only when a CRS other than EPSG:4326 occurs. */
import type { Bounds } from '../batch/bounds.ts';
import type { CrsDescription, CrsText } from '../crs/crs.ts';
import { isPlainWgs84, WGS84_DESCRIPTION } from '../crs/wgs84.ts';
import type { OperationDescription, Proj, TransformerRecipe } from '../engines/proj/proj.ts';
import { loadProj } from './load-proj.ts';
import type { CrsAuthority } from './source-crs.ts';

export class CrsService implements CrsAuthority {
  readonly #gridDirectory: string | null;
  #proj: Proj | null = null;
  readonly #extents = new Map<CrsText, Bounds | null>();

  constructor(gridDirectory: string | null) {
    this.#gridDirectory = gridDirectory;
  }

  /** Loads PROJ if any of the definitions needs it; after this the other methods are synchronous. */
  async prepare(definitions: readonly (CrsText | null)[]): Promise<void> {
    if (definitions.every((definition) => definition === null || isPlainWgs84(definition))) return;
    this.#proj = await loadProj(this.#gridDirectory);
  }

  describe(definition: CrsText, path: string): CrsDescription {
    return isPlainWgs84(definition) ? WGS84_DESCRIPTION : this.#loaded().describe(definition, path);
  }

  equivalent(a: CrsText, b: CrsText): boolean {
    return a === b || (isPlainWgs84(a) && isPlainWgs84(b)) || this.#loaded().transformer(a, b).isIdentity;
  }

  extentOf(definition: CrsText): Bounds | null {
    if (isPlainWgs84(definition)) return [-180, -90, 180, 90];
    const known = this.#extents.get(definition);
    if (known !== undefined) return known;
    const extent = this.#loaded().extentOf(definition);
    this.#extents.set(definition, extent);
    return extent;
  }

  /** The definitions that a worker thread needs to transform between two systems. */
  recipe(from: CrsText, to: CrsText): TransformerRecipe {
    return this.#loaded().transformer(from, to).recipe;
  }

  /** The coordinate operation between two systems, for the report. */
  operation(from: CrsText, to: CrsText): OperationDescription {
    return this.#loaded().transformer(from, to).operation;
  }

  #loaded(): Proj {
    if (this.#proj === null) throw new Error('CrsService.prepare was not called with this CRS');
    return this.#proj;
  }
}
