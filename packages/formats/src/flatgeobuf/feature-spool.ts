/** Encoded features that wait until their layer is complete: a few in memory, many in a file. Chunks that are appended belong to it. */
import { type Dimensions, dimensionsOf, hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { type ByteSink, createFileSink } from '@geomill/io/byte-sink.ts';
import { openFileSource, ReusedMemory } from '@geomill/io/byte-source.ts';
import { removeFile } from '@geomill/platform/files.ts';
import { mostMemory } from '@geomill/platform/process-facts.ts';
import type { EncodedFeatures } from './feature-encode.ts';

/** Bytes in memory; more go to the file. */
interface SpoolMemory {
  /** Used in any case. */
  readonly least: number;
  /** Used if the process never had `processBytes` or more in memory: readers need between 50 and 400 MB. */
  readonly most: number;
  readonly processBytes: number;
}

const MEMORY: SpoolMemory = { least: 96 << 20, most: 256 << 20, processBytes: 480 << 20 };

/** Features in the file: their boxes, lengths and bytes follow each other there. */
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
  readonly #memory: SpoolMemory;
  readonly #blocks: Block[] = [];
  #kept: EncodedFeatures[] = [];
  #keptBytes = 0;
  #file: ByteSink | null = null;

  /** `path` is used only for many bytes; a file that a killed run left there is overwritten. */
  constructor(path: string, memory = MEMORY) {
    this.#path = path;
    this.#memory = memory;
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
    this.#keptBytes += bytes.byteLength + boxes.byteLength + lengths.byteLength;
    if (this.#file === null && this.#hasMemory()) return;
    this.#file ??= createFileSink(this.#path, true);
    for (const kept of this.#kept) this.#move(kept, this.#file);
    this.#kept = [];
  }

  get isInFile(): boolean {
    return this.#file !== null;
  }

  /** All features in their order. Chunks of the file share memory: each is valid until the next one. */
  *chunks(): Generator<EncodedFeatures, void, undefined> {
    yield* this.#read(true);
    yield* this.#kept;
  }

  /** As `chunks`, but chunks of the file are without bytes. */
  *heads(): Generator<EncodedFeatures, void, undefined> {
    yield* this.#read(false);
    yield* this.#kept;
  }

  discard(): void {
    this.#kept = [];
    this.#file?.close();
    this.#file = null;
    removeFile(this.#path);
  }

  #hasMemory(): boolean {
    const { least, most, processBytes } = this.#memory;
    if (this.#keptBytes <= least) return true;
    // The most that it had: what it has now is in /proc, which a sandboxed process does not see.
    return this.#keptBytes <= most && mostMemory() < processBytes;
  }

  *#read(withBytes: boolean): Generator<EncodedFeatures, void, undefined> {
    if (this.#blocks.length === 0) return;
    using source = openFileSource(this.#path);
    const memory = new ReusedMemory();
    for (const { start, rowCount, byteLength, dimensions, types } of this.#blocks) {
      const lengthsAt = rowCount * 32;
      const headBytes = lengthsAt + rowCount * 4;
      const bytesAt = alignedTo8(headBytes);
      const block = memory.take(bytesAt + byteLength);
      source.readInto(block.subarray(0, headBytes), start);
      if (withBytes) source.readInto(block.subarray(bytesAt, bytesAt + byteLength), start + headBytes);
      const boxes = new Float64Array(block.buffer, 0, rowCount * 4);
      const lengths = new Uint32Array(block.buffer, lengthsAt, rowCount);
      const bytes = block.subarray(bytesAt, bytesAt + (withBytes ? byteLength : 0));
      yield { lengths, boxes, bytes, dimensions, types };
    }
  }

  #move({ lengths, boxes, bytes, dimensions, types }: EncodedFeatures, file: ByteSink): void {
    const start = file.byteLength;
    this.#blocks.push({ start, rowCount: lengths.length, byteLength: bytes.length, dimensions, types });
    for (const part of [boxes, lengths, bytes]) {
      file.append(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
      // Frees the memory at once: the sink makes few objects, so that a garbage collection may be many chunks away.
      if (part.byteLength > 0) part.buffer.transfer(0);
    }
  }
}

function alignedTo8(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}
