/** The request types. The job API, the versioned API and the CLI map their input to them. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { FailOn } from '@geomill/core/messages/findings.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { ExpectedFile } from '@geomill/io/output-place.ts';
import type { RequestedStep } from '@geomill/operations/requested-steps.ts';
import type { SplitBy } from '@geomill/operations/split_by/record.ts';

/** A job of a runner. */
export type JobRequest = ConversionRequest | InspectionRequest;

export interface ConversionRequest {
  /**
   * transform: converts the one input file. append: adds the features of the other files to the layers of the first.
   * merge: makes one layer of all files.
   */
  readonly operation: 'transform' | 'append' | 'merge';
  readonly input: InputRequest;
  /** Applied in order, after appending or merging. */
  readonly transformations: readonly RequestedStep[];
  readonly output: OutputRequest;
  /** What becomes of the attributes of a merge. Default: they are dropped. */
  readonly merge?: MergeRequest;
  /** Fail, without output, if a finding has this severity or a worse one. */
  readonly failOn?: FailOn;
  /** Coordinates that cannot be in their CRS are an error. Default: a warning. */
  readonly strict?: boolean;
  /** Coordinates that cannot be in their CRS are reported, however many. Default: many of them are an error. */
  readonly acceptImpossibleCoordinates?: boolean;
  /** No operation is approximated. Default: operations are, for large inputs. */
  readonly exact?: boolean;
}

/** How a merge keeps attributes. */
export interface MergeRequest {
  /** The fields of all files, or those that all files have; 'none': no fields of the files. */
  readonly attributes: 'union' | 'intersection' | 'none';
  /** Name of a new field that names the source of each feature. Default: there is no such field. */
  readonly sourceField?: string;
}

/** Describes the input; with an output, also what a conversion to it would change or lose. The result is JSON. */
export interface InspectionRequest {
  readonly operation: 'inspect';
  readonly input: InputRequest;
  /** Describe only how the text is read, also of a file that cannot be converted. */
  readonly textOnly?: boolean;
  readonly transformations: readonly RequestedStep[];
  readonly output: OutputRequest | null;
}

export interface InputRequest {
  /** Id of a registered format: of all files, except for the target of an append and files of a merge that state another one. */
  readonly format: string;
  /** That of the request, for reports, where `format` is that of features which sidecars restored. Default: `format`. */
  readonly statedFormat?: string;
  /** Format of the target of an append. Default: that of the inputs. */
  readonly targetFormat?: string;
  /** One for each input file, in their order; at least one. */
  readonly files: readonly InputFileRequest[];
  /** Names of the layers to read; null: all. */
  readonly layers: readonly string[] | null;
  /** Validated by the format's `readOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface InputFileRequest {
  /** CRS that the requester states, or LOCAL_CRS; null: none stated. */
  readonly crs: CrsText | null;
  /** Path where the request states it or could state it, for messages: "input.epsg", "append_crs_mapping[1]". */
  readonly crsPath: string;
  /** Only in a merge: a format of its own, with its options. Default: those of the input. */
  readonly own?: { readonly format: string; readonly options: InputRequest['options'] };
  /** `crs` is used although the file states another CRS. Default: that is an error. */
  readonly overridesCrs?: true;
  /** `crs` is for files that have none: one that the file states, or that its format fixes, is used without an error. Default: it is not. */
  readonly crsOnlyIfMissing?: true;
}

export interface OutputRequest {
  readonly format: string;
  /** CRS of the output, LOCAL_CRS or SOURCE_CRS; null: not stated, so EPSG:4326. */
  readonly crs: CrsText | null;
  /** Path where the request states it. Default: the request does not, and it is a default. */
  readonly crsPath?: string;
  /** Name of the one layer of the output. Default: layers keep their names. */
  readonly layerName?: string;
  /** false: the output is delivered inline (geojson only). */
  readonly toFile: boolean;
  /** The features are divided by the values of a field or expression, only in a transform. Default: they are not divided. */
  readonly split?: SplitRequest;
  /** Layers of the output go into a copy of `ConversionPaths.existing`: with new names, or replacing layers of the same name. */
  readonly existing?: 'add' | 'replace';
  /** The output replaces the target of the append: content of it that would be lost is an error. */
  readonly replacesTarget?: boolean;
  /** Validated by the format's `writeOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Each value of a field or expression becomes a part of the output. */
export interface SplitRequest {
  /** Name of a field of the features after the steps, or an expression on them. */
  readonly field: SplitBy;
  /** A part is a layer of the one output file, or a file of its own. */
  readonly into: SplitInto;
  /** Comes before the names of all parts. Default: nothing. */
  readonly prefix?: string;
}

export type SplitInto = 'layers' | 'files';

/** The files, directories and limits of one conversion. Plain data: it crosses a process boundary. */
export interface ConversionPaths {
  /** At least one. */
  readonly inputs: readonly InputPath[];
  /** File parameters of steps, by the names in the steps. */
  readonly stepInputs?: Readonly<Record<string, InputPath>>;
  /** The file that the output extends, if the request says so. */
  readonly existing?: InputPath;
  /** Layers and zip members are named after it. */
  readonly outputPath: string;
  /** Path of a new file that gets the findings with their places, as GeoJSON. Default: none is written. */
  readonly findingsPath?: string;
  /** What must be at that path, and beside it, when the output is complete. Default: anything. */
  readonly expected?: readonly ExpectedFile[];
  /** Directory for the files of a split output; exists and is empty. Default: they are packed in a zip at `outputPath`. */
  readonly outputDirectory?: string;
  /** Directory for unpacked files; exists and is empty. */
  readonly scratchDirectory: string;
  /** Directory with PROJ grids, or null. */
  readonly gridDirectory: string | null;
  /** Worker threads for large inputs, at least 1. */
  readonly threads: number;
  readonly limits: InputLimits;
  /** The time of the output, where its format states one, in ms since 1970: the same inputs then give the same bytes. Default: now. */
  readonly timeMs?: number;
}

export interface InputPath {
  readonly path: string;
  /** The file's name as the user knows it. */
  readonly name: string;
  /** The user gave no name: `name` is used in messages only, not for layers of the output. */
  readonly isUnnamed?: true;
}
