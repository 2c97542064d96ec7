/**
 * The contract of transformations: a record of facts, available without loading code, and the code.
 * Requests are checked, the command line and the docs are made from the record; the pipeline runs the code.
 *
 *   streaming    a batch in, a batch out, in the worker that read the partition (buffer, clip, filter, ...)
 *   collecting   needs every feature of a layer before its first result (union, dissolve)
 *   serial       sees each feature of a layer once, in order, in the main thread; keeps, drops or reorders them (sort, limit)
 *   reprojecting only says which CRS comes next
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { WantedValues } from '@geomill/core/columns/wanted-values.ts';
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Dimensions, GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';

/** Parameters of one step as the request has them, checked by the schema, defaults filled in. */
export type StepParameters = Readonly<Record<string, unknown>>;

/** A JSON Schema (2020-12) of an object; descriptions with units are the documentation. */
export interface ParametersSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

/** How a step is written on the command line: `--buffer 100m` is `{ flag: 'buffer', placeholder: 'DISTANCE', ... }`. */
export interface CommandLineForm {
  readonly flag: string;
  /** Null: the flag takes no value. */
  readonly placeholder: string | null;
  readonly description: string;
  /** The parameters that a value means. Throws USAGE. `isFile`: whether there is a file at a path. */
  readonly parameters: (value: string, isFile: (path: string) => boolean) => StepParameters;
  /** Flags that say more about the step before them: `--dissolve zone --aggregate pop=sum`. Several may share a name. */
  readonly modifiers?: readonly CommandLineModifier[];
}

export interface CommandLineModifier {
  readonly flag: string;
  /** Null: the flag takes no value. */
  readonly placeholder: string | null;
  readonly description: string;
  /** The values it takes where another step begins with the same flag. Default: no step does. */
  readonly accepts?: (value: string) => boolean;
  /** Given elsewhere than after its step, it begins one. Default: it is an error there. */
  readonly beginsStep?: true;
  /** The step's parameters with those of the value added. Throws USAGE. */
  readonly parameters: (value: string, before: StepParameters) => StepParameters;
}

/** How to read the file of features that a step has instead of a value. Plain data. */
export interface FeatureFile {
  /** Id of an input format; null: that of the file's name, or of its content. */
  readonly format: string | null;
  /** Null: the only one. */
  readonly layer: string | null;
  /** Null: the one that the file states. */
  readonly crs: CrsText | null;
  /** A condition on the fields, as `where` of filter; null: all features. */
  readonly where: string | object | null;
  /** Options for reading it, by the names of the format; numbers and booleans may be texts. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Paths of these parameters and of the file itself, for messages. */
  readonly paths: Readonly<Record<'file' | 'format' | 'layer' | 'crs' | 'where' | 'options', string>>;
}

/** Takes the features of a file. */
export interface FeatureCollector {
  /** What it takes of them: geometries alone, or attributes with geometries or without. Without geometries the file needs no CRS. */
  readonly takes: 'geometries' | 'attributes' | 'features';
  /**
   * Locations in errors count the rows of the batch from 1. The batches of one reading have the same fields. `file`: its name, as
   * the user knows it.
   */
  add(batch: FeatureBatch, file: string): void;
  /** Discards what was added. */
  restart(): void;
  /** The value that the code of the step gets. Throws TRANSFORMATION_INVALID. */
  finish(): unknown;
}

/**
 * A second source of a step: a file of features in any format, which is a part of a form, an upload, or a file named on the
 * command line. It is a further input of the job, named in the step. A step can have a value instead, if the parameter says so.
 */
export interface FileParameter {
  /** Names the parameter with the file, the part of a form that holds it by default, and the beginning of the names of others. */
  readonly part: string;
  /** What the step uses of the features of a file, for the docs. */
  readonly uses: 'polygons' | 'features' | 'attributes';
  /** The parameter that can have the value itself; null: only a file has it. */
  readonly value: FileValueParameter | null;
  /** How to read the file of features. `pathOf`: of a parameter, in messages. Throws CRS_UNKNOWN. */
  readonly fileOf: (parameters: StepParameters, pathOf: (name: string) => string) => FeatureFile;
  /** `path` of the file, for messages. Without `usesParameters` steps with the same file share what one collector made. */
  readonly collector: (
    path: string,
    parameters: StepParameters,
  ) => FeatureCollector | Promise<FeatureCollector>;
  /** What the collector makes depends on the parameters of the step. */
  readonly usesParameters?: true;
}

