/**
 * The members of a zip archive while they grow.
 *
 * The deflate stream of a member is assembled from pieces: one uncompressed block for the head, one run of blocks per
 * appended buffer, ended by a sync flush (so it ends on a byte boundary), and an empty last block. Pieces are
 * compressed independently in the threads of a packer; without one, in the background threads of the runtime, and if those fall
 * behind, in the caller's thread as well, which limits the memory for waiting pieces. Cost: pieces share no history, less than
 * 1 % at megabytes each.
 */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { concatBytes } from '@geomill/platform/bytes.ts';
import { crc32, deflatedRunBeside } from '@geomill/platform/compression.ts';
import type { ByteSink } from './byte-sink.ts';
import type { OutputMember } from './output-package.ts';
import { Spool } from './spool.ts';
import {
  type Content,
  DEFLATE,
  isOfWords,
  type PackedPiece,
  type Packer,
  packPiece,
  SMALL_BYTES,
} from './zip-pack.ts';

/** Number of pieces compressed in the background of the runtime at once, over all members. */
const BACKGROUND_PIECES = 12;
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);
export const LOCAL_HEADER_BYTES = 30;
const METHOD_STORE = 0;
const METHOD_DEFLATE = 8;

/** Compresses the pieces of all members. */
export class Packing {
  readonly #packer: Packer | null;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(packer: Packer | null) {
    this.#packer = packer;
  }

  /** Calls `done` once, at once for a piece that this thread compresses. */
  pack(bytes: Uint8Array<ArrayBuffer>, content: Content, done: (result: PackedPiece | Error) => void): void {
    const isLocal =
      this.#packer === null && (isOfWords(bytes, content) || this.#running >= BACKGROUND_PIECES);
    if (bytes.length < SMALL_BYTES || isLocal) {
      done(packPiece(bytes, content));
      return;
    }
    this.#running++;
    const finish = (result: PackedPiece | Error): void => {
      this.#running--;
      done(result);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    };
    if (this.#packer === null) {
      const crc = crc32(bytes);
      deflatedRunBeside(bytes, DEFLATE).then((packed) => finish({ packed, crc }), finish);
    } else this.#packer.pack(bytes, content).then(finish, finish);
  }

  /** Resolves when the next piece is done. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

interface Piece {
  readonly byteLength: number;
  /** Null while it is being compressed. */
  done: PackedPiece | null;
}

export class ZipMember implements OutputMember {
  readonly name: Uint8Array;
  readonly isAsciiName: boolean;
  head: Uint8Array;
  /** CRC of the bytes after the head. */
  bodyCrc = 0;
  bodyBytes = 0;
  /** Of the local header, if the member is written to its place in the archive; null: it is in a spool. */
  readonly offset: number | null;
  readonly #content: Content;
  readonly #body: Spool | ByteSink;
  /** Null: the member is stored. */
  readonly #packing: Packing | null;
  /** In order. */
  readonly #pieces: Piece[] = [];
  #error: Error | null = null;
  #discarded = false;

  constructor(
    name: string,
    headBytes: number,
    content: Content,
    body: Spool | ByteSink,
    packing: Packing | null,
  ) {
    this.name = new TextEncoder().encode(name);
    this.isAsciiName = this.name.length === name.length;
    this.head = new Uint8Array(headBytes);
    this.#content = content;
    this.#body = body;
    this.#packing = packing;
    this.offset = body instanceof Spool ? null : body.byteLength;
    if (!(body instanceof Spool)) body.append(new Uint8Array(this.#frontBytes));
  }

  /** Bytes of the local header, the name and the head. */
  get #frontBytes(): number {
    return LOCAL_HEADER_BYTES + this.name.length + this.#headBlock.length + this.head.length;
  }

  /** The header of the stored block that is the head. */
  get #headBlock(): Uint8Array {
    const { length } = this.head;
    if (this.#packing === null || length === 0) return new Uint8Array(0);
    return Uint8Array.of(0, length, length >> 8, ~length, ~length >> 8);
  }

  get byteLength(): number {
    return this.head.length + this.bodyBytes;
  }

  get method(): number {
    return this.#packing === null ? METHOD_STORE : METHOD_DEFLATE;
  }

  append(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length === 0) return;
    this.bodyBytes += bytes.length;
    if (this.#packing === null) {
      this.bodyCrc = crc32(bytes, this.bodyCrc);
      this.#body.append(bytes);
      return;
    }
    const piece: Piece = { byteLength: bytes.length, done: null };
    this.#pieces.push(piece);
    this.#packing.pack(bytes, this.#content, (result) => {
      if (result instanceof Error) {
        this.#error ??= result;
        return;
      }
      piece.done = result;
      try {
        this.#drain();
      } catch (thrown) {
        this.#error ??= thrown as Error;
      }
    });
  }

  setHead(bytes: Uint8Array): void {
    if (bytes.length !== this.head.length) throw new RangeError('the head has another length than announced');
    this.head = bytes;
  }

  /** Waits for the pieces still being compressed, then ends the stream. */
  async complete(): Promise<void> {
    if (this.#packing === null) return;
    while (this.#pieces.length > 0 && this.#error === null) await this.#packing.next();
    if (this.#error instanceof GeomillError) throw this.#error;
    if (this.#error !== null)
      throw failure(generalErrors.INTERNAL, { reason: this.#error.message }, undefined, this.#error);
    this.#body.append(LAST_BLOCK);
  }

  get packedBytes(): number {
    const { byteLength } = this.#body;
    const bodyBytes = this.offset === null ? byteLength : byteLength - this.offset - this.#frontBytes;
    return this.#headBlock.length + this.head.length + bodyBytes;
  }

  /** Completes the member in the archive, where the entry says. */
  writeTo(sink: ByteSink, localHeader: Uint8Array): void {
    const front = concatBytes([localHeader, this.name, this.#headBlock, this.head]);
    if (this.offset === null) sink.append(front);
    else sink.patch(this.offset, front);
    if (this.#body instanceof Spool) this.#body.moveTo(sink);
  }

  discard(): void {
    this.#discarded = true;
    if (this.#body instanceof Spool) this.#body.discard();
  }

  #drain(): void {
    while (this.#pieces.length > 0) {
      const { done, byteLength } = this.#pieces[0];
      if (done === null) return;
      this.#pieces.shift();
      this.bodyCrc = combineCrc32(this.bodyCrc, done.crc, byteLength);
      if (!this.#discarded) this.#body.append(done.packed);
    }
  }
}

/** Of CRC-32. */
const POLYNOMIAL = 0xedb88320;

/** Product of two polynomials over GF(2), bits reversed as in CRC-32, modulo its polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/** CRC of `first` followed by `second`, given the CRC of each and the length of the second: multiplication modulo the CRC polynomial. */
export function combineCrc32(first: number, second: number, secondByteLength: number): number {
  // x^(8 * length) by repeated squaring; 0x80000000 is 1, 0x00800000 is x^8.
  let power = 0x80000000;
  let square = 0x00800000;
  for (let rest = secondByteLength; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return (multiply(power, first) ^ second) >>> 0;
}
