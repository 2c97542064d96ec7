/** A PROJ context: strings and out parameters in the module's memory, and PROJ's error messages. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { loadProjModule, type ProjModule } from './module.ts';
import type { NativeProj, Pointer } from './native.ts';

const DOUBLE_BYTES = 8;
/** Room for the out parameters of one call. */
const SCRATCH_DOUBLES = 16;
/** Size of the coordinate block: 1 MB, small enough for the cache, large enough to make the cost of the call negligible. */
export const BLOCK_DOUBLES = 1 << 17;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class ProjContext {
  readonly native: NativeProj;
  readonly pointer: Pointer;
  /** SCRATCH_DOUBLES doubles for out parameters; values are valid until the next use. */
  readonly scratch: Pointer;
  readonly #module: ProjModule;
  #block: Pointer = 0;
  #bytes = new Uint8Array(0);
  #doubles = new Float64Array(0);

  private constructor(module: ProjModule) {
    this.#module = module;
    this.native = module.native;
    this.pointer = this.native.proj_context_create();
    this.native.proj_context_set_enable_network(this.pointer, 0);
    this.scratch = this.allocate(SCRATCH_DOUBLES * DOUBLE_BYTES);
  }

  static async load(gridDirectory: string | null): Promise<ProjContext> {
    return new ProjContext(await loadProjModule(gridDirectory));
  }

  /** The memory as bytes. Get it for each use, because any call may grow the memory and detach older views. */
  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.#module.memory.buffer)
      this.#bytes = new Uint8Array(this.#module.memory.buffer);
    return this.#bytes;
  }

  /** The memory as doubles; index = address / 8. Get it for each use, as `bytes`. */
  get doubles(): Float64Array {
    if (this.#doubles.buffer !== this.#module.memory.buffer)
      this.#doubles = new Float64Array(this.#module.memory.buffer);
    return this.#doubles;
  }

  get isBroken(): boolean {
    return this.#module.isBroken;
  }

  allocate(byteLength: number): Pointer {
    const pointer = this.native.malloc(byteLength);
    if (pointer === 0) throw new Error(`PROJ's memory is exhausted: ${byteLength} bytes were asked for`);
    return pointer;
  }

  /** BLOCK_DOUBLES doubles for coordinates, the same for all transformers; allocated at the first use. */
  get block(): Pointer {
    if (this.#block === 0) this.#block = this.allocate(BLOCK_DOUBLES * DOUBLE_BYTES);
    return this.#block;
  }

  /** Calls `use` with the text as a C string that is valid during the call. */
  withString<Result>(text: string, use: (pointer: Pointer) => Result): Result {
    const encoded = encoder.encode(text);
    const pointer = this.allocate(encoded.length + 1);
    try {
      this.bytes.set(encoded, pointer);
      this.bytes[pointer + encoded.length] = 0;
      return use(pointer);
    } finally {
      this.native.free(pointer);
    }
  }

  /** Calls `use` with a null-terminated array of C strings, as PROJ takes options. */
  withOptions<Result>(options: readonly string[], use: (pointer: Pointer) => Result): Result {
    const encoded = encoder.encode(options.map((option) => `${option}\0`).join(''));
    const tableBytes = (options.length + 1) * 4;
    const pointer = this.allocate(tableBytes + encoded.length);
    try {
      const table = new DataView(this.bytes.buffer, pointer, tableBytes);
      let at = pointer + tableBytes;
      options.forEach((option, index) => {
        table.setUint32(index * 4, at, true);
        at += encoder.encode(option).length + 1;
      });
      table.setUint32(options.length * 4, 0, true);
      this.bytes.set(encoded, pointer + tableBytes);
      return use(pointer);
    } finally {
      this.native.free(pointer);
    }
  }

  /** The C string at `pointer`; null for the null pointer. */
  text(pointer: Pointer): string | null {
    if (pointer === 0) return null;
    const end = this.bytes.indexOf(0, pointer);
    return decoder.decode(this.bytes.subarray(pointer, end));
  }

  /** Address of scratch slot `index`, each one double wide. */
  slot(index: number): Pointer {
    return this.scratch + index * DOUBLE_BYTES;
  }

  doubleAt(pointer: Pointer): number {
    return this.doubles[pointer / DOUBLE_BYTES];
  }

  int32At(pointer: Pointer): number {
    return new DataView(this.bytes.buffer).getInt32(pointer, true);
  }

  /** The string whose address is at `pointer`. */
  textAt(pointer: Pointer): string | null {
    return this.text(this.int32At(pointer));
  }

  /** Discards earlier error messages, so that `reason` is about the calls that follow. */
  clearMessages(): void {
    this.#module.takeMessages();
  }

  /** PROJ's message about the last failed call, without the name of the C function. */
  reason(fallback: string): string {
    const lines = this.#module
      .takeMessages()
      .join('\n')
      .split('\n')
      .map((line) => line.replace(/^(?:proj|pj)_\w+: /, '').trim())
      .filter((line) => line !== '');
    if (lines.length > 0) return [...new Set(lines)].join(' ').slice(0, 300);
    const errno = this.native.proj_context_errno(this.pointer);
    const known = errno === 0 ? null : this.text(this.native.proj_context_errno_string(this.pointer, errno));
    return known === null || known.startsWith('Unknown error') ? fallback : known;
  }
}

/** A PJ and its only owner: `using` frees it. */
export class ProjObject {
  readonly pointer: Pointer;
  readonly #native: NativeProj;
  #isAlive = true;

  constructor(context: ProjContext, pointer: Pointer) {
    this.pointer = pointer;
    this.#native = context.native;
  }

  [Symbol.dispose](): void {
    if (this.#isAlive && this.pointer !== 0) this.#native.proj_destroy(this.pointer);
    this.#isAlive = false;
  }
}

/** The operation of a pipeline that PROJ wrote. */
export function pipelineObject(context: ProjContext, pipeline: string): ProjObject {
  const made = new ProjObject(
    context,
    context.withString(pipeline, (text) => context.native.proj_create(context.pointer, text)),
  );
  if (made.pointer === 0)
    throw failure(generalErrors.INTERNAL, {
      reason: `PROJ does not take its own pipeline: ${context.reason(pipeline)}`,
    });
  return made;
}
