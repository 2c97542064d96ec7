/** Names of files that clients send. */
import { INVISIBLE } from '@geomill/io/safe-name.ts';

const MAX_NAME_CHARACTERS = 255;

/**
 * The last part of a name that a client sent, without invisible characters and at most 255 UTF-16 units; `fallback` if
 * nothing is left.
 */
export function plainFileName(name: string | undefined, fallback: string): string {
  const end = (name ?? '').slice(-16 * MAX_NAME_CHARACTERS);
  const last = end.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const clean = last.toWellFormed().replace(INVISIBLE, '').trim();
  if (clean === '' || clean === '.' || clean === '..') return fallback;
  // Half of a surrogate pair may be left at the cut.
  return clean.slice(0, MAX_NAME_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}
