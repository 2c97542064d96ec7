/**
 * Reads the pages of a column in a row group one after another. Pages and rows of the same number in different columns are
 * not at the same place, and a page may have all rows of its group: the page that was read last is kept, so that a range of
 * rows after it does not decode it again.
 */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { CompactEnd, CompactReader } from '../bytes/compact-reader.ts';
import { release, unpack } from '../bytes/compression.ts';
import { damaged, unsupported } from '../fault.ts';
import {
  checkHeader,
  DATA_PAGE,
  DATA_PAGE_V2,
  DICTIONARY_PAGE,
  type PageHeader,
  readPageHeader,
} from './page-header.ts';
import type { SchemaNode } from './schema.ts';
import { decodeValues, ENCODING, type PageValues, plainValues, readLevels, uint32 } from './values.ts';

/** Where the column of a row group is. */
export interface Chunk {
  readonly start: number;
  readonly length: number;
  readonly valueCount: number;
  readonly codec: number;
  readonly rowCount: number;
}

/** Some consecutive values, or nulls, of a page. */
export interface Segment {
  /** Number of levels: values, nulls, and empty lists. */
  readonly count: number;
  /** Definition levels; null: every one is the largest, so each has a value. */
  readonly definitions: Uint8Array | null;
  /** Repetition levels; null: each begins a row. */
  readonly repetitions: Uint8Array | null;
  readonly values: PageValues;
  /** Index of the first value in `values`. */
  readonly firstValue: number;
}

interface Page {
  /** Within the row group; of the row that continues, if the page begins within one. */
  readonly firstRow: number;
  readonly endRow: number;
  readonly count: number;
  readonly definitions: Uint8Array | null;
  readonly repetitions: Uint8Array | null;
  readonly values: PageValues;
}

/** Read at once, for a header and often the page. */
const WINDOW_BYTES = 1 << 16;
/** A header contains the least and the largest value of its page. */
const MAX_HEADER_BYTES = 1 << 24;

export class ChunkReader {
  readonly #leaf: SchemaNode;
  readonly #chunk: Chunk;
  #dictionary: PageValues | null = null;
  /** Offset of the next page in the file, and the row in which it begins. */
  #at: number;
  #nextRow = 0;
  #valuesRead = 0;
  #page: Page | null = null;
  /** Memory of that page alone, of which its values are views, or null; and of pages before it. */
  #pageMemory: Uint8Array<ArrayBuffer> | null = null;
  readonly #unused: Uint8Array<ArrayBuffer>[] = [];
  /** Position in the page up to which segments were taken, as numbers of levels, values and rows. */
  #levelAt = 0;
  #valueAt = 0;
  #rowAt = 0;
  #spend: (bytes: number) => void = () => {};
  #spentPage: Page | null = null;
  #spentDictionary = false;
  #window = new Uint8Array(0);
  #windowAt = 0;

  constructor(leaf: SchemaNode, chunk: Chunk) {
    this.#leaf = leaf;
    this.#chunk = chunk;
    this.#at = chunk.start;
  }

