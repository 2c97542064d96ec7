/** Which credential a request shows. */
import { failure } from '../../errors.ts';

export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'token'; readonly text: string };

const NONE: Presented = { kind: 'none' };
const KEY_HEADER = 'apikey';
const TOKEN_HEADER = 'authorization';
const SCHEME = 'bearer';
/** Tokens hold dots, keys begin so: neither can be taken for the other. */
const KEY_START = 'gm_';

/**
 * Reads names and values in turn, as Node's `rawHeaders`: of two headers of one name the parsed ones show the first, and
 * whoever checks another one than the proxy before us did has a hole.
 *
 * A scheme other than Bearer is none of ours: a proxy with a password of its own passes it on. Never read from the query,
 * which ends up in logs and histories. Throws CREDENTIALS_AMBIGUOUS.
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
    if (found !== NONE) throw failure('CREDENTIALS_AMBIGUOUS', {});
    found = one;
  }
  return found;
}

/** An empty header is a key too, and a wrong one: its client thinks that it shows a key. */
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
