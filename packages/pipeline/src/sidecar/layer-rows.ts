/** Reads a file in this thread from its first row to its last, to compare it with its sidecar or with what was written to it. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { FormatReader, InputFile, SourceLayer } from '@geomill/formats/reader.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { makeDirectory } from '@geomill/platform/files.ts';
import { locateInLayer } from '../locations.ts';
import { throwIfAborted } from '../partition-run.ts';

const PARTITION_BYTES = 4 << 20;

export interface ReadFile {
  readonly reader: FormatReader;
  readonly file: InputFile;
  readonly options: Readonly<Record<string, unknown>>;
  readonly limits: InputLimits;
  /** Does not exist. */
  readonly scratchDirectory: string;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** A file whose layers are read one after another. */
export class LayerRows {
  readonly layers: readonly SourceLayer[];
  readonly #read: ReadFile;
  readonly #scratch: ScratchSpace;

  private constructor(read: ReadFile, scratch: ScratchSpace, layers: readonly SourceLayer[]) {
    this.#read = read;
    this.#scratch = scratch;
    this.layers = layers;
  }

  static async open(read: ReadFile): Promise<LayerRows> {
    const { reader, file, options, limits, scratchDirectory, findings } = read;
    makeDirectory(scratchDirectory);
    const scratch = new ScratchSpace();
    const layers = await reader.open(file, {
      scratchDirectory,
      limits,
      options,
      findings,
      partitionBytes: PARTITION_BYTES,
      scratch,
      tables: 'all',
    });
    return new LayerRows(read, scratch, layers);
  }

  /** The types of a file come from its values, or from text; only a reader of such files takes fields. */
  get takesFields(): boolean {
    return this.#read.reader.typing !== 'declared';
  }

  get hasIds(): boolean {
    return this.#read.reader.ids === 'data';
  }

  /** The batches of a layer in their order. Throws RowsUnsuitable for values that contradict the types that the file declares. */
  async *batches(
    layer: SourceLayer,
    fields: readonly Field[] | null,
    onFinding: Findings = this.#read.findings,
  ): AsyncGenerator<FeatureBatch> {
    const { reader, limits, signal } = this.#read;
    if (layer.fault !== undefined) throw layer.fault;
    const unpacked = reader.unpackedSet?.(layer) ?? null;
    if (unpacked !== null) await this.#scratch.hold(unpacked);
    try {
      let start = layer.partitions[0]?.start ?? 0;
      const base = { records: 0, lines: 0, rows: 0 };
      for (const [i, { end }] of layer.partitions.entries()) {
        throwIfAborted(signal);
        if (start >= end && i < layer.partitions.length - 1) continue;
        const partition = { start, end: Math.max(start, end) };
        const read = reader.readPartition(layer, partition, { fields, limits });
        if (read.misfits !== undefined && read.misfits.length > 0) throw new RowsUnsuitable();
        const at = { ...base };
        onFinding.merge(read.findings, (location) => locateInLayer(location, at, layer.name));
        start = read.nextStart;
        base.records += read.recordCount;
        base.lines += read.lineCount;
        base.rows += read.batch.rowCount;
        yield read.batch;
      }
    } finally {
      if (unpacked !== null) this.#scratch.release(unpacked);
    }
  }
}

/** The file has values that contradict the types that it declares. */
export class RowsUnsuitable extends Error {}
