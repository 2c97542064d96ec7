/**
 * The texts that cells refer to by number. They are written to a file of the job. Threads share their offsets, and the texts up
 * to 64 MiB; more are read in blocks: programs number texts in the order of cells.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { createFileSink } from '@geomill/io/byte-sink.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import type { WorkbookPackage } from './package.ts';
import { readRichText } from './rich-text.ts';
import { XmlParts } from './xml-parts.ts';

/** A table of their offsets is held in memory. */
const MAX_STRINGS = 1 << 24;
/** Longer tables are read from the file. */
const MAX_HELD_BYTES = 64 << 20;
const BLOCK_BYTES = 1 << 14;
/** Blocks that a thread holds: 16 MiB. */
const BLOCKS = 1024;
const FLUSH_BYTES = 1 << 20;

/** The texts of a workbook; plain data that threads share. */
export interface StringTable {
  readonly path: string;
  readonly count: number;
  /** Offsets of the texts, and the end of the last one. */
  readonly offsets: Float64Array<SharedArrayBuffer>;
  /** All texts; null: they are in the file alone. */
  readonly held: Uint8Array<SharedArrayBuffer> | null;
}

export const NO_STRINGS: StringTable = {
  path: '',
  count: 0,
  offsets: new Float64Array(new SharedArrayBuffer(8)),
  held: null,
};

export class SharedStrings {
  readonly #table: StringTable;
  #source: ByteSource | null = null;
  /** Where `find` found the text. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0; // exclusive
  readonly #blocks: (Uint8Array | undefined)[] = [];
  readonly #numbers: number[] = [];

  constructor(table: StringTable) {
    this.#table = table;
  }

  get count(): number {
    return this.#table.count;
  }

  /** Sets `bytes`, `start` and `end`; false: there is no text with this number. */
  find(index: number): boolean {
    const { offsets, count, held } = this.#table;
    if (!Number.isInteger(index) || index < 0 || index >= count) return false;
    const from = offsets[index];
    const to = offsets[index + 1];
    if (held === null) this.#read(from, to);
    else {
      this.bytes = held;
      this.start = from;
      this.end = to;
    }
    return true;
  }

  #read(from: number, to: number): void {
    this.#source ??= openFileSource(this.#table.path);
    const block = Math.floor(from / BLOCK_BYTES);
    const base = block * BLOCK_BYTES;
    if (to > base + BLOCK_BYTES) {
      this.bytes = this.#source.slice(from, to);
      this.start = 0;
      this.end = to - from;
      return;
    }
    const slot = block % BLOCKS;
    if (this.#numbers[slot] !== block) {
      this.#blocks[slot] = this.#source.slice(base, base + BLOCK_BYTES);
      this.#numbers[slot] = block;
    }
    this.bytes = this.#blocks[slot] as Uint8Array;
    this.start = from - base;
    this.end = to - base;
  }

  [Symbol.dispose](): void {
    this.#source?.[Symbol.dispose]();
  }
}

/** Throws XML_SYNTAX and LIMIT_EXCEEDED. */
export async function readSharedStrings(parts: WorkbookPackage, path: string): Promise<StringTable> {
  const segment = await parts.unpack(path);
  const target = parts.scratchPath('strings');
  const sink = createFileSink(target);
  const out = new ByteWriter(FLUSH_BYTES * 2);
  let offsets = sharedOffsets(1024);
  let count = 0;
  let written = 0;
  try {
    using source = openSegment(segment);
    new XmlParts(source, segment.name).read((scanner, at) => {
      if (scanner.isEnd || scanner.depth !== (scanner.isEmpty ? 1 : 2)) return at;
      const from = out.length;
      let next = at;
      try {
        next = readRichText(scanner, at, out);
      } catch (fault) {
        out.length = from;
        throw fault;
      }
      if (count >= MAX_STRINGS) throw tooMany();
      if (count + 2 > offsets.length) offsets = grown(offsets);
      offsets[++count] = written + out.length;
      if (out.length >= FLUSH_BYTES) {
        sink.append(out.written());
        written += out.length;
        out.reset();
      }
      return next;
    });
    sink.append(out.written());
    written += out.length;
  } finally {
    sink.close();
  }
  parts.release(path, segment);
  return { path: target, count, offsets, held: written <= MAX_HELD_BYTES ? heldTexts(target) : null };
}

function grown(offsets: Float64Array): Float64Array<SharedArrayBuffer> {
  const larger = sharedOffsets(offsets.length * 2);
  larger.set(offsets);
  return larger;
}

function sharedOffsets(count: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(count * 8));
}

function heldTexts(path: string): Uint8Array<SharedArrayBuffer> {
  using source = openFileSource(path);
  const held = new Uint8Array(new SharedArrayBuffer(source.byteLength));
  source.readInto(held, 0);
  return held;
}

function tooMany(): Error {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: 'the number of shared strings',
    actual: `more than ${MAX_STRINGS}`,
    limit: MAX_STRINGS,
    setting: 'a fixed limit',
  });
}
