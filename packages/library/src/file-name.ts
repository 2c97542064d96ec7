/** The name of a fetched file: from Content-Disposition (RFC 6266), otherwise from the path of the URL. */
import { areUtf8, latin1Bytes, utf8Text } from '@geomill/platform/bytes.ts';

export const MAX_NAME_CHARACTERS = 1000;

/**
 * The name, with limited length but any characters; null: none. `url` is the address of the file; if a redirect leads to a
 * meaningless name, the name in the requested URL is preferred.
 */
export function nameOfFile(disposition: string | undefined, url: URL, requested: URL): string | null {
  const stated = disposition === undefined ? null : dispositionName(disposition);
  if (stated !== null) return stated.slice(0, MAX_NAME_CHARACTERS);
  const names = [pathName(url), pathName(requested)].filter((name) => name !== null);
  return names.find((name) => /\.\w{2,8}$/.test(name)) ?? names[0] ?? null;
}

/** The last segment of the path; null: the path ends in a slash. */
export function pathName(url: URL): string | null {
  const segment = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  const name = decode(segment) ?? segment;
  return name === '' ? null : name.slice(0, MAX_NAME_CHARACTERS);
}

function dispositionName(header: string): string | null {
  // filename* first (RFC 6266 section 4.3); its value is charset'language'percent-encoded (RFC 8187).
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^\s;"]+)/i.exec(header);
  const decoded = extended === null ? null : decode(extended[1]);
  if (decoded !== null) return decoded;
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(header);
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? '';
  if (name === '') return null;
  // Runtimes read headers as Latin-1. Valid UTF-8 is decoded as such, contrary to the RFC but like browsers do.
  const bytes = latin1Bytes(name);
  return areUtf8(bytes) ? utf8Text(bytes) : name;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
