/**
 * The contract of a format: one record of facts (available without loading any codec), a reader and a writer.
 * Detection, the CLI, the API and the docs use the record; the codecs are loaded when needed.
 *
 * Readers and writers are independent of each other and exchange feature batches.
 *
 *   main thread    reader.open -> layers, each split into partitions      writer.plan -> encodings   sink.append, finish
 *   worker threads            reader.readPartition -> batch -> (reproject, transform) -> writer.encode -> chunk
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FieldMisfits } from '@geomill/core/columns/misfits.ts';
import type { NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import type { Field, MixedType } from '@geomill/core/columns/schema.ts';
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { WantedValues } from '@geomill/core/columns/wanted-values.ts';
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { ErrorEntries, FindingEntries } from '@geomill/core/messages/catalogue-entries.ts';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings, FoundFinding } from '@geomill/core/messages/findings.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { ExpectedFile } from '@geomill/io/output-place.ts';
import type { ScratchSpace, UnpackedSet } from '@geomill/io/scratch-space.ts';
import type { Packer } from '@geomill/io/zip-pack.ts';
import type { FileState } from '@geomill/platform/file-state.ts';

/** A JSON Schema (2020-12) of an object with options; validates requests and documents them. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties?: boolean;
}

/**
 * How a file of a format is recognised, by any of the three, to name it in an error when another format was expected.
 */
export interface Signature {
  /** Name of such a file in messages: "a GeoPackage". */
  readonly found: string;
  /** First characters of the file, in Latin-1, that no file of another format has. */
  readonly magic?: string;
  /** Matches the first 4 KiB, in Latin-1, of files of a text format. */
  readonly pattern?: RegExp;
  /** Matches the path of a member of a zip archive. */
  readonly member?: RegExp;
}

/** A kind of output of a format with names, extensions and a media type of its own, selected by a write option. */
export interface OutputVariant {
  /** Aliases of the format that select it as the output format. */
  readonly names: readonly string[];
  /** Extensions of output files that select it on the command line; the first one is the usual one. */
  readonly extensions: readonly string[];
  readonly mediaType: string;
  readonly option: string;
  /** Values of the option; the names and extensions set the first one. */
  readonly values: readonly unknown[];
}

