/** The contract of readers: from a file to layers, and from the partitions of a layer to feature batches. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import type { FieldMisfits } from '@geomill/core/columns/misfits.ts';
import type { NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import type { Field, MixedType } from '@geomill/core/columns/schema.ts';
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { WantedValues } from '@geomill/core/columns/wanted-values.ts';
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings, FoundFinding } from '@geomill/core/messages/findings.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { ScratchSpace, UnpackedSet } from '@geomill/io/scratch-space.ts';

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
  /** Geometries are neither written nor used by a step: columns with positions are fields. */
  readonly geometriesUnused?: true;
  /**
   * Tables without geometries are layers if they are named here, or if the file has no other layer; 'all': each is one. Default: with
   * `attributesOnly` all are, else none is.
   */
  readonly tables?: readonly string[] | 'all';
  /** What is known of a CRS, for files whose positions are in the order of its axes. Throws CRS_UNKNOWN. Default: x comes before y. */
  readonly describeCrs?: (definition: CrsText) => Promise<CrsDescription>;
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

/** A layer in a file. */
export interface LayerOrigin {
  /** Id of the format. */
  readonly format: string;
  readonly path: string;
  /** The file as the user knows it. */
  readonly file: string;
  readonly layer: string;
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
  /** The file states the CRS in `crs`, although files of the format usually have a fixed one. Default: as the format has it. */
  readonly statesCrs?: true;
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
  /** What the file says of the layer and of its fields besides their names and types. Not sent to threads. Default: nothing. */
  readonly facts?: LayerFacts;
  /** Where a writer of the same format finds what no feature has, such as metadata and styles of the layer. Default: nowhere. */
  readonly origin?: LayerOrigin;
  /** Data for `readPartition`; structured-clonable. */
  readonly state: unknown;
  /** A layer made by `target`: its fields are final, whatever the format of the features that it gets. */
  readonly isTarget?: true;
  /** A table without geometries: no row has one. Default: features have geometries. */
  readonly isTable?: true;
  /** The error of a layer that cannot be read although others of the file can; thrown when the layer is requested. */
  readonly fault?: GeomillError;
}

/** The layer as threads get it, which read values alone. */
export function withoutFacts({ facts, ...layer }: SourceLayer): SourceLayer {
  return layer;
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
