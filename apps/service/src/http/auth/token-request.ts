/** Parses requests to the token endpoint (RFC 6749, 4.4.2 and 2.3.1). */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { JsonTextError, parseJsonText } from '@geomill/core/text/json-syntax.ts';
import { positionText } from '@geomill/core/text/text-position.ts';
import type { FastifyRequest } from 'fastify';
import { httpErrors } from '../errors.ts';
import { essence, JSON_TYPE, readSmallText, refuseOtherTypes } from '../small-body.ts';

export interface TokenRequest {
  /** Null: the request names no client. */
  readonly client: { readonly id: string; readonly secret: string } | null;
  /** Separated by spaces; absent: all scopes of the client. */
  readonly scope: string | undefined;
}

const MAX_BODY_BYTES = 16 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Throws BODY_TYPE; for `refuseEarly`. */
export function refuseTokenBody({ headers }: FastifyRequest): void {
  refuseOtherTypes(headers['content-type'], headers['content-encoding'], [FORM, JSON_TYPE]);
}

/**
 * Reads the body. `grant_type` is optional because older clients omit it and only one is supported.
 * Throws TOKEN_REQUEST_INVALID, GRANT_TYPE_UNSUPPORTED, LIMIT_EXCEEDED, BODY_TRUNCATED.
 */
export async function receiveTokenRequest(request: FastifyRequest): Promise<TokenRequest> {
  const text = await readSmallText(request, 'the body of a token request', MAX_BODY_BYTES);
  const isForm = essence(request.headers['content-type'] ?? '') === FORM;
  const parameters = isForm ? formParameters(text) : jsonParameters(text);
  const grantType = parameters.get('grant_type') ?? 'client_credentials';
  if (grantType !== 'client_credentials')
    throw failure(httpErrors.GRANT_TYPE_UNSUPPORTED, { type: plain(grantType) });
  return { client: clientOf(request, parameters), scope: parameters.get('scope') };
}

function clientOf(
  { headers }: FastifyRequest,
  parameters: ReadonlyMap<string, string>,
): TokenRequest['client'] {
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  const basic = /^basic(?:\s+(.*))?$/i.exec(headers.authorization?.trim() ?? '');
  if (basic === null) return id === undefined || secret === undefined ? null : { id, secret };
  if (secret !== undefined)
    throw invalid('the client is named by HTTP Basic and in the body; name it in one of them');
  const [, encodedId = '', encodedSecret = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(basic[1] ?? '', 'base64').toString()) ?? [];
  const client = { id: formDecoded(encodedId), secret: formDecoded(encodedSecret) };
  if (id !== undefined && id !== client.id)
    throw invalid("HTTP Basic and 'client_id' name different clients");
  return client;
}

/** RFC 6749, 2.3.1: both parts are form-encoded. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // No client has such an id; it is rejected like any unknown client.
    return text;
  }
}

/** RFC 6749, 3.2: parameters without a value are ignored, repeated parameters are errors. */
function formParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw invalid(`parameter '${plain(name)}' came more than once`);
    parameters.set(name, value);
  }
  for (const [name, value] of parameters) if (value === '') parameters.delete(name);
  return parameters;
}

function jsonParameters(text: string): ReadonlyMap<string, string> {
  let body: unknown;
  try {
    body = parseJsonText(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    // Not what was found there: the text contains a secret.
    throw invalid(`the body is not valid JSON at ${positionText(error.position)}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('the JSON body must be an object');
  const parameters = new Map<string, string>();
  for (const name of ['grant_type', 'client_id', 'client_secret', 'scope']) {
    const value: unknown = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') throw invalid(`'${name}' must be a text`);
    parameters.set(name, value);
  }
  return parameters;
}

function invalid(reason: string): GeomillError {
  return failure(httpErrors.TOKEN_REQUEST_INVALID, { reason });
}

/** A client's text without the characters that `error_description` must not contain (RFC 6749, 5.2). */
function plain(text: string): string {
  return text.slice(0, 40).replace(/[^\x20-\x7e]|["\\]/g, '?');
}