/** A value that may be as large as a file. In a request, a large one is stored as a file of the job that is read when the job runs. */
export interface FileValueParameter {
  readonly name: string;
  /** Converts the value to the one that the code gets. Throws TRANSFORMATION_INVALID with `path`. */
  readonly fromValue: (value: unknown, path: string) => unknown;
  /** The same from the content of a file. */
  readonly fromFile: (content: Uint8Array, path: string) => unknown;
}

/** The parameter in which the code of a step gets what was made of its file or value. */
export function contentName({ part, value }: FileParameter): string {
  return value?.name ?? part;
}

/** Totals over the steps of one request, for limits that apply to all of them together. */
export class RequestTotals {
  /** Words and values of all expressions. */
  expressionTokens = 0;
}

/**
 * What the pipeline does for a step with features across the antimeridian, in longitudes and latitudes:
 *
 *   as written  nothing: the step moves positions one by one, or only looks at attributes
 *   edges       edges continue over 180 degrees, and parts that were cut there are joined; the result is cut again
 *   feature     the same, and all parts of a feature are side by side
 *   layer       the same for all features of a layer together, in one plane
 *   own         nothing: the step itself takes edges the short way over 180 degrees
 */
export type Longitudes = 'as written' | 'edges' | 'feature' | 'layer' | 'own';

/**
 * What a step does with geometries. needed: it works on them, and a table without geometries is refused. if any: an expression or a comparison may
 * use them. never: only attributes and the order of features count.
 */
export type GeometryUse = 'needed' | 'if any' | 'never';

/** Where a list of steps has a step, in the order of the list. */
export const STEP_GROUPS = [
  'select',
  'shape',
  'combine',
  'attributes',
  'coordinates',
  'check',
  'order',
] as const;
export type StepGroup = (typeof STEP_GROUPS)[number];

export interface Transformation {
  readonly id: string;
  readonly title: string;
  readonly group: StepGroup;
  /** What it is for, in one line: a list of steps has it beside the title. */
  readonly summary: string;
  /** Markdown for the documentation: what it does, to which geometries, what becomes of attributes and ids. */
  readonly description: string;
  readonly parameters: ParametersSchema;
  /** Parameters of which a step needs one. Default: only those that the schema requires, and the file. */
  readonly needsOneOf?: readonly string[];
  /** Parameters that a form shows besides the needed ones before its user asks for all. Default: none. */
  readonly mainParameters?: readonly string[];
  /** One sentence each, for the documentation: what always holds of a result. */
  readonly guarantees: readonly string[];
  readonly longitudes: Longitudes;
  readonly usesGeometries: GeometryUse | ((parameters: StepParameters) => GeometryUse);
  readonly commandLine: CommandLineForm | null;
  /** Checks rules that the schema cannot express, before the job is queued. Throws TRANSFORMATION_INVALID naming `${path}.parameter`. */
  readonly check?: (parameters: StepParameters, path: string, totals: RequestTotals) => void;
  /** Checks a rule about the steps before it in the request. Throws as `check`. */
  readonly checkBefore?: (
    parameters: StepParameters,
    path: string,
    before: readonly { readonly type: string; readonly params: StepParameters }[],
  ) => void;
  /** Required; the schema does not require it, as a form can have it as a part. `check` sees the parameters without its content. */
  readonly fileParameter?: FileParameter;
  /** It needs hundreds of megabytes for inputs of that size. Default: it does not. */
  readonly needsMuchMemory?: true;
  readonly load: () => Promise<TransformationCode>;
}

export type TransformationCode =
  | StreamingTransformation
  | CollectingTransformation
  | SerialTransformation
  | ReprojectingTransformation;

/** Changes the CRS of the data for the steps after it; the pipeline does the work, as it does for the output CRS. */
export interface ReprojectingTransformation {
  readonly kind: 'reprojecting';
  readonly targetCrs: (parameters: StepParameters) => CrsText;
  readonly outputFields?: undefined;
}

/** Positions from EPSG:4326 to the CRS of the data or back, in place; x is east. Throws COORDINATE_OUTSIDE_DOMAIN. */
export type TransformPositions = (coordinates: Float64Array, dimensions: Dimensions) => void;

