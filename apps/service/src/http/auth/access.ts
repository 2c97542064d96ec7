/** Access rules of operations and their check. */
import { failure } from '@geomill/core/messages/errors.ts';
import { hasScope, LOCAL_OWNER, type Principal, type Scope } from '../../accounts/principal.ts';
import { type AuthMode, type Config, isLoopback } from '../../settings/config.ts';
import { httpErrors } from '../errors.ts';

/** 'public': anyone; credentials are ignored. Otherwise the required scope. */
export type Access = 'public' | Scope;

export interface Guarded {
  readonly path: string;
  readonly access: Access;
  /** Public while the service is open and bound to a loopback address. */
  readonly publicOnLoopback?: true;
}

/** The principal of requests to an open service without a credential: one owner, without the scope admin. */
const LOCAL: Principal = {
  owner: LOCAL_OWNER,
  scopes: ['jobs:read', 'jobs:write'],
  credential: { kind: 'open', id: LOCAL_OWNER },
};

/** The access rule under the settings of this service. */
export function accessOf({ access, publicOnLoopback }: Guarded, { auth, host }: Config): Access {
  return publicOnLoopback === true && auth === 'open' && isLoopback(host) ? 'public' : access;
}

export function authModeOf({ path }: Pick<Guarded, 'path'>, { auth, authJobSurface }: Config): AuthMode {
  return path === '/transform' || path.startsWith('/result/') ? authJobSurface : auth;
}

/** `shown`: the principal of the credential; null: the request has none. Throws CREDENTIALS_MISSING, SCOPE_MISSING. */
export function admit(shown: Principal | null, scope: Scope, mode: AuthMode): Principal {
  const principal = shown ?? (mode === 'open' ? LOCAL : null);
  if (principal !== null && hasScope(principal, scope)) return principal;
  throw shown === null
    ? failure(httpErrors.CREDENTIALS_MISSING, {})
    : failure(httpErrors.SCOPE_MISSING, { scope });
}
