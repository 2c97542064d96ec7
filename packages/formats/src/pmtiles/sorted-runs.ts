/**
 * Sorts records by tile with bounded memory: sorted chunks are kept, many of them in a file, and merged. Records of one tile stay in
 * the order in which they were appended.
 */

import { type ByteSink, createFileSink } from '@geomill/io/byte-sink.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { removeFile } from '@geomill/platform/files.ts';
import { copyRecord, RecordView } from './records.ts';

/** Fewer bytes are merged in memory. */
const MEMORY_BYTES = 32 << 20;
/** More runs are merged to one, before they are merged with others: each needs memory while it is read. */
const MOST_RUNS = 256;
const WINDOW_BYTES = 128 << 10;
const BLOCK_BYTES = 1 << 20;

/** `bytes` of the source from `start` on, or in memory. */
type Run =
  | { readonly kept: Uint8Array<ArrayBuffer> }
  | { readonly file: number; readonly start: number; readonly end: number };

export class SortedRuns {
  readonly #path: string;
  readonly #memoryBytes: number;
  /** By how often their records were merged; those of larger levels are older. */
  readonly #levels: Run[][] = [[]];
  #kept: Uint8Array<ArrayBuffer>[] = [];
  #keptBytes = 0;
  /** By level; null: it has no records, and is truncated when it gets some. */
  readonly #files: (ByteSink | null)[] = [];

  /** `path`: beginning of the paths of files that are used only for many bytes. */
  constructor(path: string, memoryBytes = MEMORY_BYTES) {
    this.#path = path;
    this.#memoryBytes = memoryBytes;
  }

  /** Adds records that are sorted. */
  append(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length === 0) return;
    // Records of a divided output come from a file as a part of a larger buffer, which has no room for words and is not freed with them.
    this.#kept.push(bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice());
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > this.#memoryBytes) this.#spill();
  }

  /** The records of all runs in their order. The bytes are valid until the next one is taken. */
  *records(): Generator<{ readonly view: RecordView; readonly start: number; readonly end: number }> {
    const runs = [...this.#levels.toReversed().flat(), ...this.#kept.map((kept): Run => ({ kept }))];
    yield* this.#merge(runs);
  }

  discard(): void {
    this.#kept = [];
    for (const [i, file] of this.#files.entries()) {
      file?.close();
      removeFile(this.#filePath(i));
    }
    this.#files.length = 0;
  }

  /** Merges what is in memory to a run of the file, and too many runs of a level to one of the next. */
  #spill(): void {
    const kept = this.#kept.map((bytes): Run => ({ kept: bytes }));
    this.#levels[0].push(this.#writeRun(kept, 0));
    for (const bytes of this.#kept) bytes.buffer.transfer(0);
    this.#kept = [];
    this.#keptBytes = 0;
    for (let level = 0; this.#levels[level].length >= MOST_RUNS; level++) {
      const merged = this.#writeRun(this.#levels[level], level + 1);
      this.#levels[level] = [];
      this.#files[level]?.close();
      this.#files[level] = null;
      this.#levels[level + 1] ??= [];
      this.#levels[level + 1].push(merged);
    }
  }

  #writeRun(runs: readonly Run[], level: number): Run {
    const file = this.#files[level] ?? createFileSink(this.#filePath(level), true);
    this.#files[level] = file;
    const start = file.byteLength;
    const block = new Uint8Array(BLOCK_BYTES);
    const words = new Int32Array(block.buffer);
    let length = 0;
    for (const { view, start: from, end } of this.#merge(runs)) {
      if (length + end - from > BLOCK_BYTES) {
        file.append(block.subarray(0, length));
        length = 0;
      }
      if (end - from > BLOCK_BYTES) file.append(view.bytes.subarray(from, end));
      else {
        copyRecord(view.words, from, end, words, length);
        length += end - from;
      }
    }
    file.append(block.subarray(0, length));
    return { file: level, start, end: file.byteLength };
  }

  *#merge(runs: readonly Run[]): Generator<{ view: RecordView; start: number; end: number }> {
    using sources = new DisposableStack();
    const opened = new Map<number, ByteSource>();
    const readers = runs.map((run, order): RunReader => {
      if ('kept' in run) return new RunReader(run.kept, null, 0, 0, order);
      let source = opened.get(run.file);
      if (source === undefined) {
        source = sources.use(openFileSource(this.#filePath(run.file)));
        opened.set(run.file, source);
      }
      return new RunReader(new Uint8Array(WINDOW_BYTES), source, run.start, run.end, order);
    });
    const heap = new ReaderHeap(readers.filter((reader) => !reader.isDone));
    for (let reader = heap.first; reader !== undefined; reader = heap.first) {
      yield reader;
      reader.advance();
      heap.restore();
    }
  }

  #filePath(level: number): string {
    return `${this.#path}.${level}`;
  }
}

/** Reads the records of a run one after another. */
class RunReader {
  view: RecordView;
  /** Of the current record. */
  start = 0;
  end = 0;
  tile = 0;
  isDone = false;
  readonly order: number;
  readonly #source: ByteSource | null;
  #length: number;
  #at: number;
  readonly #fileEnd: number;

  constructor(
    memory: Uint8Array<ArrayBuffer>,
    source: ByteSource | null,
    start: number,
    end: number,
    order: number,
  ) {
    this.view = new RecordView(memory);
    this.order = order;
    this.#source = source;
    this.#length = source === null ? memory.length : 0;
    this.#at = start;
    this.#fileEnd = end;
    this.advance();
  }

  advance(): void {
    this.start = this.end;
    if (!this.#has(16)) {
      this.isDone = true;
      return;
    }
    const byteLength = this.view.byteLength(this.start);
    this.#has(byteLength);
    this.tile = this.view.tile(this.start);
    this.end = this.start + byteLength;
  }

  /** Whether there are so many bytes from `start` on; brings them into memory. */
  #has(count: number): boolean {
    if (this.start + count <= this.#length) return true;
    if (this.#source === null || this.#at === this.#fileEnd) return false;
    const rest = this.view.bytes.subarray(this.start, this.#length);
    let memory = this.view.bytes;
    if (count > memory.length) memory = new Uint8Array(count * 2);
    memory.set(rest);
    const read = Math.min(memory.length - rest.length, this.#fileEnd - this.#at);
    this.#source.readInto(memory.subarray(rest.length, rest.length + read), this.#at);
    this.#at += read;
    this.#length = rest.length + read;
    this.start = 0;
    if (memory !== this.view.bytes) this.view = new RecordView(memory);
    return true;
  }
}

/** The reader with the smallest tile first, of equal ones the first in the order. */
class ReaderHeap {
  readonly #readers: RunReader[];

  constructor(readers: RunReader[]) {
    this.#readers = readers.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  get first(): RunReader | undefined {
    return this.#readers[0];
  }

  /** After the first reader advanced. */
  restore(): void {
    const readers = this.#readers;
    if (readers[0].isDone) {
      const last = readers.pop() as RunReader;
      if (readers.length === 0) return;
      if (readers[0].isDone) readers[0] = last;
    }
    const own = readers[0];
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= readers.length) break;
      if (child + 1 < readers.length && isBefore(readers[child + 1], readers[child])) child++;
      if (!isBefore(readers[child], own)) break;
      readers[at] = readers[child];
      at = child;
    }
    readers[at] = own;
  }
}

function isBefore(a: RunReader, b: RunReader): boolean {
  return a.tile < b.tile || (a.tile === b.tile && a.order < b.order);
}
