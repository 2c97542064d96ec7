/** /v1/uploads: files that are uploaded on their own, by the tus protocol or by a form, for any number of jobs. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasScope } from '../../accounts/principal.ts';
import { jobErrors } from '../../jobs/errors.ts';
import { ANY_OWNER, type Viewer } from '../../jobs/job.ts';
import { isComplete, type UploadRecord } from '../../jobs/upload.ts';
import { baseUrlOf, type HttpContext, ownerOf } from '../context.ts';
import { cursorText, parseCursor } from '../list-cursor.ts';
import type { MediaTypeRecord, Operation } from '../operation.ts';
import {
  checkUploadBody,
  createByForm,
  createByTus,
  declaredLength,
  hasBody,
  isForm,
  UPLOAD_PART,
} from '../receive-upload.ts';
import { ref, TEXT } from '../schemas/schema.ts';
import { tusCapabilityHeaders, tusResumable, uploadStateHeaders } from '../schemas/upload.ts';
import {
  checkTusVersion,
  statedChecksum,
  statedLength,
  statedMetadata,
  tusCapabilities,
  tusHeaders,
  uploadHeaders,
} from '../tus.ts';
import {
  BYTE_COUNT,
  checksumHeader,
  headerParameter,
  pieceContent,
  UPLOAD_PATH,
  uploadIdOf,
  uploadIdParameter,
  versionHeader,
} from './upload-parameters.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const COLLECTION = '/v1/uploads';

const file: JsonSchema = { contentMediaType: 'application/octet-stream', description: 'The file.' };
const document: Record<string, MediaTypeRecord> = { 'application/json': { schema: ref('Upload') } };

export const describeUploads: Operation = {
  id: 'describeUploads',
  method: 'OPTIONS',
  path: COLLECTION,
  tag: 'Uploads',
  access: 'public',
  summary: 'Get the supported parts of the tus protocol',
  description: 'Version, extensions and limits of the protocol for resumable uploads (tus.io), in headers.',
  parameters: [],
  responses: { 204: { description: 'No content.', headers: tusCapabilityHeaders } },
  examples: ['curl -i -X OPTIONS BASE_URL/v1/uploads'],
  headers: (config) => tusCapabilities(config.maxUploadBytes),
  handle: async (_context, _request, reply) => reply.code(204).send(),
};

export const createUpload: Operation = {
  id: 'createUpload',
  method: 'POST',
  path: COLLECTION,
  tag: 'Uploads',
  access: 'jobs:write',
  summary: 'Create an upload',
  description:
    'Creates an upload by the tus protocol 1.0.0, with its first bytes if the request has a body; send the rest with PATCH to the address in ' +
    '`Location`. Or takes a whole file as a form, without the headers of the protocol. The file is kept for UPLOAD_RETENTION after its ' +
    'last byte was stored, and counts towards MAX_OWNER_STORAGE.',
  parameters: [
    versionHeader,
    headerParameter('Upload-Length', BYTE_COUNT, 'Length of the file. Required, unless it is deferred.'),
    headerParameter(
      'Upload-Defer-Length',
      { const: '1' },
      'The length is not known yet; a later request states it.',
    ),
    headerParameter(
      'Upload-Metadata',
      { type: 'string', maxLength: 4096, examples: ['filename cm9hZHMuZ3BrZw=='] },
      'Pairs of a key and a value in Base64, separated by commas. `filename` is the name of the file.',
    ),
    checksumHeader,
  ],
  requestBody: {
    description: 'Nothing, the first bytes of the file, or a form with the whole file.',
    content: {
      ...pieceContent,
      'multipart/form-data': {
        schema: { type: 'object', properties: { [UPLOAD_PART]: file }, required: [UPLOAD_PART] },
      },
    },
    required: false,
  },
  responses: {
    201: {
      description: 'The upload.',
      headers: {
        Location: {
          description: 'Address of the upload.',
          schema: { type: 'string', format: 'uri' },
          required: true,
        },
        ...uploadStateHeaders,
      },
      content: document,
    },
    412: { description: 'Neither a form, nor a request with `Tus-Resumable: 1.0.0`.' },
    460: { description: 'The body does not have the stated checksum; no upload was created.' },
  },
  examples: [
    'curl -f -F file=@samples/harbour.geojson BASE_URL/v1/uploads',
    `curl -fi -X POST -H 'Tus-Resumable: 1.0.0' -H 'Upload-Length: 5000000' -H 'Upload-Metadata: filename cm9hZHMuZ3BrZw==' BASE_URL/v1/uploads`,
  ],
  headers: tusHeaders,
  refuseEarly: ({ service }, request) => {
    service.checkReady();
    if (hasBody(request)) checkUploadBody(request, service.uploads, 'piece or form');
    if (isForm(request)) return;
    const { headers } = request;
    checkTusVersion(headers, true);
    statedMetadata(headers);
    const length = statedLength(headers);
    service.uploads.checkLength(length ?? 0);
    if (!hasBody(request)) return;
    statedChecksum(headers);
    if (length !== null && declaredLength(request) > length)
      throw failure(jobErrors.UPLOAD_HEADER_INVALID, {
        name: 'Upload-Length',
        reason: `is ${length}, less than the ${declaredLength(request)} bytes of the body`,
      });
  },
  handle: async (context, request, reply) => {
    const { uploads } = context.service;
    const create = isForm(request) ? createByForm : createByTus;
    const upload = await create(uploads, ownerOf(request), request);
    const found = describeUpload(upload, baseUrlOf(context, request));
    return reply.code(201).headers(uploadHeaders(upload)).header('location', found.url).send(found);
  },
};

export const listUploads: Operation = {
  id: 'listUploads',
  method: 'GET',
  path: COLLECTION,
  tag: 'Uploads',
  access: 'jobs:read',
  summary: 'List uploads',
  description:
    'Your uploads, newest first, in pages: pass `next_cursor` to get the next page; it is null on the last page.',
  parameters: [
    {
      in: 'query',
      name: 'limit',
      schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      description: 'Maximum number of uploads per page.',
    },
    { in: 'query', name: 'cursor', schema: TEXT, description: 'The `next_cursor` of the previous page.' },
  ],
  responses: {
    200: {
      description: 'A page of uploads.',
      content: { 'application/json': { schema: ref('UploadPage') } },
    },
  },
  examples: ['curl BASE_URL/v1/uploads'],
  headers: tusHeaders,
  handle: async (context, request, reply) => {
    const { limit = DEFAULT_LIMIT, cursor } = request.query as { limit?: number; cursor?: string };
    const after = cursor === undefined ? null : parseCursor(cursor, 'uploads');
    // One more shows whether there is a next page.
    const found = await context.service.uploads.list(ownerOf(request), after, limit + 1);
    const page = found.slice(0, limit);
    reply.header('cache-control', 'no-store');
    return {
      uploads: page.map((upload) => describeUpload(upload, baseUrlOf(context, request))),
      next_cursor: found.length > limit ? cursorText(page[page.length - 1]) : null,
    };
  },
};

export const getUpload: Operation = {
  id: 'getUpload',
  method: 'GET',
  path: UPLOAD_PATH,
  tag: 'Uploads',
  access: 'jobs:read',
  summary: 'Get an upload',
  description:
    'Name, length and offset. HEAD is the request of the tus protocol for the offset, from which an interrupted upload is continued.',
  parameters: [uploadIdParameter, versionHeader],
  responses: {
    200: { description: 'The upload.', headers: uploadStateHeaders, content: document },
    410: { description: 'The upload has expired; upload the file again.' },
    412: { description: '`Tus-Resumable` is not 1.0.0.' },
  },
  examples: ['curl BASE_URL/v1/uploads/UPLOAD_ID', 'curl -I BASE_URL/v1/uploads/UPLOAD_ID'],
  headers: tusHeaders,
  refuseEarly: (_context, { headers }) => checkTusVersion(headers, false),
  handle: async (context, request, reply) => {
    const upload = await context.service.uploads.getRecorded(viewerOf(request), uploadIdOf(request));
    reply.headers(uploadHeaders(upload));
    return describeUpload(upload, baseUrlOf(context, request));
  },
};

export const deleteUpload: Operation = {
  id: 'deleteUpload',
  method: 'DELETE',
  path: UPLOAD_PATH,
  tag: 'Uploads',
  access: 'jobs:write',
  summary: 'Delete an upload',
  description:
    'Deletes the file, and ends a request that is writing it. Jobs that were submitted with it are not affected.',
  parameters: [uploadIdParameter, versionHeader],
  responses: {
    204: { description: 'The upload is deleted.', headers: tusResumable },
    410: { description: 'The upload has expired.' },
    412: { description: '`Tus-Resumable` is not 1.0.0.' },
  },
  examples: ['curl -f -X DELETE BASE_URL/v1/uploads/UPLOAD_ID'],
  headers: tusHeaders,
  refuseEarly: (_context, { headers }) => checkTusVersion(headers, false),
  handle: removeUpload,
};

export async function removeUpload(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await context.service.uploads.remove(viewerOf(request), uploadIdOf(request));
  return reply.code(204).send();
}

/** Administrators see and delete all uploads, as they do jobs. */
function viewerOf(request: FastifyRequest): Viewer {
  const owner = ownerOf(request);
  return request.principal !== null && hasScope(request.principal, 'admin') ? ANY_OWNER : owner;
}

function describeUpload(upload: UploadRecord, baseUrl: string) {
  return {
    id: upload.id,
    name: upload.name === '' ? null : upload.name,
    byte_length: upload.byteLength,
    offset: upload.offset,
    complete: isComplete(upload),
    created_at: new Date(upload.createdAt).toISOString(),
    expires_at: new Date(upload.expiresAt).toISOString(),
    url: `${baseUrl}${COLLECTION}/${upload.id}`,
  };
}
