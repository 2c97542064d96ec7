/**
 * What a format is to the rest of geomill: one record of facts (known without loading any codec), a reader and a
 * writer. Detection, the CLI, the API and the docs all work from the record; the codecs are loaded when needed.
 *
 * A reader and a writer never see each other. Between them: feature batches.
 *
 *   main thread    reader.open -> layers, each cut into partitions        writer.plan -> encodings   sink.append, finish
 *   worker threads            reader.readPartition -> batch -> (reproject, transform) -> writer.encode -> chunk
 */
import type { Bounds } from '../batch/bounds.ts';
import type { FeatureBatch } from '../batch/feature-batch.ts';
import type { FieldMisfits } from '../batch/misfits.ts';
import type { Field, MixedType } from '../batch/schema.ts';
import type { LayerStatistics } from '../batch/statistics.ts';
import type { CrsDescription, CrsText } from '../crs/crs.ts';
import type { GeomillError } from '../errors.ts';
import type { Finding, Findings } from '../findings.ts';
import type { InputLimits } from '../io/limits.ts';
import type { ScratchSpace, UnpackedSet } from '../io/scratch-space.ts';

/** A JSON Schema (2020-12) of an object with options; validates requests and documents them. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties?: boolean;
}

/** How a file of a format is recognised, by any of the three, to name what was sent in place of another format. */
export interface Signature {
  /** What such a file is called in messages: "a GeoPackage". */
  readonly found: string;
  /** First characters of the file, in Latin-1, that no file of another format has. */
  readonly magic?: string;
  /** Matches the first 4 KiB, in Latin-1, of files of a text format. */
  readonly pattern?: RegExp;
  /** Matches the path of a member of a zip archive. */
  readonly member?: RegExp;
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
  readonly signatures: readonly Signature[];
  /** File in samples/. */
  readonly sample: string;
  /** A file is one JSON text: a JSON body can hold inputs, and `to_file: false` returns outputs. Names the schema of such a text. */
  readonly jsonSchema: 'FeatureCollection' | null;
  /** A runner process converts a small file to this format before its first job; only for the formats most used. */
  readonly isWarmedUp: boolean;
  /** Media type of an output. */
  readonly mediaType: string;
  /** Ending of an output file; ".zip" for shp. */
  readonly outputExtension: string;
  /** Where the CRS of an input comes from: fixed by the format (geojson), stated in the file, or only by the request. */
  readonly inputCrs: 'fixed' | 'file' | 'request';
  /** The CRS an output is written in whatever is requested, given the write options; null: the requested one. */
  readonly fixedOutputCrs?: (options: Readonly<Record<string, unknown>>) => CrsText | null;
  /** Whether an output keeps several layers apart; 'one' joins them. */
  readonly outputLayers: 'one' | 'many';
  /** An output holds feature ids; elsewhere they become a field where they are data. */
  readonly holdsIds: boolean;
  /**
   * How an output keeps fields. declared: a layer without features keeps them, too. with features: only features have
   * them. none: geometries only; the writer reports what it drops.
   */
  readonly outputFields: 'declared' | 'with features' | 'none';
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

export const isInputFormat = (format: Format): format is InputFormat => format.loadReader !== null;
export const isOutputFormat = (format: Format): format is OutputFormat => format.loadWriter !== null;

// --- reading ----------------------------------------------------------------------------------------------------

export interface InputFile {
  readonly path: string;
  /** The file's name as the user knows it; used in messages and, without its ending, as a layer name. */
  readonly name: string;
}

export interface OpenContext {
  /** A directory of the job's own where archives may be unpacked. */
  readonly scratchDirectory: string;
  readonly limits: InputLimits;
  /** Validated by `readOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly findings: Findings;
  /** Wanted size of a partition in bytes of input. */
  readonly partitionBytes: number;
  /** Shared by all inputs of a job; missing: the input is the only one. */
  readonly scratch?: ScratchSpace;
}

/** A run of records that one worker reads; `start` and `end` in a unit of the reader's own (bytes, record numbers). */
export interface Partition {
  readonly start: number;
  readonly end: number; // exclusive
}

/** A layer of an opened input. Plain data: it is sent to worker threads as it is. */
export interface SourceLayer {
  readonly name: string;
  /** Fields as the file declares them; null where only reading every record tells. */
  readonly fields: readonly Field[] | null;
  /** Features the file declares; null when it does not tell. */
  readonly featureCount: number | null;
  /**
   * Bounds on what reading every record would find, where the head of the file declares them: widths, decimals and
   * counts that no record exceeds. They spare writers that need statistics the first pass; null: only reading tells.
   */
  readonly declaredStatistics?: LayerStatistics | null;
  /** The CRS the file states; null when it states none. */
  readonly crs: CrsText | null;
  /** Why `crs` is null, for the error message: "there is no .prj". */
  readonly crsMissingReason: string;
  /** Bounds of the coordinates as the head of the file states them, for messages; null and missing: it does not. */
  readonly statedExtent?: Bounds | null;
  /** Text encoding of the attributes, for reports. */
  readonly encoding: string | null;
  /** Metres per unit of the coordinates, where the file states a unit but no CRS; null and missing: it does not. */
  readonly metresPerUnit?: number | null;
  /**
   * Consecutive partitions. Where boundaries are guesses (text formats), each partition's `end` equals the next one's
   * `start`, and a read reports where the next record really begins; the pipeline re-reads where a guess was wrong.
   */
  readonly partitions: readonly Partition[];
  /** What `readPartition` needs to know; structured-clonable. */
  readonly state: unknown;
  /** Why this layer cannot be read, though others of the file can: thrown once it is asked for. Missing: it can. */
  readonly fault?: GeomillError;
}

export interface PartitionRequest {
  /**
   * Read exactly these fields with these types (second pass); null: as the reader finds them. None at all may be asked
   * for of every reader, others only of those whose types are not 'declared' by the file.
   */
  readonly fields: readonly Field[] | null;
  readonly limits: InputLimits;
}

export interface PartitionRead {
  readonly batch: FeatureBatch;
  /** Where the record after the last one read begins, in the unit of Partition. */
  readonly nextStart: number;
  /** Records of the source that were consumed, also those that became no feature. */
  readonly recordCount: number;
  /** Lines of text that were consumed; 0 for binary formats. */
  readonly lineCount: number;
  /** Places count records and lines from 1 within the partition. So do errors that `readPartition` throws. */
  readonly findings: readonly Finding[];
  /** Values that contradict the declaration of their field, null in the batch; see `undeclare`. Missing: none. */
  readonly misfits?: readonly FieldMisfits[];
}

export interface FormatReader {
  /**
   * Where the types of a batch come from. 'declared': the layer's `fields`; where a layer declares none, the fields of a
   * batch hold for that batch only, and schema inference unifies them. 'value': each value has a type of its own, so the
   * fields of a batch hold for that batch only, and writers that need no fields take them as they are (geojson).
   * 'layer': plain text, whose types are known only after all rows (csv): the first pass infers them, the second reads
   * with them where they differ.
   */
  readonly typing: 'declared' | 'value' | 'layer';
  /** What a field of differing scalars becomes when the batches of a layer are brought together. */
  readonly mixedType: MixedType;
  /** What feature ids are: data that somebody gave the features, or numbers that the format gives every row. */
  readonly ids: 'data' | 'row numbers' | 'none';
  /** Reads headers and cuts the source; reads records only where there is no other way. */
  open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]>;
  /** Reads the records that begin in `[partition.start, partition.end)`, whole, in order. */
  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead;
  /**
   * The layer, read without the declarations of these fields: with types that hold every value. Present where
   * `readPartition` tells of misfits.
   */
  undeclare?(layer: SourceLayer, fields: ReadonlySet<string>): SourceLayer;
  /** Files that have to be held in the job's scratch space while the layer is read; null: there are none. Missing: for no layer. */
  unpackedSet?(layer: SourceLayer): UnpackedSet | null;
}

