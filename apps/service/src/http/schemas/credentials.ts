/** Responses of the operations for credentials. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { problemSchemas } from './problem.ts';
import { closedObject, count, listOf, TEXT, text } from './schema.ts';

const { properties: problemProperties, required } = problemSchemas.Problem as {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};

export const credentialSchemas: Readonly<Record<string, JsonSchema>> = {
  AccessToken: closedObject({
    access_token: text('A signed JWT (RFC 9068). Clients should treat it as opaque.'),
    token_type: { const: 'Bearer' },
    expires_in: count('Lifetime in seconds.'),
    scope: text('Granted scopes, separated by spaces.'),
  }),
  SessionToken: closedObject({
    access_token: text('A signed JWT (RFC 9068). Clients should treat it as opaque.'),
    token_type: { const: 'Bearer' },
    expires_in: count('Lifetime in seconds.'),
    scope: text('`jobs:read jobs:write`'),
    email: text('E-mail address of the signed-in user.'),
  }),
  OAuthError: {
    ...closedObject(
      {
        error: {
          type: 'string',
          enum: ['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope'],
          description: 'Error code of RFC 6749, section 5.2.',
        },
        error_description: text('Same as `detail`.'),
        ...problemProperties,
      },
      Object.keys(problemProperties).filter((name) => !required.includes(name)),
    ),
    description: 'An OAuth error with the members of a problem.',
  },
  KeySet: closedObject({
    keys: listOf(
      closedObject({
        kty: { const: 'OKP' },
        crv: { const: 'Ed25519' },
        x: text('The public key.'),
        kid: text('Key id in the header of tokens.'),
        alg: { const: 'EdDSA' },
        use: { const: 'sig' },
      }),
    ),
  }),
  AuthorizationServer: closedObject({
    issuer: text('The address of the service.'),
    token_endpoint: TEXT,
    jwks_uri: TEXT,
    grant_types_supported: listOf(TEXT),
    response_types_supported: listOf(TEXT),
    token_endpoint_auth_methods_supported: listOf(TEXT),
    scopes_supported: listOf(TEXT),
    service_documentation: TEXT,
  }),
};
