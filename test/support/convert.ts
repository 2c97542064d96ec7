/** Conversions for tests: a workspace of its own each, removed afterwards. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { outputFormatById } from '../../packages/formats/src/format-by-id.ts';
import type { InputLimits } from '../../packages/io/src/limits.ts';
import type { RequestedStep } from '../../packages/operations/src/requested-steps.ts';
import type { Transformation } from '../../packages/operations/src/transformation.ts';
import type { CrsMemory } from '../../packages/pipeline/src/crs-service.ts';
import type { Division } from '../../packages/pipeline/src/division/division.ts';
import type { ConversionReport, Progress } from '../../packages/pipeline/src/report.ts';
import type {
  ConversionPaths,
  ConversionRequest,
  MergeRequest,
  SplitRequest,
} from '../../packages/pipeline/src/request.ts';
import { runConversion } from '../../packages/pipeline/src/run.ts';
import { deliveredKind } from '../../packages/pipeline/src/split-request.ts';
import type { ThreadSource } from '../../packages/pipeline/src/threads.ts';
import { DEFAULT_INPUT_LIMITS } from './limits.ts';

export interface ConvertOptions {
  readonly from: string;
  readonly to: string;
  readonly fromCrs?: string | null;
  readonly toCrs?: string | null;
  readonly layers?: readonly string[];
  readonly readOptions?: Record<string, unknown>;
  readonly writeOptions?: Record<string, unknown>;
  readonly threads?: number;
  /** Default: new threads. */
  readonly threadSource?: ThreadSource;
  readonly limits?: InputLimits;
  /** Name of the layer of the output. */
  readonly layerName?: string;
  /** Splits the output; files go to `<workspace>/parts` if `inDirectory`, else into a zip. */
  readonly split?: SplitRequest & { readonly inDirectory?: boolean };
  /** Name of the output without its ending. */
  readonly outputName?: string;
  readonly transformations?: readonly RequestedStep[];
  /** Transformations that are known where no threads are used; default: those of the house. */
  readonly registry?: readonly Transformation[];
  /** Files of steps by name. */
  readonly stepInputs?: ConversionPaths['stepInputs'];
  readonly failOn?: ConversionRequest['failOn'];
  readonly strict?: boolean;
  /** Default: true. */
  readonly acceptImpossibleCoordinates?: boolean;
  readonly exact?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly crsMemory?: CrsMemory | undefined;
  /** Other processes that run parts. */
  readonly division?: Division;
  /** Path of a file that gets the findings with their places. */
  readonly findingsPath?: string;
  /** The time that the output states. */
  readonly timeMs?: number;
}

export interface CombineOptions extends ConvertOptions {
  readonly operation: 'append' | 'merge';
  /** What a merge keeps of attributes. */
  readonly merge?: MergeRequest;
  /** Format of the target; default: `from`. */
  readonly targetFormat?: string;
  /** The output replaces the target. */
  readonly replacesTarget?: boolean;
  /** CRSs that are stated for the files, where they differ; default: `fromCrs` for all. */
  readonly fileCrs?: readonly (string | null)[];
}

export interface Converted {
  readonly report: ConversionReport;
  readonly outputPath: string;
}

/** A temporary directory that goes with the scope: `using workspace = makeWorkspace()`. */
export function makeWorkspace(): { readonly path: string; entries(): string[]; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  return {
    path,
    entries: () => readdirSync(path, { recursive: true }).map(String).sort(),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function requestFor(options: ConvertOptions): ConversionRequest {
  return {
    operation: 'transform',
    input: {
      format: options.from,
      files: [{ crs: options.fromCrs ?? null, crsPath: 'input.epsg' }],
      layers: options.layers ?? null,
      options: options.readOptions ?? {},
    },
    transformations: options.transformations ?? [],
    ...(options.strict === true ? { strict: true } : {}),
    // Fixtures hold the largest numbers there are, and swapped positions; tests of the error ask for it.
    acceptImpossibleCoordinates: options.acceptImpossibleCoordinates ?? true,
    ...(options.exact === true ? { exact: true } : {}),
    output: {
      format: options.to,
      crs: options.toCrs ?? null,
      toFile: true,
      ...(options.layerName === undefined ? {} : { layerName: options.layerName }),
      ...(options.split === undefined ? {} : { split: options.split }),
      options: options.writeOptions ?? {},
    },
    ...(options.failOn === undefined ? {} : { failOn: options.failOn }),
  };
}

/** Converts a file into `workspace`; the output is `<workspace>/out/<name><extension>`. */
export function convertFile(
  inputPath: string,
  workspace: string,
  options: ConvertOptions,
): Promise<Converted> {
  return perform([inputPath], workspace, options, requestFor(options));
}

/** Appends or merges files, as `convertFile` converts one. */
export function combineFiles(
  inputPaths: readonly string[],
  workspace: string,
  options: CombineOptions,
): Promise<Converted> {
  const request = requestFor(options);
  const files = inputPaths.map((_, i) => ({
    crs: options.fileCrs === undefined ? (options.fromCrs ?? null) : options.fileCrs[i],
    crsPath: i === 0 ? 'input_crs' : `append_crs_mapping[${i - 1}]`,
  }));
  return perform(inputPaths, workspace, options, {
    ...request,
    operation: options.operation,
    ...(options.merge === undefined ? {} : { merge: options.merge }),
    input: {
      ...request.input,
      files,
      ...(options.targetFormat === undefined ? {} : { targetFormat: options.targetFormat }),
    },
    output: { ...request.output, replacesTarget: options.replacesTarget ?? false },
  });
}

async function perform(
  inputPaths: readonly string[],
  workspace: string,
  options: ConvertOptions,
  request: ConversionRequest,
): Promise<Converted> {
  const scratchDirectory = join(workspace, 'scratch');
  const outDirectory = join(workspace, 'out');
  for (const directory of [scratchDirectory, outDirectory]) mkdirSync(directory, { recursive: true });
  const { outputExtension } = deliveredKind(outputFormatById(options.to, 'output.format'), request.output);
  const outputDirectory = join(workspace, 'parts');
  if (options.split?.inDirectory) mkdirSync(outputDirectory);
  const outputPath = join(outDirectory, (options.outputName ?? 'out') + outputExtension);
  const report = await runConversion(
    request,
    {
      inputs: inputPaths.map((path) => ({ path, name: basename(path) })),
      ...(options.stepInputs === undefined ? {} : { stepInputs: options.stepInputs }),
      outputPath,
      ...(options.findingsPath === undefined ? {} : { findingsPath: options.findingsPath }),
      ...(options.split?.inDirectory ? { outputDirectory } : {}),
      scratchDirectory,
      gridDirectory: null,
      threads: options.threads ?? 2,
      limits: options.limits ?? DEFAULT_INPUT_LIMITS,
      ...(options.timeMs === undefined ? {} : { timeMs: options.timeMs }),
    },
    {
      signal: options.signal ?? new AbortController().signal,
      onProgress: options.onProgress ?? (() => {}),
      threads: options.threadSource,
      crsMemory: options.crsMemory,
      ...(options.division === undefined ? {} : { division: options.division }),
    },
    options.registry,
  );
  return { report, outputPath };
}
