/** Responses with outputs: media types of all formats and the headers that `send-output.ts` sends. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { outputFormats } from '@geomill/formats/registry.ts';
import type { ResponseRecord } from '../operation.ts';
import { ref, TEXT } from './schema.ts';

type Headers = NonNullable<ResponseRecord['headers']>;
const header = (description: string, schema: JsonSchema = TEXT) => ({ description, schema });

/** OpenAPI 3.1 describes raw bytes by an empty schema. */
const BYTES: JsonSchema = {};

const content: ResponseRecord['content'] = {
  ...Object.fromEntries(
    outputFormats
      .flatMap(({ outputVariants = [] }) => outputVariants)
      .map(({ mediaType }) => [mediaType, { schema: BYTES }]),
  ),
  ...Object.fromEntries(
    outputFormats.map(({ jsonSchema, mediaType }) => [
      mediaType,
      { schema: jsonSchema === null ? BYTES : ref(jsonSchema) },
    ]),
  ),
  'application/json': { schema: ref('FeatureCollection') },
};

export const outputValidators: Headers = {
  ETag: header('Identifies the output.'),
  'Last-Modified': header('End of the job.'),
  'Accept-Ranges': header('Byte ranges are supported.', { const: 'bytes' }),
  'Cache-Control': header('Outputs are private and must be revalidated.'),
};

const size: JsonSchema = { type: 'integer', minimum: 0 };

const metadata: Headers = {
  'Metadata-Input-Format': header('Format of the input.'),
  'Metadata-Output-Format': header('Format of the output; `json` for an inspection.'),
  'Metadata-Transformations': header('Types of the transformations in order, separated by commas.'),
  'Metadata-Request-Size': header('Total size of the inputs in bytes.', size),
  'Metadata-Response-Size': header('Size of the whole output in bytes.', size),
  'Geomill-Warnings': header(
    'Number of distinct warnings in the report of the job, and how many of them have each severity: `3;info=1;changed=2;lost=0`.',
    { type: 'string', pattern: '^\\d+(;info=\\d+;changed=\\d+;lost=\\d+)?$' },
  ),
};

/** Sent with files, not with inline answers. */
const disposition: Headers = {
  'Content-Disposition': header('File name of the output. Absent if `to_file` is false.'),
};

/** 200: the output itself. */
function outputResponse(description: string, moreHeaders: Headers = {}): ResponseRecord {
  return {
    description,
    headers: { ...outputValidators, ...disposition, ...metadata, ...moreHeaders },
    content,
  };
}

/** Responses to a request for an output: all of it, a range, not modified, not ready, expired. */
export const outputResponses: Readonly<Record<number, ResponseRecord>> = {
  200: {
    ...outputResponse('The output.'),
    content: { ...content, 'application/json': { schema: ref('InlineOutput') } },
  },
  206: {
    description: 'The requested range.',
    headers: {
      ...outputValidators,
      ...disposition,
      ...metadata,
      'Content-Range': header('`bytes FIRST-LAST/LENGTH`, both inclusive.'),
    },
    content: Object.fromEntries(Object.keys(content).map((mediaType) => [mediaType, { schema: BYTES }])),
  },
  302: {
    description:
      'The output is at a URL of the object store, which needs no credentials and is valid for a few minutes (STORE_REDIRECT).',
    headers: { Location: { description: 'The URL.', schema: { type: 'string', format: 'uri' } } },
  },
  304: { description: 'Not modified: If-None-Match has its tag.', headers: outputValidators },
  409: { description: 'The job is not SUCCESS: `detail` gives its state and, if it failed, the error.' },
  410: { description: 'The output has expired; submit the job again.' },
  416: {
    description: 'The range is outside the output.',
    headers: { 'Content-Range': header('`bytes */LENGTH`') },
  },
};

const submitted: Headers = {
  Location: {
    description: 'Address of the state of the job.',
    schema: { type: 'string', format: 'uri' },
  },
  'Preference-Applied': header('Granted waiting time in seconds, if `Prefer` requested one.'),
};

/**
 * A submission that may wait: the job is accepted (`accepted` is the schema of that answer), or done and answered like
 * its output, or it failed and its error is the answer.
 */
export function submissionResponses(accepted: string): Record<number, ResponseRecord> {
  const failed = (description: string): ResponseRecord => ({ description, headers: submitted });
  return {
    200: outputResponse('The output.', submitted),
    202: {
      description: 'Accepted: the job is stored and survives a crash.',
      headers: { ...submitted, Location: { ...submitted.Location, required: true } },
      content: { 'application/json': { schema: ref(accepted) } },
    },
    206: { ...outputResponses[206], headers: { ...outputResponses[206].headers, ...submitted } },
    304: { ...outputResponses[304], headers: { ...outputResponses[304].headers, ...submitted } },
    400: failed('The request is invalid, or the job failed because of its data.'),
    410: { ...outputResponses[410], headers: submitted },
    413: failed('The request or the data of the job exceeds a limit.'),
    416: { ...outputResponses[416], headers: { ...outputResponses[416].headers, ...submitted } },
    500: failed('Internal error; `detail` contains the reference of the log entry.'),
  };
}

/** As `submissionResponses('TaskAccepted')`, of an inspection. */
export const inspectionResponses: Readonly<Record<number, ResponseRecord>> = (() => {
  const responses = submissionResponses('TaskAccepted');
  const found = { 'application/json': { schema: ref('Inspection') } };
  return { ...responses, 200: { ...responses[200], description: 'Contents of the file.', content: found } };
})();
