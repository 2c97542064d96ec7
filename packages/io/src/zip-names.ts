/**
 * Names of members of a zip archive, read at once and only to recognise what is in it: an archive that cannot be read has none here, and
 * its reader reports why.
 */
import { latin1Text } from '@geomill/platform/bytes.ts';
import type { ByteSource } from './byte-source.ts';

const END_BYTES = 22;
/** The end has a comment of at most 65,535 bytes after it. */
const LONGEST_END = END_BYTES + 0xffff;
const ENTRY_BYTES = 46;
/** Bytes of the directory that are read; those of more members do not change what the archive is. */
const MAX_DIRECTORY_BYTES = 1 << 20;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
/** In place of an offset in an archive with zip64. */
const ELSEWHERE = 0xffffffff;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_LOCATOR = 0x07064b50;

/** Whether a file begins like a zip archive, possibly an empty one. */
export function isZip(firstBytes: Uint8Array): boolean {
  const [p, k, a, b] = firstBytes;
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6));
}

/** With slashes between folders. The names of the first members, if there are very many. */
export function zipNames(source: ByteSource): string[] {
  const tail = source.slice(
    Math.max(0, source.byteLength - LONGEST_END - ZIP64_LOCATOR_BYTES),
    source.byteLength,
  );
  const view = new DataView(tail.buffer);
  for (let at = tail.length - END_BYTES; at >= 0; at--)
    if (view.getUint32(at, true) === END_SIGNATURE)
      return namesFrom(source, directoryStart(source, view, at));
  return [];
}

function directoryStart(source: ByteSource, view: DataView, end: number): number {
  const start = view.getUint32(end + 16, true);
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (start !== ELSEWHERE || locator < 0 || view.getUint32(locator, true) !== ZIP64_LOCATOR) return start;
  const record = uint64(view, locator + 8);
  const found = source.slice(record, record + 56);
  return found.length < 56 ? ELSEWHERE : uint64(new DataView(found.buffer), 48);
}

function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

function namesFrom(source: ByteSource, start: number): string[] {
  if (start >= source.byteLength) return [];
  const bytes = source.slice(start, start + MAX_DIRECTORY_BYTES);
  const view = new DataView(bytes.buffer);
  const names: string[] = [];
  for (let at = 0; at + ENTRY_BYTES <= bytes.length && view.getUint32(at, true) === ENTRY_SIGNATURE; ) {
    const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    if (nameEnd > bytes.length) break;
    names.push(latin1Text(bytes.subarray(at + ENTRY_BYTES, nameEnd)).replaceAll('\\', '/'));
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names;
}
