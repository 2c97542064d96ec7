/** How the body of a rerun is read: everything but the input comes from the request of the earlier job. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { field } from '@geomill/core/messages/message.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { missingFilePart, type RequestedStep } from '@geomill/operations/requested-steps.ts';
import type { InputFileRequest, JobRequest } from '@geomill/pipeline/request.ts';
import type { RemoteAddress } from '@geomill/requests/addresses.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import { jsonDocumentsOf } from '@geomill/requests/config-schema.ts';
import { ConfigValues, invalid } from '@geomill/requests/config-values.ts';
import { requestErrors } from '@geomill/requests/messages.ts';
import { type ParsedConfig, parseUploads } from '@geomill/requests/parse-job-request.ts';
import type { Job, JobInput } from '../jobs/job.ts';
import type { HttpContext } from './context.ts';
import { httpErrors } from './errors.ts';
import { addressParser } from './remote-address.ts';
import type { Intake } from './submit-job.ts';

/** Of the job, for its owner. Throws what the lookup of uploads throws. */
export async function rerunIntake(job: Job, owner: string, context: HttpContext): Promise<Intake> {
  return intakeOf(job, await goneUploads(job, owner, context), context);
}

/** The inputs of steps that were uploads and cannot be used again: deleted, expired, or of another account. */
async function goneUploads(
  { request }: Job,
  owner: string,
  { service }: HttpContext,
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (const { file } of request.transformations) {
    if (file?.upload === undefined) continue;
    try {
      await service.uploads.usable(owner, file.upload);
    } catch (error) {
      const isGone =
        error instanceof GeomillError &&
        (error.code === 'UPLOAD_REFERENCE_UNKNOWN' || error.code === 'UPLOAD_EXPIRED');
      if (!isGone) throw error;
      gone.add(file.input);
    }
  }
  return gone;
}

function intakeOf({ id, request, inputs }: Job, gone: ReadonlySet<string>, context: HttpContext): Intake {
  const { operation, input } = request;
  const lost = new Map<RequestedStep, string>();
  const steps = request.transformations.map((step) => withFileAgain(step, request, gone, lost));
  const endpoint = { operation, inputFormat: input.format, spelling: 'flat' } as const;
  const documents = jsonDocumentsOf(endpoint);
  return {
    endpoint,
    // A JSON body may have a URL instead.
    documents: documents?.list === null ? { ...documents, singleRequired: false } : documents,
    rerunOf: id,
    parse: (config) => ({
      inputFormat: inputFormatById(input.format, 'input.format'),
      ...inputsOf(config, endpoint, context),
      steps,
      stepUrls: urlsOf(steps, inputs, context),
      findings: new Findings(),
      forFiles: (count) => ({
        ...request,
        transformations: steps,
        input: { ...input, files: filesFor(request, count) },
      }),
    }),
    missingPart(step) {
      const path = lost.get(step);
      if (path === undefined) return missingFilePart(step, transformations);
      return failure(httpErrors.RERUN_FILE_GONE, { id, path: field(path), part: step.file?.input ?? '' });
    },
  };
}

/**
 * The step of an earlier request. A large parameter of it was stored as an input of its job and deleted with it, and an
 * upload may be gone: the step takes a part of the form instead. `lost` gets the path of the parameter.
 */
function withFileAgain(
  step: RequestedStep,
  { transformations: all }: JobRequest,
  gone: ReadonlySet<string>,
  lost: Map<RequestedStep, string>,
): RequestedStep {
  const { file, path = '' } = step;
  const parameter = transformations.find(({ id }) => id === step.type)?.fileParameter;
  if (file === undefined || parameter === undefined) return step;
  const isLost = file.features === undefined || gone.has(file.input);
  if (!isLost) return step;
  // Steps with the same upload take the same part.
  const isSame = (other: RequestedStep): boolean => other.file?.input === file.input;
  const hasOthers = all.some((other) => other.file !== undefined && !isSame(other));
  const part = hasOthers ? `${parameter.part}_step${all.findIndex(isSame) + 1}` : parameter.part;
  const pathOf = (name: string): string => `${path}.${name}`;
  const features = file.features ?? parameter.fileOf({}, pathOf);
  const paths = { ...features.paths, file: pathOf(parameter.part) };
  const { [`${parameter.part}_upload`]: _upload, ...params } = step.params;
  const again = {
    ...step,
    params: { ...params, [parameter.part]: part },
    file: { input: part, features: { ...features, paths } },
  };
  lost.set(again, file.upload?.path ?? file.input);
  return again;
}

/** The addresses of files of steps, which are fetched again if the operator still allows it. Throws INPUT_URL_DISABLED and URL_REFUSED. */
function urlsOf(
  steps: readonly RequestedStep[],
  inputs: readonly JobInput[],
  { urlPolicy, formats }: HttpContext,
): ReadonlyMap<string, RemoteAddress> {
  const urls = new Map<string, RemoteAddress>();
  for (const { type, file } of steps) {
    const { url } = inputs.find(({ stepInput }) => stepInput === file?.input) ?? {};
    if (file?.features === undefined || url === undefined) continue;
    const part = transformations.find(({ id }) => id === type)?.fileParameter?.part ?? '';
    urls.set(file.input, addressParser(urlPolicy).step(url, file.features.paths.file, part, formats));
  }
  return urls;
}

/** Everything but the input comes from the earlier request. */
function inputsOf(
  config: unknown,
  endpoint: Endpoint & { readonly inputFormat: string },
  context: HttpContext,
): Pick<ParsedConfig, 'inputUrl' | 'uploads'> {
  const values = new ConfigValues(config, endpoint, { formats: context.formats, transformations });
  const format = inputFormatById(endpoint.inputFormat, 'input.format');
  const inputUrl = addressParser(context.urlPolicy).input(values, endpoint, format);
  const uploads = parseUploads(values, endpoint, inputUrl, 'parts');
  const [unknown] = values.unknown();
  if (unknown === undefined) return { inputUrl, uploads };
  throw invalid(
    unknown.slice(0, 100),
    "cannot be changed: a rerun takes the input only, as files, 'input_url' or uploads; send a new request for anything else",
  );
}

/** What the earlier request says of its files, for this many. Throws CRS_LIST_LENGTH. */
function filesFor({ operation, input: { files } }: JobRequest, count: number): readonly InputFileRequest[] {
  if (count === files.length) return files;
  const listed = operation === 'append' ? files.slice(1) : files;
  const added = count - (files.length - listed.length);
  const [first] = listed;
  if (listed.every(({ crs }) => crs === first.crs))
    return [...files.slice(0, files.length - listed.length), ...Array.from({ length: added }, () => first)];
  const path = field(operation === 'append' ? 'append_crs_mapping' : 'input_crs_mapping');
  throw failure(requestErrors.CRS_LIST_LENGTH, { path, listed: listed.length, files: added });
}