// --- writing ----------------------------------------------------------------------------------------------------

export interface OutputLayer {
  readonly name: string;
  /** Null only for writers that need no fields. */
  readonly fields: readonly Field[] | null;
  /** Null only for writers that need no statistics. */
  readonly statistics: LayerStatistics | null;
  readonly crs: CrsDescription;
  /** The first field is made of the feature ids, which the format cannot hold. */
  readonly idField?: string;
  /** The coordinates went through a transformation, so digits beyond the 15th mean nothing. */
  readonly coordinatesComputed: boolean;
}

export interface WriteContext {
  /** Name of the output without ending. */
  readonly name: string;
  /** Validated by `writeOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly findings: Findings;
}

/** How to encode a layer's batches; structured-clonable, sent to the workers. */
export interface LayerEncoding {
  /** Cast batches to these fields first; null: encode whatever fields a batch has. */
  readonly fields: readonly Field[] | null;
  readonly state: unknown;
}

export interface EncodedChunk {
  /** What the sink's `append` takes; structured-clonable. */
  readonly data: unknown;
  readonly transfer: readonly ArrayBuffer[];
  /** Places count features from 1 within the batch. */
  readonly findings: readonly Finding[];
}

export interface OutputFile {
  readonly path: string;
  /** Where it differs from the media type of the format. */
  readonly mediaType?: string;
  readonly byteLength: number;
}

export interface OutputSink {
  /** Chunks of a layer come in the order of its features, layers one after the other. */
  append(layerIndex: number, chunk: unknown): void;
  /** Completes the output; only now does it exist under its name. */
  finish(): Promise<OutputFile>;
  /** Closes and removes what was written so far. */
  abort(): void;
}

export interface FormatWriter {
  /** What `plan` must be told: nothing beyond the batch at hand, the fields of all rows, or all statistics. */
  readonly needs: 'batch' | 'fields' | 'statistics';
  /** Decides names, types, widths and files; notes what will be renamed, retyped or lost. */
  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[];
  encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk;
  /** `path` is where the output shall stand; it must not exist. */
  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink;
}
