/** Bodies of uploads: a piece of a file as the whole body (tus), or a file in a form. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import type { FastifyRequest } from 'fastify';
import { isComplete, type UploadRecord } from '../jobs/upload.ts';
import type { Uploads } from '../jobs/uploads.ts';
import { asBodyFailure } from './body-failure.ts';
import { httpErrors } from './errors.ts';
import { addedLength, PIECE_MEDIA_TYPE, statedChecksum, statedLength, statedMetadata } from './tus.ts';

/** Name of the part of a form. */
export const UPLOAD_PART = 'file';
/** Allowance for boundaries and part headers. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

export function isForm({ headers }: FastifyRequest): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * `accepted`: a form creates an upload, but does not continue one. Throws BODY_TYPE, and LIMIT_EXCEEDED if the declared
 * length is larger than an upload can be.
 */
export function checkUploadBody(
  request: FastifyRequest,
  uploads: Uploads,
  accepted: 'piece' | 'piece or form',
): void {
  const isUsableForm = accepted === 'piece or form' && isForm(request);
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const isPiece = type.split(';', 1)[0].trim().toLowerCase() === PIECE_MEDIA_TYPE;
  if (!(isPiece || isUsableForm) || encoding.toLowerCase() !== 'identity')
    throw failure(httpErrors.BODY_TYPE, {
      type: (encoding === 'identity' ? type : `${type}, ${encoding}`).slice(0, 100) || 'none',
      expected: accepted === 'piece' ? PIECE_MEDIA_TYPE : `multipart/form-data or ${PIECE_MEDIA_TYPE}`,
    });
  const overhead = isUsableForm ? FORM_OVERHEAD_BYTES : 0;
  uploads.checkLength(Math.max(0, declaredLength(request) - overhead));
}

/** 0: there is none, or it is not known. */
export function declaredLength({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A piece for an upload that exists. Throws as Uploads.append, and BODY_TRUNCATED. */
export function appendBody(
  uploads: Uploads,
  owner: string,
  id: string,
  offset: number,
  request: FastifyRequest,
): Promise<UploadRecord> {
  return uploads.append(owner, id, {
    offset,
    body: bodyOf(request),
    byteLength: addedLength(request.headers),
    checksum: statedChecksum(request.headers),
  });
}

/** A new upload by the protocol, with its first bytes if the request has a body. */
export async function createByTus(
  uploads: Uploads,
  owner: string,
  request: FastifyRequest,
): Promise<UploadRecord> {
  const { text: metadata, name } = statedMetadata(request.headers);
  const upload = await uploads.create(owner, { name, metadata, byteLength: statedLength(request.headers) });
  if (!hasBody(request)) return upload;
  return orRemoved(uploads, upload, () => appendBody(uploads, owner, upload.id, 0, request));
}

/** A new, complete upload from a form. Throws MULTIPART_INVALID, PART_MISSING, PART_DUPLICATE, INPUT_EMPTY, BODY_TRUNCATED. */
export async function createByForm(
  uploads: Uploads,
  owner: string,
  request: FastifyRequest,
): Promise<UploadRecord> {
  let upload: UploadRecord | null = null;
  try {
    const limits = { fileSize: Number.POSITIVE_INFINITY, files: 2, parts: 2 };
    for await (const part of request.parts({ limits, isPartAFile: () => true })) {
      if (part.type !== 'file') continue;
      const field = part.fieldname ?? '';
      if (field !== UPLOAD_PART)
        throw failure(httpErrors.PART_MISSING, {
          part: UPLOAD_PART,
          found: `the form has '${field.slice(0, 60)}'`,
        });
      if (upload !== null) throw failure(httpErrors.PART_DUPLICATE, { part: field });
      const name = plainFileName(part.filename, '');
      upload = await uploads.create(owner, { name, metadata: null, byteLength: null });
      upload = await uploads.append(owner, upload.id, { offset: 0, body: part.file, byteLength: 'end' });
      if (upload.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: name || 'the file' });
    }
    if (upload === null || !isComplete(upload))
      throw failure(httpErrors.PART_MISSING, { part: UPLOAD_PART, found: 'the form has no parts' });
    return upload;
  } catch (error) {
    if (upload !== null) await discard(uploads, upload);
    throw asBodyFailure(error);
  }
}

/** The client never learns the address of an upload whose creation fails. */
async function orRemoved(
  uploads: Uploads,
  upload: UploadRecord,
  receive: () => Promise<UploadRecord>,
): Promise<UploadRecord> {
  try {
    return await receive();
  } catch (error) {
    await discard(uploads, upload);
    throw error;
  }
}

/** A file that cannot be removed now expires. */
async function discard(uploads: Uploads, { owner, id }: UploadRecord): Promise<void> {
  await uploads.remove(owner, id).catch(() => {});
}

/** Not destroyed on an error, so that the client receives the response. */
async function* bodyOf({ raw }: FastifyRequest): AsyncGenerator<Uint8Array, void> {
  try {
    yield* raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw asBodyFailure(error);
  }
}
