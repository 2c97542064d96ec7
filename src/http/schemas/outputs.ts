/** How outputs are answered: by media type of each format, with the headers that `send-output.ts` sends. */
import { formats } from '../../formats/registry.ts';
import type { JsonSchema, ResponseRecord } from '../operation.ts';
import { ref, TEXT } from './schema.ts';

type Headers = NonNullable<ResponseRecord['headers']>;
const header = (description: string, schema: JsonSchema = TEXT) => ({ description, schema });

/** OpenAPI 3.1 describes raw bytes by an empty schema. */
const BYTES: JsonSchema = {};

const content: ResponseRecord['content'] = {
  ...Object.fromEntries(
    formats.map(({ id, mediaType }) => [
      mediaType,
      { schema: id === 'geojson' ? ref('FeatureCollection') : BYTES },
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

/** Sent with files, not with inline answers. */
const disposition: Headers = {
  'Content-Disposition': header('File name to save it under. Absent where `to_file` is false.'),
};

/** 200: the output itself. */
export function outputResponse(description: string, moreHeaders: Headers = {}): ResponseRecord {
  return { description, headers: { ...validators, ...disposition, ...moreHeaders }, content };
}

/** What an output can be asked for and answered with: whole, a range, nothing because it is known, not yet, no longer. */
export const outputResponses: Readonly<Record<number, ResponseRecord>> = {
  200: outputResponse('The output.'),
  206: {
    description: 'The range that was asked for.',
    headers: {
      ...validators,
      ...disposition,
      'Content-Range': header('`bytes FIRST-LAST/LENGTH`, both inclusive.'),
    },
    content: Object.fromEntries(Object.keys(content).map((mediaType) => [mediaType, { schema: BYTES }])),
  },
  304: { description: 'As it was: If-None-Match names it.', headers: { ETag: validators.ETag } },
  409: { description: 'The job is not SUCCESS: the detail gives its state and, where it failed, why.' },
  410: { description: 'The output has expired; submit the job again.' },
  416: {
    description: 'The range lies outside of the output.',
    headers: { 'Content-Range': header('`bytes */LENGTH`') },
  },
};
