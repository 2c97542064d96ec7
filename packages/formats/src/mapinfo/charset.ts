/** The charsets of MapInfo by their names in files. */
import { encodingByName, textDecoder, WINDOWS_1252 } from '@geomill/core/bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { utf8Wins } from '@geomill/core/bytes/utf8-evidence.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { areAscii } from '@geomill/platform/bytes.ts';
import { formatErrors } from '../errors.ts';
import { formatFindings } from '../findings.ts';
import type { EncodingOrigin } from '../reader.ts';

/** Names that are not "ISO8859_1" or "CodePage850". The name of the Japanese one is misspelled by MapInfo. */
const NAMES: Readonly<Record<string, string>> = {
  windowslatin1: '1252',
  windowslatin2: '1250',
  windowsarabic: '1256',
  windowscyrillic: '1251',
  windowsbalticrim: '1257',
  windowsgreek: '1253',
  windowshebrew: '1255',
  windowsturkish: '1254',
  windowstradchinese: '950',
  windowssimpchinese: '936',
  windowsjapanese: '932',
  windowskorean: '949',
  windowsthai: '874',
  packedeucjapaese: 'EUC-JP',
  packedeucjapanese: 'EUC-JP',
  utf8: UTF8,
  utf16: 'UTF-16',
};

/** Charsets that state nothing of the bytes. */
const NEUTRAL = /^(?:neutral|lics|lmbcs|)$/;

export interface ReadEncoding {
  readonly encoding: string;
  readonly origin: EncodingOrigin;
}

/**
 * The encoding of a table: the requested one, the one of its charset unless the texts are UTF-8, UTF-8 if they are, or windows-1252. `samples`: bytes of
 * texts. Throws TEXT_ENCODING_UNKNOWN.
 */
export function encodingOf(
  charset: string | null,
  option: unknown,
  samples: readonly Uint8Array[],
  file: string,
  findings: Findings,
): ReadEncoding {
  if (typeof option === 'string') {
    const encoding = encodingByName(option);
    if (encoding === null) throw failure(formatErrors.TEXT_ENCODING_UNKNOWN, { encoding: option });
    return { encoding, origin: 'request' };
  }
  const beyondAscii = samples.filter((bytes) => !areAscii(bytes));
  const stated = statedEncoding(charset);
  if (stated === undefined)
    findings.note(formatFindings.ENCODING_NAME_UNKNOWN, { file, name: (charset ?? '').slice(0, 40) });
  const areUtf8 =
    beyondAscii.length > 0 && beyondAscii.every((bytes) => invalidUtf8At(bytes, 0, bytes.length) < 0);
  if (typeof stated === 'string') {
    if (!areUtf8 || !utf8Wins(stated, beyondAscii)) return { encoding: stated, origin: 'file' };
    findings.note(formatFindings.ENCODING_CONTRADICTED, { file, encoding: stated });
  }
  if (areUtf8) return { encoding: UTF8, origin: 'content' };
  return { encoding: WINDOWS_1252, origin: 'default' };
}

/** Null: the file states none. Undefined: one that is not known. */
function statedEncoding(charset: string | null): string | null | undefined {
  const key = (charset ?? '').toLowerCase().replace(/[^a-z0-9]/g, '');
  if (NEUTRAL.test(key)) return null;
  const iso = /^iso8859(\d{1,2})$/.exec(key);
  if (iso !== null) return encodingByName(`ISO-8859-${iso[1]}`) ?? undefined;
  const page = /^codepage(\d{3,5})$/.exec(key);
  if (page !== null) return encodingByName(page[1]) ?? undefined;
  return Object.hasOwn(NAMES, key) ? (encodingByName(NAMES[key]) ?? undefined) : undefined;
}

/** Decodes a whole text. */
export function decoded(bytes: Uint8Array, encoding: string): string {
  return textDecoder(encoding)(bytes, 0, bytes.length);
}

/** The bytes of a text that was read in Latin-1. */
export function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Notes texts with bytes that the encoding does not have. */
export function noteReplaced(
  findings: Findings,
  column: { readonly name: string },
  encoding: string,
  tally: RowTally,
): void {
  const advice = phrase`; state the encoding with '${field('input.encoding')}'`;
  findings.noteTally(formatFindings.TEXT_REPLACED, { field: column.name, encoding, advice }, tally);
}
