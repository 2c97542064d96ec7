/** Checks a URL by its text: when the request is received, and for each redirect. */

import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { urlErrors } from '@geomill/library/url-messages.ts';
import { remoteInputErrors } from './errors.ts';
import { isAllowedByName, type UrlPolicy } from './policy.ts';

const MAX_URL_CHARACTERS = 8192;

/**
 * The URL to fetch. Throws URL_INVALID (never allowed) and URL_REFUSED (the host is not allowed). `path`: its location in
 * the request, for messages. Messages contain only the host of the URL, because the rest may be a secret.
 */
export function checkInputUrl(text: string, policy: UrlPolicy, path: string): URL {
  const refuse = (reason: string): Error => failure(urlErrors.URL_INVALID, { path: field(path), reason });
  const url = parseUrl(text, refuse);
  if (url.username !== '' || url.password !== '')
    throw refuse('it holds a user name or a password; remove it');
  if (url.hostname.endsWith('.')) throw refuse('its host ends in a dot; remove the dot');
  if (!isAllowedByName(url, policy)) throw urlRefused(url);
  url.hash = '';
  return url;
}

/** Gives no reason, so that it does not reveal which names resolve to the operator's network. */
export function urlRefused(url: URL): Error {
  return failure(remoteInputErrors.URL_REFUSED, { host: hostOf(url) });
}

/** Host and port, for messages. */
export function hostOf({ host }: URL): string {
  return host.length > 100 ? `${host.slice(0, 100)}...` : host;
}

function parseUrl(text: string, refuse: (reason: string) => Error): URL {
  if (text.length > MAX_URL_CHARACTERS) throw refuse(`it is longer than ${MAX_URL_CHARACTERS} characters`);
  // The WHATWG parser drops or converts these characters and others do not; such URLs are rejected.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(text))
    throw refuse('it holds a space, a backslash or a control character');
  if (!/^https?:/i.test(text)) throw refuse('it must begin with https:// or http://');
  const url = /^https?:\/\/[^/?#]/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '')
    throw refuse('it is not a complete URL such as https://example.org/a.zip');
  return url;
}
