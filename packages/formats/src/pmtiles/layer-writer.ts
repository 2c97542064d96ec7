/** Writes a layer of a vector tile (MVT 2.1, 4.1): its features, and the keys and values that they have. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { concatBytes } from '@geomill/platform/bytes.ts';
import { varintBytes, writeVarint } from './attributes.ts';
import { HEAD_BYTES, type RecordView } from './records.ts';
import { EXTENT } from './state.ts';
import { ValueTable } from './value-table.ts';

/** Numbers of members and kinds of their bytes in a tile, a layer and a feature. */
const TILE_LAYER = 0x1a;
const LAYER = { name: 0x0a, feature: 0x12, key: 0x1a, value: 0x22, extent: 0x28, version: 0x78 } as const;
const FEATURE = { id: 0x08, tags: 0x12, type: 0x18, geometry: 0x22 } as const;

export class LayerWriter {
  readonly #view: RecordView;
  /** Version and name of the layer, the keys of fields, and the extent, as they are written. */
  readonly #head: Uint8Array;
  readonly #keys: readonly Uint8Array[];
  readonly #tail: Uint8Array;
  readonly #features = new ByteWriter();
  readonly #tags = new ByteWriter(1 << 10);
  readonly #values = new ValueTable();
  /** For each field its number in the tile, counted from 1; 0: none yet. */
  readonly #keyOf: Uint32Array;
  readonly #usedFields: number[] = [];

  constructor(
    view: RecordView,
    { name, fields }: { readonly name: string; readonly fields: readonly string[] },
  ) {
    this.#view = view;
    const version = Uint8Array.of(LAYER.version, 2);
    this.#head = concatBytes([version, member(LAYER.name, name)]);
    this.#keys = fields.map((field) => member(LAYER.key, field));
    const tail = new ByteWriter(8);
    tail.uint8(LAYER.extent);
    writeVarint(tail, EXTENT);
    this.#tail = tail.take();
    this.#keyOf = new Uint32Array(fields.length);
  }

  /** Writes the records `[first, end)`, which are of this layer. */
  write(records: readonly number[], first: number, end: number, out: ByteWriter): void {
    const features = this.#features;
    const values = this.#values;
    features.reset();
    values.reset();
    for (const field of this.#usedFields) this.#keyOf[field] = 0;
    this.#usedFields.length = 0;
    for (let i = first; i < end; i++) this.#writeFeature(records[i]);
    let length = this.#head.length + features.length + this.#tail.length;
    for (const field of this.#usedFields) length += this.#keys[field].length;
    for (let i = 0; i < values.count; i++) length += memberBytes(values.end(i) - values.start(i));
    out.uint8(TILE_LAYER);
    writeVarint(out, length);
    out.copy(this.#head);
    out.copy(features.bytes, 0, features.length);
    for (const field of this.#usedFields) out.copy(this.#keys[field]);
    for (let i = 0; i < values.count; i++)
      writeBytes(out, LAYER.value, values.bytes.bytes, values.start(i), values.end(i));
    out.copy(this.#tail);
  }

  #writeFeature(at: number): void {
    const view = this.#view;
    const id = view.id(at);
    const geometryAt = at + HEAD_BYTES;
    const attributesAt = geometryAt + view.geometryBytes(at);
    this.#collectTags(attributesAt, attributesAt + view.attributeBytes(at));
    const tags = this.#tags;
    const hasId = !Number.isNaN(id);
    const length =
      (hasId ? 1 + varintBytes(id) : 0) +
      (tags.length > 0 ? memberBytes(tags.length) : 0) +
      2 +
      memberBytes(attributesAt - geometryAt);
    const out = this.#features;
    out.uint8(LAYER.feature);
    writeVarint(out, length);
    if (hasId) {
      out.uint8(FEATURE.id);
      writeVarint(out, id);
    }
    if (tags.length > 0) writeBytes(out, FEATURE.tags, tags.bytes, 0, tags.length);
    out.uint8(FEATURE.type);
    out.uint8(view.type(at));
    writeBytes(out, FEATURE.geometry, view.bytes, geometryAt, attributesAt);
  }

  #collectTags(start: number, end: number): void {
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
      if (this.#keyOf[field] === 0) this.#keyOf[field] = this.#usedFields.push(field);
      writeVarint(tags, this.#keyOf[field] - 1);
      writeVarint(tags, this.#values.numberOf(bytes, at, valueEnd));
      at = valueEnd;
    }
  }
}

/** Bytes of a member with so many bytes. */
function memberBytes(length: number): number {
  return 1 + varintBytes(length) + length;
}

function writeBytes(out: ByteWriter, head: number, bytes: Uint8Array, start: number, end: number): void {
  out.uint8(head);
  writeVarint(out, end - start);
  out.copy(bytes, start, end);
}

function member(head: number, text: string): Uint8Array {
  const out = new ByteWriter(text.length * 3 + 16);
  const utf8 = new TextEncoder().encode(text);
  writeBytes(out, head, utf8, 0, utf8.length);
  return out.take();
}
