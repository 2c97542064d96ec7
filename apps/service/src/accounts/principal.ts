/** The identity behind a request and its scopes; the result of every kind of credential. */

/** Account id of requests without credentials on an open service. No credential belongs to it. */
export const LOCAL_OWNER = 'local';

/** In the order of output. */
export const SCOPES = ['jobs:read', 'jobs:write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Default scopes of a credential. */
export const DEFAULT_SCOPES: readonly Scope[] = ['jobs:read', 'jobs:write'];

export interface Principal {
  /** Account id; owns everything it creates. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** The credential; `id` is public and may be logged. */
  readonly credential: {
    readonly kind: 'key' | 'client' | 'oidc' | 'session' | 'open';
    readonly id: string;
  };
}

/**
 * Why a credential was rejected. For the log and the audit log only: the response to the client is the same for all.
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

/** A user with a session, who may read and submit jobs, also as an administrator. */
export function sessionPrincipal(owner: string): Principal {
  return { owner, scopes: DEFAULT_SCOPES, credential: { kind: 'session', id: owner } };
}

/** `admin` implies every other scope. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** Known and unknown scopes in an OAuth scope text (RFC 6749, 3.3: separated by spaces). */
export function parseScopes(text: string): { readonly scopes: Scope[]; readonly unknown: string[] } {
  const words = [...new Set(text.split(' '))].filter((word) => word !== '');
  return { scopes: words.filter(isScope), unknown: words.filter((word) => !isScope(word)) };
}

/** In the form of OAuth, each once, always in the same order. */
export function formatScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ');
}
