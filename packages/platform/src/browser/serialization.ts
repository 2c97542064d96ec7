/** Values as bytes, as serialization.ts of Node.js has them, for files of this worker. */

const TAGS = [
  ...['undefined', 'null', 'false', 'true', 'number', 'bigint', 'string', 'array', 'object', 'map', 'set'],
  ...['int8', 'uint8', 'clamped', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64', 'bigint64'],
  ...['biguint64', 'buffer', 'view', 'date'],
] as const;
type Tag = (typeof TAGS)[number];
const CODES = new Map<Tag, number>(TAGS.map((tag, code) => [tag, code]));

const ARRAYS = {
  ...{
    int8: Int8Array,
    uint8: Uint8Array,
    clamped: Uint8ClampedArray,
    int16: Int16Array,
    uint16: Uint16Array,
  },
  ...{ int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array },
  ...{ bigint64: BigInt64Array, biguint64: BigUint64Array },
} as const;
type ArrayTag = keyof typeof ARRAYS;

/** Starts of typed arrays, in bytes, are multiples of this. */
const ALIGNMENT = 8;

class Output {
  bytes = new Uint8Array(1 << 12);
  view = new DataView(this.bytes.buffer);
  length = 0;

  reserve(count: number): number {
    const start = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      grown.set(this.bytes.subarray(0, start));
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    return start;
  }

  tag(tag: Tag): void {
    this.bytes[this.reserve(1)] = CODES.get(tag) as number;
  }

  count(value: number): void {
    this.view.setFloat64(this.reserve(8), value, true);
  }

  text(text: string): void {
    // UTF-16, because a text may have lone surrogates.
    this.count(text.length);
    const start = this.reserve(2 * text.length);
    for (let i = 0; i < text.length; i++) this.view.setUint16(start + 2 * i, text.charCodeAt(i), true);
  }

  block(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.reserve((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT);
    const start = this.reserve(bytes.length);
    this.bytes.set(bytes, start);
  }
}

export function serialized(value: unknown): Uint8Array<ArrayBuffer> {
  const output = new Output();
  write(output, value);
  return output.bytes.slice(0, output.length);
}

function write(output: Output, value: unknown): void {
  if (value === undefined) output.tag('undefined');
  else if (value === null) output.tag('null');
  else if (typeof value === 'boolean') output.tag(value ? 'true' : 'false');
  else if (typeof value === 'number') {
    output.tag('number');
    output.count(value);
  } else if (typeof value === 'bigint' || typeof value === 'string') {
    output.tag(typeof value === 'bigint' ? 'bigint' : 'string');
    output.text(String(value));
  } else if (typeof value === 'object') writeObject(output, value);
  else throw new TypeError(`a ${typeof value} cannot be serialized`);
}

function writeObject(output: Output, value: object): void {
  if (Array.isArray(value)) {
    output.tag('array');
    output.count(value.length);
    for (const item of value) write(output, item);
  } else if (ArrayBuffer.isView(value)) {
    output.tag(arrayTag(value));
    output.block(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (value instanceof ArrayBuffer) {
    output.tag('buffer');
    output.block(new Uint8Array(value));
  } else if (value instanceof Map) {
    output.tag('map');
    output.count(value.size);
    for (const [key, item] of value) {
      write(output, key);
      write(output, item);
    }
  } else if (value instanceof Set) {
    output.tag('set');
    output.count(value.size);
    for (const item of value) write(output, item);
  } else if (value instanceof Date) {
    output.tag('date');
    output.count(value.getTime());
  } else {
    const entries = Object.entries(value);
    output.tag('object');
    output.count(entries.length);
    for (const [key, item] of entries) {
      output.text(key);
      write(output, item);
    }
  }
}

function arrayTag(value: ArrayBufferView): ArrayTag | 'view' {
  if (value instanceof DataView) return 'view';
  for (const [tag, type] of Object.entries(ARRAYS)) if (value instanceof type) return tag as ArrayTag;
  throw new TypeError(`${value.constructor.name} cannot be serialized`);
}

export function deserialized(bytes: Uint8Array): unknown {
  return new Input(bytes).value();
}

class Input {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(): unknown {
    const tag = TAGS[this.#bytes[this.#at++]];
    switch (tag) {
      case 'undefined':
        return undefined;
      case 'null':
        return null;
      case 'false':
      case 'true':
        return tag === 'true';
      case 'number':
        return this.#count();
      case 'bigint':
        return BigInt(this.#text());
      case 'string':
        return this.#text();
      case 'array':
        return Array.from({ length: this.#count() }, () => this.value());
      case 'object':
        return Object.fromEntries(
          Array.from({ length: this.#count() }, () => [this.#text(), this.value()] as const),
        );
      case 'map':
        return new Map(Array.from({ length: this.#count() }, () => [this.value(), this.value()] as const));
      case 'set':
        return new Set(Array.from({ length: this.#count() }, () => this.value()));
      case 'date':
        return new Date(this.#count());
      case 'buffer':
        return this.#block().buffer;
      case 'view':
        return new DataView(this.#block().buffer);
      case undefined:
        throw new Error(`no value begins at byte ${this.#at - 1}`);
      default:
        return new ARRAYS[tag](this.#block().buffer);
    }
  }

  #count(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  #text(): string {
    const length = this.#count();
    const units = new Uint16Array(length);
    for (let i = 0; i < length; i++) units[i] = this.#view.getUint16(this.#at + 2 * i, true);
    this.#at += 2 * length;
    let text = '';
    for (let i = 0; i < length; i += 8192)
      text += String.fromCharCode.apply(null, units.subarray(i, i + 8192) as unknown as number[]);
    return text;
  }

  /** In memory of its own. */
  #block(): Uint8Array<ArrayBuffer> {
    const length = this.#count();
    this.#at += (ALIGNMENT - (this.#at % ALIGNMENT)) % ALIGNMENT;
    const start = this.#at;
    this.#at += length;
    return new Uint8Array(this.#bytes.subarray(start, start + length));
  }
}
