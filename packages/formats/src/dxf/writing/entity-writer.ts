/**
 * Writes entities as tags of an ASCII drawing: the bytes of one batch. The offsets of handles are recorded, because
 * only the sink knows the number of entities before this batch.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { DOT, LF, LOWER_E, ZERO } from '@geomill/core/text/ascii.ts';
import { type Digits, writeDigits, writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import { HANDLE, HANDLE_DIGITS } from './handles.ts';

/** Bytes for a code, the longest number and their line ends. */
const TAG_ROOM = 80;
const encoder = new TextEncoder();
const POINT_ZERO = encoder.encode('.0');
const HEX = encoder.encode('0123456789ABCDEF');
const OWNER = encoder.encode(`\n330\n${HANDLE.modelSpace}\n100\nAcDbEntity\n`);
const OWNER_CODE = encoder.encode('\n330\n');
const ENTITY_CLASS = encoder.encode('\n100\nAcDbEntity\n');
const NOTHING = new Uint8Array(0);
const VERTEX_FLAGS = encoder.encode('70\n32\n');
/** Numbers below 1e8 that differ more from an integer keep decimals when they are rounded to 12 digits or more. */
const NEAR_INTEGER = 1e-4;

/** The first tags of all entities of a kind. Belongs to one EntityWriter, as it caches the layer. */
interface EntityHead {
  /** The tag of the type, and the code of the handle. */
  readonly type: Uint8Array;
  /** Subclass markers, and the tags before or between them. */
  readonly classes: Uint8Array;
  layer: Uint8Array;
  /** Owner, layer and classes. */
  joined: Uint8Array;
}

/** `classes` are tags as they are in the file. */
export function entityHead(type: string, classes: string): EntityHead {
  return {
    type: encoder.encode(`0\n${type}\n5\n`),
    classes: encoder.encode(classes),
    layer: NOTHING,
    joined: NOTHING,
  };
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter(256);
  for (const piece of pieces) writer.copy(piece);
  return writer.take();
}

export class EntityWriter {
  readonly out: ByteWriter;
  /** Number of handles assigned. */
  handleCount = 0;
  /** The tags of the layer, and of the colour if it is not the layer's. */
  layer: Uint8Array = NOTHING;
  color: Uint8Array = NOTHING;
  readonly #vertex = entityHead('VERTEX', '100\nAcDbVertex\n100\nAcDb3dPolylineVertex\n');
  readonly #sequenceEnd = entityHead('SEQEND', '');
  readonly #digits: Digits;
  #handleOffsets = new Uint32Array(1 << 12);
  readonly #owners: number[] = [];

  constructor(initialBytes: number, digits: Digits) {
    this.out = new ByteWriter(initialBytes);
    this.#digits = digits;
  }

  /** Offsets of handles in the bytes: HANDLE_DIGITS hexadecimal digits, counted from 0 in this batch. */
  handleOffsets(): Uint32Array<ArrayBuffer> {
    return this.#handleOffsets.slice(0, this.handleCount);
  }

  /** Offset in the bytes and number of each handle that refers to an owner in this batch, in pairs. */
  owners(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#owners);
  }

  /** Begins an entity: its type, handle, owner, layer and colour, its subclass markers. */
  begin(head: EntityHead): void {
    const { out } = this;
    out.copy(head.type);
    this.#handle();
    if (this.color.length !== 0) {
      out.copy(OWNER);
      out.copy(this.layer);
      out.copy(this.color);
      out.copy(head.classes);
      return;
    }
    // Most entities of a kind have the same layer as the previous one: one copy instead of three.
    if (head.layer !== this.layer) {
      head.layer = this.layer;
      head.joined = joined(OWNER, this.layer, head.classes);
    }
    out.copy(head.joined);
  }

