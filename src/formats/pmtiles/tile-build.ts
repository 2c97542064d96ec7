/** Builds tiles of sorted records: MVT 2.1, compressed with gzip, at most as large as the limit. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { writeVarint } from './attributes.ts';
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
  /** Equal for equal tiles. */
  readonly digests: readonly string[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each tile, features left out for its size, and points left out for others on their pixel. */
  readonly left: Uint32Array<ArrayBuffer>;
  readonly thinned: Uint32Array<ArrayBuffer>;
}

/** Numbers of members and kinds of their bytes in a tile, a layer and a feature. */
const TILE_LAYER = 0x1a;
const LAYER = { name: 0x0a, feature: 0x12, key: 0x1a, value: 0x22, extent: 0x28, version: 0x78 } as const;
const FEATURE = { id: 0x08, tags: 0x12, type: 0x18, geometry: 0x22 } as const;
/** How often a smaller number of features is tried. */
const TRIALS = 8;

export function buildTiles({ bytes, tileLimit, layers }: TileWork): BuiltTiles {
  const view = new RecordView(bytes);
  const builder = new TileBuilder(view, layers, tileLimit);
  const out = new ByteWriter(bytes.length >> 1);
  const tiles: number[] = [];
  const lengths: number[] = [];
  const left: number[] = [];
  const thinned: number[] = [];
  const digests: string[] = [];
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
    digests.push(hash('sha1', built.bytes, 'base64'));
  }
  return {
    tiles: Float64Array.from(tiles),
    lengths: Uint32Array.from(lengths),
    left: Uint32Array.from(left),
    thinned: Uint32Array.from(thinned),
    digests,
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
  readonly #layers: TileWork['layers'];
  readonly #limit: number;
  readonly #tile = new ByteWriter();
  readonly #features = new ByteWriter();
  readonly #feature = new ByteWriter(1 << 10);
  readonly #values = new ByteWriter();
  readonly #tags = new ByteWriter(1 << 10);
  #latin1: Buffer;

  constructor(view: RecordView, layers: TileWork['layers'], limit: number) {
    this.#view = view;
    this.#layers = layers;
    this.#limit = limit;
    this.#latin1 = Buffer.from(view.bytes.buffer, view.bytes.byteOffset, view.bytes.length);
  }

  /** `all`: records of one tile. */
  build(all: readonly number[]): BuiltTile {
    const { records, thinned } = this.#thin(all);
    const bytes = this.#pack(records);
    if (bytes.length <= this.#limit) return { bytes, left: 0, thinned };
    return { ...this.#reduce(records, bytes.length), thinned };
  }

  /** The largest features that fit: their number is tried by halves, beginning where the size says. */
  #reduce(records: readonly number[], byteLength: number): Pick<BuiltTile, 'bytes' | 'left'> {
    const view = this.#view;
    const byRank = [...records].sort((a, b) => view.rank(b) - view.rank(a) || a - b);
    let fits = 0;
    let bytes: Uint8Array = new Uint8Array(0);
    let tooMany = records.length;
    let count = Math.floor((records.length * this.#limit) / byteLength);
    for (let trial = 0; trial < TRIALS && tooMany - fits > 1; trial++) {
      count = Math.min(Math.max(count, fits + 1), tooMany - 1);
      const packed = this.#pack(byRank.slice(0, count).sort((a, b) => a - b));
      if (packed.length <= this.#limit) {
        fits = count;
        bytes = packed;
      } else tooMany = count;
      count = Math.floor((fits + tooMany) / 2);
    }
    return { bytes, left: records.length - fits };
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
      this.#writeLayer(layer, records, first, end);
      first = end;
    }
    // A window as small as the tile: most tiles are small, and to clear a large one takes longer than to compress them.
    const windowBits = Math.min(15, Math.max(9, 32 - Math.clz32(tile.length)));
    const memLevel = tile.length < 4096 ? 4 : 8;
    return gzipSync(tile.written(), { level: 6, windowBits, memLevel });
  }

  #writeLayer(number: number, records: readonly number[], first: number, end: number): void {
    const { name, fields } = this.#layers[number];
    const features = this.#features;
    const values = this.#values;
    features.reset();
    values.reset();
    const keyOf = new Map<number, number>();
    const placeOf = new Map<string, number>();
    for (let i = first; i < end; i++) this.#writeFeature(records[i], keyOf, placeOf);
    const head = new ByteWriter(1 << 8);
    head.uint8(LAYER.version);
    head.uint8(2);
    writeText(head, LAYER.name, name);
    const keys = new ByteWriter(1 << 8);
    for (const field of keyOf.keys()) writeText(keys, LAYER.key, fields[field]);
    const tail = new ByteWriter(8);
    tail.uint8(LAYER.extent);
    writeVarint(tail, EXTENT);
    const tile = this.#tile;
    tile.uint8(TILE_LAYER);
    writeVarint(tile, head.length + features.length + keys.length + values.length + tail.length);
    for (const part of [head, features, keys, values, tail]) tile.copy(part.bytes, 0, part.length);
  }

  #writeFeature(at: number, keyOf: Map<number, number>, placeOf: Map<string, number>): void {
    const view = this.#view;
    const feature = this.#feature;
    feature.reset();
    const id = view.id(at);
    if (!Number.isNaN(id)) {
      feature.uint8(FEATURE.id);
      writeVarint(feature, id);
    }
    const geometryAt = at + HEAD_BYTES;
    const attributesAt = geometryAt + view.geometryBytes(at);
    this.#collectTags(attributesAt, attributesAt + view.attributeBytes(at), keyOf, placeOf);
    if (this.#tags.length > 0) writeBytes(feature, FEATURE.tags, this.#tags.bytes, 0, this.#tags.length);
    feature.uint8(FEATURE.type);
    feature.uint8(view.type(at));
    writeBytes(feature, FEATURE.geometry, view.bytes, geometryAt, attributesAt);
    writeBytes(this.#features, LAYER.feature, feature.bytes, 0, feature.length);
  }

  #collectTags(start: number, end: number, keyOf: Map<number, number>, placeOf: Map<string, number>): void {
    const { bytes } = this.#view;
    const tags = this.#tags;
    tags.reset();
    let at = start;
    const next = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value >>> 0;
      }
    };
    while (at < end) {
      const field = next();
      const valueEnd = next() + at;
      let key = keyOf.get(field);
      if (key === undefined) {
        key = keyOf.size;
        keyOf.set(field, key);
      }
      const text = this.#latin1.toString('latin1', at, valueEnd);
      let value = placeOf.get(text);
      if (value === undefined) {
        value = placeOf.size;
        placeOf.set(text, value);
        writeBytes(this.#values, LAYER.value, bytes, at, valueEnd);
      }
      writeVarint(tags, key);
      writeVarint(tags, value);
      at = valueEnd;
    }
  }
}

function writeBytes(out: ByteWriter, head: number, bytes: Uint8Array, start: number, end: number): void {
  out.uint8(head);
  writeVarint(out, end - start);
  out.copy(bytes, start, end);
}

function writeText(out: ByteWriter, head: number, text: string): void {
  const utf8 = new TextEncoder().encode(text);
  writeBytes(out, head, utf8, 0, utf8.length);
}
