/**
 * Loads GEOS: the Emscripten module inside the package `geos-wasm`, one instance for each thread. The C functions are
 * called directly, without the package's wrappers, with a separate context and message handlers.
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { loadGeosModuleObject } from '@geomill/platform/geos-files.ts';
import { geosErrors } from './errors.ts';
import { bindNative, type NativeGeos, type Pointer } from './native.ts';

/** The used members of the Emscripten module object. The views are replaced when the memory grows. */
interface EmscriptenModule {
  readonly HEAPF64: Float64Array<ArrayBuffer>;
  readonly HEAPU32: Uint32Array<ArrayBuffer>;
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  UTF8ToString(pointer: Pointer): string;
  addFunction(callback: (message: Pointer, data: Pointer) => void, signature: string): Pointer;
}

const MAX_REASON_LENGTH = 300;
const FIRST_SCRATCH_DOUBLES = 1 << 13;

/** The instance of this thread; a new one is made after a trap, which leaves the old one in an unknown state. */
let shared: Promise<GeosModule> | null = null;
let generation = 0;

export function loadGeosModule(): Promise<GeosModule> {
  shared ??= load();
  return shared;
}

async function load(): Promise<GeosModule> {
  return new GeosModule((await loadGeosModuleObject(generation)) as EmscriptenModule);
}

export class GeosModule {
  readonly native: NativeGeos;
  readonly context: Pointer;
  readonly #module: EmscriptenModule;
  #scratch: Pointer = 0;
  #scratchDoubles = 0;
  #message = '';
  #isBroken = false;

  constructor(module: EmscriptenModule) {
    this.#module = module;
    this.native = bindNative(module);
    this.context = this.native.GEOS_init_r();
    const keep = module.addFunction((message) => {
      this.#message = module.UTF8ToString(message);
    }, 'vii');
    const ignore = module.addFunction(() => {}, 'vii');
    this.native.GEOSContext_setErrorMessageHandler_r(this.context, keep, 0);
    // Notices repeat the return values (where a geometry is invalid).
    this.native.GEOSContext_setNoticeMessageHandler_r(this.context, ignore, 0);
    this.scratch(FIRST_SCRATCH_DOUBLES);
  }

  /** The memory as doubles, index = address / 8. Get it for each use: any call may grow the memory and detach the view. */
  get doubles(): Float64Array<ArrayBuffer> {
    return this.#module.HEAPF64;
  }

  /** The memory as words, index = address / 4. Get it for each use, as `doubles`. */
  get words(): Uint32Array<ArrayBuffer> {
    return this.#module.HEAPU32;
  }

  get memoryBytes(): number {
    return this.#module.HEAPU8.length;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The scratch block, with at least `doubleCount` doubles; its content is lost when it grows. */
  scratch(doubleCount: number): Pointer {
    if (doubleCount <= this.#scratchDoubles) return this.#scratch;
    const wanted = Math.max(doubleCount, this.#scratchDoubles * 2);
    if (this.#scratch !== 0) this.native.free(this.#scratch);
    this.#scratchDoubles = 0;
    this.#scratch = this.allocate(wanted * 8);
    this.#scratchDoubles = wanted;
    return this.#scratch;
  }

  /** Freed by `native.free`. Throws GEOS_OUT_OF_MEMORY. */
  allocate(byteLength: number): Pointer {
    const pointer = this.native.malloc(byteLength);
    if (pointer === 0) throw failure(geosErrors.GEOS_OUT_OF_MEMORY, { operation: 'copying a geometry' });
    return pointer;
  }

  /** The text at `pointer`, which GEOS allocated; frees it. */
  takeText(pointer: Pointer): string {
    const text = this.#module.UTF8ToString(pointer);
    this.native.GEOSFree_r(this.context, pointer);
    return text;
  }

  /** The error of an operation that returned null, with GEOS's message. */
  refusal(operation: string): GeomillError {
    const reason = this.#message.trim().slice(0, MAX_REASON_LENGTH);
    this.#message = '';
    if (reason.includes('bad_alloc')) return failure(geosErrors.GEOS_OUT_OF_MEMORY, { operation });
    return failure(geosErrors.GEOS_FAILED, {
      operation,
      reason: reason === '' ? 'GEOS gives no reason' : reason,
    });
  }

  /**
   * The error for an exception of a call: a trap of WebAssembly, after which the instance must not be used. The next
   * `loadGeosModule` creates a new one.
   */
  trapped(operation: string, thrown: unknown): unknown {
    if (!(thrown instanceof Error) || thrown.name === 'GeomillError') return thrown;
    this.#isBroken = true;
    shared = null;
    generation++;
    if (/memory|stack|oom/i.test(thrown.message))
      return failure(geosErrors.GEOS_OUT_OF_MEMORY, { operation }, undefined, thrown);
    return failure(geosErrors.GEOS_FAILED, { operation, reason: thrown.message }, undefined, thrown);
  }
}
