/**
 * Splits a file without parsing it, at the first bytes near each nominal offset that look like the beginning of a
 * feature. An unescaped quote cannot be inside a string, so a false match can only be an object nested in properties or
 * foreign members; the reader detects those when it checks where features really begin.
 */
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  LF,
  LOWER_N,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  RECORD_SEPARATOR,
} from '../../bytes/ascii.ts';
import { JsonFault } from '../../bytes/json-fault.ts';
import type { JsonScanner } from '../../bytes/json-scanner.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { JsonWindow } from '../../io/json-window.ts';
import type { Partition } from '../format.ts';
import { isGeoJsonType } from './collection-members.ts';
import { GEOJSON } from './dialect.ts';
import type { Head } from './head.ts';

/** Bytes searched at once, and bytes around them that may be read. */
const SEARCH_BYTES = 1 << 16;
const MARGIN_BYTES = 1 << 11;

/** Members that may come before the one that identifies a feature. */
const MAX_LEADING_MEMBERS = 4;

export function cutSource(source: ByteSource, head: Head, partitionBytes: number): Partition[] {
  const { byteLength } = source;
  const partitions: Partition[] = [];
  let start = head.firstStart;
  let nominal = start + partitionBytes;
  // A rest shorter than half a partition does not become a partition of its own.
  while (nominal < byteLength - partitionBytes / 2) {
    const end = findStart(source, head, nominal, Math.min(nominal + partitionBytes, byteLength));
    if (end === null) nominal += partitionBytes;
    else {
      partitions.push({ start, end });
      start = end;
      nominal = end + partitionBytes;
    }
  }
  partitions.push({ start, end: byteLength });
  return partitions;
}

/** The first offset in `[from, to)` where a feature seems to begin. */
function findStart(source: ByteSource, head: Head, from: number, to: number): number | null {
  const window = new JsonWindow(source, '', GEOJSON);
  for (let at = from; at < to; at += SEARCH_BYTES) {
    const base = Math.max(0, at - MARGIN_BYTES);
    const searchEnd = Math.min(at + SEARCH_BYTES, to);
    window.load(base, searchEnd + MARGIN_BYTES);
    const found = findInWindow(window.scanner, head, at - base, searchEnd - base);
    if (found !== null) return base + found;
  }
  return null;
}

function findInWindow(scanner: JsonScanner, head: Head, from: number, to: number): number | null {
  const { bytes } = scanner;
  const landmark = head.mode === 'collection' ? OPEN_BRACE : head.hasSeparators ? RECORD_SEPARATOR : LF;
  let at = bytes.indexOf(landmark, from);
  for (; at >= 0 && at < to; at = bytes.indexOf(landmark, at + 1)) {
    if (landmark === RECORD_SEPARATOR) {
      let start = scanner.space(at + 1);
      while (bytes[start] === RECORD_SEPARATOR) start = scanner.space(start + 1);
      if (bytes[start] === OPEN_BRACE) return start;
    } else if (landmark === LF) {
      // Records begin in the first column; objects inside a record that is formatted over several lines are indented.
      if (bytes[at + 1] === OPEN_BRACE && beginsLikeFeature(scanner, at + 1, true)) return at + 1;
    } else if (followsElement(bytes, at) && beginsLikeFeature(scanner, at, false)) return at;
  }
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

/** Whether the object at `at` begins like a Feature, or like any GeoJSON text if `anyType`. */
function beginsLikeFeature(scanner: JsonScanner, at: number, anyType: boolean): boolean {
  const { bytes } = scanner;
  try {
    for (let member = 0; member <= MAX_LEADING_MEMBERS; member++) {
      at = scanner.space(at + 1);
      if (bytes[at] !== QUOTE) return false;
      const keyEnd = scanner.string(at);
      const key = scanner.text(at + 1, keyEnd);
      at = scanner.punctuation(keyEnd + 1, COLON);
      if (key === 'type') {
        if (bytes[at] !== QUOTE) return false;
        const type = scanner.text(at + 1, scanner.string(at));
        return type === 'Feature' || (anyType && isGeoJsonType(type));
      }
      if (key === 'geometry' || key === 'properties')
        return bytes[at] === OPEN_BRACE || bytes[at] === LOWER_N;
      if (anyType && (key === 'coordinates' || key === 'geometries')) return bytes[at] === OPEN_BRACKET;
      at = scanner.space(scanner.skip(at, 0));
      if (bytes[at] !== COMMA) return false;
    }
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
  }
  return false;
}
