/**
 * Deflate (RFC 1951) for arrays of 32-bit words and doubles, such as the shapes of a shapefile: two and a half times as fast as
 * zlib at level 1, with an output of about the same size (0.92 to 1.2 times, docs/decisions/measurements.md).
 *
 * Looks for repetitions only at word boundaries: two equal words or more (a repeated coordinate), or the highest three bytes of
 * a word (sign, exponent and first digits of a coordinate near the one before). All other bytes are literals. Blocks have dynamic
 * codes. Tokens are one per step, not per byte: the second pass reads the literals from the words again.
 *
 *     token    next words
 *     0        one word of four literals
 *     d        one word: a literal, then a match of 3 bytes at distance d words
 *     n, d     n words: a match of 4 n bytes at distance d words; n in the high half
 */
import { codeLengths, codesOf, reversed } from './huffman.ts';

/** Words of a block: the tokens fit the cache of the processor, and codes follow changes of the content. */
const BLOCK_WORDS = 1 << 16;
const MAX_DISTANCE_WORDS = 1 << 13;
const MAX_MATCH_WORDS = 64;
const PAIR_HASH_BITS = 13;
const HIGH_HASH_BITS = 11;
/** Odd numbers that spread the bits of a product. */
const SPREAD_1 = 0x9e3779b1;
const SPREAD_2 = 0x85ebca77;
const LITERAL_CODES = 286;
const DISTANCE_CODES = 30;
const END_OF_BLOCK = 256;
const FIRST_LENGTH = 257;
const LONGEST = 258;
/** Bytes of a block besides the codes of its tokens. */
const BLOCK_HEAD_BYTES = 256;
/** Order in which the lengths of the codes for code lengths are stored. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LENGTH_BITS = 4;

/** By length in bytes: its symbol, and the number and value of the bits after it. */
const lengthSymbols = new Uint16Array(LONGEST + 1);
const lengthBits = new Uint8Array(LONGEST + 1);
const lengthRests = new Uint8Array(LONGEST + 1);
for (let length = 3, symbol = FIRST_LENGTH; length <= LONGEST; symbol++) {
  const isLast = symbol === LITERAL_CODES - 1;
  const bits = symbol < FIRST_LENGTH + 8 || isLast ? 0 : (symbol - FIRST_LENGTH - 4) >> 2;
  // The last symbol is 258 alone, although the one before it could hold it.
  const count = isLast ? 1 : Math.min(1 << bits, LONGEST - length);
  for (let rest = 0; rest < count; rest++, length++) {
    lengthSymbols[length] = symbol;
    lengthBits[length] = bits;
    lengthRests[length] = rest;
  }
}

/** Of distances from 4 on. */
function distanceBits(distance: number): number {
  return 30 - Math.clz32(distance - 1);
}

function distanceSymbol(distance: number): number {
  const bits = distanceBits(distance);
  return 2 * bits + 2 + (((distance - 1) >>> bits) & 1);
}

/** Last position of a pair of words, and of the high bytes of a word; 0 where there is none. */
const pairs = new Int32Array(1 << PAIR_HASH_BITS);
const highs = new Int32Array(1 << HIGH_HASH_BITS);
const tokens = new Int32Array(BLOCK_WORDS);
/** Codes of a match, the last one first: a literal, which not every match has, comes before it. */
const codes = new Uint32Array(5);
const literalCounts = new Uint32Array(LITERAL_CODES);
const distanceCounts = new Uint32Array(DISTANCE_CODES);

/** On other machines a word is not what its bytes are in the file. */
export const canDeflateWords = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * Compresses bytes, whose number is a multiple of 4, and which begin at a multiple of 4 in their buffer. The result ends with a
 * sync flush: at a byte boundary, without the last block of a stream. It depends on the bytes alone.
 */
export function deflateWords(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const blocks = Math.ceil(words.length / BLOCK_WORDS);
  // Optimal codes need no more than codes of 9 bits for lengths and literals and of 5 for distances: 36 bits a word.
  const out = new BitWriter(Math.ceil(bytes.length * 1.25) + (blocks + 1) * BLOCK_HEAD_BYTES);
  pairs.fill(0);
  highs.fill(0);
  for (let start = 0; start < words.length; start += BLOCK_WORDS) {
    literalCounts.fill(0);
    distanceCounts.fill(0);
    literalCounts[END_OF_BLOCK] = 1;
    const tokenCount = findMatches(words, start, Math.min(words.length, start + BLOCK_WORDS));
    const literals = codeLengths(literalCounts);
    const distances = codeLengths(distanceCounts);
    writeBlockHead(out, literals, distances);
    const literalCodes = codesOf(literals);
    out.writeTokens(words, start, tokenCount, literalCodes, codesOf(distances));
    out.writeCode(literalCodes[END_OF_BLOCK]);
  }
  return out.flush();
}

