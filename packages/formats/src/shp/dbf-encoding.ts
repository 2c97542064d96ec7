/** Finds the text encoding of a .dbf. */

import { encodingByLanguageId, encodingByName, WINDOWS_1252 } from '@geomill/core/bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { isSingleByte, utf8Wins } from '@geomill/core/bytes/utf8-evidence.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { areAscii } from '@geomill/platform/bytes.ts';
import { formatErrors } from '../errors.ts';
import { formatFindings } from '../findings.ts';
import type { EncodingOrigin } from '../reader.ts';
import type { DbfHeader } from './dbf-header.ts';
import { shpFindings } from './messages.ts';

/** Bytes of rows that are checked at once. */
const SCAN_BYTES = 1 << 20;

interface EncodingSources {
  /** Content of the .cpg; null if there is none. */
  readonly codePage: string | null;
  readonly codePageFile: string;
  /** The encoding in the request, or null. */
  readonly option: string | null;
}

/**
 * The text encoding: the requested one, UTF-8 if all text beyond ASCII is valid UTF-8, .cpg, language driver id, windows-1252.
 * A statement of an encoding with several bytes for a character counts more than the text. Throws TEXT_ENCODING_UNKNOWN if the
 * requested encoding is unknown.
 */
export function findEncoding(
  sources: EncodingSources,
  header: DbfHeader,
  rows: ByteSource,
  file: string,
  findings: Findings,
): { readonly encoding: string; readonly origin: EncodingOrigin } {
  const { option, codePage } = sources;
  const requested = option === null ? null : encodingByName(option);
  if (option !== null && requested === null)
    throw failure(formatErrors.TEXT_ENCODING_UNKNOWN, { encoding: option });
  const stated = codePage === null ? null : encodingByName(codePage);
  if (codePage !== null && stated === null && codePage !== '')
    findings.note(formatFindings.ENCODING_NAME_UNKNOWN, {
      file: sources.codePageFile,
      name: codePage.slice(0, 40),
    });
  const own = stated ?? encodingByLanguageId(header.languageId);
  if (requested !== null) {
    if (own !== null && requested !== own)
      findings.note(shpFindings.ENCODING_OVERRIDDEN, { file, requested, encoding: own });
    return { encoding: requested, origin: 'request' };
  }
  if (own !== null) {
    const isUtf8 = isSingleByte(own) && statesWrongly(own, header, rows);
    if (!isUtf8) return { encoding: own, origin: 'file' };
    findings.note(formatFindings.ENCODING_CONTRADICTED, { file, encoding: own });
    return { encoding: UTF8, origin: 'content' };
  }
  const { form } = judgeText(header, rows);
  if (form === 'ascii') return { encoding: UTF8, origin: 'default' };
  const guess = form === 'utf-8' ? UTF8 : WINDOWS_1252;
  findings.note(shpFindings.ENCODING_GUESSED, { file, encoding: guess });
  return { encoding: guess, origin: 'content' };
}

function statesWrongly(encoding: string, header: DbfHeader, rows: ByteSource): boolean {
  const { form, samples } = judgeText(header, rows);
  return form === 'utf-8' && samples.length > 0 && utf8Wins(encoding, samples);
}

interface JudgedText {
  readonly form: 'ascii' | 'utf-8' | 'other';
  /** Some texts with whole characters beyond ASCII. */
  readonly samples: readonly Uint8Array[];
}

const MAX_SAMPLES = 50;

/** Checks every text cell and name: whether they are all ASCII, all UTF-8, or neither. */
function judgeText(header: DbfHeader, rows: ByteSource): JudgedText {
  let form: 'ascii' | 'utf-8' = 'ascii';
  const samples: Uint8Array[] = [];
  const isUtf8Cell = (bytes: Uint8Array, start: number, end: number): boolean => {
    const invalid = invalidUtf8At(bytes, start, end);
    // Writers that truncate by bytes can split the last character of a full cell; that is still UTF-8.
    if (invalid >= 0 && !isCutOff(bytes, invalid, end)) return false;
    const whole = bytes.subarray(start, invalid < 0 ? end : invalid);
    if (samples.length < MAX_SAMPLES && !areAscii(whole)) samples.push(whole.slice());
    return true;
  };
  for (const { nameBytes } of header.fields) {
    if (areAscii(nameBytes)) continue;
    form = 'utf-8';
    if (!isUtf8Cell(nameBytes, 0, nameBytes.length)) return { form: 'other', samples };
  }
  const texts = header.fields.filter(({ type }) => type === 'C');
  if (texts.length === 0) return { form, samples };
  const rowsAtOnce = Math.max(1, Math.floor(SCAN_BYTES / header.rowBytes));
  for (let first = 0; first < header.rowCount; first += rowsAtOnce) {
    const end = Math.min(header.rowCount, first + rowsAtOnce);
    const bytes = rows.slice(
      header.headerBytes + first * header.rowBytes,
      header.headerBytes + end * header.rowBytes,
    );
    if (areAscii(bytes)) continue;
    for (let row = 0; row < end - first; row++) {
      for (const { offset, width } of texts) {
        const start = row * header.rowBytes + offset;
        const cell = bytes.subarray(start, start + width);
        if (areAscii(cell)) continue;
        // Bytes after a zero byte are remains of another text.
        const zero = cell.indexOf(0);
        form = 'utf-8';
        if (!isUtf8Cell(bytes, start, start + (zero < 0 ? width : zero))) return { form: 'other', samples };
      }
    }
  }
  return { form, samples };
}

function isCutOff(bytes: Uint8Array, at: number, end: number): boolean {
  const lead = bytes[at];
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  if (at + length <= end) return false;
  for (let i = at + 1; i < end; i++) if ((bytes[i] & 0xc0) !== 0x80) return false;
  return true;
}
