/**
 * Reads records of a drawing one after another: an entity with its sub-entities, a table entry, the head of a section.
 * A record consists of a tag with code 0 and all tags up to the next one with code 0. The window of bytes moves along
 * and grows if a record is longer.
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { Entity } from '../contract.ts';
import type { TagFacts } from '../head/drawing-state.ts';
import { dxfErrors } from '../messages.ts';
import { AsciiTagScanner } from './ascii-tags.ts';
import { BinaryTagScanner } from './binary-tags.ts';
import { DrawingText } from './drawing-text.ts';
import { countLines, countSourceLines, findRecord } from './lines.ts';
import { RecordWindow } from './record-window.ts';
import { TagList, TagRun } from './tag-list.ts';
import { IS_BROKEN, type TagScanner } from './tag-scanner.ts';

/** Entities that belong to the previous one. */
const PART_OWNERS: ReadonlyMap<string, string> = new Map([
  ['VERTEX', 'POLYLINE'],
  ['ATTRIB', 'INSERT'],
]);

/** The first three lines of a record are shorter. */
const OVERLAP_BYTES = 1 << 12;

interface RecordReaderOptions {
  /** Bytes to load first. */
  readonly windowBytes: number;
  /** Greatest number of tags of a record. */
  readonly tagLimit?: number;
  /** Needed for a reader that is used while another one is active in the same thread. */
  readonly ownMemory?: boolean;
  /** Offset of a record that ends the reading; after an error without a better position, reading continues there. */
  readonly end?: number;
  /** Shared by the readers of one drawing; without it the reader has its own. */
  readonly text?: DrawingText;
  /** Lines before the start of reading, for errors; null: counted in the file if an error needs it. */
  readonly linesBefore: number | null;
}

/** A record with invalid tags. */
export interface BrokenRecord {
  readonly type: string;
  readonly handle: string;
  readonly reason: string;
}

export class RecordReader {
  /** Offset in the source of the record that `next` reads. */
  position: number;
  /** Lines read since the start; 0 in binary files. */
  lineCount = 0;
  /** The result of `next`. Reused: keep no reference to it. */
  readonly entity: Entity & { readonly tags: TagRun };
  /** Offset of the last record, and the number of lines before it since the start. */
  recordStart = 0;
  recordLine = 0;
  /** The record that `next` could not read when it returned false; null at the end of the file. */
  broken: BrokenRecord | null = null;
  readonly text: DrawingText;
  readonly #window: RecordWindow;
  readonly #options: RecordReaderOptions;
  readonly #scanner: TagScanner;
  readonly #list: TagList;
  readonly #tags: TagRun;
  readonly #parts: TagRun[] = [];
  readonly #spareParts: TagRun[] = [];

