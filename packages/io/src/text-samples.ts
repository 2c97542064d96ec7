/** Collects texts beyond ASCII, by which people recognise an encoding. */
import { latin1Text } from '@geomill/platform/bytes.ts';
import type { ByteSource } from './byte-source.ts';

/** Number of texts that are returned, and of those among which they are chosen. */
const MAX_SAMPLES = 5;
const MAX_MET = 50;
/** Bytes of a text. */
const MAX_SAMPLE_BYTES = 120;
/** Shorter texts are preferred: names rather than remarks. */
const SHORT_BYTES = 50;
/** Bytes of a file that are searched. */
export const SEARCHED_BYTES = 32 << 20;
const CHUNK_BYTES = 1 << 20;
const SPACE = 0x20;
const FIRST_BEYOND_ASCII = 0x80;

export class TextSamples {
  readonly #texts: Uint8Array[] = [];
  readonly #met = new Set<string>();

  get isFull(): boolean {
    return this.#texts.length >= MAX_MET;
  }

  /** At most five, the short ones first. */
  get texts(): readonly Uint8Array[] {
    const isLong = (text: Uint8Array): number => Number(text.length > SHORT_BYTES);
    return this.#texts.toSorted((a, b) => isLong(a) - isLong(b)).slice(0, MAX_SAMPLES);
  }

  /** Keeps `bytes[start, end)` without blanks around it, if it has a byte beyond ASCII and is not there yet. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let from = start;
    let to = end;
    while (from < to && bytes[from] <= SPACE) from++;
    while (to > from && bytes[to - 1] <= SPACE) to--;
    let at = from;
    while (at < to && bytes[at] < FIRST_BEYOND_ASCII) at++;
    if (at === to || this.isFull) return;
    // A long text from shortly before its first such byte, cut at a blank, which begins no character in any encoding.
    if (at - from > MAX_SAMPLE_BYTES / 2) from = Math.max(from, bytes.lastIndexOf(SPACE, at) + 1);
    if (to - from > MAX_SAMPLE_BYTES) to = cutAt(bytes, from);
    const text = bytes.slice(from, to);
    const key = latin1Text(text);
    if (this.#met.has(key)) return;
    this.#met.add(key);
    this.#texts.push(text);
  }
}

/** The last blank that leaves a text short enough, or its greatest length. */
function cutAt(bytes: Uint8Array, from: number): number {
  const blank = bytes.lastIndexOf(SPACE, from + MAX_SAMPLE_BYTES);
  return blank > from ? blank : from + MAX_SAMPLE_BYTES;
}

/** Adds the texts between `separators`, all below 0x80, of the beginning of a text file. */
export function sampleTextFile(
  source: ByteSource,
  separators: readonly number[],
  samples = new TextSamples(),
): TextSamples {
  const isSeparator = new Uint8Array(256);
  for (const byte of separators) isSeparator[byte] = 1;
  for (let start = 0; start < Math.min(source.byteLength, SEARCHED_BYTES); start += CHUNK_BYTES) {
    const bytes = source.slice(start, start + CHUNK_BYTES);
    let textStart = 0;
    let isBeyond = false;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] >= FIRST_BEYOND_ASCII) isBeyond = true;
      else if (isSeparator[bytes[at]] === 1) {
        if (isBeyond) samples.add(bytes, textStart, at);
        if (samples.isFull) return samples;
        textStart = at + 1;
        isBeyond = false;
      }
    }
    const isEnd = start + bytes.length >= source.byteLength;
    // A text that goes on in the next chunk is left out, because a cut character fits no encoding.
    if (isBeyond && isEnd) samples.add(bytes, textStart, bytes.length);
  }
  return samples;
}
