/** Converts text files in other encodings to UTF-8 files once, so that later passes read one encoding at full speed. */
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import { byteView } from '@geomill/platform/bytes.ts';
import iconv from 'iconv-lite';
import { createFileSink } from './byte-sink.ts';
import type { ByteSource } from './byte-source.ts';

const CHUNK_BYTES = 1 << 20;
const encoder = new TextEncoder();

/** Writes the text as UTF-8 to `targetPath`. Throws what `invalidAt` returns for the offset of invalid bytes. */
export function transcodeToUtf8(
  input: ByteSource,
  encoding: string,
  targetPath: string,
  invalidAt: (offset: number) => GeomillError,
): void {
  const sink = createFileSink(targetPath);
  try {
    copyText(input, encoding, invalidAt, (text) => sink.append(encoder.encode(text)));
  } finally {
    sink.close();
  }
}

/** The type by which iconv-lite takes bytes. */
type Chunk = Parameters<ReturnType<typeof iconv.getDecoder>['write']>[0];

function copyText(
  input: ByteSource,
  encoding: string,
  invalidAt: (offset: number) => GeomillError,
  append: (text: string) => void,
): void {
  const decoder = iconv.getDecoder(encoding, { stripBOM: true });
  const mayHoldReplacement = /^utf/i.test(encoding);
  let held = '';
  for (let start = 0; start < input.byteLength; start += CHUNK_BYTES) {
    const bytes = input.slice(start, start + CHUNK_BYTES);
    const isLast = start + CHUNK_BYTES >= input.byteLength;
    let text = held + decoder.write(byteView(bytes) as Chunk) + (isLast ? (decoder.end() ?? '') : '');
    // The first half of a surrogate pair is kept for the next chunk.
    const cut = !isLast && /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    held = text.slice(cut);
    text = text.slice(0, cut);
    const bad = mayHoldReplacement
      ? text.isWellFormed()
        ? -1
        : text.search(LONE_SURROGATE)
      : text.indexOf('\ufffd');
    if (bad >= 0)
      throw invalidAt(start + iconv.encode(text.slice(0, bad), encoding, { addBOM: false }).length);
    append(text);
  }
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
