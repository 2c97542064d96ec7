/** The answers of S3: errors, and what is needed of XML. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { StoreFault } from './store-fault.ts';

/** The object does not exist. */
export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';
}

export const WRONG_ANSWERS = 'its object store answers wrongly';

export function isKnown(error: unknown): error is Error {
  return error instanceof ObjectMissing || error instanceof GeomillError;
}

/** Whether a repetition can succeed soon. */
function isPassing(status: number, code: string): boolean {
  if (status === 501 || status === 505) return false;
  return (
    status >= 500 || status === 408 || status === 429 || code === 'RequestTimeout' || code === 'SlowDown'
  );
}

const FULL_CODES = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'InsufficientCapacity',
  'StorageFull',
]);

const REASONS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'the bucket of its object store does not exist',
  AccessDenied: 'its object store refuses its credentials',
  InvalidAccessKeyId: 'its object store refuses its credentials',
  SignatureDoesNotMatch: 'its object store refuses its credentials',
  ExpiredToken: 'its credentials for the object store have expired',
  RequestTimeTooSkewed: 'its clock differs from that of the object store',
  PermanentRedirect: 'its bucket is in another region than S3_REGION',
  AuthorizationHeaderMalformed: 'its bucket is in another region than S3_REGION',
};

export function faultOf(method: string, key: string | undefined, status: number, text: string): Error {
  const code = element(text, 'Code');
  if (status === 507 || FULL_CODES.has(code)) return failure(generalErrors.STORAGE_FULL, { what: 'jobs' });
  const where = `${method} ${key ?? 'the bucket'}: ${status} ${code}`.trimEnd();
  // A HEAD has no body, so a missing bucket looks like a missing object there.
  if (status === 404 && code !== 'NoSuchBucket') return new ObjectMissing(where);
  const known = REASONS[code] ?? (status === 401 || status === 403 ? REASONS.AccessDenied : undefined);
  return new StoreFault(where, known ?? 'its object store reports errors', {
    isPassing: isPassing(status, code),
  });
}

export function connectionFault(method: string, key: string | undefined, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  return new StoreFault(
    `${method} ${key ?? 'the bucket'}: ${message || code}`,
    'its object store cannot be reached',
    { isPassing: true, cause: error },
  );
}

/** Contents of the elements of this name. The answers of S3 have no attributes in them, and do not nest elements of one name. */
export function elements(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.split(`</${name}>`, 1)[0]);
}

/** The text of the first element of this name; empty: none. */
export function element(xml: string, name: string): string {
  const text = elements(xml, name)[0] ?? '';
  return text.replace(/&(?:quot|apos|lt|gt|amp|#34|#39);/g, (entity) => ENTITIES[entity]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Now, if the store gives none: a file of unknown age is not removed. */
export function timeOf(text: string): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? Date.now() : time;
}
