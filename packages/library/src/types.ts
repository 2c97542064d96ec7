/** The types of the library. They name nothing of other workspaces, so that the published declarations are complete. */
import type {
  CrsHit,
  Feature,
  FeatureCollection,
  FormatRecord,
  Geometry,
  Inspection,
  JobDocument,
  Report,
  TransformationRecord,
  TransformationStep,
} from './openapi-types.ts';

export type { CrsHit, Feature, FeatureCollection, Geometry, Inspection, Report };

/** A step: its `type` and `params`, as in a job document. */
export type Step = TransformationStep;

/** Bytes of a file as a stream, such as the body of a response, or a stream of Node.js. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** What an input can be: the path or URL of a file, its bytes, or GeoJSON. An http or https URL is fetched. */
export type Source =
  | string
  | URL
  | Blob
  | Uint8Array
  | ByteStream
  | FeatureCollection
  | Feature
  | Geometry
  | Iterable<Feature>
  | AsyncIterable<Feature>;

type InputMembers = Omit<JobDocument['inputs'][number], 'path' | 'url' | 'upload'>;
type OutputMembers = Omit<JobDocument['outputs'][number], 'path'>;

/** A file with the options to read it: those of a job document. State `path` or `data`. */
export interface InputOptions extends InputMembers {
  /** Path or URL of the file. */
  path?: string | URL;
  data?: Source;
  /** Name of the file, for messages, for the layer, and to recognise the format. Default: that of the path or of the File. */
  name?: string;
  /** CRS of the input, for files that do not define one. The same as `epsg`. */
  crs?: string | number;
}

export type Input = Source | InputOptions;

/** The output: the members of a job document. */
export interface OutputOptions extends OutputMembers {
  /** Path or file: URL. Default: the output is returned in memory. */
  path?: string | URL;
  /** Name of an output without a path. Default: the name of the first input with another extension. */
  name?: string;
  /** true: replace a file at `path`. Default: `false`. */
  overwrite?: boolean;
  /** true: an append that replaces its first input may lose what the output cannot keep of it, such as other layers. Default: `false`. */
  drop_other_content?: boolean;
  /** CRS of the output. The same as `epsg`. Default: that of the input. */
  crs?: string | number;
}

/** Path, file: URL, or the members of an output. */
export type Output = string | URL | OutputOptions;

interface JobOptions
  extends Pick<JobDocument, 'fail_on' | 'strict' | 'accept_impossible_coordinates' | 'exact'> {
  steps?: Step[];
  output: Output;
}

export interface ConvertJob extends JobOptions {
  input: Input;
}

export interface AppendJob extends JobOptions {
  /** The features of the other inputs are added to the layers of the first. */
  inputs: Input[];
}

export interface MergeJob extends JobOptions, Pick<JobDocument, 'attributes' | 'source_field'> {
  inputs: Input[];
}

export interface InspectJob {
  input: Input;
  /** With `output`: what a conversion to it would change or lose. */
  steps?: Step[];
  output?: Omit<OutputOptions, 'path' | 'overwrite' | 'drop_other_content'>;
  /** Describe only how the text is read, also of a file that cannot be converted. Default: `false`. */
  text_only?: boolean;
}

export interface Progress {
  /** 0 to 1, never falling. */
  readonly fraction: number;
  readonly stage: string;
}

/** Limits on an input, against files that were made to exhaust memory or disk. Defaults: those of the command. */
export interface Limits {
  /** Total unpacked size of the archives of a job. */
  unzippedBytes?: number;
  /** Ratio of the unpacked to the packed size of an entry. */
  unzipRatio?: number;
  zipEntries?: number;
  features?: number;
  coordinatesPerFeature?: number;
  /** Attribute fields of a layer. */
  fields?: number;
  /** Positions that a step may produce for each input position. */
  outputFactor?: number;
  /** Total size of the files that a call fetches from URLs. */
  fetchedBytes?: number;
}

/** How a call runs; none of it changes the output. */
export interface RunOptions {
  /** An abort rejects with CANCELLED and leaves nothing behind. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Maximum number of worker threads for large files. Default: one for each core. */
  threads?: number;
  limits?: Limits;
  /** Fetches inputs that are http or https URLs. Default: the `fetch` of the runtime. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Directory with PROJ grids. Default: none. */
  gridDirectory?: string;
  /** Directory for temporary files. Default: that of the system. */
  temporaryDirectory?: string;
  /** The time that an output states, if its format states one. Default: now. */
  time?: Date;
}

