/** Headers of the tus protocol for resumable uploads, version 1.0.0 (https://tus.io/protocols/resumable-upload). */
import { createHash } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import type { FastifyRequest } from 'fastify';
import { jobErrors } from '../jobs/errors.ts';
import type { UploadRecord } from '../jobs/upload.ts';
import type { PieceChecksum } from '../jobs/upload-reception.ts';
import { httpErrors } from './errors.ts';

export const TUS_VERSION = '1.0.0';
export const PIECE_MEDIA_TYPE = 'application/offset+octet-stream';

const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'md5'];

/** Characters of an Upload-Metadata header. */
const MAX_METADATA_LENGTH = 4096;

type Headers = FastifyRequest['headers'];

/** Sent with every response, errors too. */
export function tusHeaders(): Record<string, string> {
  return { 'tus-resumable': TUS_VERSION, 'tus-version': TUS_VERSION };
}

/** What the service supports. */
export function tusCapabilities(maxBytes: number): Record<string, string> {
  return {
    ...tusHeaders(),
    'tus-extension': 'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination',
    'tus-max-size': String(maxBytes),
    'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','),
  };
}

/** The state of an upload. Names are capitalised as in the protocol. */
export function uploadHeaders(upload: UploadRecord): Record<string, string> {
  const { offset, byteLength, metadata, expiresAt } = upload;
  return {
    'upload-offset': String(offset),
    ...(byteLength === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(byteLength) }),
    ...(metadata === null ? {} : { 'upload-metadata': metadata }),
    'upload-expires': new Date(expiresAt).toUTCString(),
    'cache-control': 'no-store',
  };
}

/** `isRequired`: the request has no meaning without the protocol. Throws TUS_VERSION_UNSUPPORTED. */
export function checkTusVersion(headers: Headers, isRequired: boolean): void {
  const given = textOf(headers, 'tus-resumable');
  if (given === TUS_VERSION || (given === undefined && !isRequired)) return;
  throw failure(httpErrors.TUS_VERSION_UNSUPPORTED, {
    given: given === undefined ? 'missing' : `'${given.slice(0, 60)}'`,
  });
}

/** The length that the client states; null: it defers it. Throws UPLOAD_HEADER_INVALID. */
export function statedLength(headers: Headers): number | null {
  const deferred = textOf(headers, 'upload-defer-length');
  const length = wholeNumber(headers, 'Upload-Length');
  if (deferred !== undefined && deferred !== '1')
    throw invalid('Upload-Defer-Length', `is '${deferred.slice(0, 60)}', but must be 1`);
  if (deferred !== undefined && length !== undefined)
    throw invalid('Upload-Defer-Length', "contradicts 'Upload-Length'; send one of them");
  if (deferred === undefined && length === undefined)
    throw invalid(
      'Upload-Length',
      "is required; send 'Upload-Defer-Length: 1' if the length is not known yet",
    );
  return length ?? null;
}

/** The length that a later request may add; undefined: none. Throws UPLOAD_HEADER_INVALID. */
export function addedLength(headers: Headers): number | undefined {
  return wholeNumber(headers, 'Upload-Length');
}

/** Throws UPLOAD_HEADER_INVALID. */
export function statedOffset(headers: Headers): number {
  const offset = wholeNumber(headers, 'Upload-Offset');
  if (offset === undefined) throw invalid('Upload-Offset', 'is required: the number of bytes sent before');
  return offset;
}

export interface UploadMetadata {
  /** As sent; null: none. */
  readonly text: string | null;
  /** A plain file name; empty: none. */
  readonly name: string;
}

/** The file name of the header: `filename`, as most clients call it, or `name`. Throws UPLOAD_HEADER_INVALID. */
export function statedMetadata(headers: Headers): UploadMetadata {
  const text = textOf(headers, 'upload-metadata');
  if (text === undefined || text.trim() === '') return { text: null, name: '' };
  if (text.length > MAX_METADATA_LENGTH)
    throw invalid(
      'Upload-Metadata',
      `has ${text.length} characters (limit ${MAX_METADATA_LENGTH}); shorten its values`,
    );
  const values = new Map<string, Buffer>();
  for (const pair of text.split(',')) {
    const [key, encoded = '', ...more] = pair.trim().split(' ');
    const isPair = /^[\x21-\x7e]+$/.test(key) && more.length === 0;
    if (!isPair || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded))
      throw invalid(
        'Upload-Metadata',
        'must be pairs of a key and a value in Base64, such as "filename cm9hZHMuZ3BrZw==", separated by commas',
      );
    if (values.has(key)) throw invalid('Upload-Metadata', `has the key '${key.slice(0, 60)}' more than once`);
    values.set(key, Buffer.from(encoded, 'base64'));
  }
  const given = values.get('filename') ?? values.get('name');
  return { text, name: given === undefined ? '' : plainFileName(utf8(given), '') };
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('Upload-Metadata', 'has a file name that is not UTF-8 before it is encoded as Base64');
  }
}

/** The checksum that the body must have; undefined: none. Throws UPLOAD_HEADER_INVALID. */
export function statedChecksum(headers: Headers): PieceChecksum | undefined {
  const text = textOf(headers, 'upload-checksum');
  if (text === undefined) return undefined;
  const [algorithm, given = '', ...more] = text.split(' ');
  if (!CHECKSUM_ALGORITHMS.includes(algorithm))
    throw invalid(
      'Upload-Checksum',
      `has the algorithm '${algorithm.slice(0, 20)}'; supported: ${CHECKSUM_ALGORITHMS.join(', ')}`,
    );
  const hash = createHash(algorithm);
  const expected = Buffer.from(given, 'base64');
  const length = createHash(algorithm).digest().length;
  if (more.length > 0 || expected.length !== length || expected.toString('base64') !== given)
    throw invalid('Upload-Checksum', `must be '${algorithm}' and ${length} bytes in Base64`);
  return {
    update: (bytes) => hash.update(bytes),
    check() {
      const actual = hash.digest();
      if (actual.equals(expected)) return;
      throw failure(httpErrors.UPLOAD_CHECKSUM_WRONG, {
        algorithm,
        actual: actual.toString('base64'),
        given,
      });
    },
  };
}

/** Undefined: no such header. Throws UPLOAD_HEADER_INVALID. */
function wholeNumber(headers: Headers, name: string): number | undefined {
  const text = textOf(headers, name.toLowerCase());
  if (text === undefined) return undefined;
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw invalid(name, `is '${text.slice(0, 60)}', but must be a number of bytes`);
}

function textOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function invalid(name: string, reason: string): Error {
  return failure(jobErrors.UPLOAD_HEADER_INVALID, { name, reason });
}