/** The CRS of the coordinates in the file of a step. */
export interface FileSetting {
  readonly crs: CrsDescription;
  /** To the CRS of the data; null: it is the same. */
  readonly toData: TransformPositions | null;
  readonly toWgs84: TransformPositions;
}

/** The setting of a step in its chain. */
export interface StepSetting {
  /** Of the coordinates that the step gets. */
  readonly crs: CrsDescription;
  readonly fromWgs84: TransformPositions;
  readonly toWgs84: TransformPositions;
  /** How to get from the CRS of the file that a step has instead of a value. Default: it has none, or one in EPSG:4326. */
  readonly file?: FileSetting;
  readonly layerName: string;
  /** The step's place in the request, "transformations[1]", for messages. */
  readonly path: string;
  /**
   * Throws OUTPUT_FACTOR_EXCEEDED where so many positions are more than a step may make of the batch at hand. Every result
   * is checked by the pipeline; a step that can make much of little asks before it does.
   */
  readonly checkPositions: (count: number) => void;
}

export interface StreamingTransformation {
  readonly kind: 'streaming';
  /** Whether the step needs the same fields in every batch of a layer. Default: it does if it has `outputFields`. */
  readonly usesFields?: (parameters: StepParameters) => boolean;
  /** Keeps or drops whole features, unchanged. */
  readonly selects?: true;
  /** Keeps all features, and the values of the fields that it keeps. */
  readonly keepsValues?: true;
  /** Positions are in the CRS of the data only after the step: before it, x and y are exchanged, or are anything. */
  readonly corrects?: 'order' | 'positions';
  /**
   * Boxes in the CRS of the data: the step drops features whose bounds intersect none of them, and need not get these. Null: any
   * feature may be kept. Throws what `prepare` throws.
   */
  readonly boxes?: (parameters: StepParameters, setting: StepSetting) => NearBoxes | null;
  /** The step drops features that have no value of each of these in its field, and need not get these features. Missing or empty: any may be kept. */
  readonly wantedValues?: (parameters: StepParameters) => readonly WantedValues[];
  /** Whether `boxes` is not null; before the CRS of the data is known. */
  readonly hasBoxes?: (parameters: StepParameters) => boolean;
  /**
   * The fields after the step, from those before it; null for unknown. Absent: unchanged. Throws FIELD_UNKNOWN, which lists
   * the fields there are, and TRANSFORMATION_INVALID; the pipeline calls it in the main thread wherever fields are known.
   * `path` of the step, for messages.
   */
  readonly outputFields?: (
    fields: readonly Field[],
    parameters: StepParameters,
    path: string,
  ) => readonly Field[];
  /** Whether the step uses the numbers of features, which are known only after all features before were counted. Default: it does not. */
  readonly numbersRows?: (parameters: StepParameters) => boolean;
  /** Called once per worker, layer and step; the function it gives is called per batch. Needs engines: may be async. */
  prepare(parameters: StepParameters, setting: StepSetting): Promise<ApplyStep>;
  /** Features that the step adds after the last ones of a layer. Default: none. */
  readonly addition?: Addition;
  /** Called in the main thread after all batches of all layers, unless these are an excerpt: reports what concerns all of them. */
  readonly conclude?: (parameters: StepParameters, findings: Findings) => void;
}

/** Applies the step. Dropped, repaired and split features are noted; locations count the rows of the batch from 1. Never changes its input's buffers. */
export type ApplyStep = (
  batch: FeatureBatch,
  findings: Findings,
  /** Number of features of the layer before the batch, at this step; null or missing: the step does not use it. */
  rowsBefore?: number | null,
  /** Of a step with an `addition`: passes data of the batch on to it, at most once. */
  forAddition?: (data: unknown) => void,
) => FeatureBatch;

/** Beside the batches that workers transform: one half in the main thread, the other in workers that it calls after all batches. */
export interface Addition {
  readonly isWanted: (parameters: StepParameters) => boolean;
  /** In the main thread, for one layer. `setting.checkPositions` counts the positions of all batches so far. */
  begin(parameters: StepParameters, setting: StepSetting, store: BatchStore): Promise<AdditionRun>;
  /** In a worker, once per worker, layer and step: the function that answers the calls. */
  prepare(parameters: StepParameters, setting: StepSetting): Promise<AnswerCall>;
}