/** Fills `tokens` and the counts for the words `[start, end)`; returns the number of tokens. */
function findMatches(words: Int32Array, start: number, end: number): number {
  let count = 0;
  // Distance of the last match of high bytes: the coordinates of a line have the same one.
  let near = 4;
  for (let at = start; at < end; ) {
    const word = words[at];
    const next = words[at + 1] | 0;
    const pair = (Math.imul(word, SPREAD_1) ^ Math.imul(next, SPREAD_2)) >>> (32 - PAIR_HASH_BITS);
    const before = pairs[pair];
    pairs[pair] = at;
    const isPair = words[before] === word && words[before + 1] === next && before < at && at + 1 < end;
    if (isPair && at - before <= MAX_DISTANCE_WORDS) {
      const most = Math.min(MAX_MATCH_WORDS, end - at);
      let length = 2;
      while (length < most && words[before + length] === words[at + length]) length++;
      tokens[count++] = (length << 16) | (at - before);
      literalCounts[lengthSymbols[length << 2]]++;
      distanceCounts[distanceSymbol((at - before) << 2)]++;
      at += length;
      continue;
    }
    let difference = at >= near ? word ^ words[at - near] : -1;
    if (difference >>> 8 !== 0) {
      const high = Math.imul(word >>> 8, SPREAD_1) >>> (32 - HIGH_HASH_BITS);
      const last = highs[high];
      highs[high] = at;
      difference = word ^ words[last];
      if (difference >>> 8 !== 0 || last >= at || at - last > MAX_DISTANCE_WORDS) {
        tokens[count++] = 0;
        literalCounts[word & 255]++;
        literalCounts[(word >>> 8) & 255]++;
        literalCounts[(word >>> 16) & 255]++;
        literalCounts[word >>> 24]++;
        at++;
        continue;
      }
      near = at - last;
    }
    if (difference === 0) {
      tokens[count++] = (1 << 16) | near;
      literalCounts[lengthSymbols[4]]++;
    } else {
      tokens[count++] = near;
      literalCounts[word & 255]++;
      literalCounts[lengthSymbols[3]]++;
    }
    distanceCounts[distanceSymbol(near << 2)]++;
    at++;
  }
  return count;
}

/** Lengths of codes are stored in 4 bits each: shorter forms would save 0.05 %. */
function writeBlockHead(out: BitWriter, literals: Uint8Array, distances: Uint8Array): void {
  out.write(0b100, 3); // Dynamic codes, not the last block.
  out.write(LITERAL_CODES - 257, 5);
  out.write(DISTANCE_CODES - 1, 5);
  out.write(LENGTH_ORDER.length - 4, 4);
  for (const symbol of LENGTH_ORDER) out.write(symbol < 16 ? LENGTH_BITS : 0, 3);
  for (const length of literals) out.write(reversed(length, LENGTH_BITS), LENGTH_BITS);
  for (const length of distances) out.write(reversed(length, LENGTH_BITS), LENGTH_BITS);
}

/** Bits are written from the lowest on, in units of 16. */
class BitWriter {
  readonly #out: Uint16Array<ArrayBuffer>;
  #at = 0;
  #bits = 0;
  /** Below 16. */
  #bitCount = 0;

  constructor(byteLength: number) {
    this.#out = new Uint16Array((byteLength + 1) >> 1);
  }

  /** At most 16 bits. */
  write(bits: number, count: number): void {
    this.#bits |= bits << this.#bitCount;
    this.#bitCount += count;
    this.#out[this.#at] = this.#bits;
    this.#at += this.#bitCount >>> 4;
    this.#bits >>>= this.#bitCount & 16;
    this.#bitCount &= 15;
  }

  writeCode(code: number): void {
    this.write(code & 0xffff, code >>> 16);
  }

  /**
   * Writes the tokens of the words from `at` on. The state is in local variables, and a unit is written after every code, whether it
   * is full or not: both are what makes this fast.
   */
  writeTokens(
    words: Int32Array,
    at: number,
    count: number,
    literals: Uint32Array,
    distances: Uint32Array,
  ): void {
    const out = this.#out;
    let to = this.#at;
    let bits = this.#bits;
    let bitCount = this.#bitCount;
    for (let i = 0; i < count; i++) {
      const token = tokens[i];
      if (token === 0) {
        const word = words[at++];
        for (let shift = 0; shift < 32; shift += 8) {
          const code = literals[(word >>> shift) & 255];
          bits |= (code & 0xffff) << bitCount;
          bitCount += code >>> 16;
          out[to] = bits;
          to += bitCount >>> 4;
          bits >>>= bitCount & 16;
          bitCount &= 15;
        }
        continue;
      }
      let pieces = 4;
      let length = (token >>> 16) << 2;
      if (length === 0) {
        codes[4] = literals[words[at++] & 255];
        pieces = 5;
        length = 3;
      } else at += length >>> 2;
      const distance = (token & 0xffff) << 2;
      const rest = distanceBits(distance);
      codes[3] = literals[lengthSymbols[length]];
      codes[2] = lengthRests[length] | (lengthBits[length] << 16);
      codes[1] = distances[distanceSymbol(distance)];
      codes[0] = ((distance - 1) & ((1 << rest) - 1)) | (rest << 16);
      while (pieces > 0) {
        const code = codes[--pieces];
        bits |= (code & 0xffff) << bitCount;
        bitCount += code >>> 16;
        out[to] = bits;
        to += bitCount >>> 4;
        bits >>>= bitCount & 16;
        bitCount &= 15;
      }
    }
    this.#at = to;
    this.#bits = bits;
    this.#bitCount = bitCount;
  }

  /** Ends with an empty stored block, at a byte boundary. */
  flush(): Uint8Array<ArrayBuffer> {
    this.write(0, 3);
    const end = this.#at * 2 + ((this.#bitCount + 7) >> 3);
    const out = new Uint8Array(this.#out.buffer, 0, end + 4);
    out.set([0, 0, 0xff, 0xff], end);
    return out;
  }
}