  constructor(source: ByteSource, facts: TagFacts, start: number, options: RecordReaderOptions) {
    this.#window = new RecordWindow(source, facts, options.windowBytes, options.ownMemory === true);
    this.#options = options;
    this.position = start;
    this.text = options.text ?? new DrawingText(facts.encoding, facts.fallbackEncoding);
    const isBinary = facts.form !== 'ascii';
    this.#list = new TagList(this.text, isBinary);
    this.#scanner = isBinary
      ? new BinaryTagScanner(this.#list, facts.form === 'binary1' ? 1 : 2)
      : new AsciiTagScanner(this.#list);
    this.#tags = new TagRun(this.#list);
    this.entity = { tags: this.#tags, parts: this.#parts };
    this.#load(start);
  }

  /** The type of the record at `position` without reading it; null at the end of the file or if it is broken. */
  peek(): string | null {
    for (;;) {
      const next = this.#scanner.head(this.position - this.#window.base);
      if (next >= 0) return this.#scanner.type;
      if (next === IS_BROKEN || !this.#grow()) return null;
    }
  }

  /**
   * Reads the record at `position` and its VERTEX or ATTRIB records into `entity`, and advances. Returns false if it is
   * broken (see `broken`; `position` is after it then). Throws DXF_SYNTAX or DXF_BINARY if the file ends before the
   * record does.
   */
  next(): boolean {
    this.broken = null;
    for (;;) {
      const at = this.position - this.#window.base;
      this.#list.count = 0;
      const end = this.#group(at);
      if (end >= 0) {
        this.recordStart = this.position;
        this.position = this.#window.base + end;
        return true;
      }
      if (end === IS_BROKEN) {
        this.#recover(at);
        return false;
      }
      if (!this.#grow()) throw this.#truncated();
    }
  }

  /**
   * Reads the tags before the next one with code 0 into `entity`: comments at the beginning of a file, the variables of
   * the HEADER section. Returns false as `next` does; then `entity` has the tags before the broken one.
   */
  readTags(): boolean {
    this.broken = null;
    for (;;) {
      this.#list.count = 0;
      const next = this.#scanner.tags(this.position - this.#window.base);
      if (next >= 0) {
        this.position = this.#window.base + next;
        this.#tags.set('', 0, this.#list.count);
        if (!this.#list.isBinary) this.lineCount += 2 * this.#list.count;
        return true;
      }
      if (next === IS_BROKEN) {
        const start = this.position;
        this.#recover(start - this.#window.base);
        // The search for the next record may have moved the window; it still begins at `start` or before.
        this.#list.count = 0;
        this.#scanner.tags(start - this.#window.base);
        this.#tags.set('', 0, this.#list.count);
        return false;
      }
      if (!this.#grow()) throw this.#truncated();
    }
  }

  /** Offset after the text of a tag of the last record; only for binary files, which have one zero byte there. */
  offsetBehind(index: number): number {
    return this.#window.base + this.#list.ends[index] + 1;
  }

  /** Continues at another offset. */
  seek(start: number): void {
    this.position = start;
    this.lineCount = 0;
    this.#load(start);
  }

  /**
   * Continues at the first record that begins at or after `from`; returns false if none begins before `end`. Text files
   * only.
   */
  seekRecord(from: number, end: number): boolean {
    this.seek(from);
    for (;;) {
      const found = findRecord(this.#window.bytes, 0, this.#window.limit, this.#window.reachesEnd);
      if (found >= 0) {
        this.position = from + found;
        return this.position < end;
      }
      if (this.#window.end >= end || !this.#grow()) return false;
    }
  }

  syntaxFailure(reason: string): GeomillError {
    if (this.#list.isBinary)
      return failure(dxfErrors.DXF_BINARY, { offset: this.position, reason }, { offset: this.position });
    const { linesBefore } = this.#options;
    const before =
      linesBefore === null
        ? countSourceLines(this.#window.source, 0, this.position)
        : linesBefore + this.lineCount;
    const line = before + 1;
    return failure(dxfErrors.DXF_SYNTAX, { line, reason }, { line });
  }

  #truncated(): GeomillError {
    const reason = 'the file ends within a section; it is not complete';
    return this.syntaxFailure(reason);
  }

  /** Reads a record and its sub-entities; returns the offset after them, NEEDS_MORE or IS_BROKEN. */
  #group(at: number): number {
    const scanner = this.#scanner;
    const list = this.#list;
    let next = scanner.head(at);
    if (next < 0) return next;
    const { type } = scanner;
    next = scanner.tags(next);
    if (next < 0) return next;
    this.#checkCount();
    this.#tags.set(type, 0, list.count);
    let tagCount = list.count + 1;
    const parts = this.#parts;
    if (parts.length > 0) parts.length = 0;
    if (type === 'POLYLINE' || type === 'INSERT') {
      for (;;) {
        const bodyStart = scanner.head(next);
        if (bodyStart < 0) {
          // The next record is broken, which is reported when it is read.
          if (bodyStart === IS_BROKEN) break;
          return bodyStart;
        }
        const partType = scanner.type;
        const isEnd = partType === 'SEQEND';
        if (!isEnd && PART_OWNERS.get(partType) !== type) break;
        const first = list.count;
        const partEnd = scanner.tags(bodyStart);
        if (partEnd < 0) return partEnd;
        this.#checkCount();
        tagCount += 1 + list.count - first;
        next = partEnd;
        if (isEnd) {
          list.count = first;
          break;
        }
        this.#addPart(partType, first, list.count - first);
      }
    }
    this.recordLine = this.lineCount;
    if (!list.isBinary) this.lineCount += 2 * tagCount;
    return next;
  }

  #addPart(type: string, first: number, count: number): void {
    const parts = this.#parts;
    const index = parts.length;
    if (index === this.#spareParts.length) this.#spareParts.push(new TagRun(this.#list));
    const part = this.#spareParts[index];
    part.set(type, first, count);
    parts.push(part);
  }

  #checkCount(): void {
    const limit = this.#options.tagLimit ?? Number.POSITIVE_INFINITY;
    if (this.#list.count <= limit) return;
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of tags of one entity',
      actual: this.#list.count,
      limit,
      setting: 'MAX_FEATURE_COORDINATES',
    });
  }

  /** Notes a broken record and moves on to the next offset where a record seems to begin: 0, a name, a group code. */
  #recover(at: number): void {
    const { faultReason, faultAt } = this.#scanner;
    if (this.#list.isBinary) {
      this.position = this.#window.base + faultAt;
      throw this.syntaxFailure(faultReason);
    }
    const handleAt = this.#list.codes.subarray(0, this.#list.count).indexOf(5);
    const type = this.#scanner.head(at) >= 0 ? this.#scanner.type : '';
    this.broken = {
      type,
      handle: handleAt < 0 ? '' : this.#list.textAt(handleAt),
      reason: faultReason,
    };
    const window = this.#window;
    const end = this.#options.end ?? Number.POSITIVE_INFINITY;
    let from = Math.max(faultAt, at + 1);
    for (;;) {
      let next = findRecord(window.bytes, from, window.limit, window.reachesEnd);
      if (next < 0 && window.end > end) next = end - window.base;
      if (next >= 0) {
        this.recordLine = this.lineCount;
        this.lineCount += countLines(window.bytes, at, next);
        this.recordStart = this.position;
        this.position = window.base + next;
        return;
      }
      // Growing moves the window to the record's start.
      from = Math.max(1, window.limit - at - OVERLAP_BYTES);
      at = 0;
      if (!this.#grow()) throw this.#truncated();
    }
  }

  /** Moves the window to `position` and enlarges it; returns false at the end of the file. */
  #grow(): boolean {
    if (!this.#window.grow(this.position)) return false;
    this.#attach();
    return true;
  }

  #load(start: number): void {
    this.#window.load(start);
    this.#attach();
  }

  #attach(): void {
    const { bytes, limit, reachesEnd, holdsUtf8 } = this.#window;
    this.#scanner.attach(bytes, limit, reachesEnd);
    this.#list.isUtf8 = holdsUtf8;
  }
}
