/**
 * Writes tags in the form of a binary DXF, which the reader of drawings reads: texts in bytes of the drawing's encoding, numbers exact.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { ByteSink } from '@geomill/io/byte-sink.ts';
import { SENTINEL } from '../tags/binary-tags.ts';
import { TAG_VALUE, TAG_VALUES } from '../tags/tag-values.ts';

/** Bytes that are gathered before they are written. */
const CHUNK_BYTES = 1 << 20;

/** A position or a vector; the parser has classes for them. */
export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export class TagOutput {
  readonly #sink: ByteSink;
  readonly #encode: (text: string) => Uint8Array;
  readonly #bytes = new ByteWriter(CHUNK_BYTES);

  constructor(sink: ByteSink, encode: (text: string) => Uint8Array) {
    this.#sink = sink;
    this.#encode = encode;
    this.#bytes.copy(SENTINEL);
  }

  /** A tag with code 0: a record begins. */
  begin(type: string): void {
    this.text(0, type);
  }

  /** A zero byte would end the text; there is none in texts of drawings. */
  text(code: number, value: string): void {
    this.#code(code);
    this.#bytes.copy(this.#encode(value.replaceAll('\0', '')));
    this.#bytes.uint8(0);
  }

  number(code: number, value: number): void {
    this.#code(code);
    switch (TAG_VALUES[code]) {
      case TAG_VALUE.real:
        this.#bytes.float64(value, true);
        break;
      case TAG_VALUE.int16:
        this.#bytes.uint16(value & 0xffff, true);
        break;
      case TAG_VALUE.int32:
        this.#bytes.uint32(value >>> 0, true);
        break;
      case TAG_VALUE.boolean:
        this.#bytes.uint8(value & 1);
        break;
      default:
        throw new Error(`group code ${code} is not that of a number`);
    }
  }

  /** Codes `code`, `code` + 10 and `code` + 20. */
  vector(code: number, { x, y, z }: Vector): void {
    this.plane(code, { x, y });
    this.number(code + 20, z);
  }

  /** Codes `code` and `code` + 10. */
  plane(code: number, { x, y }: Pick<Vector, 'x' | 'y'>): void {
    this.number(code, x);
    this.number(code + 10, y);
  }

  /** An angle in radians, in degrees. */
  degrees(code: number, radians: number): void {
    this.number(code, (radians * 180) / Math.PI);
  }

  handle(code: number, handle: number): void {
    this.text(code, handle.toString(16).toUpperCase());
  }

  /** Bytes with a length: XDATA. */
  chunk(code: number, value: Uint8Array): void {
    this.#code(code);
    this.#bytes.uint8(value.length);
    this.#bytes.copy(value);
  }

  /** Calls `write`; if it throws, what it wrote is taken back. */
  whole(write: () => void): void {
    if (this.#bytes.length > CHUNK_BYTES) this.flush();
    const { length } = this.#bytes;
    try {
      write();
    } catch (error) {
      this.#bytes.length = length;
      throw error;
    }
  }

  flush(): void {
    this.#sink.append(this.#bytes.written());
    this.#bytes.reset();
  }

  #code(code: number): void {
    this.#bytes.uint16(code, true);
  }
}
