/**
 * Checks the tables with which a drawing of 2004 and later begins, before the parser follows them: it trusts their sizes and
 * counts, and would loop or fill the memory with damaged ones.
 */
import { FileFault, longOf, textOf, viewOf } from './file-fault.ts';
import { checkMapOf2007 } from './file-map-2007.ts';
import { unpack } from './unpack.ts';

const HEAD_OFFSET = 0x80;

/** `limit`: greatest sum of the sizes of the sections. */
export function checkFileMap(bytes: Uint8Array, mark: string, limit: number): void {
  if (mark === 'AC1014' || mark === 'AC1015') checkLocators(bytes);
  else if (mark === 'AC1021' && !isOf2004(bytes)) checkMapOf2007(bytes, limit);
  else checkPages(bytes, limit);
}

/** R14 and 2000: a list of sections with their places. */
function checkLocators(bytes: Uint8Array): void {
  const part = 'the list of sections';
  const view = viewOf(bytes, 0, 25, part);
  const count = view.getInt32(21, true);
  if (count < 3 || count > 64) throw new FileFault(part, `it has ${count} entries`);
  const list = viewOf(bytes, 25, count * 9, part);
  for (let i = 0; i < count; i++) {
    const start = list.getInt32(i * 9 + 1, true);
    const size = list.getInt32(i * 9 + 5, true);
    if (start < 0 || size < 0) throw new FileFault(part, `section ${list.getUint8(i * 9)} is at ${start}`);
    if (start + size > bytes.length)
      throw new FileFault(`section ${list.getUint8(i * 9)}`, 'it is cut off', start + size);
  }
}

const PAGE_HEAD_BYTES = 20;
const FILE_ID = 'AcFssFcAJMB';

/** Some programs write drawings of 2007 in the form of 2004. */
function isOf2004(bytes: Uint8Array): boolean {
  return bytes.length > HEAD_OFFSET + 0x6c && textOf(unmasked(bytes), 0, FILE_ID.length) === FILE_ID;
}

/** The head is masked with the numbers of a generator. */
function unmasked(bytes: Uint8Array): Uint8Array {
  const head = bytes.slice(HEAD_OFFSET, HEAD_OFFSET + 0x6c);
  let random = 1;
  for (let i = 0; i < head.length; i++) {
    random = (random * 0x343fd + 0x269ec3) | 0;
    head[i] ^= (random >> 16) & 0xff;
  }
  return head;
}

/** 2004, and from 2010 on: a map of pages, and a map of sections that are made of these pages. */
function checkPages(bytes: Uint8Array, limit: number): void {
  viewOf(bytes, HEAD_OFFSET, 0x6c, 'the head');
  const head = unmasked(bytes);
  if (textOf(head, 0, FILE_ID.length) !== FILE_ID)
    throw new FileFault('the head', `it does not begin with ${FILE_ID}`);
  const view = new DataView(head.buffer);
  const pages = pageMap(tableAt(bytes, longOf(view, 0x54) + 0x100, 'the map of pages', limit));
  const at = pages.get(view.getUint32(0x5c, true));
  if (at === undefined) throw new FileFault('the map of pages', 'it has no map of sections');
  checkSections(tableAt(bytes, at, 'the map of sections', limit), pages, bytes.length, limit);
}

/** The offset of each page. */
function pageMap(table: DataView): Map<number, number> {
  const pages = new Map<number, number>();
  let offset = 0x100;
  for (let at = 0; at + 8 <= table.byteLength; at += 8) {
    const number = table.getInt32(at, true);
    const size = table.getInt32(at + 4, true);
    if (size < 0) throw new FileFault('the map of pages', `page ${number} has ${size} bytes`);
    if (number >= 0) pages.set(number, offset);
    else at += 16;
    offset += size;
  }
  return pages;
}

function checkSections(
  table: DataView,
  pages: ReadonlyMap<number, number>,
  fileBytes: number,
  limit: number,
): void {
  const part = 'the map of sections';
  const need = (at: number): void => {
    if (at > table.byteLength) throw new FileFault(part, 'it ends within a section');
  };
  need(20);
  const count = table.getInt32(0, true);
  let total = 0;
  let at = 20;
  for (let i = 0; i < count; i++) {
    need(at + 96);
    const pageCount = table.getInt32(at + 8, true);
    const pageBytes = table.getInt32(at + 12, true);
    if (pageCount < 0 || pageBytes <= 0)
      throw new FileFault(part, `section ${i + 1} has ${pageCount} pages of ${pageBytes} bytes`);
    at += 96;
    let first = 0;
    for (let page = 0; page < pageCount; page++, at += 16) {
      need(at + 16);
      const number = table.getInt32(at, true);
      const offset = longOf(table, at + 8);
      // Pages that are left out are zeros.
      total += Math.max(0, offset - first) + pageBytes;
      if (total > limit) throw new FileFault(part, `its sections have more than ${limit} bytes`);
      first = offset + pageBytes;
      const start = pages.get(number);
      if (start === undefined) throw new FileFault(part, `page ${number} is not in the map of pages`);
      const end = start + 32 + table.getInt32(at + 4, true);
      if (end > fileBytes) throw new FileFault(`page ${number}`, 'it is cut off', end);
    }
  }
}

/** A compressed table with a head of its own. */
function tableAt(bytes: Uint8Array, at: number, part: string, limit: number): DataView {
  const head = viewOf(bytes, at, PAGE_HEAD_BYTES, part);
  const size = head.getInt32(4, true);
  const packed = head.getInt32(8, true);
  const [start, end] = [at + PAGE_HEAD_BYTES, at + PAGE_HEAD_BYTES + packed];
  if (packed < 0 || size < 0 || size > limit) throw new FileFault(part, `it states ${size} bytes`);
  if (end > bytes.length) throw new FileFault(part, 'it is cut off', end);
  const table = new Uint8Array(size);
  try {
    unpack(bytes.subarray(0, end + 1), start, table);
  } catch (error) {
    if (error instanceof RangeError) throw new FileFault(part, error.message);
    throw error;
  }
  return new DataView(table.buffer);
}
