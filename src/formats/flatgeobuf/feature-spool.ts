/** Encoded features that wait until their layer is complete: a few in memory, many in a file. */
import { rmSync } from 'node:fs';
import { type Dimensions, dimensionsOf, hasM, hasZ } from '../../batch/geometry-column.ts';
import { type ByteSink, createFileSink } from '../../io/byte-sink.ts';
import { openFileSource } from '../../io/byte-source.ts';
import type { EncodedFeatures } from './feature-encode.ts';

const MEMORY_BYTES = 48 << 20;

/** Features in the file: their lengths, boxes, and bytes follow each other there. */
type Block = Pick<EncodedFeatures, 'dimensions' | 'types'> & {
  readonly start: number;
  readonly rowCount: number;
  readonly byteLength: number;
};

export class FeatureSpool {
  count = 0;
  /** Bytes of all features. */
  byteLength = 0;
  /** minX, minY, maxX, maxY; inverted infinities without a position. */
  readonly extent = Float64Array.of(
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  );
  /** A bit for each GEOMETRY_TYPE that occurs. */
  types = 0;
  /** The ordinates that some features have. */
  dimensions: Dimensions = 'XY';
  /** All features have them. */
  isUniform = true;
  readonly #path: string;
  readonly #memoryBytes: number;
  readonly #blocks: Block[] = [];
  #kept: EncodedFeatures[] = [];
  #file: ByteSink | null = null;

  /** `path` is used only for many bytes; a file that a killed run left there is overwritten. */
  constructor(path: string, memoryBytes = MEMORY_BYTES) {
    this.#path = path;
    this.#memoryBytes = memoryBytes;
  }

  append(features: EncodedFeatures): void {
    const { lengths, bytes, boxes, types, dimensions } = features;
    if (lengths.length === 0) return;
    const wide = dimensionsOf(
      hasZ(dimensions) || hasZ(this.dimensions),
      hasM(dimensions) || hasM(this.dimensions),
    );
    this.isUniform &&= this.count === 0 || (wide === this.dimensions && wide === dimensions);
    this.dimensions = wide;
    this.types |= types;
    this.count += lengths.length;
    this.byteLength += bytes.length;
    const { extent } = this;
    for (let i = 0; i < boxes.length; i += 4) {
      if (boxes[i] < extent[0]) extent[0] = boxes[i];
      if (boxes[i + 1] < extent[1]) extent[1] = boxes[i + 1];
      if (boxes[i + 2] > extent[2]) extent[2] = boxes[i + 2];
      if (boxes[i + 3] > extent[3]) extent[3] = boxes[i + 3];
    }
    this.#kept.push(features);
    if (this.#file === null && this.byteLength <= this.#memoryBytes) return;
    this.#file ??= createFileSink(this.#path, true);
    for (const kept of this.#kept) this.#move(kept, this.#file);
    this.#kept = [];
  }

  /** All features, in their order. */
  *chunks(): Generator<EncodedFeatures, void, undefined> {
    if (this.#blocks.length > 0) {
      using source = openFileSource(this.#path);
      for (const { start, rowCount, byteLength, dimensions, types } of this.#blocks) {
        const boxesAt = rowCount * 4;
        const bytesAt = boxesAt + rowCount * 32;
        const block = source.slice(start, start + bytesAt + byteLength);
        const lengths = new Uint32Array(block.buffer, 0, rowCount);
        // Boxes may not be aligned there.
        const boxes = new Float64Array(block.buffer.slice(boxesAt, bytesAt));
        yield { lengths, boxes, bytes: block.subarray(bytesAt), dimensions, types };
      }
    }
    yield* this.#kept;
  }

  discard(): void {
    this.#kept = [];
    this.#file?.close();
    this.#file = null;
    rmSync(this.#path, { force: true });
  }

  #move({ lengths, boxes, bytes, dimensions, types }: EncodedFeatures, file: ByteSink): void {
    const start = file.byteLength;
    for (const part of [lengths, boxes, bytes])
      file.append(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    this.#blocks.push({ start, rowCount: lengths.length, byteLength: bytes.length, dimensions, types });
  }
}
