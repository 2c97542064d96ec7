/** POST /account/access-token: access tokens for pages of this service, in exchange for the session cookie. */
import { failure } from '@geomill/core/messages/errors.ts';
import { refuseForeignPages } from '../auth/foreign-pages.ts';
import { httpErrors } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { ref, TEXT } from '../schemas/schema.ts';
import { NO_STORE } from './token.ts';

export const issueSessionToken: Operation = {
  id: 'issueSessionToken',
  method: 'POST',
  path: '/account/access-token',
  tag: 'Credentials',
  access: 'public',
  summary: 'Get an access token for a page',
  description:
    'For scripts of pages that this service serves: exchanges the session cookie of the account area for an access token with the ' +
    'scopes `jobs:read jobs:write` of the signed-in user. The token is valid for at most 5 minutes and only as long as the session ' +
    'exists. The request has no body. It must come from the origin of the public address of the service; ' +
    'pages of other origins are rejected, and CORS_ORIGINS does not apply to this path.',
  parameters: [
    {
      in: 'header',
      name: 'x-geomill-page',
      required: true,
      schema: { const: '1' },
      description: 'Always `1`. Forms of other sites cannot send it.',
    },
    {
      in: 'header',
      name: 'Origin',
      required: true,
      schema: TEXT,
      description: 'The origin of the service. Browsers send it by themselves.',
    },
  ],
  responses: {
    200: {
      description: 'The token.',
      headers: NO_STORE,
      content: { 'application/json': { schema: ref('SessionToken') } },
    },
    401: { description: 'No user is signed in, or the session has ended.' },
    403: { description: 'The request was not sent by a page of this service.' },
  },
  examples: [
    `curl -X POST -H 'Origin: BASE_URL' -H 'x-geomill-page: 1' -b geomill.session_token=SESSION_COOKIE BASE_URL/account/access-token`,
  ],
  headers: () => ({ 'cache-control': 'no-store' }),
  handle: async ({ accounts, config, rate, visit }, request, reply) => {
    refuseForeignPages(request, { ...config, corsOrigins: null });
    const page = await visit(request, reply);
    page.refuseForeignScript();
    if (page.session === null) throw failure(httpErrors.SESSION_MISSING, {});
    const { id, user } = page.session;
    const { tokens } = await accounts.open();
    const issued = await tokens.issueForSession({ id, owner: user.id });
    rate.count(issued.principal, request.ip);
    return {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: issued.expiresInSeconds,
      scope: issued.scope,
      email: user.email,
    };
  },
};
