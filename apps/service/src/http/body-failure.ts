/** What a body that ends early, or that is no form, is to the client. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { httpErrors } from './errors.ts';

/** Turns errors of the multipart parser and the connection into coded errors. Disk errors stay internal errors. */
export function asBodyFailure(error: unknown): unknown {
  if (error instanceof GeomillError || !(error instanceof Error)) return error;
  const { message } = error;
  if ('syscall' in error && !/ECONNRESET|EPIPE/.test(message)) return error;
  if (/terminated early|unexpected end|closed before|premature|aborted|ECONNRESET|EPIPE/i.test(message))
    return failure(httpErrors.BODY_TRUNCATED, { reason: message }, undefined, error);
  return failure(httpErrors.MULTIPART_INVALID, { reason: message }, undefined, error);
}
