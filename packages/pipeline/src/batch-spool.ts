/** Batches of features in a file, for steps that keep or reorder more features than fit in memory. */

import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type ByteSink, createFileSink } from '@geomill/io/byte-sink.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import type { BatchStore, StoredBatch, StoredData } from '@geomill/operations/transformation.ts';
import { removeFile } from '@geomill/platform/files.ts';

const ARRAYS = { Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array } as const;
type ArrayName = keyof typeof ARRAYS;
type StoredArray = InstanceType<(typeof ARRAYS)[ArrayName]>;

/** Marks the place of an array in the JSON of a batch: its type, and its bytes after the arrays before it. */
const MARK = '@array';

export class BatchSpool implements BatchStore {
  readonly #path: string;
  #file: ByteSink | null = null;
  #source: ByteSource | null = null;

  /** The file is created when the first batch is stored. */
  constructor(path: string) {
    this.#path = path;
  }

  store(batch: FeatureBatch): StoredBatch {
    return { rowCount: batch.rowCount, ...this.storeData(batch) };
  }

  storeData(data: object): StoredData {
    this.#file ??= createFileSink(this.#path);
    this.#source?.[Symbol.dispose]();
    this.#source = null;
    const file = this.#file;
    const arrays: StoredArray[] = [];
    const shape = JSON.stringify(data, (_, value: unknown) => {
      if (!ArrayBuffer.isView(value)) return value;
      const array = value as StoredArray;
      arrays.push(array);
      return { [MARK]: [array.constructor.name, array.byteLength] };
    });
    const start = file.byteLength;
    for (const { buffer, byteOffset, byteLength } of arrays)
      if (byteLength > 0) file.append(new Uint8Array(buffer, byteOffset, byteLength));
    return { shape, start, end: file.byteLength };
  }

  /** Every call gives a batch of its own. */
  load(stored: StoredBatch): FeatureBatch {
    return this.loadData(stored) as FeatureBatch;
  }

  loadData({ shape, start }: StoredData): unknown {
    this.#source ??= openFileSource(this.#path);
    const source = this.#source;
    let at = start;
    return JSON.parse(shape, (_, value: unknown) => {
      const mark = (value as { [MARK]?: readonly [ArrayName, number] } | null)?.[MARK];
      if (mark === undefined) return value;
      const [name, byteLength] = mark;
      const array = new ARRAYS[name](byteLength / ARRAYS[name].BYTES_PER_ELEMENT);
      if (byteLength > 0) source.readInto(new Uint8Array(array.buffer), at);
      at += byteLength;
      return array;
    });
  }

  discard(): void {
    this.#source?.[Symbol.dispose]();
    this.#file?.close();
    this.#source = null;
    if (this.#file !== null) removeFile(this.#path);
    this.#file = null;
  }
}
