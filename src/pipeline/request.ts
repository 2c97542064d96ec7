/** The request types. The job API, the versioned API and the CLI all map what they receive to them. */
import type { CrsText } from '../crs/crs.ts';
import type { InputLimits } from '../io/limits.ts';
import type { RequestedStep } from '../transformations/requested-steps.ts';

/** What a runner can be asked to do. */
export type JobRequest = ConversionRequest | InspectionRequest;

export interface ConversionRequest {
  /**
   * What is made of the input files. transform: the one file, converted. append: the layers of the first file with the
   * features of the others behind their own. merge: one layer with the geometries of all files.
   */
  readonly operation: 'transform' | 'append' | 'merge';
  readonly input: InputRequest;
  /** Applied in order, after appending or merging. */
  readonly transformations: readonly RequestedStep[];
  readonly output: OutputRequest;
}

/** Tells what the input holds; with an output, also what a conversion to it would change or lose. Delivers JSON. */
export interface InspectionRequest {
  readonly operation: 'inspect';
  readonly input: InputRequest;
  readonly transformations: readonly RequestedStep[];
  readonly output: OutputRequest | null;
}

export interface InputRequest {
  /** Id of a registered format; all files are of the same. */
  readonly format: string;
  /** One for each input file, in their order; at least one. */
  readonly files: readonly InputFileRequest[];
  /** Names of the layers to read; null: all. */
  readonly layers: readonly string[] | null;
  /** Validated by the format's `readOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface InputFileRequest {
  /** CRS that the requester states; null: none stated. */
  readonly crs: CrsText | null;
  /** Where the requester states it, or would have to, for messages: "input.epsg", "append_crs_mapping[1]". */
  readonly crsPath: string;
}

export interface OutputRequest {
  readonly format: string;
  /** CRS of the output; null: the requester left it open, so EPSG:4326. */
  readonly crs: CrsText | null;
  /** Where the requester states it, for messages; 'output.epsg' where this is left out. */
  readonly crsPath?: string;
  /** false: the output is delivered inline (geojson only). */
  readonly toFile: boolean;
  /** Validated by the format's `writeOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The files, directories and limits of one conversion. Plain data: it crosses a process boundary. */
export interface ConversionPaths {
  /** At least one. */
  readonly inputs: readonly InputPath[];
  /** Paths of the inputs that steps name, by these names. */
  readonly stepInputs?: Readonly<Record<string, string>>;
  /** Path of the output; must not exist. Layers and zip members are named after it. */
  readonly outputPath: string;
  /** Directory for unpacked files; exists and is empty. */
  readonly scratchDirectory: string;
  /** Directory with PROJ grids, or null. */
  readonly gridDirectory: string | null;
  /** Worker threads for large inputs, at least 1. */
  readonly threads: number;
  readonly limits: InputLimits;
}

export interface InputPath {
  readonly path: string;
  /** The file's name as the user knows it. */
  readonly name: string;
  /** The user gave no name: `name` is used in messages only, not for layers of the output. */
  readonly isUnnamed?: true;
}
