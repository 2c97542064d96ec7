/** Whether a URL may be asked for, by what it says: at the request, and again for each redirect. */
import { failure } from '../errors.ts';
import { isAllowedByName, type UrlPolicy } from './policy.ts';

const MAX_URL_CHARACTERS = 8192;

/**
 * The URL to fetch. Throws URL_INVALID (not one that is fetched from anybody) and URL_REFUSED (of a host that is not
 * allowed). `path`: where the request has it, for messages. Messages name no more of the URL than its host: the rest may
 * be a key to the file.
 */
export function checkInputUrl(text: string, policy: UrlPolicy, path: string): URL {
  const refuse = (reason: string): Error => failure('URL_INVALID', { path, reason });
  const url = parseUrl(text, refuse);
  if (url.username !== '' || url.password !== '')
    throw refuse('it holds a user name or a password; remove it');
  if (url.hostname.endsWith('.')) throw refuse('its host ends in a dot; remove the dot');
  if (!isAllowedByName(url, policy)) throw urlRefused(url);
  url.hash = '';
  return url;
}

/** Says nothing about why: whether a name leads into the operator's network is nobody's business. */
export function urlRefused(url: URL): Error {
  return failure('URL_REFUSED', { host: hostOf(url) });
}

/** Host and port, for messages. */
export function hostOf({ host }: URL): string {
  return host.length > 100 ? `${host.slice(0, 100)}...` : host;
}

function parseUrl(text: string, refuse: (reason: string) => Error): URL {
  if (text.length > MAX_URL_CHARACTERS) throw refuse(`it is longer than ${MAX_URL_CHARACTERS} characters`);
  // The WHATWG parser drops or turns these, others do not: what means two things to two parsers is meant to deceive.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(text))
    throw refuse('it holds a space, a backslash or a control character');
  if (!/^https?:/i.test(text)) throw refuse('it must begin with https:// or http://');
  const url = /^https?:\/\/[^/?#]/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '')
    throw refuse('it is not a complete URL such as https://example.org/a.zip');
  return url;
}
