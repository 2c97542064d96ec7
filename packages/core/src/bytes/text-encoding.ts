/**
 * Text encodings by the many names used in files: IANA names, bare code page numbers as in .cpg files, dBASE language
 * driver ids. iconv-lite does the decoding: the platform's TextDecoder supports no DOS code pages.
 */
import { byteView } from '@geomill/platform/bytes.ts';
import iconv from 'iconv-lite';
import { UTF8 } from './utf8.ts';

export const WINDOWS_1252 = 'windows-1252';

/** Decodes `bytes[start, end)`; invalid bytes become U+FFFD. */
export type TextDecode = (bytes: Uint8Array, start: number, end: number) => string;

/** Names that the rules below do not resolve. Keys are lower case and contain only letters and digits. */
const ALIASES: Readonly<Record<string, string>> = {
  utf8: UTF8,
  unicode11utf8: UTF8,
  utf8bom: UTF8,
  ascii: WINDOWS_1252,
  usascii: WINDOWS_1252,
  ansi: WINDOWS_1252,
  latin1: 'ISO-8859-1',
  latin2: 'ISO-8859-2',
  latin9: 'ISO-8859-15',
  big5: 'Big5',
  gbk: 'GBK',
  gb2312: 'GBK',
  gb18030: 'GB18030',
  shiftjis: 'Shift_JIS',
  sjis: 'Shift_JIS',
  eucjp: 'EUC-JP',
  euckr: 'EUC-KR',
  koi8r: 'KOI8-R',
  koi8u: 'KOI8-U',
  tis620: 'windows-874',
  macintosh: 'macintosh',
  macroman: 'macintosh',
  utf16: 'UTF-16',
  utf16le: 'UTF-16LE',
  utf16be: 'UTF-16BE',
};

/** Windows code page numbers that are not simply cp<number>. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  874: 'windows-874',
  932: 'Shift_JIS',
  936: 'GBK',
  949: 'EUC-KR',
  950: 'Big5',
  1200: 'UTF-16LE',
  1201: 'UTF-16BE',
  10000: 'macintosh',
  10006: 'macgreek',
  10007: 'maccyrillic',
  10029: 'maccenteuro',
  10079: 'maciceland',
  10081: 'macturkish',
  20127: WINDOWS_1252,
  20866: 'KOI8-R',
  20932: 'EUC-JP',
  20936: 'GBK',
  21866: 'KOI8-U',
  51932: 'EUC-JP',
  51936: 'GBK',
  51949: 'EUC-KR',
  54936: 'GB18030',
  65001: UTF8,
};

/**
 * The encoding of a name such as UTF-8, utf8, 65001, 1252, CP1251, windows-1251, "ANSI 1252", OEM 437, 936, Big-5,
 * ISO-8859-1, 88591, LDID/87. Null if it is unknown.
 */
export function encodingByName(name: string): string | null {
  const languageId = /^\s*ldid\s*\/\s*(\d{1,3})\s*$/i.exec(name);
  if (languageId !== null) return encodingByLanguageId(Number(languageId[1]));
  const key = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (Object.hasOwn(ALIASES, key)) return ALIASES[key];
  const latin = /^(?:iso)?8859(\d{1,2})$/.exec(key);
  if (latin !== null) return known(`ISO-8859-${Number(latin[1])}`);
  const page = /^(?:cp|ms|windows|win|ansi|oem|ibm|dos|codepage|xcp)?(\d{3,5})$/.exec(key);
  if (page !== null) return encodingByCodePage(Number(page[1]));
  // iconv-lite also lists transfer encodings, which are not text encodings.
  if (key === '' || /^(base64|hex|binary|utf7|utf7imap|cesu8|ucs2|internal)/.test(key)) return null;
  return known(name.trim());
}

function encodingByCodePage(page: number): string | null {
  if (page in CODE_PAGES) return CODE_PAGES[page];
  if (page >= 28591 && page <= 28606) return known(`ISO-8859-${page - 28590}`);
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  return known(`CP${page}`);
}

function known(name: string): string | null {
  return iconv.encodingExists(name) ? name : null;
}

/** dBASE language driver ids (byte 29 of a .dbf) to Windows code pages; those iconv-lite lacks (895, 620) are absent. */
const LANGUAGE_IDS = new Map<number, number>(
  (
    [
      [437, [0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b]],
      [850, [0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37]],
      [1252, [0x03, 0x57, 0x58, 0x59]],
      [10000, [0x04]],
      [865, [0x08, 0x17, 0x66]],
      [932, [0x13, 0x7b]],
      [863, [0x1c, 0x6c]],
      [852, [0x1f, 0x22, 0x23, 0x40, 0x64, 0x87]],
      [860, [0x24]],
      [866, [0x26, 0x65]],
      [936, [0x4d, 0x7a]],
      [949, [0x4e, 0x79]],
      [950, [0x4f, 0x78]],
      [874, [0x50, 0x7c]],
      [861, [0x67]],
      [737, [0x6a, 0x86]],
      [857, [0x6b, 0x88]],
      [10007, [0x96]],
      [10029, [0x97]],
      [10006, [0x98]],
      [1250, [0xc8]],
      [1251, [0xc9]],
      [1254, [0xca]],
      [1253, [0xcb]],
      [1257, [0xcc]],
    ] as const
  ).flatMap(([page, ids]) => ids.map((id): [number, number] => [id, page])),
);

/** The encoding of a dBASE language driver id; null for 0 (not stated) and unknown ones. */
export function encodingByLanguageId(id: number): string | null {
  const page = LANGUAGE_IDS.get(id);
  return page === undefined ? null : encodingByCodePage(page);
}

/** A decoder for a result of `encodingByName`. */
export function textDecoder(encoding: string): TextDecode {
  if (encoding === UTF8) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
  }
  return (bytes, start, end) => iconv.decode(byteView(bytes, start, end), encoding, { stripBOM: false });
}

/** Whether bytes below 0x80 are ASCII; false for UTF-16 and similar encodings. */
export function isAsciiCompatible(encoding: string): boolean {
  return !/^(utf-?16|utf-?32|ucs)/i.test(encoding);
}
