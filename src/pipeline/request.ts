/** The one request type. The job surface, the versioned surface and the CLI all map what they receive to it. */
import type { CrsText } from '../crs/crs.ts';
import type { InputLimits } from '../io/limits.ts';
import type { RequestedStep } from '../transformations/requested-steps.ts';

export interface ConversionRequest {
  readonly input: {
    /** Id of a registered format. */
    readonly format: string;
    /** CRS that the requester states; null: none stated. */
    readonly crs: CrsText | null;
    /** Names of the layers to read; null: all. */
    readonly layers: readonly string[] | null;
    /** Validated by the format's `readOptions`. */
    readonly options: Readonly<Record<string, unknown>>;
  };
  /** Applied in order. */
  readonly transformations: readonly RequestedStep[];
  readonly output: {
    readonly format: string;
    /** CRS of the output; null: the requester left it open, so EPSG:4326. */
    readonly crs: CrsText | null;
    /** false: the output is delivered inline (geojson only). */
    readonly toFile: boolean;
    /** Validated by the format's `writeOptions`. */
    readonly options: Readonly<Record<string, unknown>>;
  };
}

/** Where a conversion finds and leaves its files, and what it may use. Plain data: it crosses a process boundary. */
export interface ConversionPlace {
  readonly inputPath: string;
  /** The input file's name as the user knows it. */
  readonly inputName: string;
  /** Where the output shall stand; must not exist. Its name gives layers and zip members their names. */
  readonly outputPath: string;
  /** A directory for what is unpacked on the way; exists and is empty. */
  readonly scratchDirectory: string;
  /** Directory with PROJ grids, or null. */
  readonly gridDirectory: string | null;
  /** Worker threads for large inputs, at least 1. */
  readonly threads: number;
  readonly limits: InputLimits;
}
