/** The form of buffers, kept as one object of GEOS that is set anew only when another form is asked for. */
import type { GeosModule } from './module.ts';
import type { Pointer } from './native.ts';

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

export class BufferStyles {
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
