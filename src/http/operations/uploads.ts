/** /v1/uploads: files that are uploaded on their own, by the tus protocol or by a form, for any number of jobs. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasScope } from '../../accounts/principal.ts';
import { failure } from '../../errors.ts';
import { ANY_OWNER, type Viewer } from '../../jobs/job.ts';
import { isComplete, type UploadRecord } from '../../jobs/upload.ts';
import { baseUrlOf, type HttpContext, ownerOf } from '../context.ts';
import { cursorText, parseCursor } from '../list-cursor.ts';
import type { JsonSchema, MediaTypeRecord, Operation, Parameter } from '../operation.ts';
import {
  appendBody,
  checkPiece,
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
  addedLength,
  checkTusVersion,
  PIECE_MEDIA_TYPE,
  statedChecksum,
  statedLength,
  statedMetadata,
  statedOffset,
  tusCapabilities,
  tusHeaders,
  uploadHeaders,
} from '../tus.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const COLLECTION = '/v1/uploads';
const ONE = '/v1/uploads/{upload_id}';

const versionHeader: Parameter = {
  in: 'header',
  name: 'Tus-Resumable',
  schema: { const: '1.0.0' },
  description: 'Version of the protocol.',
};
const uploadIdParameter: Parameter = {
  in: 'path',
  name: 'upload_id',
  schema: TEXT,
  description: 'Id of the upload.',
  required: true,
};
const headerParameter = (name: string, schema: JsonSchema, description: string): Parameter => ({
  in: 'header',
  name,
  schema,
  description,
});
const BYTE_COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const checksumHeader = headerParameter(
  'Upload-Checksum',
  { type: 'string', examples: ['sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='] },
  'Algorithm (`sha1`, `sha256`, `md5`) and checksum of the body in Base64. A body with another checksum is discarded (460).',
);
const piece: Record<string, MediaTypeRecord> = { [PIECE_MEDIA_TYPE]: { schema: {} } };
const file: JsonSchema = { contentMediaType: 'application/octet-stream', description: 'The file.' };
const document: Record<string, MediaTypeRecord> = { 'application/json': { schema: ref('Upload') } };
const locked = { 409: { description: 'The upload has another offset, which `detail` gives.' } };

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
      ...piece,
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
    if (hasBody(request)) checkPiece(request, service.uploads);
    if (isForm(request)) return;
    const { headers } = request;
    checkTusVersion(headers, true);
    statedMetadata(headers);
    const length = statedLength(headers);
    service.uploads.checkLength(length ?? 0);
    if (!hasBody(request)) return;
    statedChecksum(headers);
    if (length !== null && declaredLength(request) > length)
      throw failure('UPLOAD_HEADER_INVALID', {
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
  path: ONE,
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
    const upload = await context.service.uploads.get(viewerOf(request), idOf(request));
    reply.headers(uploadHeaders(upload));
    return describeUpload(upload, baseUrlOf(context, request));
  },
};

export const continueUpload: Operation = {
  id: 'continueUpload',
  method: 'PATCH',
  path: ONE,
  tag: 'Uploads',
  access: 'jobs:write',
  summary: 'Continue an upload',
  description:
    'Appends the body to the upload (tus protocol). When the response arrives, all of it is stored durably. What was received of an ' +
    'interrupted request is stored, too, unless it has a checksum: HEAD gives the offset. If another request is writing the upload, the ' +
    'response is 423; a request that has received nothing for a few seconds is ended instead.',
  parameters: [
    uploadIdParameter,
    { ...versionHeader, required: true },
    { ...headerParameter('Upload-Offset', BYTE_COUNT, 'Number of bytes stored before.'), required: true },
    headerParameter('Upload-Length', BYTE_COUNT, 'Length of the file, if it was deferred.'),
    checksumHeader,
  ],
  requestBody: { description: 'The next bytes of the file.', content: piece },
  responses: {
    204: { description: 'The body is stored.', headers: uploadStateHeaders },
    ...locked,
    410: { description: 'The upload has expired; upload the file again.' },
    412: { description: '`Tus-Resumable` is not 1.0.0.' },
    413: { description: 'The body is longer than the rest of the upload, or the upload exceeds a limit.' },
    415: { description: 'The body is not application/offset+octet-stream.' },
    423: {
      description: 'The upload is being written by another request.',
      headers: { 'Retry-After': { description: 'Seconds to wait.', schema: BYTE_COUNT, required: true } },
    },
    460: { description: 'The body does not have the stated checksum, and was discarded.' },
  },
  examples: [
    `curl -f -X PATCH -H 'Tus-Resumable: 1.0.0' -H 'Upload-Offset: 0' -H 'Content-Type: application/offset+octet-stream' --data-binary @samples/harbour.geojson BASE_URL/v1/uploads/UPLOAD_ID`,
  ],
  headers: tusHeaders,
  refuseEarly: refusePiece,
  handle: storePiece,
};

function refusePiece({ service }: HttpContext, request: FastifyRequest): void {
  const { headers } = request;
  service.checkReady();
  checkTusVersion(headers, true);
  const offset = statedOffset(headers);
  statedChecksum(headers);
  addedLength(headers);
  checkPiece(request, service.uploads);
  service.uploads.checkLength(offset + declaredLength(request));
}

async function storePiece(
  { service: { uploads } }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [owner, id] = [ownerOf(request), idOf(request)];
  const offset = statedOffset(request.headers);
  const { byteLength } = await uploads.get(owner, id);
  // Before the body, of which nothing would be kept.
  if (byteLength !== null && offset + declaredLength(request) > byteLength)
    throw failure('UPLOAD_TOO_LONG', { id, length: byteLength, offset });
  const upload = await appendBody(uploads, owner, id, offset, request);
  return reply.code(204).headers(uploadHeaders(upload)).send();
}

export const deleteUpload: Operation = {
  id: 'deleteUpload',
  method: 'DELETE',
  path: ONE,
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

async function removeUpload(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await context.service.uploads.remove(viewerOf(request), idOf(request));
  return reply.code(204).send();
}

/** For clients that can send neither PATCH nor DELETE; the protocol requires it. */
export const overrideUpload: Operation = {
  id: 'overrideUpload',
  method: 'POST',
  path: ONE,
  tag: 'Uploads',
  access: 'jobs:write',
  summary: 'Continue or delete an upload by POST',
  description: 'For clients that cannot send PATCH or DELETE: the request named by `X-HTTP-Method-Override`.',
  parameters: [
    uploadIdParameter,
    {
      ...headerParameter(
        'X-HTTP-Method-Override',
        { type: 'string', enum: ['PATCH', 'DELETE'] },
        'The method.',
      ),
      required: true,
    },
    ...continueUpload.parameters
      .filter((parameter) => parameter.in === 'header')
      .map((parameter): Parameter => ({ ...parameter, required: false })),
  ],
  requestBody: { description: 'With PATCH: the next bytes of the file.', content: piece, required: false },
  responses: {
    ...continueUpload.responses,
    204: { ...continueUpload.responses[204], headers: tusResumable },
  },
  examples: ["curl -f -X POST -H 'X-HTTP-Method-Override: DELETE' BASE_URL/v1/uploads/UPLOAD_ID"],
  headers: tusHeaders,
  refuseEarly: (context, request) => {
    if (overridingMethod(request) === 'PATCH') refusePiece(context, request);
    else checkTusVersion(request.headers, false);
  },
  handle: (context, request, reply) =>
    (overridingMethod(request) === 'PATCH' ? storePiece : removeUpload)(context, request, reply),
};

/** Throws UPLOAD_HEADER_INVALID. */
function overridingMethod({ headers }: FastifyRequest): 'PATCH' | 'DELETE' {
  const given = String(headers['x-http-method-override'] ?? '').toUpperCase();
  if (given === 'PATCH' || given === 'DELETE') return given;
  throw failure('UPLOAD_HEADER_INVALID', {
    name: 'X-HTTP-Method-Override',
    reason: 'must be PATCH or DELETE in a POST to an upload',
  });
}

/** Administrators see and delete all uploads, as they do jobs. */
function viewerOf(request: FastifyRequest): Viewer {
  const owner = ownerOf(request);
  return request.principal !== null && hasScope(request.principal, 'admin') ? ANY_OWNER : owner;
}

/** Throws UPLOAD_UNKNOWN. */
function idOf({ params }: FastifyRequest): string {
  const { upload_id: id } = params as { readonly upload_id: string };
  if (id.length > 100) throw failure('UPLOAD_UNKNOWN', { id: id.slice(0, 100) });
  return id;
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
