/** Takes a job from any endpoint: its files to disk, its config to a request, then the row. */
import { createHash } from 'node:crypto';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Format } from '@geomill/formats/format.ts';
import { pathName } from '@geomill/library/file-name.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import { transformations } from '@geomill/operations/registry.ts';
import {
  type FilePlaces,
  fileParameterNames,
  filePartNames,
  isFilePart,
  missingFilePart,
  type RequestedStep,
} from '@geomill/operations/requested-steps.ts';
import type { RemoteAddress } from '@geomill/requests/addresses.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import { type JsonDocuments, jsonDocumentsOf } from '@geomill/requests/config-schema.ts';
import { type ParsedConfig, parseJobRequest } from '@geomill/requests/parse-job-request.ts';
import type { FastifyRequest } from 'fastify';
import type { JobInput, NewJob } from '../jobs/job.ts';
import { serviceName } from '../remote-input/arcgis/layer-url.ts';
import type { Upload } from '../storage/store.ts';
import { type HttpContext, ownerOf } from './context.ts';
import { httpFindings } from './errors.ts';
import { type ConfigInputs, filePartsOf, receiveJobForm } from './job-form.ts';
import { receiveJsonBody, requireDocuments } from './json-job-body.ts';
import { refuseUnknownCodes } from './known-crs.ts';
import { plainFieldSchemas } from './plain-fields.ts';
import { type ReceivedFile, ReceivedFiles } from './received-files.ts';
import { addressParser } from './remote-address.ts';
import { configInputsOf, countOf, RequestedUploads } from './requested-uploads.ts';
import { type AcceptedJob, idempotencyKeyOf, isJson } from './submission.ts';

/** What a request brings, and how it is read. */
export interface Intake {
  readonly endpoint: Endpoint;
  /** Documents of a JSON body; null: it has none. */
  readonly documents: JsonDocuments | null;
  /** The job whose request is used again: a form needs no config, and a JSON body may have a URL. Null: a new request. */
  readonly rerunOf: string | null;
  parse(config: unknown, places: FilePlaces): ParsedConfig;
  /** The error for a step whose file is in no part. */
  missingPart(step: RequestedStep): GeomillError;
}

/** Of a whole request. */
function intakeOf(endpoint: Endpoint, context: HttpContext): Intake {
  const registries = { formats: context.formats, transformations };
  return {
    endpoint,
    documents: jsonDocumentsOf(endpoint),
    rerunOf: null,
    parse: (config, places) =>
      parseJobRequest(config, endpoint, registries, addressParser(context.urlPolicy), places),
    missingPart: (step) => missingFilePart(step, transformations),
  };
}

interface ReceivedRequest {
  readonly parsed: ParsedConfig;
  readonly configHash: string;
  readonly unknownParts: readonly string[];
}

/**
 * Receives the body and adds the job; when this resolves, the job is durable and will end. A rejected, aborted or repeated
 * request leaves no files behind.
 */
