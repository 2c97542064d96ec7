/**
 * Runs checked requests on files: the way into the pipeline for the functions of the library, the command and the runners of the service. What a
 * caller checks before, where its inputs come from and how it shows the result are its own.
 */
import type { Catalogue } from '@geomill/core/messages/catalogue-entries.ts';
import type { Finding } from '@geomill/core/messages/findings.ts';
import { outputKind } from '@geomill/formats/format.ts';
import { outputFormatById, pathsBeside } from '@geomill/formats/format-by-id.ts';
import { SIDECAR_EXTENSION } from '@geomill/formats/sidecar-options.ts';
import { GZIP_EXTENSION, gzipFile } from '@geomill/io/gzip.ts';
import type { ExpectedFile } from '@geomill/io/output-place.ts';
import type { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { boundedReport } from '@geomill/pipeline/bounded-report.ts';
import { completedReport, type FetchReports } from '@geomill/pipeline/completed-report.ts';
import type { ConversionControl } from '@geomill/pipeline/conversion-control.ts';
import type { FoundInspection } from '@geomill/pipeline/inspect-job.ts';
import type { ConversionReport, JobReport } from '@geomill/pipeline/report.ts';
import type {
  ConversionPaths,
  ConversionRequest,
  InputPath,
  InspectionRequest,
  JobRequest,
} from '@geomill/pipeline/request.ts';
import { runConversion } from '@geomill/pipeline/run.ts';
import { sidecarPath } from '@geomill/pipeline/sidecar/find-sidecar.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { copyFile, fileFacts, namesIn } from '@geomill/platform/files.ts';
import { endingOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import { joinedReport } from './joined-report.ts';

/** What the conversions of a call work with. */
export interface Call {
  readonly temporary: TemporaryDirectory;
  readonly paths: Omit<ConversionPaths, 'inputs' | 'outputPath'>;
  readonly control: ConversionControl;
}

/** One conversion by the pipeline. */
export interface Run {
  readonly request: ConversionRequest;
  readonly inputs: readonly InputPath[];
  /** The files of steps, by their names in the steps. */
  readonly stepInputs: Readonly<Record<string, InputPath>>;
}

/** Where an output goes. */
export type Destination =
  /** To a path. `existing`: the file to which layers are added. Files whose names end with .gz are compressed. */
  | { readonly path: string; readonly expected?: readonly ExpectedFile[]; readonly existing?: InputPath }
  /** The files of a split output, to a directory, which exists and is empty. `name`: layers without a name get it. */
  | {
      readonly directory: string;
      readonly name: string;
      /** Gets the names of the files before any is written; what it throws fails the job. */
      onFiles?(names: readonly string[]): void;
    }
  /** To a file of this name in the temporary directory, where the caller takes it before it removes that. */
  | { readonly fileName: string };

export interface FileJob {
  /** Each but the first appends to the output of the one before, which takes the place of its first input. */
  readonly runs: readonly Run[];
  readonly output: Destination;
  /** Path of a new file that gets the findings with their places; only of a single run. Default: none. */
  readonly findingsPath?: string;
  /** What the report says besides: findings before the run, and what was fetched. Default: nothing. */
  readonly additions?: { readonly findings: readonly Finding[]; readonly fetched: FetchReports };
  readonly catalogue: Catalogue;
}

export interface WrittenFile {
  readonly path: string;
  readonly mediaType: string;
}

export interface JobResult {
  readonly report: ConversionReport;
  readonly files: readonly WrittenFile[];
}

/** Loaded only for inspections, because a small conversion takes no longer than that. */
const inspections = (): Promise<typeof import('@geomill/pipeline/inspect-job.ts')> =>
  import('@geomill/pipeline/inspect-job.ts');

/** Runs a request of any kind on files. Resolves with its report, which is bounded, when the output is complete. */
export async function runRequest(
  request: JobRequest,
  paths: ConversionPaths,
  control: ConversionControl,
): Promise<JobReport> {
  if (request.operation !== 'inspect') return boundedReport(await runConversion(request, paths, control));
  const { runInspection } = await inspections();
  return boundedReport(await runInspection(request, paths, control));
}

/** Describes an input and, if the request has an output, what a conversion to it would change or lose. */
export async function inspectFile(
  { temporary, paths, control }: Call,
  request: InspectionRequest,
  input: InputPath,
): Promise<FoundInspection> {
  const { inspectInput } = await inspections();
  // Only a name: nothing is written there.
  const outputPath = joinedPath(temporary.path, 'inspection.json');
  return inspectInput(request, { ...paths, inputs: [input], outputPath }, control);
}

/** Runs a job. Resolves when its output is complete; rejects with a GeomillError, and then there is no output. */
export async function runJob(call: Call, job: FileJob): Promise<JobResult> {
  const { runs, output, additions, catalogue } = job;
  const [last] = runs.slice(-1);
  const target = targetOf(call, output, last.request);
  const reports: ConversionReport[] = [];
  let previous: InputPath | null = null;
  for (const [i, run] of runs.entries()) {
    const isLast = run === last;
    const paths = isLast ? target.paths : { outputPath: intermediatePath(call, run, i) };
    const inputs: readonly InputPath[] = previous === null ? run.inputs : [previous, ...run.inputs.slice(1)];
    const ofFindings = job.findingsPath === undefined ? {} : { findingsPath: job.findingsPath };
    const own = { ...call.paths, ...paths, ...ofFindings, inputs, stepInputs: run.stepInputs };
    const control = { ...call.control, ...(isLast ? target.control : {}) };
    reports.push((await runRequest(run.request, own, control)) as ConversionReport);
    // Under the name of the original.
    previous = { ...inputs[0], path: paths.outputPath };
  }
  const joined = joinedReport(reports, catalogue);
  if (additions === undefined) return target.deliver(joined);
  const { findings, fetched } = additions;
  return target.deliver(completedReport(joined, findings, fetched, catalogue) as ConversionReport);
}

function intermediatePath({ temporary }: Call, { request }: Run, index: number): string {
  const { outputExtension } = deliveredKind(formatOf(request), request.output);
  return joinedPath(temporary.directory('runs'), `run-${index + 1}${outputExtension}`);
}

const formatOf = ({ output }: ConversionRequest): ReturnType<typeof outputFormatById> =>
  outputFormatById(output.format, 'output.format');

interface Target {
  readonly paths: Pick<ConversionPaths, 'outputPath' | 'expected' | 'outputDirectory' | 'existing'>;
  readonly control: Pick<ConversionControl, 'onFiles'>;
  deliver(report: ConversionReport): Promise<JobResult>;
}

function targetOf(call: Call, output: Destination, request: ConversionRequest): Target {
  const format = formatOf(request);
  const { mediaType } = deliveredKind(format, request.output);
  const typeOfFile = outputKind(format, request.output.options).mediaType;
  const hasSidecar = request.output.options.sidecar === true;
  const within = (name: string): string => joinedPath(call.temporary.directory('output'), name);
  if ('directory' in output) {
    const { directory, name, onFiles } = output;
    return {
      paths: { outputPath: within(name), outputDirectory: directory },
      control: onFiles === undefined ? {} : { onFiles },
      deliver: async (report) => ({ report, files: filesOf(directory, () => typeOfFile) }),
    };
  }
  if ('fileName' in output) {
    // An archive has the sidecar in it; a file of another name has it beside.
    const typeOf = (name: string): string =>
      hasSidecar && endingOf(name).toLowerCase() !== '.zip' ? typeOfFile : mediaType;
    return {
      paths: { outputPath: within(output.fileName) },
      control: {},
      deliver: async (report) => ({ report, files: filesOf(within(''), typeOf) }),
    };
  }
  const { path, expected, existing } = output;
  if (GZIP_EXTENSION.test(path)) return gzipTarget(call, path, expected, within(''));
  const typeAtPath = endingOf(path).toLowerCase() === '.zip' ? mediaType : typeOfFile;
  return {
    paths: {
      outputPath: path,
      ...(expected === undefined ? {} : { expected }),
      ...(existing === undefined ? {} : { existing }),
    },
    control: {},
    deliver: async (report) => ({
      report,
      files: [
        ...[path, ...pathsBeside(path)].map((file) => ({ path: file, mediaType: typeAtPath })),
        ...(hasSidecar ? [{ path: sidecarPath(path), mediaType: 'application/json' }] : []),
      ].filter((file) => fileFacts(file.path) !== null),
    }),
  };
}

function gzipTarget(
  { control }: Call,
  path: string,
  expected: readonly ExpectedFile[] | undefined,
  directory: string,
): Target {
  const outputPath = joinedPath(directory, fileName(path).replace(GZIP_EXTENSION, ''));
  const mediaType = 'application/gzip';
  return {
    paths: { outputPath },
    control: {},
    async deliver(report) {
      const sidecar = sidecarPath(outputPath);
      const isThere = fileFacts(sidecar) !== null;
      const byteLength = await gzipFile(outputPath, path, control.signal, expected);
      if (isThere) copyFile(sidecar, sidecarPath(path));
      const written = { ...report, output: { ...report.output, byteLength, mediaType } };
      const ofSidecar = isThere ? [{ path: sidecarPath(path), mediaType: 'application/json' }] : [];
      return { report: written, files: [{ path, mediaType }, ...ofSidecar] };
    },
  };
}

function filesOf(directory: string, typeOf: (name: string) => string): readonly WrittenFile[] {
  return namesIn(directory)
    .sort()
    .map((name) => ({
      path: joinedPath(directory, name),
      mediaType: name.endsWith(SIDECAR_EXTENSION) ? 'application/json' : typeOf(name),
    }));
}
