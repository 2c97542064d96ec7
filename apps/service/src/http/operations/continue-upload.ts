/** PATCH /v1/uploads/{upload_id}, and POST for clients that can send neither PATCH nor DELETE. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jobErrors } from '../../jobs/errors.ts';
import { type HttpContext, ownerOf } from '../context.ts';
import type { Operation, Parameter } from '../operation.ts';
import { appendBody, checkUploadBody, declaredLength } from '../receive-upload.ts';
import { tusResumable, uploadStateHeaders } from '../schemas/upload.ts';
import {
  addedLength,
  checkTusVersion,
  statedChecksum,
  statedOffset,
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
import { removeUpload } from './uploads.ts';

const locked = { 409: { description: 'The upload has another offset, which `detail` gives.' } };

export const continueUpload: Operation = {
  id: 'continueUpload',
  method: 'PATCH',
  path: UPLOAD_PATH,
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
  requestBody: { description: 'The next bytes of the file.', content: pieceContent },
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
  checkUploadBody(request, service.uploads, 'piece');
  service.uploads.checkLength(offset + declaredLength(request));
}

async function storePiece(
  { service: { uploads } }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [owner, id] = [ownerOf(request), uploadIdOf(request)];
  const offset = statedOffset(request.headers);
  const { byteLength, offset: stored } = await uploads.get(owner, id);
  // Before the body, of which nothing would be kept. A wrong offset is a 409, whatever the length is.
  if (stored === offset && byteLength !== null && offset + declaredLength(request) > byteLength)
    throw failure(jobErrors.UPLOAD_TOO_LONG, { id, length: byteLength, offset });
  const upload = await appendBody(uploads, owner, id, offset, request);
  return reply.code(204).headers(uploadHeaders(upload)).send();
}

/** For clients that can send neither PATCH nor DELETE; the protocol requires it. */
export const overrideUpload: Operation = {
  id: 'overrideUpload',
  method: 'POST',
  path: UPLOAD_PATH,
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
  requestBody: {
    description: 'With PATCH: the next bytes of the file.',
    content: pieceContent,
    required: false,
  },
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
  throw failure(jobErrors.UPLOAD_HEADER_INVALID, {
    name: 'X-HTTP-Method-Override',
    reason: 'must be PATCH or DELETE in a POST to an upload',
  });
}
