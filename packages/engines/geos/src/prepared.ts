/** A geometry indexed for many predicates. It borrows the geometry it was made of, which must live longer. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { GeosInstance } from './instance.ts';
import type { Pointer, Predicate } from './native.ts';

/** A GeosGeometry; geometry.ts imports this file, so it is named by what is used of it. */
interface Other {
  readonly pointer: Pointer;
}

export class GeosPrepared {
  readonly #shared: GeosInstance;
  #pointer: Pointer;

  /** For engines/geos alone. */
  constructor(shared: GeosInstance, geometry: Pointer) {
    const { module } = shared;
    this.#pointer = module.native.GEOSPrepare_r(module.context, geometry);
    if (this.#pointer === 0) throw module.refusal('prepare');
    this.#shared = shared;
    shared.liveCount++;
  }

  [Symbol.dispose](): void {
    if (this.#pointer === 0) return;
    const { module } = this.#shared;
    if (!module.isBroken) module.native.GEOSPreparedGeom_destroy_r(module.context, this.#pointer);
    this.#pointer = 0;
    this.#shared.liveCount--;
  }

  intersects(other: Other): boolean {
    return this.#answer('intersects', this.#shared.module.native.GEOSPreparedIntersects_r, other);
  }

  contains(other: Other): boolean {
    return this.#answer('contains', this.#shared.module.native.GEOSPreparedContains_r, other);
  }

  covers(other: Other): boolean {
    return this.#answer('covers', this.#shared.module.native.GEOSPreparedCovers_r, other);
  }

  touches(other: Other): boolean {
    return this.#answer('touches', this.#shared.module.native.GEOSPreparedTouches_r, other);
  }

  within(other: Other): boolean {
    return this.#answer('within', this.#shared.module.native.GEOSPreparedWithin_r, other);
  }

  crosses(other: Other): boolean {
    return this.#answer('crosses', this.#shared.module.native.GEOSPreparedCrosses_r, other);
  }

  overlaps(other: Other): boolean {
    return this.#answer('overlaps', this.#shared.module.native.GEOSPreparedOverlaps_r, other);
  }

  /** Inside or on the boundary. */
  intersectsXY(x: number, y: number): boolean {
    const { module } = this.#shared;
    return this.#truth(
      'intersects',
      module.native.GEOSPreparedIntersectsXY_r(module.context, this.#alive, x, y),
    );
  }

  get #alive(): Pointer {
    if (this.#pointer === 0)
      throw failure(generalErrors.INTERNAL, {
        reason: 'a prepared geometry of GEOS was used after it was freed',
      });
    return this.#pointer;
  }

  #answer(operation: string, call: Predicate, other: Other): boolean {
    const { module } = this.#shared;
    try {
      return this.#truth(operation, call(module.context, this.#alive, other.pointer));
    } catch (thrown) {
      throw module.trapped(operation, thrown);
    }
  }

  #truth(operation: string, answer: number): boolean {
    if (answer === 2) throw this.#shared.module.refusal(operation);
    return answer === 1;
  }
}
