/** State that all geometries of one GEOS instance share: the module, parameter objects, the count of live geometries. */
import type { GeosModule } from './module.ts';
import { MAKE_VALID_METHODS, type MakeValidMethod, type Pointer } from './native.ts';

/** Compared by identity: make one per step, not one per feature. */
export interface BufferStyle {
  /** Segments of a quarter circle; a chord lies at most `distance * (1 - cos(pi / 4 / quadrantSegments))` inside. */
  readonly quadrantSegments: number;
  /** Of lines. */
  readonly endCap: 'round' | 'flat' | 'square';
  readonly join: 'round' | 'mitre' | 'bevel';
  /** How far a mitre may reach, in multiples of the distance. */
  readonly mitreLimit: number;
}

const END_CAPS = { round: 1, flat: 2, square: 3 } as const;
const JOINS = { round: 1, mitre: 2, bevel: 3 } as const;

/** One parameter object of GEOS, set again only when the style changes. */
class BufferStyles {
  readonly #module: GeosModule;
  #pointer: Pointer = 0;
  #style: BufferStyle | null = null;

  constructor(module: GeosModule) {
    this.#module = module;
  }

  /** Valid until the next call with another style. */
  pointerOf(style: BufferStyle): Pointer {
    if (style === this.#style) return this.#pointer;
    const { native, context } = this.#module;
    if (this.#pointer === 0) this.#pointer = native.GEOSBufferParams_create_r(context);
    if (this.#pointer === 0) throw this.#module.refusal('buffer');
    const params = this.#pointer;
    native.GEOSBufferParams_setQuadrantSegments_r(context, params, style.quadrantSegments);
    native.GEOSBufferParams_setEndCapStyle_r(context, params, END_CAPS[style.endCap]);
    native.GEOSBufferParams_setJoinStyle_r(context, params, JOINS[style.join]);
    native.GEOSBufferParams_setMitreLimit_r(context, params, style.mitreLimit);
    this.#style = style;
    return params;
  }
}

export class GeosInstance {
  readonly module: GeosModule;
  readonly bufferStyles: BufferStyles;
  /** Geometries and prepared geometries that are owned and not yet freed. */
  liveCount = 0;
  #makeValidParams: Pointer = 0;

  constructor(module: GeosModule) {
    this.module = module;
    this.bufferStyles = new BufferStyles(module);
  }

  /** Valid until the next call with another method. */
  makeValidParams(method: MakeValidMethod): Pointer {
    const { native, context } = this.module;
    if (this.#makeValidParams === 0) {
      this.#makeValidParams = native.GEOSMakeValidParams_create_r(context);
      native.GEOSMakeValidParams_setKeepCollapsed_r(context, this.#makeValidParams, 0);
    }
    native.GEOSMakeValidParams_setMethod_r(context, this.#makeValidParams, MAKE_VALID_METHODS[method]);
    return this.#makeValidParams;
  }
}