  /** Begins an entity that belongs to another one of the batch, by the number of its handle. */
  beginWithin(head: EntityHead, owner: number): void {
    const { out } = this;
    out.copy(head.type);
    this.#handle();
    out.copy(OWNER_CODE);
    this.#owners.push(out.length, owner);
    out.reserve(HANDLE_DIGITS);
    writeHandle(out.bytes, out.length, owner);
    out.length += HANDLE_DIGITS;
    out.copy(ENTITY_CLASS);
    out.copy(this.layer);
    out.copy(this.color);
    out.copy(head.classes);
  }

  /** A tag with a code of two digits and a real number. */
  real(code: number, value: number): void {
    this.#code(code);
    this.#real(value);
    this.out.bytes[this.out.length++] = LF;
  }

  /** A tag with a code of two digits and an integer of at least 0. */
  integer(code: number, value: number): void {
    this.#code(code);
    writeInteger(this.out, value);
    this.out.uint8(LF);
  }

  point(code: number, x: number, y: number, z: number): void {
    this.real(code, x);
    this.real(code + 10, y);
    this.real(code + 20, z);
  }

  /** Tags 10 and 20 of each position of `coordinates[start, end)`, both in ordinates. */
  vertices(coordinates: Float64Array, start: number, end: number, stride: number): void {
    for (let at = start; at < end; at += stride) {
      this.real(10, coordinates[at]);
      this.real(20, coordinates[at + 1]);
    }
  }

  /** Writes the VERTEX entities of a 3D POLYLINE and the SEQEND after them. */
  vertexEntities(coordinates: Float64Array, start: number, end: number, stride: number): void {
    for (let at = start; at < end; at += stride) {
      this.begin(this.#vertex);
      this.point(10, coordinates[at], coordinates[at + 1], coordinates[at + 2]);
      this.out.copy(VERTEX_FLAGS);
    }
    this.begin(this.#sequenceEnd);
  }

  /** Appends the bytes `[start, end)` again. */
  repeat(start: number, end: number): void {
    const { out } = this;
    out.reserve(end - start);
    out.bytes.copyWithin(out.length, start, end);
    out.length += end - start;
  }

  #code(code: number): void {
    const { out } = this;
    out.reserve(TAG_ROOM);
    const { bytes } = out;
    const tens = (code / 10) | 0;
    bytes[out.length] = ZERO + tens;
    bytes[out.length + 1] = ZERO + code - tens * 10;
    bytes[out.length + 2] = LF;
    out.length += 3;
  }

  /** Writes a real with a point or an exponent. Reserves at least one more byte. */
  #real(value: number): void {
    const { out } = this;
    const start = out.length;
    const digits = this.#digits;
    if (digits === 0) {
      writeNumber(out, value);
      if (!Number.isInteger(value)) return;
    } else {
      writeDigits(out, value, digits);
      if (digits >= 12 && Math.abs(value) < 1e8 && Math.abs(value - Math.round(value)) > NEAR_INTEGER) return;
    }
    const { bytes } = out;
    for (let i = start; i < out.length; i++) if (bytes[i] === DOT || bytes[i] === LOWER_E) return;
    out.copy(POINT_ZERO);
    out.reserve(1);
  }

  #handle(): void {
    const { out } = this;
    const handle = this.handleCount++;
    if (handle === this.#handleOffsets.length) {
      const grown = new Uint32Array(handle * 2);
      grown.set(this.#handleOffsets);
      this.#handleOffsets = grown;
    }
    this.#handleOffsets[handle] = out.length;
    out.reserve(HANDLE_DIGITS);
    writeHandle(out.bytes, out.length, handle);
    out.length += HANDLE_DIGITS;
  }
}

/** Writes a handle as HANDLE_DIGITS hexadecimal digits at `offset`. */
export function writeHandle(bytes: Uint8Array, offset: number, handle: number): void {
  for (let i = offset + HANDLE_DIGITS - 1, rest = handle; i >= offset; i--, rest >>>= 4)
    bytes[i] = HEX[rest & 15];
}
