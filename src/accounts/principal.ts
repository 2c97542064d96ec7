/** Who asks, and what they may do: what every way of showing a credential comes to. */

/** Account id of requests without credentials on an open service. No credential belongs to it. */
export const LOCAL_OWNER = 'local';

/** In the order in which they are written. */
export const SCOPES = ['jobs:read', 'jobs:write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a credential may do when nobody says otherwise. */
export const DEFAULT_SCOPES: readonly Scope[] = ['jobs:read', 'jobs:write'];

export interface Principal {
  /** Account id. What it creates belongs to it. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** What was shown; `id` is public and fit for a log. */
  readonly credential: {
    readonly kind: 'key' | 'client' | 'oidc' | 'session' | 'open';
    readonly id: string;
  };
}

/**
 * Why a credential was refused. For our own log and audit only: the answer to the client is one and the same for all.
 * 'unknown': no such id, or a wrong secret; 'invalid': a token whose signature or claims do not hold; 'disabled': the
 * account of its owner is.
 */
export type Refusal = 'malformed' | 'unknown' | 'invalid' | 'expired' | 'revoked' | 'disabled';

export type Verification =
  | { readonly ok: Principal; readonly refused?: undefined }
  | {
      readonly ok?: undefined;
      readonly refused: Refusal;
      /** Of the credential, where it is proven to be the one that was shown. */
      readonly id?: string;
    };

/** `admin` implies every other scope. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** The words of an OAuth scope text (RFC 6749, 3.3: separated by spaces), those we know and those we don't. */
export function parseScopes(text: string): { readonly scopes: Scope[]; readonly unknown: string[] } {
  const words = [...new Set(text.split(' '))].filter((word) => word !== '');
  return { scopes: words.filter(isScope), unknown: words.filter((word) => !isScope(word)) };
}

/** As OAuth writes them, each once, always in the same order. */
export function formatScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ');
}
