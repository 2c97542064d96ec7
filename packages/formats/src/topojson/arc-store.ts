/** Collects the arcs of a topology in memory that all threads share, while they are being parsed. */
import { type Dimensions, restride } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { topojsonErrors } from './messages.ts';
import type { Arcs, Transform } from './state.ts';

/** 33 million positions, or 22 million with z. */
export const MAX_ARC_MIB = 512;
const MAX_BYTES = MAX_ARC_MIB << 20;
const LEAST_BYTES = 1 << 16;

export class ArcStore {
  readonly #sourceName: string;
  readonly #maxBytes: number;
  #memory: SharedArrayBuffer;
  #coordinates: Float64Array;
  /** In ordinates. */
  #length = 0;
  #dimensions: Dimensions = 'XY';
  #offsets = new Uint32Array(1025);
  #count = 0;

  /** `byteLength` of the file: an ordinate has at least two bytes there. */
  constructor(sourceName: string, byteLength: number) {
    this.#sourceName = sourceName;
    // With z in one position, all have room for it.
    this.#maxBytes = Math.min(MAX_BYTES, Math.max(LEAST_BYTES, byteLength * 6));
    this.#memory = this.#allocate(LEAST_BYTES);
    this.#coordinates = new Float64Array(this.#memory, 0, LEAST_BYTES / 8);
  }

  get count(): number {
    return this.#count;
  }

  /** Appends ordinates `[0, length)` of whole arcs; their numbers of positions are `counts[0, arcCount)`. */
  append(
    coordinates: Float64Array<ArrayBuffer>,
    length: number,
    dimensions: Dimensions,
    counts: Uint32Array,
    arcCount: number,
  ): void {
    let added = coordinates.subarray(0, length);
    if (dimensions !== this.#dimensions) {
      if (this.#dimensions === 'XY') this.#widen(dimensions);
      else added = restride(added, dimensions, this.#dimensions);
    }
    this.#reserve(this.#length + added.length);
    this.#coordinates.set(added, this.#length);
    this.#length += added.length;
    this.#appendCounts(counts, arcCount);
  }

  /** The arcs with all digits, where `transform` is not null from differences. Throws TOPOJSON_STRUCTURE for sums beyond all numbers. */
  finish(transform: Transform | null): Arcs {
    const stride = this.#dimensions === 'XY' ? 2 : 3;
    const offsets = new Uint32Array(new SharedArrayBuffer((this.#count + 1) * 4));
    offsets.set(this.#offsets.subarray(0, this.#count + 1));
    const coordinates = this.#coordinates.subarray(0, this.#length);
    if (transform !== null && !decode(coordinates, offsets, stride, transform)) {
      const { offset } = transform;
      const reason = "with this 'transform' a position is larger than any number";
      throw failure(topojsonErrors.TOPOJSON_STRUCTURE, { offset, reason }, { offset });
    }
    return { coordinates, offsets, stride };
  }

  #appendCounts(counts: Uint32Array, arcCount: number): void {
    const needed = this.#count + arcCount + 1;
    if (needed > this.#offsets.length) {
      const larger = new Uint32Array(Math.max(needed, this.#offsets.length * 2));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    for (let i = 0; i < arcCount; i++) {
      const arc = this.#count++;
      this.#offsets[arc + 1] = this.#offsets[arc] + counts[i];
    }
  }

  #allocate(byteLength: number): SharedArrayBuffer {
    return new SharedArrayBuffer(byteLength, { maxByteLength: this.#maxBytes });
  }

  #reserve(ordinateCount: number): void {
    if (ordinateCount <= this.#coordinates.length) return;
    const needed = ordinateCount * 8;
    if (needed > this.#maxBytes)
      throw failure(topojsonErrors.TOPOJSON_ARCS_TOO_LARGE, { source: this.#sourceName, limit: MAX_ARC_MIB });
    this.#memory.grow(Math.min(this.#maxBytes, Math.max(needed, this.#memory.byteLength * 2) & ~7));
    this.#coordinates = new Float64Array(this.#memory, 0, Math.floor(this.#memory.byteLength / 8));
  }

  #widen(dimensions: Dimensions): void {
    const before = this.#coordinates.slice(0, this.#length);
    this.#length = 0;
    this.#reserve((before.length / 2) * 3);
    const widened = restride(before, 'XY', dimensions);
    this.#coordinates.set(widened);
    this.#length = widened.length;
    this.#dimensions = dimensions;
  }
}

/** Positions of an arc are differences from the one before; z is stored as it is. Returns whether all are finite. */
function decode(
  coordinates: Float64Array,
  offsets: Uint32Array,
  stride: number,
  { scale, translate }: Transform,
): boolean {
  const [scaleX, scaleY] = scale;
  const [translateX, translateY] = translate;
  let at = 0;
  for (let arc = 0; arc + 1 < offsets.length; arc++) {
    let x = 0;
    let y = 0;
    for (const end = offsets[arc + 1] * stride; at < end; at += stride) {
      x += coordinates[at];
      y += coordinates[at + 1];
      coordinates[at] = x * scaleX + translateX;
      coordinates[at + 1] = y * scaleY + translateY;
      if (!Number.isFinite(coordinates[at]) || !Number.isFinite(coordinates[at + 1])) return false;
    }
  }
  return true;
}
