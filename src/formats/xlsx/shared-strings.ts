/**
 * The texts that cells refer to by number. They are written to a file of the job; as much of it as fits is held in memory,
 * the rest is read in blocks, which stay for the cells after them: programs number texts in the order of cells.
 */
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { failure } from '../../errors.ts';
import { createFileSink } from '../../io/byte-sink.ts';
import { type ByteSource, openFileSource } from '../../io/byte-source.ts';
import { openSegment } from '../../io/file-segment.ts';
import type { WorkbookPackage } from './package.ts';
import { readRichText } from './rich-text.ts';
import { XmlParts } from './xml-parts.ts';

/** A table of their offsets is held in memory. */
const MAX_STRINGS = 1 << 24;
const BLOCK_SHIFT = 18;
const BLOCK_BYTES = 1 << BLOCK_SHIFT;
/** Blocks that are held: 64 MiB. */
const BLOCKS = 256;
const FLUSH_BYTES = 1 << 20;

export class SharedStrings {
  /** Offsets of the texts, and the end of the last one. */
  readonly #offsets: Float64Array;
  readonly count: number;
  readonly #source: ByteSource | null;
  /** Where `find` found the text. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0; // exclusive
  readonly #blocks: (Uint8Array | undefined)[] = [];
  readonly #held = new Float64Array(BLOCKS).fill(-1);

  constructor(offsets: Float64Array, count: number, source: ByteSource | null) {
    this.#offsets = offsets;
    this.count = count;
    this.#source = source;
  }

  static none(): SharedStrings {
    return new SharedStrings(new Float64Array(1), 0, null);
  }

  /** Sets `bytes`, `start` and `end`; false: there is no text with this number. */
  find(index: number): boolean {
    if (!(index >= 0 && index < this.count) || this.#source === null) return false;
    const from = this.#offsets[index];
    const to = this.#offsets[index + 1];
    const block = Math.floor(from / BLOCK_BYTES);
    const base = block * BLOCK_BYTES;
    if (to > base + BLOCK_BYTES) {
      this.bytes = this.#source.slice(from, to);
      this.start = 0;
      this.end = to - from;
      return true;
    }
    const slot = block % BLOCKS;
    if (this.#held[slot] !== block) {
      this.#blocks[slot] = this.#source.slice(base, base + BLOCK_BYTES);
      this.#held[slot] = block;
    }
    this.bytes = this.#blocks[slot] as Uint8Array;
    this.start = from - base;
    this.end = to - base;
    return true;
  }

  close(): void {
    this.#source?.[Symbol.dispose]();
  }
}

/** Throws XML_SYNTAX and LIMIT_EXCEEDED. */
export async function readSharedStrings(parts: WorkbookPackage, path: string): Promise<SharedStrings> {
  const segment = await parts.unpack(path);
  const target = parts.scratchPath('strings');
  const sink = createFileSink(target);
  const out = new ByteWriter(FLUSH_BYTES * 2);
  let offsets = new Float64Array(1024);
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
  } finally {
    sink.close();
  }
  parts.release(path, segment);
  return new SharedStrings(offsets, count, openFileSource(target));
}

function grown(offsets: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(offsets.length * 2);
  larger.set(offsets);
  return larger;
}

function tooMany(): Error {
  return failure('LIMIT_EXCEEDED', {
    what: 'the number of shared strings',
    actual: `more than ${MAX_STRINGS}`,
    limit: MAX_STRINGS,
    setting: 'a fixed limit',
  });
}
