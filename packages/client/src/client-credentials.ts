/** Access tokens by client credentials (RFC 6749 4.4): fetched when needed, kept while they hold. */
import { problemOf } from './errors.ts';
import { type FetchedToken, renewedToken } from './token-source.ts';

export interface ClientCredentials {
  /** Address of the service. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** What `token` of a client may be. Calls at the same time share one request. */
export function clientCredentials(credentials: ClientCredentials): (rejected?: string) => Promise<string> {
  return renewedToken(() => fetchToken(credentials));
}

async function fetchToken({
  baseUrl,
  clientId,
  clientSecret,
  fetch = globalThis.fetch,
}: ClientCredentials): Promise<FetchedToken> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/accounts/oauth/token`, {
    method: 'POST',
    // In the body: not every platform encodes a secret with special characters alike for HTTP Basic.
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
    redirect: 'manual',
  });
  if (!response.ok) throw await problemOf(response);
  const { access_token, expires_in } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  return { accessToken: access_token, expiresInSeconds: expires_in };
}
