/** The central directories of zip archives (APPNOTE.TXT 4.3.12 to 4.3.16), as zip-directory.ts of Node.js gives them. */

import type { DirectoryEntry } from '../shared-types.ts';
import { closeFile, openFileSize, openToRead, readFileAt } from './files.ts';

export type { DirectoryEntry } from '../shared-types.ts';

const END = { signature: 0x06054b50, byteLength: 22, mostComment: 0xffff } as const;
const LOCATOR = { signature: 0x07064b50, byteLength: 20 } as const;
const END64 = { signature: 0x06064b50, byteLength: 56 } as const;
const ENTRY = { signature: 0x02014b50, byteLength: 46 } as const;
const EXTRA64 = 1;
/** Stands for a number in the fields of zip64. */
const ELSEWHERE = 0xffffffff;
/** Bytes of the directory that are read at once: at least the longest entry, of three fields of 64 KiB. */
const WINDOW_BYTES = 1 << 20;

type Read = (offset: number, byteLength: number) => DataView;

export async function readDirectory(
  path: string,
  begin: (entryCount: number) => void,
  take: (entry: DirectoryEntry) => void,
): Promise<void> {
  const file = openToRead(path);
  try {
    const size = openFileSize(file);
    const read: Read = (offset, byteLength) => {
      if (offset < 0 || offset + byteLength > size) throw new Error('the archive is cut off');
      const bytes = new Uint8Array(byteLength);
      readFileAt(file, bytes, offset);
      return new DataView(bytes.buffer);
    };
    const { count, start, byteLength } = directoryOf(read, size);
    begin(count);
    readEntries(read, count, start, start + byteLength, take);
  } finally {
    closeFile(file);
  }
}

interface Directory {
  readonly count: number;
  readonly start: number;
  readonly byteLength: number;
}

function directoryOf(read: Read, size: number): Directory {
  const tailBytes = Math.min(size, END.byteLength + END.mostComment);
  const tail = read(size - tailBytes, tailBytes);
  for (let at = tailBytes - END.byteLength; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END.signature) continue;
    if (tail.getUint16(at + 20, true) !== tailBytes - at - END.byteLength) continue;
    const end = size - tailBytes + at;
    const [disk, count] = [tail.getUint16(at + 4, true), tail.getUint16(at + 10, true)];
    const [byteLength, start] = [tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)];
    const found = directory64(read, end);
    if (found !== null) return found;
    if (disk !== 0) throw new Error('archives of several files cannot be read');
    return { count, start, byteLength };
  }
  throw new Error(
    'the end of the central directory was not found: the archive is cut off, or is no zip archive',
  );
}

/** Null: the archive has no zip64 directory. */
function directory64(read: Read, end: number): Directory | null {
  if (end < LOCATOR.byteLength) return null;
  const locator = read(end - LOCATOR.byteLength, LOCATOR.byteLength);
  if (locator.getUint32(0, true) !== LOCATOR.signature) return null;
  const record = read(safe(locator.getBigUint64(8, true)), END64.byteLength);
  if (record.getUint32(0, true) !== END64.signature) throw new Error('the zip64 directory was not found');
  const [count, byteLength, start] = [32, 40, 48].map((at) => safe(record.getBigUint64(at, true)));
  return { count, byteLength, start };
}

function readEntries(
  read: Read,
  count: number,
  start: number,
  end: number,
  take: (entry: DirectoryEntry) => void,
): void {
  let window: DataView = new DataView(new ArrayBuffer(0));
  let windowStart = start;
  /** The next `byteLength` bytes, at an offset in the window. */
  const at = (offset: number, byteLength: number): number => {
    if (offset + byteLength > end) throw new Error('the central directory is cut off');
    if (offset + byteLength > windowStart + window.byteLength) {
      window = read(offset, Math.min(Math.max(WINDOW_BYTES, byteLength), end - offset));
      windowStart = offset;
    }
    return offset - windowStart;
  };
  let offset = start;
  for (let number = 0; number < count; number++) {
    const head = at(offset, ENTRY.byteLength);
    if (window.getUint32(head, true) !== ENTRY.signature)
      throw new Error(`entry ${number + 1} of the central directory was not found`);
    const [name, extra, comment] = [28, 30, 32].map((field) => window.getUint16(head + field, true));
    const byteLength = ENTRY.byteLength + name + extra + comment;
    take(entryAt(window, at(offset, byteLength), name, extra));
    offset += byteLength;
  }
}

function entryAt(view: DataView, at: number, nameBytes: number, extraBytes: number): DirectoryEntry {
  const name = at + ENTRY.byteLength;
  const long = { unpackedBytes: view.getUint32(at + 24, true), packedBytes: view.getUint32(at + 20, true), headerOffset: view.getUint32(at + 42, true) }; // biome-ignore format: one line
  const end = name + nameBytes + extraBytes;
  for (let field = name + nameBytes; field + 4 <= end; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== EXTRA64) continue;
    const fieldEnd = Math.min(end, field + 4 + view.getUint16(field + 2, true));
    let value = field + 4;
    for (const key of ['unpackedBytes', 'packedBytes', 'headerOffset'] as const) {
      if (long[key] !== ELSEWHERE) continue;
      if (value + 8 > fieldEnd) throw new Error('a zip64 field is too short');
      long[key] = safe(view.getBigUint64(value, true));
      value += 8;
    }
    break;
  }
  return {
    nameBytes: new Uint8Array(view.buffer.slice(name, name + nameBytes) as ArrayBuffer),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    ...long,
    crc32: view.getUint32(at + 16, true),
    versionMadeBy: view.getUint16(at + 4, true),
    externalAttributes: view.getUint32(at + 38, true),
  };
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new Error('a number of the zip64 directory is too large');
  return Number(value);
}