export async function submitRequest(
  endpoint: Endpoint,
  context: HttpContext,
  request: FastifyRequest,
  intake: Intake = intakeOf(endpoint, context),
): Promise<AcceptedJob> {
  const { config, service } = context;
  const id = service.newJobId();
  const owner = ownerOf(request);
  const idempotencyKey = idempotencyKeyOf(request);
  const isRepeat = await service.isRepeat(owner, idempotencyKey);
  const files = new ReceivedFiles({
    open: async (fileIndex) => (isRepeat ? unstoredUpload() : service.receive(owner, id, fileIndex)),
    limits: config,
    wantHash: idempotencyKey !== null,
  });
  let added = false;
  try {
    const isDocument = isJson(request.headers['content-type'] ?? '');
    const uploads = new RequestedUploads(service, owner, isRepeat);
    const received = isDocument
      ? await receiveJson(intake, request, files, uploads)
      : await receiveForm(intake, context.formats, request, files, uploads);
    const { findings, inputFormat, inputUrl, stepUrls, forFiles } = received.parsed;
    const fileCount = files.count('single') + files.count('list') + countOf(received.parsed.uploads);
    const jobRequest = forFiles(inputUrl === null ? fileCount : 1);
    refuseUnknownCodes(jobRequest, await context.crsSearch());
    await uploads.share(received.parsed, id, files);
    const kept = await files.keepAll();
    const converted = kept.filter(({ stepInput }) => stepInput === null);
    for (const part of received.unknownParts)
      findings.note(httpFindings.UNKNOWN_PART, { part: part.slice(0, 100) });
    const job: NewJob = {
      id,
      owner,
      inputs: [
        ...(inputUrl === null
          ? converted.map((file, i) => inputOf(file, inputFormat, i, converted.length, isDocument))
          : [remoteInput(inputUrl, inputFormat)]),
        ...kept.flatMap(stepInputOf),
        ...[...stepUrls].map(([stepInput, address]) => remoteStepInput(address, stepInput)),
      ],
      request: jobRequest,
      requestFindings: findings.list(),
      idempotency:
        idempotencyKey === null
          ? null
          : { key: idempotencyKey, requestHash: requestHash(intake, received.configHash, kept) },
    };
    const result =
      isRepeat && job.idempotency !== null
        ? await service.earlier(owner, job.idempotency)
        : await service.submit(job, request.span.context);
    added = result.added;
    request.span.set({ 'geomill.job.id': result.id });
    const text = added ? 'accepted a job' : 'a request repeats that of an earlier job';
    request.log.info({ jobId: result.id, operation: jobRequest.operation, owner }, text);
    return result;
  } finally {
    if (!added) await files.discard();
  }
}

/** A repeated request needs only size and hash of its files, so it uses neither quota nor disk space. */
function unstoredUpload(): Upload {
  return {
    byteLength: 0,
    async write(bytes) {
      (this as { byteLength: number }).byteLength += bytes.length;
    },
    async keep() {},
    async discard() {},
  };
}

async function receiveForm(
  { endpoint, rerunOf, parse, missingPart }: Intake,
  formats: readonly Format[],
  request: FastifyRequest,
  files: ReceivedFiles,
  uploads: RequestedUploads,
): Promise<ReceivedRequest> {
  let parsed: ParsedConfig | undefined;
  let schemas: ReturnType<typeof plainFieldSchemas> | undefined;
  const form = await receiveJobForm(request, {
    files,
    plainFields: () => {
      schemas ??= plainFieldSchemas(endpoint, { formats, transformations });
      return schemas;
    },
    parts: filePartsOf(endpoint),
    needsConfig: rerunOf === null,
    stepParts: filePartNames(transformations),
    fileParameters: fileParameterNames(transformations),
    onConfig: async (value) => {
      parsed = parse(value, 'parts');
      await uploads.check(parsed);
      return configInputsOf(parsed);
    },
  });
  if (parsed === undefined)
    throw failure(generalErrors.INTERNAL, { reason: 'a form without config was let through' });
  // The masks of a repeated request are compared with the earlier request: a mask may have been lost since then.
  if (!uploads.isRepeat) checkStepParts(parsed.steps, form.stepParts, missingPart);
  return { ...form, parsed };
}

/** Checks that every step has its file and every file a step. Possible only at the end, as parts come in any order. */
function checkStepParts(
  steps: readonly RequestedStep[],
  parts: ReadonlySet<string>,
  missingPart: Intake['missingPart'],
): void {
  const needing = steps.filter(
    ({ file }) => file?.features !== undefined && file.upload === undefined && file.isRemote === undefined,
  );
  const lacking = needing.find(({ file }) => !parts.has(file?.input ?? ''));
  if (lacking !== undefined) throw missingPart(lacking);
  for (const part of parts) {
    if (needing.some(({ file }) => file?.input === part)) continue;
    const takers = transformations.filter(
      ({ fileParameter }) => fileParameter && isFilePart([fileParameter.part], part),
    );
    const known = takers
      .map(({ id, fileParameter }) =>
        part === fileParameter?.part
          ? `${id}${fileParameter.value === null ? '' : ` without '${fileParameter.value.name}'`}`
          : `${id} with '${fileParameter?.part}' set to '${part}'`,
      )
      .join(', ');
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: `no step uses part '${part}'; add one (${known}), or leave the part out`,
    });
  }
}

