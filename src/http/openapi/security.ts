/** The credentials that operations take, as the document tells of them. */
import { SCOPES, type Scope } from '../../accounts/principal.ts';
import type { OperationObject } from '../openapi.ts';
import type { Operation } from '../operation.ts';

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'jobs:read': 'Ask for own jobs and fetch their outputs.',
  'jobs:write': 'Submit jobs, cancel and delete own ones.',
  admin: 'Look after the service, and after the jobs of everybody.',
};

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'apiKey',
    description: 'An API key, `gm_...`, made with `geomill keys create` or in the account area.',
  },
  clientCredentials: {
    type: 'oauth2',
    description: 'An OAuth client of this service.',
    flows: {
      clientCredentials: {
        tokenUrl: '/accounts/oauth/token',
        scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_TEXTS[scope]])),
      },
    },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token, of this service or of the issuer that its operator trusts, or an API key.',
  },
} as const;

/** One of them is enough. An open service asks for none. */
export function securityOf({ access }: Operation): OperationObject['security'] {
  if (access === 'public') return [];
  return [{ apiKey: [] }, { clientCredentials: [access] }, { bearer: [] }];
}
