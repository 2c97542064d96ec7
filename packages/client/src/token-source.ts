/** Access tokens that are fetched when needed, kept while they are valid, and renewed. */

/**
 * Gives the token of a request. `rejected`: the token that the service has just rejected; the request is sent once more if
 * another one is returned.
 */
export type TokenSource = (rejected?: string) => string | Promise<string>;

export interface FetchedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

/** A token is renewed so long before it expires, as requests take their time to arrive. */
const MARGIN_MS = 30_000;

/** Calls at the same time share one fetch. After a failure, which all of them get, the next call fetches again. */
export function renewedToken(
  fetchToken: () => Promise<FetchedToken>,
): (rejected?: string) => Promise<string> {
  let token: Promise<string> | null = null;
  /** Null: it is being fetched. */
  let known: string | null = null;
  let renewAt = 0;
  const renew = async (): Promise<string> => {
    const askedAt = Date.now();
    const { accessToken, expiresInSeconds } = await fetchToken();
    renewAt = askedAt + Math.max(expiresInSeconds * 500, expiresInSeconds * 1000 - MARGIN_MS);
    known = accessToken;
    return accessToken;
  };
  return (rejected) => {
    const isRejected = rejected !== undefined && rejected === known;
    if (token !== null && Date.now() < renewAt && !isRejected) return token;
    renewAt = Number.POSITIVE_INFINITY;
    known = null;
    token = renew();
    token.catch(() => {
      token = null;
    });
    return token;
  };
}
