/** Access tokens for pages that the service itself serves, in exchange for the session of the signed-in user. */
import { problemOf } from './errors.ts';
import { renewedToken } from './token-source.ts';

export interface SessionTokenOptions {
  readonly fetch?: typeof globalThis.fetch;
  /** Called after each exchange: the signed-in user, or null if no user is signed in. */
  readonly onSession?: (session: PageSession | null) => void;
}

export interface PageSession {
  readonly email: string;
}

/**
 * What `token` of a client may be, on a page of the service. `baseUrl`: address of the service, with its path if it has one.
 * A call throws GeomillProblem with the code SESSION_MISSING if no user is signed in; the next call asks again.
 */
export function sessionToken(
  baseUrl: string,
  { fetch = globalThis.fetch, onSession = () => {} }: SessionTokenOptions = {},
): (rejected?: string) => Promise<string> {
  return renewedToken(async () => {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/account/access-token`, {
      method: 'POST',
      headers: { 'x-geomill-page': '1' },
      credentials: 'same-origin',
      redirect: 'manual',
    });
    if (response.status === 401) onSession(null);
    if (!response.ok) throw await problemOf(response);
    const { access_token, expires_in, email } = (await response.json()) as {
      access_token: string;
      expires_in: number;
      email: string;
    };
    onSession({ email });
    return { accessToken: access_token, expiresInSeconds: expires_in };
  });
}
