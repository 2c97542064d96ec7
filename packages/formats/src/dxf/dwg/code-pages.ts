/** Texts of drawings before 2007: bytes in the code page that the head of the file states by a number. */
import { encodingByName } from '@geomill/core/bytes/text-encoding.ts';
import { isSingleByte } from '@geomill/core/bytes/utf8-evidence.ts';

const CODE_PAGE_OFFSET = 19;

/** Names as a DXF states them, by number; null: not known. */
const NAMES: readonly (string | null)[] = [
  null,
  ...['ASCII', 'ISO8859-1', 'ISO8859-2', 'ISO8859-3', 'ISO8859-4', 'ISO8859-5', 'ISO8859-6', 'ISO8859-7'],
  ...[
    'ISO8859-8',
    'ISO8859-9',
    'DOS437',
    'DOS850',
    'DOS852',
    'DOS855',
    'DOS857',
    'DOS860',
    'DOS861',
    'DOS863',
  ],
  ...['DOS864', 'DOS865', 'DOS869', 'ANSI_932', 'MACINTOSH', 'ANSI_950', 'ANSI_949', 'JOHAB', 'DOS866'],
  ...['ANSI_1250', 'ANSI_1251', 'ANSI_1252', 'ANSI_936', 'ANSI_1253', 'ANSI_1254', 'ANSI_1255', 'ANSI_1256'],
  ...[
    'ANSI_1257',
    'ANSI_874',
    'ANSI_932',
    'ANSI_936',
    'ANSI_949',
    'ANSI_950',
    'JOHAB',
    'UTF-16',
    'ANSI_1258',
  ],
];

/** The name of the code page of a drawing; null: it states none. */
export function codePageOf(bytes: Uint8Array): string | null {
  return NAMES[bytes[CODE_PAGE_OFFSET] | (bytes[CODE_PAGE_OFFSET + 1] << 8)] ?? null;
}

/**
 * The encoding in which the parser decodes the texts of a code page. Texts in single bytes are decoded in one in which every byte is a
 * character, so that `bytesOf` gives the bytes back, and the reader of drawings decodes them as those of a DXF. Those of double-byte code pages
 * have letters in their second bytes, which the parser would mistake in names: it compares these without regard to letter case.
 */
export function parserEncoding(codePage: string | null): {
  readonly label: string;
  readonly isExact: boolean;
} {
  const encoding = codePage === null ? null : encodingByName(codePage);
  if (encoding === null || isSingleByte(encoding)) return { label: ALL_BYTES, isExact: false };
  return { label: encoding.toLowerCase(), isExact: true };
}

const ALL_BYTES = 'windows-1252';
const QUESTION_MARK = 0x3f;

let byteOf: ReadonlyMap<string, number> | null = null;

/** The bytes that the parser decoded as `text`. */
export function bytesOf(text: string): Uint8Array {
  byteOf ??= new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(ALL_BYTES).decode(Uint8Array.of(byte)), byte]),
  );
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = byteOf.get(text[i]) ?? QUESTION_MARK;
  return bytes;
}
