/** What a fetched file is called, as its host or its URL has it: Content-Disposition (RFC 6266), else the path. */

export const MAX_NAME_CHARACTERS = 1000;

/**
 * The name, with no promise about its characters beyond a bounded length; null: there is none. `url` is what the file
 * came from; after a redirect to a place with a name that says nothing, the name that was asked for is the better one.
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
  // Node reads headers as Latin-1; what is valid UTF-8 was meant as that, against the RFC and as browsers do.
  const bytes = Buffer.from(name, 'latin1');
  return bytes.equals(Buffer.from(bytes.toString('utf8'))) ? bytes.toString('utf8') : name;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
