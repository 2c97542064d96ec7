/** Builds tiles of sorted records: MVT 2.1, compressed with gzip, at most as large as the limit. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { gzip } from '@geomill/platform/compression.ts';
import { digestOf } from '@geomill/platform/digests.ts';
import { LayerWriter } from './layer-writer.ts';
import { HEAD_BYTES, RecordView } from './records.ts';
import { CELL, EXTENT } from './state.ts';

/** Records of whole tiles. Structured-clonable. */
export interface TileWork {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tileLimit: number;
  readonly layers: readonly { readonly name: string; readonly fields: readonly string[] }[];
}

export interface BuiltTiles {
  readonly tiles: Float64Array<ArrayBuffer>;
  /** Bytes of each; 0: nothing is left in it. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** `DIGEST_BYTES` for each tile. */
  readonly digests: Int32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each tile, features left out for its size, and points left out for others on their pixel. */
  readonly left: Uint32Array<ArrayBuffer>;
  readonly thinned: Uint32Array<ArrayBuffer>;
}

/** How often a smaller number of features is tried, and more often only until some fit. */
const TRIALS = 8;
/** How often features are left out that are too large alone. */
const MOST_ROUNDS = 4;

/** The bytes of the work are detached afterwards: those of one tile can be tens of megabytes. */
export function buildTiles({ bytes, tileLimit, layers }: TileWork): BuiltTiles {
  const view = new RecordView(bytes);
  const builder = new TileBuilder(view, layers, tileLimit);
  const out = new ByteWriter(bytes.length >> 1);
  const tiles: number[] = [];
  const lengths: number[] = [];
  const left: number[] = [];
  const thinned: number[] = [];
  const digests = new ByteWriter();
  for (let at = 0; at < bytes.length; ) {
    const tile = view.tile(at);
    const records: number[] = [];
    for (; at < bytes.length && view.tile(at) === tile; at += view.byteLength(at)) records.push(at);
    const built = builder.build(records);
    out.copy(built.bytes);
    tiles.push(tile);
    lengths.push(built.bytes.length);
    left.push(built.left);
    thinned.push(built.thinned);
    digests.copy(digestOf('sha1', built.bytes));
  }
  bytes.buffer.transfer(0);
  return {
    tiles: Float64Array.from(tiles),
    lengths: Uint32Array.from(lengths),
    left: Uint32Array.from(left),
    thinned: Uint32Array.from(thinned),
    digests: new Int32Array(digests.take().buffer),
    bytes: out.take(),
  };
}

interface BuiltTile {
  readonly bytes: Uint8Array;
  readonly left: number;
  readonly thinned: number;
}

class TileBuilder {
  readonly #view: RecordView;
  readonly #layers: readonly LayerWriter[];
  readonly #limit: number;
  readonly #tile = new ByteWriter();

  constructor(view: RecordView, layers: TileWork['layers'], limit: number) {
    this.#view = view;
    this.#layers = layers.map((layer) => new LayerWriter(view, layer));
    this.#limit = limit;
  }

  /** `all`: records of one tile. */
  build(all: readonly number[]): BuiltTile {
    const { records, thinned } = this.#thin(all);
    const bytes = this.#pack(records);
    if (bytes.length <= this.#limit) return { bytes, left: 0, thinned };
    return { ...this.#reduce(records, bytes.length), thinned };
  }

  /**
   * The largest features that fit: their number is tried by halves, beginning where the size says. If the first one is too large alone,
   * it is left out, and so are others that are by their share of the bytes.
   */
  #reduce(
    records: readonly number[],
    byteLength: number,
    rounds = MOST_ROUNDS,
  ): Pick<BuiltTile, 'bytes' | 'left'> {
    const view = this.#view;
    const byRank = [...records].sort((a, b) => view.rank(b) - view.rank(a) || a - b);
    let fits = 0;
    let bytes: Uint8Array = new Uint8Array(0);
    let tooMany = records.length;
    let count = Math.floor((records.length * this.#limit) / byteLength);
    for (let trial = 0; (trial < TRIALS || fits === 0) && tooMany - fits > 1; trial++) {
      count = Math.min(Math.max(count, fits + 1), tooMany - 1);
      const packed = this.#pack(byRank.slice(0, count).sort((a, b) => a - b));
      if (packed.length <= this.#limit) {
        fits = count;
        bytes = packed;
      } else tooMany = count;
      count = Math.floor((fits + tooMany) / 2);
    }
    if (fits > 0 || rounds === 0) return { bytes, left: records.length - fits };
    const total = records.reduce((sum, at) => sum + view.byteLength(at), 0);
    const most = (this.#limit / byteLength) * total;
    const others = records.filter((at) => at !== byRank[0] && view.byteLength(at) <= most);
    if (others.length === 0) return { bytes, left: records.length };
    const packed = this.#pack(others);
    const left = records.length - others.length;
    if (packed.length <= this.#limit) return { bytes: packed, left };
    const reduced = this.#reduce(others, packed.length, rounds - 1);
    return { ...reduced, left: reduced.left + left };
  }

  /** Without points on pixels that have one; `thinned` counts those in the tile itself. */
  #thin(all: readonly number[]): { readonly records: readonly number[]; readonly thinned: number } {
    const view = this.#view;
    const cells = new Set<number>();
    let thinned = 0;
    const records = all.filter((at) => {
      if (!view.isThinned(at)) return true;
      const [x, y] = this.#pointOf(at);
      const key = (view.layer(at) * 2048 + Math.floor(x / CELL) + 512) * 2048 + Math.floor(y / CELL) + 512;
      if (!cells.has(key)) {
        cells.add(key);
        return true;
      }
      if (x >= 0 && x < EXTENT && y >= 0 && y < EXTENT) thinned++;
      return false;
    });
    return { records, thinned };
  }

  /** Of a record with one point. */
  #pointOf(at: number): [x: number, y: number] {
    const { bytes } = this.#view;
    let from = at + HEAD_BYTES + 1;
    const next = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[from++];
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
      }
    };
    return [next(), next()];
  }

  #pack(records: readonly number[]): Uint8Array {
    const tile = this.#tile;
    tile.reset();
    for (let first = 0; first < records.length; ) {
      const layer = this.#view.layer(records[first]);
      let end = first;
      while (end < records.length && this.#view.layer(records[end]) === layer) end++;
      this.#layers[layer].write(records, first, end, tile);
      first = end;
    }
    // A window as small as the tile: most tiles are small, and to clear a large one takes longer than to compress them.
    const windowBits = Math.min(15, Math.max(9, 32 - Math.clz32(tile.length)));
    const memLevel = tile.length < 4096 ? 4 : 8;
    // The result is in one array of at most this size.
    const chunkSize = tile.length + (tile.length >> 8) + 64;
    return gzip(tile.written(), { level: 6, windowBits, memLevel, chunkSize });
  }
}