  /**
   * The segments of rows `[from, to)` of the row group, which are not none. `spend`: gets the bytes that they take, page by
   * page: a row may continue through many pages that have few bytes in the file. Throws ParquetFault.
   */
  read(source: ByteSource, from: number, to: number, spend: (bytes: number) => void): Segment[] {
    this.#spend = spend;
    this.#spentPage = null;
    this.#spentDictionary = false;
    if (from < (this.#page === null ? this.#nextRow : this.#rowAt)) this.#rewind();
    const segments: Segment[] = [];
    for (let row = from; row < to; ) {
      const page = this.#page;
      if (page !== null && page.endRow > row) {
        const end = Math.min(to, page.endRow);
        this.#cut(page, this.#levelsOfRows(page, row - this.#rowAt));
        segments.push(this.#take(page, this.#levelsOfRows(page, end - row)));
        this.#rowAt = end;
        row = end;
      } else if (this.#advance(source, row)) this.#takeRest(from, segments);
      else throw damaged(`column '${this.#leaf.name}' has fewer rows than its row group`);
    }
    // The last row may continue in the next pages.
    while (this.#leaf.repetition > 0 && this.#page?.endRow === to && this.#advance(source, to))
      if (!this.#takeRest(from, segments)) break;
    return segments;
  }

  /** Unpacked bytes of the first page of values; 0: there is none. Throws ParquetFault. */
  firstPageBytes(source: ByteSource): number {
    this.#rewind();
    while (this.#at < this.#end) {
      const { header, dataAt } = this.#readHeader(source);
      if (header.type === DATA_PAGE || header.type === DATA_PAGE_V2) return header.unpackedBytes;
      this.#at = dataAt + header.packedBytes;
    }
    return 0;
  }

  /**
   * Takes the levels at the beginning of a page that was opened which belong to the row before, unless that row is before
   * `from`. Returns whether the page has no others.
   */
  #takeRest(from: number, segments: Segment[]): boolean {
    const page = this.#page;
    const rest = page === null ? 0 : continuation(page);
    if (page === null || rest === 0 || page.firstRow < from) return false;
    segments.push(this.#take(page, rest));
    this.#rowAt = page.firstRow + 1;
    return rest === page.count;
  }

  get #end(): number {
    return this.#chunk.start + this.#chunk.length;
  }

  #rewind(): void {
    this.#at = this.#chunk.start;
    this.#nextRow = 0;
    this.#valuesRead = 0;
    this.#page = null;
  }

  /** Number of levels from the position, which is at the beginning of a row, to that of the row `rows` later. */
  #levelsOfRows({ repetitions, count }: Page, rows: number): number {
    if (repetitions === null || rows === 0) return rows;
    let begun = 0;
    let at = this.#levelAt + 1;
    for (; at < count; at++) if (repetitions[at] === 0 && ++begun === rows) break;
    return at - this.#levelAt;
  }

  /** The next `count` levels, for a range that is read. */
  #take(page: Page, count: number): Segment {
    if (page !== this.#spentPage) {
      const { values, definitions, repetitions } = page;
      const dictionary = this.#dictionary;
      const isOfDictionary =
        'bytes' in values &&
        dictionary !== null &&
        'bytes' in dictionary &&
        values.bytes === dictionary.bytes;
      this.#spend((definitions?.length ?? 0) + (repetitions?.length ?? 0) + bytesOf(values, !isOfDictionary));
      this.#spentPage = page;
    }
    if (this.#dictionary !== null && !this.#spentDictionary) {
      this.#spend(bytesOf(this.#dictionary, true));
      this.#spentDictionary = true;
    }
    return this.#cut(page, count);
  }

  /** The next `count` levels. */
  #cut({ definitions, repetitions, values }: Page, count: number): Segment {
    const start = this.#levelAt;
    const end = start + count;
    const firstValue = this.#valueAt;
    const most = this.#leaf.definition;
    if (definitions === null) this.#valueAt += count;
    else for (let i = start; i < end; i++) if (definitions[i] === most) this.#valueAt++;
    this.#levelAt = end;
    return {
      count,
      definitions: definitions?.subarray(start, end) ?? null,
      repetitions: repetitions?.subarray(start, end) ?? null,
      values,
      firstValue,
    };
  }

  /** Opens the next page; pages that end before `row` are not unpacked if their heads show it. False: there is none. */
  #advance(source: ByteSource, row: number): boolean {
    while (this.#at < this.#end && this.#valuesRead < this.#chunk.valueCount) {
      const { header, dataAt } = this.#readHeader(source);
      const next = dataAt + header.packedBytes;
      if (next > this.#end)
        throw damaged(`a page of column '${this.#leaf.name}' is not within its row group`);
      if (header.type === DICTIONARY_PAGE) {
        if (this.#dictionary === null) this.#dictionary = this.#readDictionary(source, header, dataAt);
      } else if (header.type === DATA_PAGE || header.type === DATA_PAGE_V2) {
        this.#valuesRead += header.valueCount;
        if (this.#valuesRead > this.#chunk.valueCount)
          throw damaged(`column '${this.#leaf.name}' has more values than it declares`);
        const rows = this.#rowsOf(header);
        if (rows !== null && this.#nextRow + rows <= row) this.#nextRow += rows;
        else {
          this.#leavePage();
          this.#open(this.#readPage(source, header, dataAt));
          this.#at = next;
          return true;
        }
      }
      this.#at = next;
    }
    return false;
  }

  /** Null: only the repetition levels show it. */
  #rowsOf({ type, valueCount, rowCount }: PageHeader): number | null {
    if (this.#leaf.repetition === 0) return valueCount;
    return type === DATA_PAGE_V2 && rowCount >= 0 ? rowCount : null;
  }

  /** Frees the memory of pages that were read to their ends. No segment may be used afterwards. */
  release(): void {
    if (this.#rowAt === this.#page?.endRow) this.#leavePage();
    for (const memory of this.#unused) release(memory);
    this.#unused.length = 0;
  }

  #leavePage(): void {
    if (this.#pageMemory !== null) this.#unused.push(this.#pageMemory);
    this.#pageMemory = null;
  }

  #open(page: Page): void {
    if (page.endRow > this.#chunk.rowCount)
      throw damaged(`column '${this.#leaf.name}' has more rows than its row group`);
    this.#page = page;
    this.#nextRow = page.endRow;
    this.#levelAt = 0;
    this.#valueAt = 0;
    this.#rowAt = page.firstRow;
  }

  #readHeader(source: ByteSource): { readonly header: PageHeader; readonly dataAt: number } {
    for (let bytes = WINDOW_BYTES; ; bytes *= 16) {
      const window = this.#bytes(source, this.#at, Math.min(this.#end, this.#at + bytes));
      try {
        const reader = new CompactReader(window);
        const header = readPageHeader(reader);
        checkHeader(header, this.#leaf);
        return { header, dataAt: this.#at + reader.at };
      } catch (error) {
        if (!(error instanceof CompactEnd)) throw error;
        if (bytes >= MAX_HEADER_BYTES || this.#at + bytes >= this.#end)
          throw damaged(`the head of a page of column '${this.#leaf.name}' has no end`);
      }
    }
  }

  /** Bytes of the file; from the window, if they are in it. */
  #bytes(source: ByteSource, start: number, end: number): Uint8Array<ArrayBuffer> {
    const isInside = start >= this.#windowAt && end <= this.#windowAt + this.#window.length;
    if (!isInside) {
      // A page that is longer is not kept.
      const bytes = source.slice(start, Math.max(end, Math.min(this.#end, start + WINDOW_BYTES)));
      if (bytes.length > WINDOW_BYTES) return bytes.subarray(0, end - start);
      this.#window = bytes;
      this.#windowAt = start;
    }
    return this.#window.subarray(start - this.#windowAt, end - this.#windowAt);
  }

  #readDictionary(source: ByteSource, header: PageHeader, at: number): PageValues {
    const { encoding, packedBytes, unpackedBytes, valueCount } = header;
    if (encoding !== ENCODING.plain && encoding !== ENCODING.plainDictionary)
      throw unsupported(`the dictionary of column '${this.#leaf.name}' has encoding ${encoding}`);
    const bytes = unpack(this.#chunk.codec, this.#bytes(source, at, at + packedBytes), unpackedBytes);
    return plainValues(bytes, 0, valueCount, this.#leaf);
  }

  /** Of a page; `packed` is unusable afterwards. */
  #unpack(packed: Uint8Array<ArrayBuffer>, unpackedBytes: number): Uint8Array<ArrayBuffer> {
    const bytes = unpack(this.#chunk.codec, packed, unpackedBytes);
    if (bytes !== packed && packed.buffer !== this.#window.buffer) release(packed);
    return bytes;
  }

  #readPage(source: ByteSource, header: PageHeader, at: number): Page {
    const packed = this.#bytes(source, at, at + header.packedBytes);
    const { definition, repetition } = this.#leaf;
    const count = header.valueCount;
    let bytes: Uint8Array<ArrayBuffer>;
    let valuesAt = 0;
    let repetitions: Uint8Array | null = null;
    let definitions: Uint8Array | null = null;
    if (header.type === DATA_PAGE_V2) {
      const levels = header.repetitionBytes + header.definitionBytes;
      const unpackedBytes = header.unpackedBytes - levels;
      if (levels > packed.length || unpackedBytes < 0)
        throw damaged(`a page of column '${this.#leaf.name}' ends within its levels`);
      if (repetition > 0) repetitions = readLevels(packed, 0, header.repetitionBytes, repetition, count);
      if (definition > 0) definitions = readLevels(packed, header.repetitionBytes, levels, definition, count);
      bytes = header.isPacked
        ? this.#unpack(packed.subarray(levels), unpackedBytes)
        : packed.subarray(levels);
    } else {
      bytes = this.#unpack(packed, header.unpackedBytes);
      const take = (most: number, encoding: number): Uint8Array | null => {
        if (most === 0) return null;
        if (encoding !== ENCODING.rle)
          throw unsupported(`the levels of column '${this.#leaf.name}' have encoding ${encoding}`);
        const end = valuesAt + 4 + uint32(bytes, valuesAt);
        if (end > bytes.length) throw damaged(`a page of column '${this.#leaf.name}' ends within its levels`);
        const levels = readLevels(bytes, valuesAt + 4, end, most, count);
        valuesAt = end;
        return levels;
      };
      repetitions = take(repetition, header.repetitionEncoding);
      definitions = take(definition, header.definitionEncoding);
    }
    let present = count;
    if (definitions !== null) {
      present = 0;
      for (let i = 0; i < count; i++) if (definitions[i] === definition) present++;
      if (present === count && repetitions === null) definitions = null;
    }
    const values = decodeValues(header.encoding, bytes, valuesAt, present, this.#leaf, this.#dictionary);
    const isOwn = bytes.buffer !== packed.buffer;
    if (isOwn && values.kind === 'bytes' && values.bytes === bytes) this.#pageMemory = bytes;
    else if (isOwn) release(bytes);
    let rows = count;
    let firstRow = this.#nextRow;
    if (repetitions !== null) {
      rows = 0;
      for (let i = 0; i < count; i++) if (repetitions[i] === 0) rows++;
      if (count > 0 && repetitions[0] !== 0) {
        if (firstRow === 0) throw damaged(`column '${this.#leaf.name}' begins within a row`);
        firstRow--;
        rows++;
      }
    }
    return { firstRow, endRow: firstRow + rows, count, definitions, repetitions, values };
  }
}

/** `withTexts`: texts and bytes count, not only where they are. */
function bytesOf(values: PageValues, withTexts: boolean): number {
  if (values.kind !== 'bytes') return values.values.byteLength;
  return values.starts.byteLength * 2 + (withTexts ? values.bytes.length : 0);
}

/** Number of levels at the beginning of a page that belong to the row before. */
function continuation({ repetitions, count }: Page): number {
  if (repetitions === null) return 0;
  let at = 0;
  while (at < count && repetitions[at] !== 0) at++;
  return at;
}
