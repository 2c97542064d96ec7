/**
 * Splits JSON without parsing it, at the first bytes near each nominal offset that look like the beginning of an element. An
 * unescaped quote cannot be inside a string, so a false match can only be an object nested in another one; readers detect
 * those when they check where elements really begin.
 */
import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, QUOTE } from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { ByteSource } from './byte-source.ts';
import { type JsonDialect, JsonWindow } from './json-window.ts';

/** Bytes searched at once, and bytes around them that may be read. */
const SEARCH_BYTES = 1 << 16;
const MARGIN_BYTES = 1 << 11;

/** Members that may come before the one that identifies an element. */
const MAX_LEADING_MEMBERS = 4;

export interface ByteRange {
  readonly start: number;
  readonly end: number; // exclusive
}

/** Ranges that cover `[start, end)`. `find`: the first offset in `[from, to)` of the window where an element seems to begin. */
export function cutJson(
  source: ByteSource,
  { start, end }: ByteRange,
  partitionBytes: number,
  dialect: JsonDialect,
  find: (scanner: JsonScanner, from: number, to: number) => number | null,
): ByteRange[] {
  const ranges: ByteRange[] = [];
  let from = start;
  let nominal = from + partitionBytes;
  // A rest shorter than half a partition does not become a partition of its own.
  while (nominal < end - partitionBytes / 2) {
    const next = findStart(source, nominal, Math.min(nominal + partitionBytes, end), dialect, find);
    if (next === null) nominal += partitionBytes;
    else {
      ranges.push({ start: from, end: next });
      from = next;
      nominal = next + partitionBytes;
    }
  }
  ranges.push({ start: from, end });
  return ranges;
}

/** The first offset in `[from, to)` of the source where an element seems to begin. */
function findStart(
  source: ByteSource,
  from: number,
  to: number,
  dialect: JsonDialect,
  find: (scanner: JsonScanner, from: number, to: number) => number | null,
): number | null {
  const window = new JsonWindow(source, '', dialect);
  for (let at = from; at < to; at += SEARCH_BYTES) {
    const base = Math.max(0, at - MARGIN_BYTES);
    const searchEnd = Math.min(at + SEARCH_BYTES, to);
    window.load(base, searchEnd + MARGIN_BYTES);
    const found = find(window.scanner, at - base, searchEnd - base);
    if (found !== null) return base + found;
  }
  return null;
}

/** The first object in `[from, to)` that follows another one and a comma and begins like an element. */
export function findElement(
  scanner: JsonScanner,
  from: number,
  to: number,
  beginsLikeElement: (at: number) => boolean,
): number | null {
  const { bytes } = scanner;
  // Memory is reused: behind the window may be megabytes of an earlier one.
  const searched = bytes.subarray(0, to);
  for (let at = searched.indexOf(OPEN_BRACE, from); at >= 0; at = searched.indexOf(OPEN_BRACE, at + 1))
    if (followsElement(bytes, at) && beginsLikeElement(at)) return at;
  return null;
}

/** Whether `at` is preceded by `}` and a comma. */
function followsElement(bytes: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isSpace(bytes[before])) before--;
  if (before < 0 || bytes[before] !== COMMA) return false;
  before--;
  while (before >= 0 && isSpace(bytes[before])) before--;
  return before >= 0 && bytes[before] === CLOSE_BRACE;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Whether `accepts` is true for the key and the offset of the value of one of the first members of the object at `at`; null
 * from `accepts`: look at the next member.
 */
export function beginsWithMember(
  scanner: JsonScanner,
  at: number,
  accepts: (key: string, valueAt: number) => boolean | null,
): boolean {
  const { bytes } = scanner;
  try {
    for (let member = 0; member <= MAX_LEADING_MEMBERS; member++) {
      at = scanner.space(at + 1);
      if (bytes[at] !== QUOTE) return false;
      const keyEnd = scanner.string(at);
      const key = scanner.text(at + 1, keyEnd);
      at = scanner.punctuation(keyEnd + 1, COLON);
      const accepted = accepts(key, at);
      if (accepted !== null) return accepted;
      at = scanner.space(scanner.skip(at, 0));
      if (bytes[at] !== COMMA) return false;
    }
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
  }
  return false;
}
