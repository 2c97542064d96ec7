/** The contract of writers: from descriptions of layers to encodings, from feature batches to chunks, and from chunks to the output. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { Findings, FoundFinding } from '@geomill/core/messages/findings.ts';
import type { ExpectedFile } from '@geomill/io/output-place.ts';
import type { Packer } from '@geomill/io/zip-pack.ts';
import type { FileState } from '@geomill/platform/file-state.ts';
import type { LayerOrigin, SourceLayer, Threaded } from './reader.ts';

export interface OutputLayer {
  readonly name: string;
  /** Null only for writers that need no fields. */
  readonly fields: readonly Field[] | null;
  /** Null only for writers that need no statistics. */
  readonly statistics: LayerStatistics | null;
  readonly crs: CrsDescription;
  /** By names of `fields`. Without those that `heldFacts` of the format lacks. Default: nothing is known. */
  readonly facts?: LayerFacts;
  /** Of the layers whose features it gets. Default: no reader knows any. */
  readonly origins?: readonly LayerOrigin[];
  /** The first field contains the feature ids, which the format cannot store as ids. */
  readonly idField?: string;
  /** The coordinates were transformed, so digits after the 15th are noise. */
  readonly coordinatesComputed: boolean;
  /** It becomes a table without geometries; only for formats that hold tables. The writer reports geometries that it drops. */
  readonly isTable?: true;
  /** One of the parts into which the layers of the output are split, with others in the same file. */
  readonly isPart?: true;
  /** The layer of an existing output that gets the features; made by the reader's `target`. */
  readonly target?: SourceLayer | null;
}

/** A file that is extended: the output is a copy of it with the features of the conversion. */
export interface ExistingOutput {
  readonly path: string;
  /** As the user knows it. */
  readonly name: string;
  /** append: features are added to layers of the file. add: layers are added. replace: and may replace layers of the file. */
  readonly mode: 'append' | 'add' | 'replace';
  /** When the conversion began; the output is a copy of this state. */
  readonly state: FileState;
}

export interface WriteContext {
  /** Name of the output without extension. */
  readonly name: string;
  /** Validated by `writeOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly findings: Findings;
  /** Only for extendable formats. Default: a new file is written. */
  readonly existing?: ExistingOutput;
  /** What must be at the path of the output, and beside it, when the output is complete. Default: anything. */
  readonly expected?: readonly ExpectedFile[];
  /** The time that the output states, if it states one. Default: now; entries of archives then have a fixed time. */
  readonly time?: Date;
  /** The output is to have what else the files of `origins` have, such as tables beside the layers. Default: it is not. */
  readonly keepsOtherContent?: true;
  /** Threads that compress the pieces of an archive. Default: those of the runtime, or the writer has no `usesThreads`. */
  readonly packer?: Packer;
  /** Calls the writer's `work` in a thread; the buffers in `transfer` are unusable afterwards. Default: there are no threads. */
  readonly work?: (payload: unknown, transfer: readonly ArrayBuffer[]) => Promise<unknown>;
}

/** How to encode a layer's batches; structured-clonable, sent to the workers. */
export interface LayerEncoding {
  /** Cast batches to these fields first; null: encode the fields of each batch. */
  readonly fields: readonly Field[] | null;
  readonly state: unknown;
  /** What only the sink needs; not sent to the workers. */
  readonly sinkState?: unknown;
}

/** The encoding as workers get it. */
export function forWorkers({ fields, state }: LayerEncoding): LayerEncoding {
  return { fields, state };
}

export interface EncodedChunk {
  /** The argument of the sink's `append`; structured-clonable. */
  readonly data: unknown;
  readonly transfer: readonly ArrayBuffer[];
  /** Locations count features from 1 within the batch. */
  readonly findings: readonly FoundFinding[];
}

export interface OutputFile {
  readonly path: string;
  /** Only if it differs from the media type of the format. */
  readonly mediaType?: string;
  readonly byteLength: number;
}

export interface OutputSink {
  /** Chunks of a layer are appended in the order of its features, layers one after another. */
  append(layerIndex: number, chunk: unknown): void;
  /** Completes the output, which only then has its final name. Throws OUTPUT_CHANGED. */
  finish(): Promise<OutputFile>;
  /** Closes and deletes the unfinished output. */
  abort(): void;
}

/** measures: as statistics, but those that a file declares do not suffice. */
export type WriterNeeds = 'batch' | 'fields' | 'statistics' | 'measures';

export interface FormatWriter extends Partial<Threaded> {
  /** The input of `plan`: only the current batch, the fields of all rows, or all statistics. */
  readonly needs: WriterNeeds | ((options: Readonly<Record<string, unknown>>) => WriterNeeds);
  /** Decides names, types, widths and files; notes values and names that will be changed or lost. */
  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[];
  /**
   * `isSpent`: the batch is not used afterwards, so the writer may free what it has written (`freeBuffers`): a feature of hundreds of
   * megabytes is then not in memory twice.
   */
  encode(batch: FeatureBatch, encoding: LayerEncoding, isSpent?: boolean): EncodedChunk;
  /** `path` is the path of the output, which must not exist. */
  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink;
  /** Sinks use `packer` or `work` of the context. Default: they get neither, and the threads end before the sink finishes. */
  readonly usesThreads?: true;
  /** For outputs that are moved over files of this format: throws OUTPUT_IN_USE if another program uses the one at `path`. */
  refuseInUse?(path: string): void;
}
