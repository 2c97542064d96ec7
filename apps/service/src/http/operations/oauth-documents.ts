/** The key set, with which other services check our tokens, and the metadata of RFC 8414, which name the token endpoint. */
import { SCOPES } from '../../accounts/principal.ts';
import { baseUrlOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { ref, TEXT } from '../schemas/schema.ts';
import { issueToken } from './token.ts';

/** A key is published an hour before it signs: who keeps the set this long has each in time. */
const MAX_AGE_SECONDS = 300;
const CACHED = {
  'Cache-Control': { description: 'Caching time.', schema: TEXT, required: true },
} as const;

export const getKeySet: Operation = {
  id: 'getKeySet',
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Credentials',
  access: 'public',
  summary: 'Get the signing keys',
  description: 'Public keys (RFC 7517) for programs that verify access tokens of this service.',
  parameters: [],
  responses: {
    200: {
      description: 'The key set.',
      headers: CACHED,
      content: { 'application/json': { schema: ref('KeySet') } },
    },
  },
  examples: ['curl BASE_URL/.well-known/jwks.json'],
  handle: async ({ accounts }, _request, reply) => {
    const keys = await (await accounts.open()).signingKeys.keySet();
    reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
    return keys;
  },
};

export const getAuthorizationServer: Operation = {
  id: 'getAuthorizationServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag: 'Credentials',
  access: 'public',
  summary: 'Get the OAuth metadata',
  description:
    'Metadata (RFC 8414) with which OAuth clients configure themselves. Its addresses are reliable if the operator has set the public address of the service.',
  parameters: [],
  responses: {
    200: {
      description: 'The metadata.',
      headers: CACHED,
      content: { 'application/json': { schema: ref('AuthorizationServer') } },
    },
  },
  examples: ['curl BASE_URL/.well-known/oauth-authorization-server'],
  handle: async (context, request, reply) => {
    const baseUrl = baseUrlOf(context, request);
    // Without BASE_URL it repeats the Host header, so shared caches must not store it.
    const scope = context.config.baseUrl === null ? 'private' : 'public';
    reply.header('cache-control', `${scope}, max-age=${MAX_AGE_SECONDS}`);
    return {
      issuer: baseUrl,
      token_endpoint: baseUrl + issueToken.path,
      jwks_uri: baseUrl + getKeySet.path,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      scopes_supported: SCOPES,
      service_documentation: `${baseUrl}/docs`,
    };
  },
};
