/** Reads the credential of a request. */
import { failure } from '@geomill/core/messages/errors.ts';
import { httpErrors } from '../errors.ts';

export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'token'; readonly text: string };

const NONE: Presented = { kind: 'none' };
const KEY_HEADER = 'apikey';
const TOKEN_HEADER = 'authorization';
const SCHEME = 'bearer';
/** Prefix of API keys. Tokens contain dots, keys do not, so the two cannot be confused. */
const KEY_START = 'gm_';

/**
 * Takes alternating names and values, as in Node's `rawHeaders`. Parsed headers keep only the first of two headers with the
 * same name; a proxy may have checked the other one.
 *
 * Schemes other than Bearer are ignored: a proxy with its own password may pass them on. Queries are never read, because
 * they end up in logs and histories. Throws CREDENTIALS_AMBIGUOUS.
 */
export function presentedIn(rawHeaders: readonly string[]): Presented {
  let found = NONE;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i];
    if (length !== KEY_HEADER.length && length !== TOKEN_HEADER.length) continue;
    const name = rawHeaders[i].toLowerCase();
    if (name !== KEY_HEADER && name !== TOKEN_HEADER) continue;
    const one = name === KEY_HEADER ? keyIn(rawHeaders[i + 1]) : bearerIn(rawHeaders[i + 1]);
    if (one === NONE) continue;
    if (found !== NONE) throw failure(httpErrors.CREDENTIALS_AMBIGUOUS, {});
    found = one;
  }
  return found;
}

/** An empty header counts as a wrong key: the client meant to send one. */
function keyIn(value: string): Presented {
  return { kind: 'key', text: value.trim() };
}

function bearerIn(value: string): Presented {
  const trimmed = value.trim();
  const { length } = SCHEME;
  if (trimmed.slice(0, length).toLowerCase() !== SCHEME || !/^\s?$/.test(trimmed.charAt(length))) return NONE;
  const text = trimmed.slice(length).trim();
  return { kind: text.startsWith(KEY_START) ? 'key' : 'token', text };
}
