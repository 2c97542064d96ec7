/** Directories of a PMTiles 3 archive: a root of at most 16 KiB with the header, and leaves that are written as they are full. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { Spool } from '@geomill/io/spool.ts';
import { gzip } from '@geomill/platform/compression.ts';
import { writeVarint } from './attributes.ts';

export const HEADER_BYTES = 127;
/** The header and the root are read with one request. */
const ROOT_BYTES = 16_384 - HEADER_BYTES;
const LEAF_ENTRIES = 4096;

interface Entry {
  readonly tile: number;
  readonly offset: number;
  readonly byteLength: number;
  /** Tiles in a row that are this one; 0: a leaf. */
  runLength: number;
}

/** Entries in the order of their tiles. */
export class DirectoryWriter {
  addressed = 0;
  entries = 0;
  #open: Entry[] = [];
  #leafEntries: Entry[] = [];
  readonly #leaves: Spool;

  /** `path`: a temporary file. */
  constructor(path: string) {
    this.#leaves = new Spool(path);
  }

  add(tile: number, offset: number, byteLength: number): void {
    this.addressed++;
    const last = this.#open.at(-1);
    if (last !== undefined && last.offset === offset && last.tile + last.runLength === tile) {
      last.runLength++;
      return;
    }
    if (this.#open.length === LEAF_ENTRIES) this.#closeLeaf();
    this.entries++;
    this.#open.push({ tile, offset, byteLength, runLength: 1 });
  }

  get leafBytes(): number {
    return this.#leaves.byteLength;
  }

  /** The root, with leaves of leaves where it would be too large; call it once. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.#leafEntries.length === 0) {
      const root = encodeDirectory(this.#open);
      if (root.length <= ROOT_BYTES) return root;
    }
    if (this.#open.length > 0) this.#closeLeaf();
    for (;;) {
      const root = encodeDirectory(this.#leafEntries);
      if (root.length <= ROOT_BYTES) return root;
      const below = this.#leafEntries;
      this.#leafEntries = [];
      for (let i = 0; i < below.length; i += LEAF_ENTRIES) this.#addLeaf(below.slice(i, i + LEAF_ENTRIES));
    }
  }

  /** Appends the leaves, after `finish`. */
  moveLeavesTo(append: (bytes: Uint8Array) => void): void {
    this.#leaves.moveTo({ append });
  }

  discard(): void {
    this.#leaves.discard();
  }

  #closeLeaf(): void {
    this.#addLeaf(this.#open);
    this.#open = [];
  }

  #addLeaf(entries: readonly Entry[]): void {
    const bytes = encodeDirectory(entries);
    const { tile } = entries[0];
    this.#leafEntries.push({ tile, offset: this.#leaves.byteLength, byteLength: bytes.length, runLength: 0 });
    this.#leaves.append(bytes);
  }
}

function encodeDirectory(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(entries.length * 8 + 16);
  writeVarint(out, entries.length);
  let tile = 0;
  for (const entry of entries) {
    writeVarint(out, entry.tile - tile);
    tile = entry.tile;
  }
  for (const { runLength } of entries) writeVarint(out, runLength);
  for (const { byteLength } of entries) writeVarint(out, byteLength);
  let end = -1;
  for (const { offset, byteLength } of entries) {
    writeVarint(out, offset === end ? 0 : offset + 1);
    end = offset + byteLength;
  }
  return new Uint8Array(gzip(out.written(), { level: 9 }));
}
