/** POST /transform: takes a job. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors.ts';
import type { Format } from '../../formats/format.ts';
import type { NewJob } from '../../jobs/job.ts';
import { baseUrlOf, type HttpContext } from '../context.ts';
import { fileTooLarge, type JobForm, receiveJobForm } from '../multipart.ts';
import type { Operation } from '../operation.ts';
import { type ParsedRequest, parseJobRequest } from '../parse-job-request.ts';
import { waitPreference, wantedWaitSeconds } from '../prefer.ts';
import { submissionResponses } from '../schemas/outputs.ts';
import { sendJobFailure, sendOutput } from '../send-output.ts';

/** What the form adds to the file and the config: boundaries, part headers, small unknown parts. */
const FORM_OVERHEAD_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

export const submitJob: Operation = {
  id: 'submitJob',
  method: 'POST',
  path: '/transform',
  tag: 'Jobs',
  summary: 'Submit a job',
  description: 'Takes a file and says where its state and its output can be fetched.',
  parameters: [
    {
      in: 'query',
      name: 'async',
      schema: { enum: ['true', 'false'] },
      description: '`false`: wait for the output and answer with it.',
    },
    {
      in: 'header',
      name: 'Prefer',
      schema: { type: 'string', examples: ['wait=30'] },
      description: '`wait=SECONDS` (RFC 7240): wait that long for the output, and answer with it.',
    },
    {
      in: 'header',
      name: 'Idempotency-Key',
      schema: { type: 'string', maxLength: 255 },
      description: 'A request that is sent again with the same key gets the same job.',
    },
  ],
  responses: submissionResponses('JobAccepted'),
  examples: [],
  refuseEarly,
  handle: transform,
};

/** What the headers alone tell is answered before a byte of the body is read, so also before "100 Continue". */
function refuseEarly({ config, service }: HttpContext, request: FastifyRequest): void {
  if (!service.accepts) throw failure('SHUTTING_DOWN', { seconds: RETRY_AFTER_SECONDS });
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    throw failure('BODY_TYPE', { type: type.slice(0, 100) || 'none', expected: 'multipart/form-data' });
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > config.maxUploadBytes + config.maxConfigBytes + FORM_OVERHEAD_BYTES)
    throw fileTooLarge(`declared as ${declaredBytes} bytes`, config.maxUploadBytes);
  if (service.queueLength >= config.maxQueueLength)
    throw failure('QUEUE_FULL', { length: service.queueLength, seconds: RETRY_AFTER_SECONDS });
}

async function transform(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { config, service } = context;
  const id = service.newJobId();
  const idempotencyKey = idempotencyKeyOf(request);
  let parsed: ParsedRequest | undefined;
  const form = await receiveJobForm(request, {
    maxFileBytes: config.maxUploadBytes,
    maxConfigBytes: config.maxConfigBytes,
    wantHash: idempotencyKey !== null,
    openUpload: () => service.receive(id, 0),
    onConfig: (value) => {
      parsed = parseJobRequest(value, context);
    },
  });
  if (parsed === undefined) throw failure('INTERNAL', { reason: 'a form without config was let through' });
  const job = newJob(id, form, parsed, idempotencyKey);
  const accepted = await accept(context, form, job);
  return answer(context, request, reply, accepted);
}

function newJob(id: string, form: JobForm, parsed: ParsedRequest, idempotencyKey: string | null): NewJob {
  const { request, findings } = parsed;
  for (const part of form.unknownParts) findings.note('UNKNOWN_PART', { part: part.slice(0, 100) });
  return {
    id,
    inputs: [
      {
        name: form.fileName ?? defaultName(parsed.inputFormat),
        byteLength: form.upload.byteLength,
        fileIndex: 0,
      },
    ],
    request,
    requestFindings: findings.list(),
    idempotency:
      idempotencyKey === null || form.hash === null ? null : { key: idempotencyKey, requestHash: form.hash },
  };
}

/** Makes the upload and then the row durable; only after that may the client be told. */
async function accept(
  context: HttpContext,
  form: JobForm,
  job: NewJob,
): Promise<{ id: string; state: string }> {
  let added = false;
  try {
    for (const { name, byteLength } of job.inputs)
      if (byteLength === 0) throw failure('INPUT_EMPTY', { source: name });
    await form.upload.keep();
    const result = await context.service.submit(job);
    added = result.added;
    return result;
  } finally {
    // Refused, or the same request had come before.
    if (!added) await form.upload.discard();
  }
}

async function answer(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: { readonly id: string; readonly state: string },
): Promise<FastifyReply> {
  const { service, config } = context;
  reply.header('location', `${baseUrlOf(context, request)}/result/status/${job.id}`);
  const prefer = headerText(request.headers.prefer);
  const query = request.query as Readonly<Record<string, unknown>>;
  const waitSeconds = wantedWaitSeconds(prefer, query.async, config.syncTimeoutSeconds);
  let { state } = job;
  if (waitSeconds > 0) {
    const ended = await service.waitForEnd(job.id, waitSeconds * 1000, abortSignalOf(reply));
    if (waitPreference(prefer) !== null) reply.header('preference-applied', `wait=${waitSeconds}`);
    if (ended?.state === 'SUCCESS') return sendOutput(context, request, reply, ended);
    if (ended?.state === 'FAILED') return sendJobFailure(reply, ended);
    state = ended?.state ?? state;
  }
  return reply.code(202).send({ job_id: job.id, status: state });
}

/** Fires when the client goes away before it has its answer. */
function abortSignalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = headerText(request.headers['idempotency-key'])?.trim();
  if (key === undefined || key === '') return null;
  if (key.length > 255)
    throw failure('CONFIG_INVALID', { detail: "header 'Idempotency-Key' is longer than 255 characters" });
  return key;
}

function defaultName(format: Format): string {
  return `input${format.extensions[0]}`;
}

function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