async function receiveJson(
  { endpoint, documents, rerunOf, parse, missingPart }: Intake,
  request: FastifyRequest,
  files: ReceivedFiles,
  uploads: RequestedUploads,
): Promise<ReceivedRequest> {
  const fileParameters = fileParameterNames(transformations);
  const options = { files, documents, fileParameters };
  const body = await receiveJsonBody(request.raw, options);
  const parsed = parse(body.config, 'none');
  const inputs = configInputsOf(parsed);
  if (!uploads.isRepeat) checkStepParts(parsed.steps, new Set(), missingPart);
  const isEmpty = files.count('single') + files.count('list') === 0 && inputs.singlePath === null;
  if (documents === null) checkConfigInputs(endpoint, inputs);
  else if (rerunOf !== null && isEmpty && !inputs.hasList) throw noInput(documents.list ?? documents.single);
  else requireDocuments(body, documents, inputs);
  await uploads.check(parsed);
  return { parsed, configHash: body.configHash, unknownParts: [] };
}

/** Checks that a config alone has all inputs. */
function checkConfigInputs(endpoint: Endpoint, { singlePath, hasList }: ConfigInputs): void {
  const { singleRequired, list } = filePartsOf(endpoint);
  if (list === null && singlePath === null) throw noInput('input_upload');
  if (list !== null && singleRequired && singlePath === null) throw noInput('target_upload');
  if (list !== null && !hasList) throw noInput(singleRequired ? 'append_uploads' : 'input_uploads');
}

function noInput(member: string): GeomillError {
  const url = member.startsWith('input_') && member !== 'input_uploads' ? "'input_url' or " : '';
  return failure(generalErrors.CONFIG_INVALID, {
    detail: `the body has no input: add ${url}'${member}', or send a form with the file`,
  });
}

function inputOf(
  { name, byteLength, fileIndex, isUpload }: ReceivedFile,
  format: Format,
  index: number,
  count: number,
  isDocument: boolean,
): JobInput {
  if (isDocument && !isUpload) return { name: name ?? '', byteLength, fileIndex, isUnnamed: true };
  const defaultName = `input${count === 1 ? '' : index + 1}${format.extensions[0]}`;
  return { name: name ?? defaultName, byteLength, fileIndex };
}

function stepInputOf({ name, byteLength, fileIndex, stepInput }: ReceivedFile): JobInput[] {
  return stepInput === null ? [] : [{ name: name ?? stepInput, byteLength, fileIndex, stepInput }];
}

/** The host may provide a better name when the file is fetched. */
export function remoteInput(address: RemoteAddress, format: Format): JobInput {
  return { ...remoteFile(address, `input${format.extensions[0]}`), fileIndex: 0 };
}

/** The host may provide a better name, which shows the format. */
function remoteStepInput(address: RemoteAddress, stepInput: string): JobInput {
  return { ...remoteFile(address, 'source'), fileIndex: 0, stepInput };
}

function remoteFile({ url, service }: RemoteAddress, otherName: string): Omit<JobInput, 'fileIndex'> {
  const name = service === null ? pathName(url) : serviceName(url);
  return {
    name: plainFileName(name ?? '', otherName),
    byteLength: null,
    url: url.href,
    ...(service === null ? {} : { service }),
  };
}

/** Hash of everything that determines the result. */
function requestHash(
  { endpoint: { operation, inputFormat }, rerunOf }: Intake,
  configHash: string,
  files: readonly ReceivedFile[],
): string {
  const received = files.filter(({ isUpload }) => !isUpload);
  const parts = received.map(({ name, stepInput, hash }) => [
    name,
    hash,
    ...(stepInput === null ? [] : [stepInput]),
  ]);
  return createHash('sha256')
    .update(
      JSON.stringify([operation, inputFormat, configHash, parts, ...(rerunOf === null ? [] : [rerunOf])]),
    )
    .digest('hex');
}
