/** File names that every file system accepts, from any text. */
import { utf8Length } from '@geomill/platform/bytes.ts';

/** Control and format characters, including those that change the direction of text: a name must not look like another. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Names of devices on Windows, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * `text` without characters that a file system rejects, in at most `maxBytes` bytes of UTF-8; `fallback` if nothing is
 * left. Different texts may give the same name.
 */
export function safeName(text: string, fallback: string, maxBytes: number): string {
  let clean = text
    // No character has less than a byte; a long text is not cleaned whole.
    .slice(0, 4 * maxBytes)
    .replace(INVISIBLE, '_')
    .replace(/[<>:"/\\|?*]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  while (utf8Length(clean) > maxBytes) clean = clean.slice(0, -1);
  // Half of a surrogate pair may be left at the cut.
  clean = clean
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .replace(/[.\s]+$/, '')
    .replace(RESERVED, '$&_');
  return clean === '' ? fallback : clean;
}

/** Equal for names that a file system may take for the same: letter case, also of ß and ς, and composed characters. */
export function fileNameKey(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase();
}
