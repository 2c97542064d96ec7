/** Access tokens by client credentials (RFC 6749 4.4): fetched when needed, kept while they hold. */
import { problemOf } from './errors.ts';

export interface ClientCredentials {
  /** Address of the service. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** A token is renewed so long before it ends, as requests take their time to arrive. */
const MARGIN_MS = 30_000;

/** What `token` of a client may be. Calls at the same time share one request. */
export function clientCredentials(credentials: ClientCredentials): () => Promise<string> {
  let token: Promise<string> | null = null;
  let renewAt = 0;
  const renew = async (): Promise<string> => {
    const askedAt = Date.now();
    const { accessToken, expiresInSeconds } = await fetchToken(credentials);
    renewAt = askedAt + Math.max(expiresInSeconds * 500, expiresInSeconds * 1000 - MARGIN_MS);
    return accessToken;
  };
  return () => {
    if (token !== null && Date.now() < renewAt) return token;
    renewAt = Number.POSITIVE_INFINITY;
    token = renew();
    token.catch(() => {
      token = null;
    });
    return token;
  };
}

async function fetchToken({
  baseUrl,
  clientId,
  clientSecret,
  fetch = globalThis.fetch,
}: ClientCredentials): Promise<{ accessToken: string; expiresInSeconds: number }> {
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