export interface Format {
  readonly id: string;
  /** Name in sentences and tables: "GeoPackage". */
  readonly name: string;
  /** Name with the variants and versions that are supported. */
  readonly title: string;
  /** What is supported, in one line: the table in README. */
  readonly summary: string;
  /** Other ids that requests may use. */
  readonly aliases: readonly string[];
  /** File name extensions, with the dot, lower case; the first one is the usual one. */
  readonly extensions: readonly string[];
  /**
   * Extensions of files beside each other that together are one input, packed in a zip archive; the first is that of the file they belong to. Default:
   * an input is one file.
   */
  readonly fileParts?: readonly [string, ...string[]];
  /** Extensions by which another format is known, but that files of this one have, too; the content decides. Default: none. */
  readonly sharedExtensions?: readonly string[];
  readonly signatures: readonly Signature[];
  /**
   * A file shows its end, so that the reader refuses one of which features were cut off; a pattern: those files do whose first 4 KiB, in
   * Latin-1, match it. Default: the rest of a file that was cut can be a complete file.
   */
  readonly endMark?: true | RegExp;
  /** File in samples/. */
  readonly sample: string;
  /**
   * A file is one JSON text: a JSON body can contain inputs, and `to_file: false` returns outputs. The value is the
   * name of the schema of such a text.
   */
  readonly jsonSchema: 'FeatureCollection' | null;
  /** A runner process converts a small file to this format before its first job; only for the formats most used. */
  readonly isWarmedUp: boolean;
  /** Media type of an output. */
  readonly mediaType: string;
  /** Ending of an output file; ".zip" for shp. */
  readonly outputExtension: string;
  /** Outputs that are no single JSON text, have another media type or another ending. Default: none. */
  readonly outputVariants?: readonly OutputVariant[];
  /** Where the CRS of an input comes from: fixed by the format (geojson), stated in the file, or only by the request. */
  readonly inputCrs: 'fixed' | 'file' | 'request';
  /** The CRS that outputs have in place of a requested one, unless the write option `unless` is 'requested'. Default: outputs have the requested one. */
  readonly fixedOutputCrs?: { readonly crs: CrsText; readonly unless?: string };
  /** Whether an output can have several layers; 'one' merges them. */
  readonly outputLayers: 'one' | 'many';
  /** What a value becomes in an output that is split by a field, unless the request says otherwise: a layer or a file. */
  readonly parts: 'layers' | 'files';
  /** Ending of an output path with which an output that is an archive is written as loose files. Default: it is no archive. */
  readonly looseExtension?: string;
  /** Records are binary and not compressed: a thread reads or writes hundreds of megabytes of them a second. Default: they are not. */
  readonly isBinary?: true;
  /** Processes on several machines can each read some partitions of the same input: a partition needs only its bytes. Default: one process reads them all. */
  readonly isReadInParts?: true;
  /** An output is the chunks of the writer one after another, whichever process encoded them. Default: one process writes it. */
  readonly isWrittenInParts?: true;
  /** An existing output can get features and layers; everything else in it stays as it is. Default: only new outputs are written. */
  readonly isExtendable?: true;
  /** An output stores feature ids; otherwise they become a field if they are data. */
  readonly holdsIds: boolean;
  /**
   * How an output stores fields. declared: a layer without features keeps them, too. with features: only features have
   * them. none: geometries only; the writer reports what it drops.
   */
  readonly outputFields: 'declared' | 'with features' | 'none';
  /**
   * How an output stores a field with numbers, booleans and texts. kept: each value keeps its type, or no value has one. text: the
   * column has one type, which is text; as JSON, readers would show the quotes of its texts.
   */
  readonly mixedValues: 'kept' | 'text';
  /** Writing it needs hundreds of megabytes for inputs of that size. Default: it does not. */
  readonly needsMuchMemory?: true;
  /** Codes that only this format has; the catalogues take them in. */
  readonly errors: ErrorEntries;
  readonly findings: FindingEntries;
  /** A kind of servers whose layers are fetched as files of the format, by the URL of a layer. Default: no server has layers in this format. */
  readonly layerService?: 'arcgis';
  /** Options under `input`; `optionsKey` groups them as the specification does (csv_options). */
  readonly readOptions: OptionsSchema;
  readonly readOptionsKey?: string;
  /** Options under `output`. */
  readonly writeOptions: OptionsSchema;
  /** Null: the format can only be written. */
  readonly loadReader: (() => Promise<FormatReader>) | null;
  /** Null: the format can only be read. */
  readonly loadWriter: (() => Promise<FormatWriter>) | null;
}

export type InputFormat = Format & { readonly loadReader: () => Promise<FormatReader> };
export type OutputFormat = Format & { readonly loadWriter: () => Promise<FormatWriter> };

/** The variant that write options select; null: the usual output. */
export function variantOf(
  { outputVariants = [] }: Format,
  options: Readonly<Record<string, unknown>>,
): OutputVariant | null {
  return outputVariants.find(({ option, values }) => values.includes(options[option])) ?? null;
}

/** The variant that a name of the format selects. */
export function variantNamed({ outputVariants = [] }: Format, name: string): OutputVariant | null {
  return outputVariants.find(({ names }) => names.includes(name)) ?? null;
}

/** Media type and ending of an output with these write options. */
export function outputKind(
  format: Format,
  options: Readonly<Record<string, unknown>>,
): Pick<Format, 'mediaType' | 'outputExtension'> {
  const variant = variantOf(format, options);
  if (variant === null) return format;
  return { mediaType: variant.mediaType, outputExtension: variant.extensions[0] };
}

export const isInputFormat = (format: Format): format is InputFormat => format.loadReader !== null;
export const isOutputFormat = (format: Format): format is OutputFormat => format.loadWriter !== null;

// --- reading ----------------------------------------------------------------------------------------------------

