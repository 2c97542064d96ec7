/** Runs a job: its inputs become files, the pipeline converts them, its output becomes the files that the caller gets. */
import type { InputFormat } from '@geomill/formats/format.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import { GZIP_EXTENSION } from '@geomill/io/gzip.ts';
import type { Division } from '@geomill/pipeline/division/division.ts';
import { reportDocument } from '@geomill/pipeline/report-document.ts';
import type { ConversionRequest, InputPath } from '@geomill/pipeline/request.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { fileStream, heldFile, wholeFile } from '@geomill/platform/file-streams.ts';
import { fileSize } from '@geomill/platform/files.ts';
import { endingOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import { parseDocument } from '@geomill/requests/job-document.ts';
import type { OpenCall } from './call.ts';
import { isZipName } from './choose-format.ts';
import { isFetched } from './fetch-source.ts';
import { jobRequests } from './job-requests.ts';
import { invalidJob, JOB_FORM, libraryCatalogue } from './messages.ts';
import { asOutputFailure, checkOutputPath } from './output-path.ts';
import { OUTPUT_WORDS, type StatedOutput, statedOutput } from './output-target.ts';
import { type Destination, runJob } from './run.ts';
import {
  formatOfInput,
  pathOf,
  type StagedInput,
  type StatedInput,
  stageInput,
  statedInput,
} from './staged-inputs.ts';
import type { Converted, Input, Output, OutputFile, Report } from './types.ts';

/** A job of any operation. */
export interface AnyJob {
  readonly operation: ConversionRequest['operation'];
  readonly inputs: readonly Input[];
  readonly output: Output;
  /** Steps and the other members of a job document. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Inputs as files, with their formats. */
export interface ReadyInputs {
  readonly stated: readonly StatedInput[];
  readonly staged: readonly StagedInput[];
  readonly formats: readonly InputFormat[];
}

/** `isList`: the job has a list of inputs. */
export async function readyInputs(
  inputs: readonly Input[],
  isList: boolean,
  call: OpenCall,
): Promise<ReadyInputs> {
  const nameOf = (i: number): string => (isList ? `inputs[${i}]` : 'input');
  const stated = inputs.map((input, i) => statedInput(input, nameOf(i)));
  const staged: StagedInput[] = [];
  for (const [i, input] of stated.entries())
    staged.push(await stageInput(input, nameOf(i), joinedPath(call.temporary.path, `inputs/${i + 1}`), call));
  const formats = staged.map((input, i) => {
    const { format } = stated[i].members;
    if (format === undefined) return formatOfInput(input, nameOf(i));
    if (typeof format !== 'string') throw invalidJob(`'${nameOf(i)}.format' must be a text`);
    return inputFormatById(format, `${nameOf(i)}.format`);
  });
  return { stated, staged, formats };
}

/** Converts in a call. `division`: where parts of the conversion can run. */
export async function convertIn(call: OpenCall, job: AnyJob, division?: Division): Promise<Converted> {
  const { operation, rest } = job;
  const output = statedOutput(job.output);
  const { stated, staged, formats } = await readyInputs(job.inputs, operation !== 'transform', call);
  const document = parseDocument({
    ...rest,
    operation,
    inputs: stated.map(({ members }) => members),
    outputs: [output.members],
  });
  const { runs, findings } = jobRequests(document, { inputs: formats, output: output.format });
  const stepInputs = await stepInputsOf(runs[0].request, call);
  const target = targetOf(call, output, runs[0].request, staged, Object.values(stepInputs));
  const asFile = (request: ConversionRequest): ConversionRequest => ({
    ...request,
    output: { ...request.output, toFile: true, ...target.members },
  });
  const control = { ...call.control, ...(division === undefined ? {} : { division }) };
  const fetched = call.fetched.additions(operation === 'transform' ? 'input' : 'inputs[0]');
  try {
    const { files, report } = await runJob(
      { ...call, control },
      {
        runs: runs.map(({ request, positions }) => ({
          ...{ request: asFile(request), stepInputs },
          inputs: positions.map((position) => staged[position]),
        })),
        output: target.destination,
        additions: { findings: [...findings.list(), ...fetched.findings], fetched: fetched.fetched },
        catalogue: libraryCatalogue,
      },
    );
    const [last] = runs.slice(-1);
    return {
      files: files.map(({ path, mediaType }) =>
        output.path === null ? fileInMemory(path, mediaType) : fileAtPath(path, mediaType),
      ),
      report: reportDocument(report, last.request, libraryCatalogue, JOB_FORM) as Report,
    };
  } catch (error) {
    throw output.path === null ? error : asOutputFailure(error, output.path);
  }
}

/** The files that steps name. Throws CONFIG_INVALID and what fetching throws. */
async function stepInputsOf(
  { transformations: steps }: ConversionRequest,
  { fetched }: OpenCall,
): Promise<Record<string, InputPath>> {
  const found: Record<string, InputPath> = {};
  for (const { file } of steps)
    if (file !== undefined && !Object.hasOwn(found, file.input))
      found[file.input] = isFetched(file.input)
        ? await fetched.file(file.input, 'steps')
        : fileAt(pathOf(file.input, 'steps'));
  return found;
}

function fileAt(path: string): InputPath {
  return { path, name: fileName(path) };
}

interface Target {
  readonly destination: Destination;
  readonly members: Pick<ConversionRequest['output'], 'replacesTarget'>;
}

function targetOf(
  call: OpenCall,
  output: StatedOutput,
  request: ConversionRequest,
  inputs: readonly StagedInput[],
  stepInputs: readonly InputPath[],
): Target {
  if (output.path === null)
    return { destination: memoryDestination(call, output, request, inputs[0]), members: {} };
  const read = [...inputs.flatMap(({ userPath }) => userPath ?? []), ...stepInputs.map(({ path }) => path)];
  const { path, expected, isUpdate } = checkOutputPath(
    output.path,
    {
      overwrite: output.overwrite,
      inputs: [...new Set(read)],
      isUpdate: request.operation === 'append' && inputs[0].userPath !== null,
      isGuarded: true,
      hasSidecar: request.output.options.sidecar === true,
    },
    OUTPUT_WORDS,
  );
  if (request.output.split?.into === 'files' && !isZipName(path))
    throw invalidJob(
      "'output.path' cannot hold a file for each value of 'split_by'; use the name of a .zip, or leave it out to get the files",
    );
  return {
    destination: { path, ...(expected === undefined ? {} : { expected }) },
    members: isUpdate && !output.dropOtherContent ? { replacesTarget: true } : {},
  };
}

/** The ending of a file name, also one with several dots, such as ".gdb.zip". */
function endingOfInput(name: string): string {
  const lower = name.toLowerCase();
  const [longest = endingOf(name)] = inputFormats
    .flatMap(({ extensions }) => extensions.filter((extension) => lower.endsWith(extension)))
    .sort((a, b) => b.length - a.length);
  return longest;
}

/** The output goes to the temporary directory and is read from there. */
function memoryDestination(
  { temporary }: OpenCall,
  { name, format }: StatedOutput,
  request: ConversionRequest,
  first: StagedInput,
): Destination {
  const { outputExtension } = deliveredKind(format, request.output);
  const own = fileName(first.name.replace(GZIP_EXTENSION, ''));
  const stem = own.slice(0, own.length - endingOfInput(own).length);
  const written = name === undefined ? `${stem || 'output'}${outputExtension}` : fileName(name);
  if (request.output.split?.into !== 'files') return { fileName: written };
  return { directory: temporary.directory('parts'), name: written };
}

/** A file at a path of the caller. It is read when its content is asked for. */
export function fileAtPath(path: string, mediaType: string): OutputFile {
  return {
    ...{ name: fileName(path), path, mediaType, byteLength: fileSize(path) },
    bytes: () => wholeFile(path),
    blob: async () => new Blob([await wholeFile(path)], { type: mediaType }),
    stream: () => fileStream(path),
  };
}

/** The content of a temporary file, which is read now. */
export function fileInMemory(path: string, mediaType: string): OutputFile {
  const held = heldFile(path, mediaType);
  return {
    ...{ name: fileName(path), path: null, mediaType, byteLength: fileSize(path) },
    bytes: () => held.bytes(),
    blob: async () => held.blob(),
    stream: () => held.blob().stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
  };
}
