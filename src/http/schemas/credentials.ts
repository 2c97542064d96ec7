/** What the operations about credentials answer with. */
import type { JsonSchema } from '../operation.ts';
import { problemSchemas } from './problem.ts';
import { closedObject, count, listOf, TEXT, text } from './schema.ts';

const { properties: problemProperties } = problemSchemas.Problem as {
  readonly properties: Readonly<Record<string, JsonSchema>>;
};

export const credentialSchemas: Readonly<Record<string, JsonSchema>> = {
  AccessToken: closedObject({
    access_token: text('A signed JWT (RFC 9068). To be treated as a text without a meaning.'),
    token_type: { const: 'Bearer' },
    expires_in: count('Seconds for which it is good.'),
    scope: text('What it is good for, separated by spaces.'),
  }),
  OAuthError: {
    ...closedObject(
      {
        error: {
          type: 'string',
          enum: ['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope'],
          description: 'A word of RFC 6749, 5.2.',
        },
        error_description: text('The same as `detail`.'),
        ...problemProperties,
      },
      ['instance', 'errors'],
    ),
    description: 'An error of OAuth that is a problem, too.',
  },
  KeySet: closedObject({
    keys: listOf(
      closedObject({
        kty: { const: 'OKP' },
        crv: { const: 'Ed25519' },
        x: text('The public key.'),
        kid: text('Named by the header of a token.'),
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
