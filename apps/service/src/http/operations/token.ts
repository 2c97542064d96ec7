/** POST /accounts/oauth/token: access tokens for OAuth clients (RFC 6749, 4.4). */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IssuedToken } from '../../accounts/tokens.ts';
import { receiveTokenRequest, refuseTokenBody } from '../auth/token-request.ts';
import type { HttpContext } from '../context.ts';
import { problemOf } from '../error-reply.ts';
import { httpErrors } from '../errors.ts';
import type { HeaderRecord, Operation, ResponseRecord } from '../operation.ts';
import { ref, TEXT } from '../schemas/schema.ts';

/** The words of RFC 6749, 5.2. Other errors are of HTTP, not of OAuth, and are problems as everywhere. */
const OAUTH_ERRORS: Readonly<Record<string, string>> = {
  TOKEN_REQUEST_INVALID: 'invalid_request',
  GRANT_TYPE_UNSUPPORTED: 'unsupported_grant_type',
  TOKEN_SCOPE_REFUSED: 'invalid_scope',
  CREDENTIALS_MISSING: 'invalid_client',
  CREDENTIALS_INVALID: 'invalid_client',
};

export const NO_STORE: Readonly<Record<string, HeaderRecord>> = {
  'Cache-Control': { description: '`no-store`', schema: TEXT, required: true },
};

const oauthError = (
  description: string,
  headers: Readonly<Record<string, HeaderRecord>> = NO_STORE,
): ResponseRecord => ({
  description,
  headers,
  content: { 'application/json': { schema: ref('OAuthError') } },
});

const parameters: JsonSchema = {
  type: 'object',
  properties: {
    grant_type: { const: 'client_credentials', description: 'Optional.' },
    client_id: { type: 'string', description: '`gmc_...`; not with HTTP Basic.' },
    client_secret: { type: 'string', description: '`gms_...`; not with HTTP Basic.' },
    scope: {
      type: 'string',
      examples: ['jobs:read jobs:write'],
      description: 'Requested scopes, separated by spaces. Default: all scopes of the client.',
    },
  },
};

export const issueToken: Operation = {
  id: 'issueToken',
  method: 'POST',
  path: '/accounts/oauth/token',
  tag: 'Credentials',
  access: 'public',
  summary: 'Get an access token',
  description:
    'For OAuth clients (RFC 6749, client credentials grant): authenticate with HTTP Basic or in the body. Send the token in the header ' +
    '`Authorization: Bearer TOKEN` of other requests. Errors have the OAuth members `error` and `error_description` and the ' +
    'members of a problem. Responses to an unknown client and to a wrong secret are identical.',
  parameters: [],
  requestBody: {
    description: 'OAuth parameters, as a form or as JSON.',
    content: {
      'application/x-www-form-urlencoded': { schema: parameters },
      'application/json': { schema: parameters },
    },
  },
  responses: {
    200: {
      description: 'The token.',
      headers: NO_STORE,
      content: { 'application/json': { schema: ref('AccessToken') } },
    },
    400: oauthError('`invalid_request`, `unsupported_grant_type` or `invalid_scope`.'),
    401: oauthError('`invalid_client`: unknown client or wrong secret.', {
      ...NO_STORE,
      'WWW-Authenticate': { description: 'HTTP Basic.', schema: TEXT, required: true },
    }),
  },
  examples: [
    'curl -f -u CLIENT_ID:CLIENT_SECRET -d grant_type=client_credentials BASE_URL/accounts/oauth/token',
  ],
  refuseEarly: (_context, request) => refuseTokenBody(request),
  handle: async (context, request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    try {
      const { accessToken, expiresInSeconds, scope } = await issue(context, request);
      return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds, scope };
    } catch (error) {
      if (!(error instanceof GeomillError) || OAUTH_ERRORS[error.code] === undefined) throw error;
      return sendOAuthError(reply, error);
    }
  },
};

async function issue({ accounts, auth, rate }: HttpContext, request: FastifyRequest): Promise<IssuedToken> {
  const { client, scope } = await receiveTokenRequest(request);
  if (client === null) throw failure(httpErrors.CREDENTIALS_MISSING, {});
  const opened = await accounts.open();
  const result = await opened.tokens.issue(client.id, client.secret, scope);
  if (result.ok !== undefined) {
    rate.count(result.ok.principal, request.ip);
    return result.ok;
  }
  if (result.error === 'invalid_client') throw await auth.refuse(request, opened, result.refusal);
  throw failure(httpErrors.TOKEN_SCOPE_REFUSED, {
    scope: result.scope.slice(0, 100).replace(/[^\x20-\x7e]|["\\]/g, '?'),
  });
}

function sendOAuthError(reply: FastifyReply, error: GeomillError): FastifyReply {
  const word = OAUTH_ERRORS[error.code];
  const problem = problemOf(
    error,
    word === 'invalid_client' ? 'the client is not accepted; check its id and secret' : undefined,
  );
  if (problem.status === 401) reply.header('www-authenticate', 'Basic realm="geomill", charset="UTF-8"');
  return reply.code(problem.status).send({ error: word, error_description: problem.detail, ...problem });
}