export interface InputFile {
  readonly path: string;
  /** The file name for messages and, without its extension, for a layer. */
  readonly name: string;
}

/** Threads that help `open` of a reader. */
export interface OpenThreads {
  readonly width: number;
  /** Calls `work` of the reader in a thread. */
  work(payload: unknown): Promise<unknown>;
}

export interface OpenContext {
  /** A directory of the job in which archives may be unpacked. */
  readonly scratchDirectory: string;
  readonly limits: InputLimits;
  /** Validated by `readOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly findings: Findings;
  /** Wanted size of a partition in bytes of input. */
  readonly partitionBytes: number;
  /** Shared by all inputs of a job. Default: the input is the only one. */
  readonly scratch?: ScratchSpace;
  /** The layers are needed for `selectFeatures` only: they may have no partitions, and a `featureCount` of null. */
  readonly forSelection?: true;
  /** Default: there are no threads. */
  readonly threads?: OpenThreads;
  /** The request states the CRS of positions, which the one table of the file therefore has to have. Default: it may have none. */
  readonly hasPositions?: true;
  /** Geometries are not used: where the format can do without, the file needs none, and all columns are fields. */
  readonly attributesOnly?: true;
  /**
   * Tables without geometries are layers if they are named here, or if the file has no other layer. Default: with `attributesOnly` all
   * are, else none is.
   */
  readonly tables?: readonly string[];
}

/** A range of records that one worker reads; `start` and `end` in a unit of the reader (bytes, record numbers). */
export interface Partition {
  readonly start: number;
  readonly end: number; // exclusive
  /**
   * Number of features of the layer before a partition that does not continue the one before it in the list; null: not
   * known. Default: it continues it.
   */
  readonly featuresBefore?: number | null;
}

/** Features that a filter may keep: their bounds intersect one of the boxes, and each of the fields has one of its values, or one in its range. */
export interface FeatureSelection {
  /** Null: no filter by a box. */
  readonly near: NearBoxes | null;
  readonly values: readonly WantedValues[];
}

/** How a reader reads some of the partitions of a layer without the others. */
export interface ExcerptRules {
  /**
   * known: `start` and `end` are numbers of parts whose boundaries are known, and any range of them is a partition.
   * guessed: as in text formats; a partition may end at any byte after its start.
   */
  readonly boundaries: 'known' | 'guessed';
  /** Null: only reading the partition shows it. */
  countFeatures(layer: SourceLayer, partition: Partition): number | null;
  /**
   * For each partition of the layer: 1 if it may have a feature in one of the boxes, else 0, by an index
   * or the heads of records; null: the file has none that can be trusted. Default: no file of the format has any.
   */
  partitionsNear?(layer: SourceLayer, near: NearBoxes): Uint8Array | null;
  /**
   * The layer with only the features that the selection may keep, in their order, but not numbered; its `featureCount` is that of all. The layer
   * was opened with `forSelection`. `partitionBytes`: wanted size of its partitions. Null: the file does not show which features these are, or they
   * are too many. Default: no file of the format shows it.
   */
  selectFeatures?(
    layer: SourceLayer,
    selection: FeatureSelection,
    partitionBytes: number,
  ): SourceLayer | null;
}

/** Why `partitions` of a layer are only some of it; set by the pipeline. */
export interface Excerpt {
  /** A sample is taken of evenly spaced parts. */
  readonly isSampled: boolean;
  /** Those that can have features in the box of a filter. */
  readonly isNearBox: boolean;
  /** Those that can have features with the values of a filter. */
  readonly hasValues: boolean;
}

/** A CRS that is used, and reported, if neither the file nor the request states one. */
export interface AssumedCrs {
  readonly crs: CrsText;
  /** Why, as part of a sentence: "columns 'lon' and 'lat' hold longitudes and latitudes"; null: there are no positions, so it is not reported. */
  readonly reason: string | null;
}

/** Of a layer in which no feature has a geometry: an output has to have a CRS. */
export const CRS_WITHOUT_POSITIONS: AssumedCrs = { crs: 'EPSG:4326', reason: null };

