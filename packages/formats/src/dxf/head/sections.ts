/**
 * Locates the sections of a drawing. In text files only their marks are searched, at memory speed: SECTION and ENDSEC
 * are not group codes, so a line with one of them is a value, and the line before shows whether its code is 0. Nothing
 * else in the file needs to be read for this.
 */

import { failure } from '@geomill/core/messages/errors.ts';
import { CR, LF } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { byteView, latin1Text, newByteView } from '@geomill/platform/bytes.ts';
import { dxfErrors } from '../messages.ts';
import { countSourceLines } from '../tags/lines.ts';

export interface Section {
  readonly name: string;
  /** Offset of its first record after "0 SECTION 2 name". */
  readonly start: number;
  /** Offset of the record ENDSEC. */
  readonly end: number;
}

export interface SectionList {
  readonly sections: readonly Section[];
  /** The file ends with EOF, as required. */
  readonly hasEof: boolean;
}

/** Small enough to stay in the processor's cache between reading and searching. */
const CHUNK_BYTES = 1 << 19;
/** Bytes around a mark that are needed: its code line before it, the section's name after it. */
const MARGIN_BYTES = 512;

/** Throws DXF_TRUNCATED if the last section has no end. */
export function findSections(source: ByteSource, fileName: string): SectionList {
  const sections: Section[] = [];
  let open: { name: string; start: number } | null = null;
  let lastEnd = -1;
  const marks = new MarkSearch(source);
  for (let mark = marks.next(); mark !== null; mark = marks.next()) {
    if (mark.name !== null) {
      // A section that begins before the last one ended: its ENDSEC is missing, its content is not.
      if (open !== null) sections.push({ ...open, end: mark.at });
      open = { name: mark.name, start: mark.end };
    } else if (open !== null) {
      sections.push({ ...open, end: mark.at });
      open = null;
      lastEnd = mark.end;
    }
  }
  // A section without name and content before EOF has no end, and nothing that could be lost.
  const hasNothing = open?.name === '' && hasEofAt(source, open.start);
  if (open !== null && !hasNothing) throw truncated(source, fileName, open.name);
  return { sections, hasEof: hasNothing || (lastEnd >= 0 && hasEofAt(source, lastEnd)) };
}

function truncated(source: ByteSource, fileName: string, section: string): Error {
  const line = countSourceLines(source, 0, source.byteLength) + 1;
  return failure(dxfErrors.DXF_TRUNCATED, { source: fileName, line, section }, { line });
}

function hasEofAt(source: ByteSource, at: number): boolean {
  const text = latin1Text(source.slice(at, at + MARGIN_BYTES));
  return /^(?:[ \t]*999[ \t]*\r?[\r\n].*\r?[\r\n])*[ \t]*0[ \t]*(?:\r\n|\r|\n)[ \t]*EOF/.test(text);
}

/** Bytes `[start, end)` of the source, in `memory`. */
function readPart(source: ByteSource, memory: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = memory.subarray(0, Math.min(end, source.byteLength) - start);
  source.readInto(bytes, start);
  return bytes;
}

interface Mark {
  /** The section that begins; null: a section ends. */
  readonly name: string | null;
  /** Offset of the line with code 0. */
  readonly at: number;
  /** Offset of the next record. */
  readonly end: number;
}

/** Three rare bytes that both marks contain: the search runs at the speed of memchr. */
const RARE = new TextEncoder().encode('SEC');

/** Finds "0 SECTION 2 name" and "0 ENDSEC" in a text file, in order. */
class MarkSearch {
  readonly #source: ByteSource;
  readonly #memory = new Uint8Array(CHUNK_BYTES + 2 * MARGIN_BYTES);
  #bytes = newByteView(0);
  /** Offset in the source of `#bytes`. */
  #base = 0;
  /** Offsets in `#bytes`: where the search continues, and the end of the chunk. */
  #at = 0;
  #searchEnd = 0;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#load(0);
  }

  next(): Mark | null {
    for (;;) {
      const found = this.#bytes.indexOf(RARE, this.#at);
      if (found < 0 || found >= this.#searchEnd) {
        const next = this.#base + this.#searchEnd;
        if (next >= this.#source.byteLength) return null;
        this.#load(next);
        continue;
      }
      this.#at = found + 3;
      const mark = this.#markAt(found);
      if (mark !== null) return mark;
    }
  }

  #load(searchStart: number): void {
    const base = Math.max(0, searchStart - MARGIN_BYTES);
    const bytes = readPart(this.#source, this.#memory, base, searchStart + CHUNK_BYTES + MARGIN_BYTES);
    this.#bytes = byteView(bytes);
    this.#base = base;
    this.#at = searchStart - base;
    this.#searchEnd = Math.min(this.#at + CHUNK_BYTES, bytes.length);
  }

  #markAt(found: number): Mark | null {
    const bytes = this.#bytes;
    const isEnd = found >= 3 && latin1Text(bytes, found - 3, found) === 'END';
    const isStart = !isEnd && latin1Text(bytes, found, Math.min(found + 7, bytes.length)) === 'SECTION';
    if (!isEnd && !isStart) return null;
    const wordStart = isEnd ? found - 3 : found;
    const next = this.#lineEnd(wordStart + (isEnd ? 6 : 7));
    const at = this.#zeroLineBefore(wordStart);
    if (next < 0 || at < 0) return null;
    if (isEnd) return { name: null, at: this.#base + at, end: this.#base + next };
    const head = /^[ \t]*2[ \t]*(?:\r\n|\r|\n)[ \t]*([^\r\n]*?)[ \t]*(?:\r\n|\r|\n)/.exec(
      latin1Text(bytes, next, Math.min(next + MARGIN_BYTES - 64, bytes.length)),
    );
    return head === null
      ? { name: '', at: this.#base + at, end: this.#base + next }
      : { name: head[1].toUpperCase(), at: this.#base + at, end: this.#base + next + head[0].length };
  }

  /** The offset after the line whose rest begins at `at`, or -1 if the rest is not blank. */
  #lineEnd(at: number): number {
    const bytes = this.#bytes;
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
    if (at >= bytes.length) return at;
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
    return -1;
  }

  /**
   * The start of the line before `wordStart`'s line if that line is "0" and nothing comes before `wordStart` in its
   * own; else -1.
   */
  #zeroLineBefore(wordStart: number): number {
    const bytes = this.#bytes;
    let at = wordStart - 1;
    while (at >= 0 && (bytes[at] === 0x20 || bytes[at] === 0x09)) at--;
    if (bytes[at] === LF) at -= bytes[at - 1] === CR ? 2 : 1;
    else if (bytes[at] === CR) at--;
    else return -1;
    while (at >= 0 && (bytes[at] === 0x20 || bytes[at] === 0x09)) at--;
    let zeros = 0;
    while (at >= 0 && bytes[at] === 0x30) {
      at--;
      zeros++;
    }
    while (at >= 0 && (bytes[at] === 0x20 || bytes[at] === 0x09)) at--;
    const isLineStart = at < 0 ? true : bytes[at] === LF || bytes[at] === CR || bytes[at] === 0xbf;
    return zeros > 0 && isLineStart ? at + 1 : -1;
  }
}