/** A file of the output. */
export interface OutputFile {
  readonly name: string;
  /** Null: the output is in memory. */
  readonly path: string | null;
  readonly mediaType: string;
  readonly byteLength: number;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  blob(): Promise<Blob>;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface Converted {
  readonly files: readonly OutputFile[];
  readonly report: Report;
}

export interface ReadOptions extends RunOptions, InputMembers {
  /** CRS of the features. Default: EPSG:4326 for features, as GeoJSON has it, and the CRS of the input for columns. */
  crs?: string | number;
  /** Applied before the features are returned. */
  steps?: Step[];
  /** features: GeoJSON features. columns: batches of typed arrays. Default: `features`. */
  as?: 'features' | 'columns';
  /** Gets the report, before the first feature. */
  onReport?: (report: Report) => void;
}

export interface WriteOptions extends RunOptions, Omit<OutputOptions, 'path' | 'name'> {
  steps?: Step[];
}

export interface PlanOptions extends RunOptions {
  /** Bytes of input that a part reads, about. Default: 64 MiB. */
  partBytes?: number;
}

/** A conversion in parts. Plain data, which `structuredClone` and `v8.serialize` copy. */
export interface Plan {
  /** Of geomill: parts and results are for the same version. */
  readonly version: string;
  readonly job: ConvertJob;
  readonly input: { readonly path: string; readonly byteLength: number; readonly modifiedMs: number };
  readonly partBytes: number;
  /** Empty for a job that is too small, or that cannot be divided: `join` converts it. */
  readonly parts: readonly Part[];
}

/** Plain data for `runPart`. Run only parts of plans that you trust. */
export interface Part {
  readonly version: string;
  /** Position in the plan. */
  readonly index: number;
  readonly inputPath: string;
  readonly taskCount: number;
  readonly session: Uint8Array<ArrayBuffer>;
  readonly tasks: Uint8Array<ArrayBuffer>;
}

export interface PartOptions extends RunOptions {
  /** Where the input is on this machine. Default: at the path of the job. */
  input?: string | URL;
}

/** Plain data for `join`. */
export interface PartResult {
  readonly version: string;
  readonly index: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bit i % 8 of byte i >> 3 is 1 if row i has a value; null: every row has one. */
export type Validity = Uint8Array<ArrayBuffer> | null;

/** Values of a field. Row i of texts and bytes is `bytes.subarray(offsets[i], offsets[i + 1])`, in UTF-8. */
export type Column =
  | { readonly type: 'boolean'; readonly values: Uint8Array<ArrayBuffer>; readonly validity: Validity }
  | { readonly type: 'int32'; readonly values: Int32Array<ArrayBuffer>; readonly validity: Validity }
  | { readonly type: 'int64'; readonly values: BigInt64Array<ArrayBuffer>; readonly validity: Validity }
  | { readonly type: 'float64'; readonly values: Float64Array<ArrayBuffer>; readonly validity: Validity }
  | {
      readonly type: 'string' | 'date' | 'datetime' | 'json' | 'binary';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly offsets: Uint32Array<ArrayBuffer>;
      readonly validity: Validity;
    };

/** Features as columns. */
export interface ColumnBatch {
  /** Name of the layer. */
  readonly layer: string;
  readonly crs: string | null;
  readonly rowCount: number;
  /** By the names of the fields; every batch of a layer has the same. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Geometries as WKB (ISO, with Z and M); a feature without one is null. */
  readonly geometry: Column;
}

export type FormatFacts = Omit<FormatRecord, 'links'>;
export type StepFacts = Omit<TransformationRecord, 'example'>;

export interface CrsQuery {
  /** Maximum number of systems. Default: `10`. */
  limit?: number;
  /** Longitude and latitude in degrees, which must be in the area of use. */
  near?: readonly [longitude: number, latitude: number];
  /** West, south, east and north in degrees, which the area of use must contain. */
  bbox?: readonly [west: number, south: number, east: number, north: number];
  /** metre, degree, foot, ... */
  unit?: string;
}

/** Where in the data an error occurred; rows, lines and columns count from 1. */
export interface ErrorLocation {
  readonly file?: string;
  readonly layer?: string;
  readonly record?: number;
  readonly line?: number;
  readonly column?: number;
  readonly offset?: number;
  readonly id?: string;
  readonly field?: string;
}

/** What every call throws. */
export interface GeomillError extends Error {
  /** One of docs/errors.md. */
  readonly code: string;
  readonly location: ErrorLocation | undefined;
  /** Coordinate reference systems that may be meant, most likely first. */
  readonly suggestions: readonly { readonly crs: string; readonly name: string }[];
  /** Values of the job with which it may succeed, alternatives to each other. */
  readonly fixes: readonly { readonly path: string; readonly value: string | boolean }[];
}

/** `error instanceof GeomillError` recognises the errors of the library. */
export interface GeomillErrorClass {
  readonly prototype: GeomillError;
  [Symbol.hasInstance](value: unknown): value is GeomillError;
}

/** Functions that share worker threads. */
export interface Converter {
  convert(job: ConvertJob, options?: RunOptions): Promise<Converted>;
  append(job: AppendJob, options?: RunOptions): Promise<Converted>;
  merge(job: MergeJob, options?: RunOptions): Promise<Converted>;
  inspect(job: Input | InspectJob, options?: RunOptions): Promise<Inspection>;
  /** Ends the threads. Calls that run are completed with threads of their own. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
