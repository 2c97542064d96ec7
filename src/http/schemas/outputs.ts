/** How outputs are answered: by media type of each format, with the headers that `send-output.ts` sends. */
import { outputFormats } from '../../formats/registry.ts';
import type { JsonSchema, ResponseRecord } from '../operation.ts';
import { ref, TEXT } from './schema.ts';

type Headers = NonNullable<ResponseRecord['headers']>;
const header = (description: string, schema: JsonSchema = TEXT) => ({ description, schema });

/** OpenAPI 3.1 describes raw bytes by an empty schema. */
const BYTES: JsonSchema = {};

const content: ResponseRecord['content'] = {
  ...Object.fromEntries(
    outputFormats.map(({ jsonSchema, mediaType }) => [
      mediaType,
      { schema: jsonSchema === null ? BYTES : ref(jsonSchema) },
    ]),
  ),
  'application/json': { schema: ref('FeatureCollection') },
};

const validators: Headers = {
  ETag: header('Names the output.'),
  'Last-Modified': header('End of the job.'),
  'Accept-Ranges': header('Ranges of bytes can be asked for.', { const: 'bytes' }),
  'Cache-Control': header('The output is the requester’s own, and is to be asked for again.'),
};

const size: JsonSchema = { type: 'integer', minimum: 0 };

const metadata: Headers = {
  'Metadata-Input-Format': header('Format of the input.'),
  'Metadata-Output-Format': header('Format of the output; of an inspection `json`.'),
  'Metadata-Transformations': header('Types of the transformations, in their order, separated by commas.'),
  'Metadata-Request-Size': header('Bytes of the inputs, all together.', size),
  'Metadata-Response-Size': header('Bytes of the whole output.', size),
  'Geomill-Warnings': header('Kinds of warnings in the report of the job.', size),
};

/** Sent with files, not with inline answers. */
const disposition: Headers = {
  'Content-Disposition': header('File name to save it under. Absent where `to_file` is false.'),
};

/** 200: the output itself. */
function outputResponse(description: string, moreHeaders: Headers = {}): ResponseRecord {
  return { description, headers: { ...validators, ...disposition, ...metadata, ...moreHeaders }, content };
}

/** What an output can be asked for and answered with: whole, a range, nothing because it is known, not yet, no longer. */
export const outputResponses: Readonly<Record<number, ResponseRecord>> = {
  200: {
    ...outputResponse('The output.'),
    content: { ...content, 'application/json': { schema: ref('InlineOutput') } },
  },
  206: {
    description: 'The range that was asked for.',
    headers: {
      ...validators,
      ...disposition,
      ...metadata,
      'Content-Range': header('`bytes FIRST-LAST/LENGTH`, both inclusive.'),
    },
    content: Object.fromEntries(Object.keys(content).map((mediaType) => [mediaType, { schema: BYTES }])),
  },
  304: { description: 'As it was: If-None-Match names it.', headers: validators },
  409: { description: 'The job is not SUCCESS: the detail gives its state and, where it failed, why.' },
  410: { description: 'The output has expired; submit the job again.' },
  416: {
    description: 'The range lies outside of the output.',
    headers: { 'Content-Range': header('`bytes */LENGTH`') },
  },
};

const submitted: Headers = {
  Location: {
    description: 'Where the state of the job is.',
    schema: { type: 'string', format: 'uri' },
  },
  'Preference-Applied': header('The wait that was granted, in seconds, where `Prefer` asked for one.'),
};

/**
 * A submission that may wait: the job is accepted (`accepted` is the schema of that answer), or done and answered like
 * its output, or it failed and its error is the answer.
 */
export function submissionResponses(accepted: string): Record<number, ResponseRecord> {
  const failed = (description: string): ResponseRecord => ({ description, headers: submitted });
  return {
    200: outputResponse('The output: the request waited for it.', submitted),
    202: {
      description: 'Accepted: the job is on disk and survives a crash.',
      headers: { ...submitted, Location: { ...submitted.Location, required: true } },
      content: { 'application/json': { schema: ref(accepted) } },
    },
    206: { ...outputResponses[206], headers: { ...outputResponses[206].headers, ...submitted } },
    304: { ...outputResponses[304], headers: { ...outputResponses[304].headers, ...submitted } },
    400: failed('Something in the request, or in the data of a job that was waited for, is wrong.'),
    410: { ...outputResponses[410], headers: submitted },
    413: failed('The request, or what a job that was waited for found in the data, is above a limit.'),
    416: { ...outputResponses[416], headers: { ...outputResponses[416].headers, ...submitted } },
    500: failed('Our fault; the detail gives the reference under which the cause is logged.'),
  };
}

/** As `submissionResponses('TaskAccepted')`, of an inspection. */
export const inspectionResponses: Readonly<Record<number, ResponseRecord>> = (() => {
  const responses = submissionResponses('TaskAccepted');
  const found = { 'application/json': { schema: ref('Inspection') } };
  return { ...responses, 200: { ...responses[200], description: 'What the file holds.', content: found } };
})();