export interface AdditionRun {
  /** What `apply` passed on for a batch, in the order of the features. */
  add(data: unknown): void;
  /** The features to add. `fields`: of the batches of the layer after the step. Each batch is used before the next one is made. */
  finish(fields: readonly Field[], findings: Findings, workers: WorkerCalls): AsyncIterable<FeatureBatch>;
}

export interface CollectingTransformation {
  readonly kind: 'collecting';
  readonly outputFields?: (fields: readonly Field[], parameters: StepParameters) => readonly Field[];
  /**
   * The step reads coordinates part by part and passes no column of the batches on: the coordinates of large layers are in a file
   * (GeometryColumn.copyOrdinates). Default: they are in memory.
   */
  readonly readsParts?: true;
  /**
   * Runs in the main thread over all batches of a layer (fields and types already made the same); heavy work goes to `host.call`.
   * Each batch of the result is used before the next one is made.
   */
  collect(
    batches: readonly FeatureBatch[],
    parameters: StepParameters,
    setting: StepSetting,
    host: CollectingHost,
  ): Promise<Iterable<FeatureBatch>>;
  /** In a worker, once per worker, layer and step: the function that answers `host.call`. */
  prepare(parameters: StepParameters, setting: StepSetting): Promise<AnswerCall>;
}

export type AnswerCall = (payload: unknown) => {
  readonly result: unknown;
  readonly transfer: readonly ArrayBuffer[];
};

/** Calls of the half of a step in the main thread to its half in the workers. */
export interface WorkerCalls {
  /** Calls that can run at once. */
  readonly width: number;
  /** Runs the step's AnswerCall in a worker. Payload and result are structured-clonable; `transfer` is moved. Rejects when cancelled. */
  call(payload: unknown, transfer?: readonly ArrayBuffer[]): Promise<unknown>;
}

export interface CollectingHost extends WorkerCalls {
  /** The same column, whose coordinates may be in a file from now on. */
  keep(column: GeometryColumn): GeometryColumn;
  /** Share of the step that is done, 0 to 1. */
  progress(fraction: number): void;
  readonly findings: Findings;
}

/** Sees each feature of a layer once, in order, without having all of them in memory. */
export interface SerialTransformation {
  readonly kind: 'serial';
  readonly outputFields?: (fields: readonly Field[], parameters: StepParameters) => readonly Field[];
  /** Whether the step needs the same fields in every batch of a layer. Default: it does not. */
  readonly usesFields?: (parameters: StepParameters) => boolean;
  /** Features that are missing in the result were merged into others. Default: they were left out. */
  readonly merges?: true;
  /** Number of features for which evenly spaced parts of a large layer are read. Default: the step needs all of it. */
  readonly sampleSize?: (parameters: StepParameters) => number;
  /** Whether the step uses `rows`; then the steps before it keep or drop whole features of the source. Default: it does not. */
  readonly needsRows?: (parameters: StepParameters) => boolean;
  /** For one layer. */
  begin(parameters: StepParameters, setting: StepSetting, store: BatchStore): Promise<SerialRun>;
}

export interface SerialRun {
  /**
   * Adds the features after those added before; the batch is then the step's own. Locations of findings count its rows from 1.
   * `rows`: their numbers in the layer of the source, from 1; null: not known, or not needed. Throws TRANSFORMATION_INVALID.
   */
  add(batch: FeatureBatch, findings: Findings, rows: BigInt64Array<ArrayBuffer> | null): void;
  /** Whether further features make no difference: they are not read. Default: never. */
  isComplete?(): boolean;
  /** The features after the step. Each batch is used before the next one is made. Findings have no locations. */
  finish(findings: Findings): Iterable<FeatureBatch | StoredBatch>;
}

/** Keeps batches on disk until the end of the conversion. */
export interface BatchStore {
  store(batch: FeatureBatch): StoredBatch;
  load(stored: StoredBatch): FeatureBatch;
  /** The same for other plain data with typed arrays. */
  storeData(data: object): StoredData;
  loadData(stored: StoredData): unknown;
}

/** A batch in the file of a store. */
export interface StoredBatch extends StoredData {
  readonly rowCount: number;
}

/** Plain data in the file of a store. */
export interface StoredData {
  /** The data as JSON, without its arrays. */
  readonly shape: string;
  readonly start: number;
  readonly end: number;
}
