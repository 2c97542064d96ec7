/** What tells a client how to show a credential: WWW-Authenticate (RFC 9110, 11.6.1; RFC 6750, 3). */
import type { GeomillError } from '../../errors.ts';

const REALM = 'realm="geomill"';
/** Not a registered scheme, but the place where clients look for what there is. */
const BY_KEY = `ApiKey ${REALM}`;

/** Null: the error is not about credentials. */
export function challengeOf({ code, params }: GeomillError): string | null {
  switch (code) {
    case 'CREDENTIALS_MISSING':
    case 'ORIGIN_REFUSED':
    case 'HOST_REFUSED':
      // Without a code: nothing was wrong yet.
      return `Bearer ${REALM}, ${BY_KEY}`;
    case 'CREDENTIALS_INVALID':
      // The same for a key and for a token, whatever was wrong with it.
      return `Bearer ${REALM}, error="invalid_token", ${BY_KEY}`;
    case 'SCOPE_MISSING':
      return `Bearer ${REALM}, error="insufficient_scope", scope="${params.scope}", ${BY_KEY}`;
    default:
      return null;
  }
}
