/** The versioned API: /v1/transform/{format}, /append and /merge for every format there is, and /v1/inspect. */
import { type Format, isInputFormat } from '@geomill/formats/format.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf, type HttpContext } from '../context.ts';
import type { Operation } from '../operation.ts';
import { inspectionResponses, submissionResponses } from '../schemas/outputs.ts';
import { sendJobFailure, sendOutput } from '../send-output.ts';
import { type AcceptedJob, refuseEarly, waitForJob } from '../submission.ts';
import { asyncParameter, idempotencyKeyParameter, preferParameter } from './submission-parameters.ts';
import { taskOutputUrl, taskUrl } from './tasks.ts';

type Verb = 'transform' | 'append' | 'merge';

const WORDS: Readonly<
  Record<Verb, { tag: Operation['tag']; path: string; summary: (id: string) => string; description: string }>
> = {
  transform: {
    tag: 'Transform',
    path: '',
    summary: (id) => `Convert ${id}`,
    description: 'Converts one file and returns the output.',
  },
  append: {
    tag: 'Append',
    path: '/append',
    summary: (id) => `Append ${id} to ${id}`,
    description:
      'Appends the features of the files to those of the target. Fields are matched by name; fields that the target does not have are dropped and named in a warning. Transformations are applied afterwards. Returns the output.',
  },
  merge: {
    tag: 'Merge',
    path: '/merge',
    summary: (id) => `Merge ${id}`,
    description:
      'Merges the geometries of the files, without attributes. Transformations are applied afterwards. Returns the output. A Shapefile output is one zip with one shapefile per geometry type.',
  },
};

const HOW_IT_ANSWERS =
  ' With `async=true`, or when the job takes longer than SYNC_TIMEOUT, the response is a task. The job continues if the client disconnects; `Link` and the task refer to it.';

/** Three operations for each format that can be read. */
export function versionedOperations(formats: readonly Format[]): readonly Operation[] {
  const verbs: readonly Verb[] = ['transform', 'append', 'merge'];
  return formats
    .filter(isInputFormat)
    .flatMap((format) => verbs.map((verb) => versionedOperation(verb, format)));
}

function versionedOperation(verb: Verb, format: Format): Operation {
  const endpoint: Endpoint = { operation: verb, inputFormat: format.id, spelling: 'flat' };
  const { tag, path, summary, description } = WORDS[verb];
  return {
    id: verb + format.id[0].toUpperCase() + format.id.slice(1),
    method: 'POST',
    path: `/v1/transform/${format.id}${path}`,
    tag,
    access: 'jobs:write',
    summary: summary(format.id),
    description: description + HOW_IT_ANSWERS,
    parameters: [asyncParameter, preferParameter, idempotencyKeyParameter],
    submits: { endpoint, body: 'form or JSON' },
    responses: submissionResponses('TaskAccepted'),
    examples: [exampleOf(endpoint, format)],
    refuseEarly: (context, request) => refuseEarly(true, context, request),
    handle: (context, request, reply) => submit(endpoint, context, request, reply),
  };
}

/** Of the samples in formats that state no CRS. */
const SAMPLE_CRS = 'EPSG:25832';

function exampleOf({ operation, inputFormat }: Endpoint, format: Format): string {
  const needsCrs = format.inputCrs === 'request';
  const config = {
    ...(needsCrs && operation !== 'merge' ? { input_crs: SAMPLE_CRS } : {}),
    ...(needsCrs && operation === 'append' ? { append_crs_mapping: SAMPLE_CRS } : {}),
    ...(needsCrs && operation === 'merge' ? { input_crs_mapping: SAMPLE_CRS } : {}),
    output_format: 'gpkg',
    output_crs: 'EPSG:3857',
  };
  const file = `@samples/${format.sample}`;
  const files =
    operation === 'transform'
      ? `-F file=${file}`
      : `${operation === 'append' ? `-F file=${file} ` : ''}-F files=${file} -F files=${file}`;
  const path = operation === 'transform' ? '' : `/${operation}`;
  return `curl -f -OJ -F 'config=${JSON.stringify(config)}' ${files} BASE_URL/v1/transform/${inputFormat}${path}`;
}

const INSPECTION: Endpoint = { operation: 'inspect', inputFormat: null, spelling: 'nested' };

export const inspect: Operation = {
  id: 'inspect',
  method: 'POST',
  path: '/v1/inspect',
  tag: 'Inspect',
  access: 'jobs:write',
  summary: 'Inspect a file',
  description: `Returns the layers with fields, counts, extent, CRS and encoding. If the config has an output, also what a conversion would change or lose. No output is kept.${HOW_IT_ANSWERS}`,
  parameters: [asyncParameter, preferParameter, idempotencyKeyParameter],
  submits: { endpoint: INSPECTION, body: 'form or JSON' },
  responses: inspectionResponses,
  examples: [
    `curl -f -F 'config={"input":{"format":"geojson"}}' -F input_file=@samples/harbour.geojson BASE_URL/v1/inspect`,
  ],
  refuseEarly: (context, request) => refuseEarly(true, context, request),
  handle: (context, request, reply) => submit(INSPECTION, context, request, reply),
};

async function submit(
  endpoint: Endpoint,
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { submitRequest } = await import('../submit-job.ts');
  return answer(context, request, reply, await submitRequest(endpoint, context, request));
}

/** The output, once the job is done; a task where that takes too long, or the client does not want to wait. */
async function answer(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id }: AcceptedJob,
): Promise<FastifyReply> {
  const baseUrl = baseUrlOf(context, request);
  reply.header('link', `<${baseUrl}/v1/jobs/${id}>; rel="describedby"`);
  const { job, seconds } = await waitForJob(context, request, reply, id, true);
  if (job?.state === 'SUCCESS') {
    reply.header('content-location', taskOutputUrl(id, baseUrl));
    return sendOutput(context, request, reply, job);
  }
  if (job?.state === 'FAILED') return sendJobFailure(reply, job);
  const message =
    seconds > 0
      ? `not finished after ${seconds} s; the job continues, query the result of the task`
      : 'the job runs in the background; query the result of the task';
  reply.header('location', taskUrl(id, baseUrl));
  return reply.code(202).send({ message, task_id: id, state: 'TASK CREATED' });
}
