/**
 * Collects the features of a layer and writes the file when all are there: the header and the index precede them, and state
 * their number and extent. Memory does not grow with the layer.
 */
import { GEOMETRY_TYPE, hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { unfinishedPath } from '@geomill/io/output-place.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { copyWords } from './copy-words.ts';
import type { EncodedFeatures } from './feature-encode.ts';
import { FeatureSpool } from './feature-spool.ts';
import { widenFeatures } from './feature-widen.ts';
import { MAGIC } from './header.ts';
import { encodeHeader, type SinkHeader } from './header-write.ts';
import { visitSorted } from './hilbert-sort.ts';
import { IndexWriter, NODE_SIZE } from './index-write.ts';
import { flatgeobufFindings } from './messages.ts';

/** Features are appended to the file in blocks of this size. */
const BLOCK_BYTES = 1 << 20;

export class FlatGeobufSink implements OutputSink {
  readonly #path: string;
  readonly #layer: SinkHeader;
  readonly #context: WriteContext;
  readonly #file: OutputFileSink;
  /** Beginning of the paths of temporary files. */
  readonly #temporary: string;
  #spool: FeatureSpool;

  constructor(path: string, layer: SinkHeader, context: WriteContext) {
    this.#path = path;
    this.#layer = layer;
    this.#context = context;
    this.#temporary = unfinishedPath(path, context.expected);
    this.#file = new OutputFileSink(path, context.expected);
    this.#spool = new FeatureSpool(`${this.#temporary}.features`);
  }

  append(_layerIndex: number, chunk: unknown): void {
    this.#spool.append(chunk as EncodedFeatures);
  }

  async finish(): Promise<OutputFile> {
    this.#widen();
    const spool = this.#spool;
    const hasIndex = this.#context.options.spatial_index !== false && spool.count > 0;
    const [minX] = spool.extent;
    const header = encodeHeader(this.#layer, {
      count: spool.count,
      geometryType: commonType(spool.types),
      hasZ: hasZ(spool.dimensions),
      hasM: hasM(spool.dimensions),
      extent: minX === Number.POSITIVE_INFINITY ? null : [...spool.extent],
      nodeSize: hasIndex ? NODE_SIZE : 0,
    });
    this.#file.append(MAGIC);
    this.#file.append(header);
    if (hasIndex) this.#writeSorted(MAGIC.length + header.length);
    else for (const { bytes } of spool.chunks()) this.#file.append(bytes);
    spool.discard();
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#spool.discard();
    this.#file.abort();
  }

  /** Gives all features the same ordinates. */
  #widen(): void {
    const narrow = this.#spool;
    if (narrow.isUniform) return;
    const wide = new FeatureSpool(`${this.#temporary}.widened`);
    this.#spool = wide;
    try {
      for (const chunk of narrow.chunks())
        wide.append(chunk.dimensions === narrow.dimensions ? chunk : widenFeatures(chunk, narrow.dimensions));
    } finally {
      narrow.discard();
    }
  }

  /** Writes the index, which begins at `start`, and the features in its order. */
  #writeSorted(start: number): void {
    const file = this.#file;
    const index = new IndexWriter(this.#spool.count, (offset, bytes) => file.patch(start + offset, bytes));
    // Overwritten as the features are sorted.
    const nothing = new Uint8Array(BLOCK_BYTES);
    for (let left = index.byteLength; left > 0; left -= BLOCK_BYTES)
      file.append(nothing.subarray(0, Math.min(left, BLOCK_BYTES)));
    const block = new Int32Array(BLOCK_BYTES / 4);
    let blockWords = 0;
    let offset = 0;
    const flush = (): void => {
      file.append(new Uint8Array(block.buffer, 0, blockWords * 4));
      blockWords = 0;
    };
    const moved = visitSorted(this.#spool, `${this.#temporary}.sorted`, (words, from, to, boxes, box) => {
      index.add(boxes, box, offset);
      const count = to - from;
      offset += count * 4;
      if (blockWords + count > block.length) flush();
      if (count > block.length)
        file.append(new Uint8Array(words.buffer, words.byteOffset + from * 4, count * 4));
      else {
        copyWords(words, from, to, block, blockWords);
        blockWords += count;
      }
    });
    flush();
    index.finish();
    if (moved > 0)
      this.#context.findings.note(
        flatgeobufFindings.FEATURES_SORTED,
        { layer: this.#layer.layer },
        undefined,
        moved,
      );
  }
}

/** The type of all geometries; 0 if they have several, or if there is none. `types`: a bit for each. */
function commonType(types: number): number {
  const geometries = types & ~(1 << GEOMETRY_TYPE.none);
  const type = 31 - Math.clz32(geometries);
  return geometries === 1 << type ? type : 0;
}