/**
 * How the encoding of a file is known. file: the file states it. request: the `encoding` option. content: guessed by the
 * texts. default: nothing states it.
 */
export type EncodingOrigin = 'file' | 'request' | 'content' | 'default';

/** How the text of a file is read, for people who choose the encoding or the columns by eye. Bounded. */
export interface FileText {
  readonly encoding: string;
  readonly origin: EncodingOrigin;
  /** Some texts with bytes beyond ASCII, as the file has them. */
  readonly samples: readonly Uint8Array[];
  /** Null: the file is no table of text. */
  readonly table: TextTable | null;
}

/** The head of a table of text. */
export interface TextTable {
  readonly delimiter: string;
  /** Counted from 1; null: the file has no header. */
  readonly headerLine: number | null;
  /** The first columns. */
  readonly columns: readonly string[];
  /** Number of all columns. */
  readonly columnCount: number;
  /** The first rows, with the cells of the first columns; `problem`: why it cannot be read as a feature, or null. */
  readonly rows: readonly {
    readonly line: number;
    readonly cells: readonly string[];
    readonly problem: string | null;
  }[];
  /** Read options that state the columns in which the position was found; null: it was not found. */
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** A layer of an opened input. Plain data: it is sent to worker threads. */
export interface SourceLayer {
  readonly name: string;
  /** Fields declared in the file; null if they are known only after reading every record. */
  readonly fields: readonly Field[] | null;
  /** Number of features declared in the file; null if it declares none. */
  readonly featureCount: number | null;
  /**
   * Bounds declared in the head of the file for widths, decimals and counts, which no record exceeds. With them writers
   * that need statistics need no first pass; null: a pass is necessary.
   */
  readonly declaredStatistics?: LayerStatistics | null;
  /** The CRS in the file; null if it has none. */
  readonly crs: CrsText | null;
  /** The same CRS in full, the best definition first, if the code in `crs` is unknown. Default: the file has none. */
  readonly crsDefinitions?: readonly CrsText[];
  readonly assumedCrs?: AssumedCrs | null;
  /** Why `crs` is null, for the error message: "there is no .prj". */
  readonly crsMissingReason: string;
  /** Bounds of the coordinates in the head of the file, for messages; null: it has none. Default: null. */
  readonly statedExtent?: Bounds | null;
  /** A few positions are outside `statedExtent`: they cannot be degrees, all others can. Default: none is known. */
  readonly hasOutliers?: boolean;
  /** Text encoding of the attributes, for reports. */
  readonly encoding: string | null;
  /** How the encoding is known. Default: the format has only one. */
  readonly encodingOrigin?: EncodingOrigin;
  /** Metres per unit of the coordinates if the file has a unit but no CRS; null: it has none. Default: null. */
  readonly metresPerUnit?: number | null;
  /**
   * Consecutive partitions. If boundaries are guesses (text formats), each partition's `end` equals the next one's
   * `start`, and a read reports where the next record really begins; the pipeline reads again after a wrong guess.
   */
  readonly partitions: readonly Partition[];
  /** A thread needs so much memory for a partition and those after it that only one reads them. Default: all threads do. */
  readonly isSequential?: true;
  /** Default: `partitions` are the whole layer. */
  readonly excerpt?: Excerpt;
  /** Data for `readPartition`; structured-clonable. */
  readonly state: unknown;
  /** A layer made by `target`: its fields are final, whatever the format of the features that it gets. */
  readonly isTarget?: true;
  /** A table without geometries beside layers with them; it is used if it is named, or if there is no other layer. */
  readonly isTable?: true;
  /** The error of a layer that cannot be read although others of the file can; thrown when the layer is requested. */
  readonly fault?: GeomillError;
}

export interface PartitionRequest {
  /**
   * Read exactly these fields with these types (second pass); null: the fields that the reader finds. Every reader
   * supports an empty list; other lists are only for readers whose types are not 'declared' by the file.
   */
  readonly fields: readonly Field[] | null;
  readonly limits: InputLimits;
}

export interface PartitionRead {
  readonly batch: FeatureBatch;
  /** Start of the record after the last one read, in the unit of Partition. */
  readonly nextStart: number;
  /** Number of records read, including those that became no feature. */
  readonly recordCount: number;
  /** Number of lines read; 0 for binary formats. */
  readonly lineCount: number;
  /** Locations count records and lines from 1 within the partition, also in errors of `readPartition`. */
  readonly findings: readonly FoundFinding[];
  /**
   * Values that contradict the declared type of their field and are null in the batch; see `undeclare`. Default: none.
   */
  readonly misfits?: readonly FieldMisfits[];
}

export interface FormatReader
  extends Partial<TypeRevising>,
    Partial<Extendable>,
    Partial<ContentListing>,
    Partial<TextDescribing>,
    Partial<Unpacking>,
    Partial<Threaded> {
  /**
   * The source of the types of a batch. 'declared': the layer's `fields`; if a layer declares none, the fields of a
   * batch apply to that batch only, and schema inference unifies them. 'value': each value has its own type, so the
   * fields of a batch apply to that batch only, and writers that need no fields use them unchanged (geojson). 'layer':
   * plain text with types that are known only after all rows (csv): the first pass infers them, the second reads with
   * them where they differ.
   */
  readonly typing: 'declared' | 'value' | 'layer';
  /** The type of a field with scalars of different kinds when the batches of a layer are combined. */
  readonly mixedType: MixedType;
  /** Whether feature ids are data, or row numbers that the format assigns. */
  readonly ids: 'data' | 'row numbers' | 'none';
  /** Reads headers and splits the source into partitions; reads records only if necessary. */
  open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]>;
  /** Reads the records that begin in `[partition.start, partition.end)`, whole, in order. */
  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead;
  /** Default: layers are always read whole. */
  readonly excerpts?: ExcerptRules;
}

