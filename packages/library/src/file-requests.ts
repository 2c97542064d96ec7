/**
 * Requests of the job API on files that the caller has: the same config, findings and messages as from a service, in the process of the caller.
 * For the workspace, which converts in a page as it does on a service.
 */
import { asGeomillError } from '@geomill/core/messages/errors.ts';
import type { Finding } from '@geomill/core/messages/findings.ts';
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import { formats, inputFormats } from '@geomill/formats/registry.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { inspectionDocument } from '@geomill/pipeline/inspect-document.ts';
import { errorDocument, reportDocument } from '@geomill/pipeline/report-document.ts';
import type { ConversionRequest, InputPath, InspectionRequest } from '@geomill/pipeline/request.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { heldFile } from '@geomill/platform/file-streams.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { parseJobRequest } from '@geomill/requests/parse-job-request.ts';
import { type OpenCall, openCall } from './call.ts';
import { libraryCatalogue } from './messages.ts';
import { describeOutput } from './output-name.ts';
import { inspectFile, runJob } from './run.ts';
import { stageInput } from './staged-inputs.ts';
import type { RunOptions } from './types.ts';

export interface RequestFile {
  readonly name: string;
  readonly content: Blob;
}

export interface FileRequest {
  readonly operation: ConversionRequest['operation'] | 'inspect';
  /** As in a request to the job API. Steps name their files by the names of `stepFiles`. */
  readonly config: unknown;
  readonly files: readonly RequestFile[];
  readonly stepFiles: Readonly<Record<string, RequestFile>>;
}

/** What became of a request. Errors are answers, because their place and fixes are in the words of the job API. */
export type RequestAnswer =
  | { readonly inspection: object }
  | {
      readonly report: object;
      readonly output: { readonly name: string; readonly mediaType: string; readonly content: Blob };
      /** GeoJSON. */
      readonly findings: Blob;
    }
  | { readonly error: object };

export async function runFileRequest(request: FileRequest, options: RunOptions): Promise<RequestAnswer> {
  const call = openCall(options);
  try {
    return await answerTo(request, call);
  } catch (error) {
    return { error: errorDocument(asGeomillError(call.temporary.explained(error))) };
  } finally {
    call.close();
  }
}

async function answerTo(request: FileRequest, call: OpenCall): Promise<RequestAnswer> {
  const { operation, config, files, stepFiles } = request;
  const endpoint = { operation, inputFormat: null, spelling: 'nested' } as const;
  const registries = { formats, transformations };
  const parsed = parseJobRequest(config, endpoint, registries, undefined, 'paths');
  const inputs: InputPath[] = [];
  for (const [i, file] of files.entries()) inputs.push(await staged(file, `inputs/${i + 1}`, call));
  const steps: Record<string, InputPath> = {};
  for (const [i, [name, file]] of Object.entries(stepFiles).entries())
    steps[name] = await staged(file, `steps/${i + 1}`, call);
  const own = parsed.forFiles(files.length);
  const withSteps = { ...call, paths: { ...call.paths, stepInputs: steps } };
  if (own.operation === 'inspect') return inspected(own as InspectionRequest, inputs[0], withSteps);
  return converted(own as ConversionRequest, inputs, steps, call, [...parsed.findings.list()]);
}

async function staged({ name, content }: RequestFile, place: string, call: OpenCall): Promise<InputPath> {
  const directory = joinedPath(call.temporary.path, place);
  const { path } = await stageInput({ source: content, name, members: {} }, name, directory, call);
  return { path, name };
}

async function inspected(
  request: InspectionRequest,
  input: InputPath,
  call: OpenCall,
): Promise<RequestAnswer> {
  const { found, dryRun } = await inspectFile(call, request, input);
  return { inspection: inspectionDocument(found, dryRun, libraryCatalogue) };
}

async function converted(
  request: ConversionRequest,
  inputs: readonly InputPath[],
  stepInputs: Readonly<Record<string, InputPath>>,
  call: OpenCall,
  findings: readonly Finding[],
): Promise<RequestAnswer> {
  const format = outputFormatById(request.output.format, 'output.format');
  const { outputExtension, mediaType } = deliveredKind(format, request.output);
  const inputExtensions = inputFormats.flatMap(({ extensions }) => extensions);
  const basis = request.operation === 'merge' ? 'merged' : inputs[0].name;
  const { fileName } = describeOutput(basis, { mediaType, outputExtension, inputExtensions });
  const findingsPath = joinedPath(call.temporary.directory('findings'), 'findings.geojson');
  const { files, report } = await runJob(call, {
    runs: [{ request, inputs, stepInputs }],
    output: { fileName },
    findingsPath,
    additions: { findings, fetched: { fetched: null, fetchedSources: [] } },
    catalogue: libraryCatalogue,
  });
  return {
    report: reportDocument(report, request, libraryCatalogue),
    output: { name: fileName, mediaType, content: heldFile(files[0].path, mediaType).blob() },
    findings: heldFile(findingsPath, 'application/geo+json').blob(),
  };
}
