/** Checks the tables of a drawing of 2007: numbers about a map of pages and a map of sections, with codes that correct errors. */
import { DwgLZ77AC21Decompressor } from '@node-projects/acad-ts';
import { FileFault, longOf, viewOf } from './file-fault.ts';

const HEAD_OFFSET = 0x80;
const METADATA_BYTES = 0x110;
/** Bytes of a code word that carry data; its length is 255. The words are interleaved. */
const DATA_BYTES = 239;
const WORD_BYTES = 255;
const HEAD_WORDS = 3;
/** Of offsets in the file. */
const PAGES_OFFSET = 0x480;
const MAX_NAME_BYTES = 1024;
const PAGE_BYTES = 56;
const SECTION_BYTES = 64;

/** How a map is stored: bytes in all, packed bytes, and how often the code repeats them. */
interface StoredMap {
  readonly byteLength: number;
  readonly packed: number;
  readonly repeats: number;
}

interface StoredPage {
  readonly offset: number;
  readonly byteLength: number;
}

export function checkMapOf2007(bytes: Uint8Array, limit: number): void {
  const head = metadata(bytes);
  const fileBytes = longOf(head, 0x08);
  if (fileBytes > bytes.length && fileBytes < limit)
    throw new FileFault('the file', 'it is cut off', fileBytes);
  const pages = pageMap(
    mapAt(bytes, longOf(head, 0x38), 'the map of pages', limit, {
      byteLength: longOf(head, 0x58),
      packed: longOf(head, 0x50),
      repeats: longOf(head, 0x18),
    }),
  );
  const at = pages.get(longOf(head, 0xc0));
  if (at === undefined) throw new FileFault('the map of pages', 'it has no map of sections');
  const sections = mapAt(bytes, at.offset, 'the map of sections', limit, {
    byteLength: longOf(head, 0xc8),
    packed: longOf(head, 0xb0),
    repeats: longOf(head, 0xd8),
  });
  checkSections(sections, pages, bytes.length, limit);
}

function metadata(bytes: Uint8Array): DataView {
  const part = 'the head';
  viewOf(bytes, HEAD_OFFSET, HEAD_WORDS * WORD_BYTES, part);
  const data = wordsOf(bytes, HEAD_OFFSET, HEAD_WORDS, HEAD_WORDS * DATA_BYTES);
  const packed = new DataView(data.buffer).getInt32(24, true);
  if (packed > data.length - 32 || -packed > METADATA_BYTES)
    throw new FileFault(part, `it states ${packed} bytes`);
  const head = new Uint8Array(METADATA_BYTES);
  if (packed < 0) head.set(data.subarray(32, 32 - packed));
  else DwgLZ77AC21Decompressor.decompress(data, 32, packed, head);
  return new DataView(head.buffer);
}

/** The data of interleaved code words, as they are: errors are not corrected. */
function wordsOf(bytes: Uint8Array, start: number, words: number, byteLength: number): Uint8Array {
  const data = new Uint8Array(byteLength);
  for (let i = 0; i < byteLength; i++)
    data[i] = bytes[start + Math.floor(i / DATA_BYTES) + (i % DATA_BYTES) * words];
  return data;
}

function mapAt(
  bytes: Uint8Array,
  offset: number,
  part: string,
  limit: number,
  { byteLength, packed, repeats }: StoredMap,
): DataView {
  const stored = Math.ceil(packed / 8) * 8 * repeats;
  if (!(byteLength <= limit && stored <= bytes.length))
    throw new FileFault(part, `it states ${byteLength} bytes`);
  const words = Math.ceil(stored / DATA_BYTES);
  const start = PAGES_OFFSET + offset;
  if (!(start <= bytes.length)) throw new FileFault(part, 'it is cut off', start);
  const map = new Uint8Array(byteLength);
  DwgLZ77AC21Decompressor.decompress(wordsOf(bytes, start, words, stored), 0, packed, map);
  return new DataView(map.buffer);
}

/** Pages follow each other. */
function pageMap(map: DataView): Map<number, StoredPage> {
  const pages = new Map<number, StoredPage>();
  let offset = 0;
  for (let at = 0; at + 16 <= map.byteLength; at += 16) {
    const byteLength = longOf(map, at);
    pages.set(Math.abs(Number(map.getBigInt64(at + 8, true))), { offset, byteLength });
    offset += byteLength;
  }
  return pages;
}

function checkSections(
  map: DataView,
  pages: ReadonlyMap<number, StoredPage>,
  fileBytes: number,
  limit: number,
): void {
  const part = 'the map of sections';
  let total = 0;
  for (let at = 0; at < map.byteLength; ) {
    if (at + SECTION_BYTES > map.byteLength) throw new FileFault(part, 'it ends within a section');
    const nameBytes = longOf(map, at + 0x20);
    const pageCount = longOf(map, at + 0x38);
    if (nameBytes > MAX_NAME_BYTES) throw new FileFault(part, `it has a name of ${nameBytes} bytes`);
    at += SECTION_BYTES + nameBytes;
    if (at + pageCount * PAGE_BYTES > map.byteLength)
      throw new FileFault(part, `it has a section of ${pageCount} pages`);
    let end = 0;
    for (let i = 0; i < pageCount; i++, at += PAGE_BYTES) {
      const unpacked = longOf(map, at + 24);
      const packed = longOf(map, at + 32);
      const first = longOf(map, at);
      // Pages that are left out are zeros.
      total += Math.max(0, first - end) + unpacked;
      if (!(total <= limit && packed <= limit))
        throw new FileFault(part, `its sections have more than ${limit} bytes`);
      end = first + unpacked;
      const page = pages.get(longOf(map, at + 16));
      const last = page === undefined ? 0 : PAGES_OFFSET + page.offset + page.byteLength;
      if (last > fileBytes) throw new FileFault(`page ${longOf(map, at + 16)}`, 'it is cut off', last);
    }
  }
}
