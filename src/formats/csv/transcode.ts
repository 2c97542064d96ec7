/** Converts CSV files in other encodings to a UTF-8 file once, so that later passes read one encoding at full speed. */
import iconv from 'iconv-lite';
import { failure, type GeomillError } from '../../errors.ts';
import { createFileSink } from '../../io/byte-sink.ts';
import { type ByteSource, openFileSource } from '../../io/byte-source.ts';
import { phrase, setting } from '../../message.ts';

const CHUNK_BYTES = 1 << 20;
const encoder = new TextEncoder();

/**
 * Writes the text of `path` as UTF-8 to `targetPath`; `source` is the file name for messages. Throws
 * TEXT_ENCODING_INVALID for bytes that are invalid in the encoding.
 */
export function transcodeToUtf8(path: string, encoding: string, targetPath: string, source: string): void {
  using input = openFileSource(path);
  const sink = createFileSink(targetPath);
  try {
    copyText(input, encoding, source, (text) => sink.append(encoder.encode(text)));
  } finally {
    sink.close();
  }
}

function copyText(input: ByteSource, encoding: string, source: string, append: (text: string) => void): void {
  const decoder = iconv.getDecoder(encoding, { stripBOM: true });
  const mayHoldReplacement = /^utf/i.test(encoding);
  let held = '';
  for (let start = 0; start < input.byteLength; start += CHUNK_BYTES) {
    const bytes = input.slice(start, start + CHUNK_BYTES);
    const isLast = start + CHUNK_BYTES >= input.byteLength;
    let text = held + decoder.write(Buffer.from(bytes.buffer)) + (isLast ? (decoder.end() ?? '') : '');
    // The first half of a surrogate pair is kept for the next chunk.
    const cut = !isLast && /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    held = text.slice(cut);
    text = text.slice(0, cut);
    const bad = mayHoldReplacement
      ? text.isWellFormed()
        ? -1
        : text.search(LONE_SURROGATE)
      : text.indexOf('\ufffd');
    if (bad >= 0) {
      const offset = start + iconv.encode(text.slice(0, bad), encoding, { addBOM: false }).length;
      throw invalidText(source, offset, encoding);
    }
    append(text);
  }
}

/** The error for bytes that are invalid in the encoding of the file. */
export function invalidText(source: string, offset: number, encoding: string): GeomillError {
  const advice = phrase`${setting('csv_options.encoding', 'windows-1252')} (Western European) or to the encoding of the file, or convert the file to UTF-8`;
  return failure('TEXT_ENCODING_INVALID', { source, offset, encoding, advice }, { offset });
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Text for people, from bytes that may be invalid in the encoding or end within a character. */
export function decodeLoosely(bytes: Uint8Array, encoding: string): string {
  return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), encoding, {
    stripBOM: true,
  });
}
