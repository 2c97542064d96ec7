/** Collects pages to row groups and writes the metadata at the end. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import type { OutputFile, OutputSink, WriteContext } from '../../writer.ts';
import { geoparquetFindings } from '../messages.ts';
import type { ParquetChunk, Slice } from './encode.ts';
import { type ColumnChunk, fileMetadata, type RowGroup } from './file-metadata.ts';
import { emptyGeometryFacts, type GeometryFacts, mergeGeometryFacts } from './geometry-pages.ts';
import { outputLeaves, type ParquetPlan } from './plan.ts';

const ROW_GROUP_ROWS = 1 << 16;
/** Compressed bytes that are kept until their row group is full. */
const ROW_GROUP_BYTES = 1 << 26;
const MAGIC = new TextEncoder().encode('PAR1');

interface Pending {
  readonly bytes: Uint8Array;
  readonly slice: Slice;
}

export class ParquetSink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;
  readonly #plan: ParquetPlan;
  readonly #schema: string | null;
  readonly #findings: Findings;
  readonly #groups: RowGroup[] = [];
  readonly #zones: [withZone: number, withoutZone: number][];
  #facts: GeometryFacts = emptyGeometryFacts();
  #pending: Pending[] = [];
  #pendingRows = 0;
  #pendingBytes = 0;
  #length = 0;

  /** `schema`: the text of SCHEMA_KEY. */
  constructor(path: string, plan: ParquetPlan, schema: string | null, { expected, findings }: WriteContext) {
    this.#path = path;
    this.#plan = plan;
    this.#schema = schema;
    this.#findings = findings;
    this.#zones = plan.columns.map(() => [0, 0]);
    this.#file = new OutputFileSink(path, expected);
    this.#append(MAGIC);
  }

  append(_layerIndex: number, data: unknown): void {
    const { bytes, slices, zones } = data as ParquetChunk;
    for (const [i, zone] of zones.entries()) {
      this.#zones[i][0] += zone?.[0] ?? 0;
      this.#zones[i][1] += zone?.[1] ?? 0;
    }
    for (const slice of slices) {
      if (this.#pendingRows + slice.rowCount > ROW_GROUP_ROWS || this.#pendingBytes > ROW_GROUP_BYTES)
        this.#writeGroup();
      this.#pending.push({ bytes, slice });
      this.#pendingRows += slice.rowCount;
      this.#pendingBytes += slice.pages.reduce((sum, { start, end }) => sum + end - start, 0);
    }
  }

  async finish(): Promise<OutputFile> {
    this.#writeGroup();
    const { columns } = this.#plan;
    const utcTimes = this.#zones.map(([withZone, withoutZone], i) => {
      if (withZone > 0 && withoutZone > 0)
        this.#findings.note(
          geoparquetFindings.TIMES_MIXED,
          { field: columns[i].name },
          undefined,
          withoutZone,
        );
      return withZone > 0;
    });
    const metadata = fileMetadata(this.#plan, this.#schema, this.#groups, this.#facts, utcTimes);
    this.#append(metadata);
    const tail = new Uint8Array(4 + MAGIC.length);
    new DataView(tail.buffer).setUint32(0, metadata.length, true);
    tail.set(MAGIC, 4);
    this.#append(tail);
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#file.abort();
  }

  /** Writes the pending pages column by column. */
  #writeGroup(): void {
    if (this.#pending.length === 0) return;
    const facts = this.#pending.reduce(
      (merged, { slice }) => mergeGeometryFacts(merged, slice.facts),
      emptyGeometryFacts(),
    );
    const chunks = outputLeaves(this.#plan).map((_, leaf) => this.#writeColumn(leaf));
    this.#groups.push({ rowCount: this.#pendingRows, chunks, facts });
    this.#facts = mergeGeometryFacts(this.#facts, facts);
    this.#pending = [];
    this.#pendingRows = 0;
    this.#pendingBytes = 0;
  }

  #writeColumn(leaf: number): ColumnChunk {
    const start = this.#length;
    let unpackedBytes = 0;
    let nullCount = 0;
    let min: number | bigint | null = null;
    let max: number | bigint | null = null;
    for (const { bytes, slice } of this.#pending) {
      const page = slice.pages[leaf];
      this.#append(bytes.subarray(page.start, page.end));
      unpackedBytes += page.unpackedBytes;
      nullCount += page.nullCount;
      if (page.min !== null && (min === null || page.min < min)) min = page.min;
      if (page.max !== null && (max === null || page.max > max)) max = page.max;
    }
    return { start, length: this.#length - start, unpackedBytes, nullCount, min, max };
  }

  #append(bytes: Uint8Array): void {
    this.#file.append(bytes);
    this.#length += bytes.length;
  }
}
