/** Encodings of CSV files. */

import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { phrase, setting } from '@geomill/core/messages/message.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { transcodeToUtf8 as transcode } from '@geomill/io/transcode.ts';
import { byteView } from '@geomill/platform/bytes.ts';
import iconv from 'iconv-lite';

/**
 * Writes the text of `path` as UTF-8 to `targetPath`; `source` is the file name for messages. Throws
 * TEXT_ENCODING_INVALID for bytes that are invalid in the encoding.
 */
export function transcodeToUtf8(path: string, encoding: string, targetPath: string, source: string): void {
  using input = openFileSource(path);
  transcode(input, encoding, targetPath, (offset) => invalidText(source, offset, encoding));
}

/** The error for bytes that are invalid in the encoding of the file. */
export function invalidText(source: string, offset: number, encoding: string): GeomillError {
  const advice = phrase`${setting('csv_options.encoding', 'windows-1252')} (Western European) or to the encoding of the file, or convert the file to UTF-8`;
  return failure(ioErrors.TEXT_ENCODING_INVALID, { source, offset, encoding, advice }, { offset });
}

/** Text for people, from bytes that may be invalid in the encoding or end within a character. */
export function decodeLoosely(bytes: Uint8Array, encoding: string): string {
  return iconv.decode(byteView(bytes), encoding, { stripBOM: true });
}
