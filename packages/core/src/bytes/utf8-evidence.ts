/**
 * Whether texts are UTF-8 although their file states a code page: bytes beyond ASCII in a code page are hardly ever valid UTF-8, and
 * programs often write UTF-8 without changing the statement.
 */
import { hasWordsOfOtherScript } from './encoding-candidates.ts';
import { textDecoder } from './text-encoding.ts';

/** Whether each character is one byte. In other encodings pairs of bytes are often valid UTF-8 by chance. */
export function isSingleByte(encoding: string): boolean {
  return !/^(?:utf|ucs|shift|euc|gb|big5|cp(?:932|936|949|950|1361)$)/i.test(encoding);
}

/**
 * Whether texts that are valid UTF-8 beyond ASCII are read as UTF-8 although the file states `encoding`. Not if all of them are
 * words in a Cyrillic, Greek, Thai or Arabic code page: a few short words there are valid UTF-8 by chance.
 */
export function utf8Wins(encoding: string, texts: readonly Uint8Array[]): boolean {
  if (!isSingleByte(encoding)) return false;
  const decode = textDecoder(encoding);
  return !texts.every((bytes) => hasWordsOfOtherScript(decode(bytes, 0, bytes.length)));
}