// The capabilities that a reader may have besides.

/** Of a reader or writer that has work for the threads. Required if `open` uses `threads`, or a sink `work`, of its context. */
export interface Threaded {
  /** Does the work in a thread. */
  work(payload: unknown): { readonly result: unknown; readonly transfer: readonly ArrayBuffer[] };
}

/** Of a reader whose `readPartition` reports misfits: a file can have values that contradict the types that it declares. */
export interface TypeRevising {
  /** Returns the layer without the declared types of these fields: read with types that hold every value. */
  undeclare(layer: SourceLayer, fields: ReadonlySet<string>): SourceLayer;
}

/** Of a reader of a format whose existing outputs get features; the record says `isExtendable`. */
export interface Extendable {
  /** The layer as one that gets features: the fields that can be written, and nothing to read. */
  target(layer: SourceLayer): SourceLayer;
}

/** Of a reader of files that contain more than it reads, without a finding for it. */
export interface ContentListing {
  /** Names what the file contains beyond the features of these layers and an output made of them does not. */
  otherContent(file: InputFile, layers: readonly string[], limits: InputLimits): Promise<readonly string[]>;
}

/** Of a reader of files in several encodings. */
export interface TextDescribing {
  /**
   * Describes how the text of the file is read; null: it has none. `open` opens the file, for readers that need that; a file
   * that `open` rejects for its text can be described.
   */
  describeText(
    file: InputFile,
    context: OpenContext,
    open: () => Promise<readonly SourceLayer[]>,
  ): Promise<FileText | null>;
}

/** Of a reader that cannot read some files where they are. */
export interface Unpacking {
  /** Files that must be held in the job's scratch space while the layer is read; null: there are none. */
  unpackedSet(layer: SourceLayer): UnpackedSet | null;
}

// --- writing ----------------------------------------------------------------------------------------------------

export interface OutputLayer {
  readonly name: string;
  /** Null only for writers that need no fields. */
  readonly fields: readonly Field[] | null;
  /** Null only for writers that need no statistics. */
  readonly statistics: LayerStatistics | null;
  readonly crs: CrsDescription;
  /** The first field contains the feature ids, which the format cannot store as ids. */
  readonly idField?: string;
  /** The coordinates were transformed, so digits after the 15th are noise. */
  readonly coordinatesComputed: boolean;
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
