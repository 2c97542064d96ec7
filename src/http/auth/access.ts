/** What an operation asks of those who call it, and whether they may. */
import { hasScope, LOCAL_OWNER, type Principal, type Scope } from '../../accounts/principal.ts';
import { type AuthMode, type Config, isLoopback } from '../../config.ts';
import { failure } from '../../errors.ts';

/** public: for everybody, and a credential is not even looked at. Else the scope that is needed. */
export type Access = 'public' | Scope;

export interface Guarded {
  readonly path: string;
  readonly access: Access;
  /** For everybody while the service is open and bound to a loopback address. */
  readonly publicOnLoopback?: true;
}

/** Who asks an open service without a credential: one owner, who may do all but look after the service. */
const LOCAL: Principal = {
  owner: LOCAL_OWNER,
  scopes: ['jobs:read', 'jobs:write'],
  credential: { kind: 'open', id: LOCAL_OWNER },
};

/** As this service is set up. */
export function accessOf({ access, publicOnLoopback }: Guarded, { auth, host }: Config): Access {
  return publicOnLoopback === true && auth === 'open' && isLoopback(host) ? 'public' : access;
}

export function authModeOf({ path }: Pick<Guarded, 'path'>, { auth, authJobSurface }: Config): AuthMode {
  return path === '/transform' || path.startsWith('/result/') ? authJobSurface : auth;
}

/** `shown`: who the credential belongs to; null: none came. Throws CREDENTIALS_MISSING, SCOPE_MISSING. */
export function admit(shown: Principal | null, scope: Scope, mode: AuthMode): Principal {
  const principal = shown ?? (mode === 'open' ? LOCAL : null);
  if (principal !== null && hasScope(principal, scope)) return principal;
  // Who shows nothing can still show something; who shows too little needs another one.
  throw shown === null ? failure('CREDENTIALS_MISSING', {}) : failure('SCOPE_MISSING', { scope });
}
