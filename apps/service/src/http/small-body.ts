/** Reads bodies of a few kilobytes at once. Bodies with files are read as streams, by other modules. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { JsonTextError, parseJsonText } from '@geomill/core/text/json-syntax.ts';
import type { FastifyRequest } from 'fastify';
import { httpErrors } from './errors.ts';

export const JSON_TYPE = 'application/json';

/** Throws BODY_TYPE; for `refuseEarly`. */
export function refuseOtherThanJson({ headers }: FastifyRequest): void {
  refuseOtherTypes(headers['content-type'], headers['content-encoding'], [JSON_TYPE]);
}

/** Throws BODY_TYPE unless the body has one of the media types and is not compressed. */
export function refuseOtherTypes(
  type: string | undefined,
  encoding: string | undefined,
  expected: readonly string[],
): void {
  const isPlain = (encoding ?? 'identity').toLowerCase() === 'identity';
  if (isPlain && expected.includes(essence(type ?? ''))) return;
  throw failure(httpErrors.BODY_TYPE, {
    type: (type ?? '').slice(0, 100) || 'none',
    expected: expected.join(' or '),
  });
}

/** The media type without parameters. */
export function essence(contentType: string): string {
  return contentType.split(';', 1)[0].trim().toLowerCase();
}

/** `what`: the body in words, for the message. Throws LIMIT_EXCEEDED and BODY_TRUNCATED. */
export async function readSmallText(
  { raw }: FastifyRequest,
  what: string,
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let byteLength = 0;
  try {
    // Not destroyed on an error, so that the client receives the response.
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      byteLength += chunk.length;
      if (byteLength > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    const { message } = error as Error;
    throw failure(httpErrors.BODY_TRUNCATED, { reason: message }, undefined, error);
  }
  if (byteLength <= maxBytes) return Buffer.concat(chunks).toString();
  throw failure(generalErrors.LIMIT_EXCEEDED, {
    what,
    actual: 'more than that',
    limit: `${maxBytes} bytes`,
    setting: 'fixed',
  });
}

/** Throws BODY_NOT_JSON, LIMIT_EXCEEDED and BODY_TRUNCATED. */
export async function readSmallJson(request: FastifyRequest, maxBytes: number): Promise<unknown> {
  const text = await readSmallText(request, 'the JSON body', maxBytes);
  try {
    return parseJsonText(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const { line, column, offset } = error.position;
    throw failure(
      httpErrors.BODY_NOT_JSON,
      { line, column, offset, reason: error.reason },
      { line, column, offset },
    );
  }
}
