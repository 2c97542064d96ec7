/**
 * A compiled pattern of LIKE: `%` matches any characters, `_` one, `\` makes the next character literal.
 *
 * The pieces before the first `%` and after the last one are matched at the ends. Each piece in between is searched once, after the
 * one before it, with a set of bits: bit i is set if the piece up to its symbol i ends at the current byte (Shift-And,
 * Baeza-Yates and Gonnet 1992). No byte is read twice, so a text costs its length times the number of 32-bit words of
 * the piece. Alternative rejected: going back to the byte after the last start, which
 * takes the product of both lengths for '%aaa...ab%'.
 */

const ANY_ONE = 256;
const ANY_MANY = 257;
const WORD_BITS = 32;
/** Class of bytes that are not in the pattern. */
const OTHER_START = 0;
const OTHER_CONTINUATION = 1;

const encoder = new TextEncoder();

/** Symbols between two `%`. */
interface Piece {
  readonly words: number;
  /** Bits of the symbols that a byte matches, `words` for each class of bytes. */
  readonly masks: Uint32Array;
  /** Bits of the symbols ANY_ONE, which take the further bytes of a character too. */
  readonly anyOnes: Uint32Array;
  /** Bit of the last symbol, in the last word. */
  readonly last: number;
  /** Working memory of the search. */
  readonly state: Uint32Array;
}

export class LikePattern {
  /** Number of bytes and words that all searches processed. */
  work = 0;
  readonly #hasMany: boolean;
  readonly #head: Uint16Array;
  readonly #tail: Uint16Array;
  readonly #pieces: readonly Piece[];
  /** Class of each byte. */
  readonly #classes = new Uint8Array(256);

  constructor(pattern: string) {
    const symbols = symbolsOf(pattern);
    const parts: Uint16Array[] = [];
    let from = 0;
    for (let at = symbols.indexOf(ANY_MANY); at >= 0; at = symbols.indexOf(ANY_MANY, from)) {
      parts.push(symbols.subarray(from, at));
      from = at + 1;
    }
    this.#hasMany = parts.length > 0;
    this.#head = parts[0] ?? symbols;
    this.#tail = symbols.subarray(from);
    this.#classes.fill(OTHER_CONTINUATION, 0x80, 0xc0);
    let classCount = 2;
    for (const symbol of symbols)
      if (symbol < ANY_ONE && this.#classes[symbol] <= OTHER_CONTINUATION)
        this.#classes[symbol] = classCount++;
    this.#pieces = parts
      .slice(1)
      .filter(({ length }) => length > 0)
      .map((part) => pieceOf(part, this.#classes, classCount));
  }

  /** Whether the pattern matches the whole text, which is UTF-8 in `[start, end)`. */
  matches(bytes: Uint8Array, start: number, end: number): boolean {
    let at = endOfHead(bytes, start, end, this.#head);
    if (!this.#hasMany || at < 0) return at === end;
    const tailAt = startOfTail(bytes, at, end, this.#tail);
    if (tailAt < 0) return false;
    for (const piece of this.#pieces) {
      at =
        piece.words === 1
          ? this.#afterShort(piece, bytes, at, tailAt)
          : this.#afterLong(piece, bytes, at, tailAt);
      if (at < 0) return false;
    }
    return true;
  }

  /** End of the first match of a piece of one word; -1: no match. */
  #afterShort({ masks, anyOnes, last }: Piece, bytes: Uint8Array, start: number, end: number): number {
    const classes = this.#classes;
    const anyOne = anyOnes[0];
    let state = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      const kept = (byte & 0xc0) === 0x80 ? state & anyOne : 0;
      state = (((state << 1) | 1) & masks[classes[byte]]) | kept;
      if ((state & last) === 0) continue;
      this.work += at + 1 - start;
      return at + 1;
    }
    this.work += end - start;
    return -1;
  }

  /** The same for a piece of several words; words after the last one with a bit are skipped. */
  #afterLong(
    { words, masks, anyOnes, last, state }: Piece,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    state.fill(0);
    let used = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      const row = this.#classes[byte] * words;
      const keeps = (byte & 0xc0) === 0x80;
      const count = Math.min(words, used + 1);
      let carry = 1;
      used = 0;
      for (let word = 0; word < count; word++) {
        const before = state[word];
        const kept = keeps ? before & anyOnes[word] : 0;
        const after = (((before << 1) | carry) & masks[row + word]) | kept;
        carry = before >>> (WORD_BITS - 1);
        state[word] = after;
        if (after !== 0) used = word + 1;
      }
      this.work += count;
      if ((state[words - 1] & last) !== 0) return at + 1;
    }
    return -1;
  }
}

/** UTF-8 bytes, ANY_ONE and ANY_MANY. */
function symbolsOf(pattern: string): Uint16Array {
  const symbols: number[] = [];
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    let character = characters[i];
    if (character === '%' || character === '_') {
      symbols.push(character === '%' ? ANY_MANY : ANY_ONE);
      continue;
    }
    if (character === '\\' && i + 1 < characters.length) character = characters[++i];
    for (const byte of encoder.encode(character)) symbols.push(byte);
  }
  return Uint16Array.from(symbols);
}

function pieceOf(symbols: Uint16Array, classes: Uint8Array, classCount: number): Piece {
  const words = Math.ceil(symbols.length / WORD_BITS);
  const masks = new Uint32Array(words * classCount);
  const anyOnes = new Uint32Array(words);
  // All bytes except continuation bytes begin a character.
  const starts = new Set([OTHER_START]);
  for (let byte = 0; byte < 256; byte++) if ((byte & 0xc0) !== 0x80) starts.add(classes[byte]);
  symbols.forEach((symbol, i) => {
    const word = Math.floor(i / WORD_BITS);
    const bit = 1 << (i % WORD_BITS);
    if (symbol !== ANY_ONE) masks[classes[symbol] * words + word] |= bit;
    else {
      anyOnes[word] |= bit;
      for (const start of starts) masks[start * words + word] |= bit;
    }
  });
  const last = 1 << ((symbols.length - 1) % WORD_BITS);
  return { words, masks, anyOnes, last, state: new Uint32Array(words) };
}

/** End of the symbols at the begin of the text; -1: the text begins with others. */
function endOfHead(bytes: Uint8Array, start: number, end: number, symbols: Uint16Array): number {
  let at = start;
  for (const symbol of symbols) {
    if (at === end) return -1;
    if (symbol !== ANY_ONE && symbol !== bytes[at]) return -1;
    at++;
    if (symbol === ANY_ONE) while (at < end && (bytes[at] & 0xc0) === 0x80) at++;
  }
  return at;
}

/** Begin of the symbols at the end of the text; -1: the text ends with others. */
function startOfTail(bytes: Uint8Array, start: number, end: number, symbols: Uint16Array): number {
  let at = end;
  for (let i = symbols.length - 1; i >= 0; i--) {
    if (at === start) return -1;
    at--;
    if (symbols[i] === ANY_ONE) while (at > start && (bytes[at] & 0xc0) === 0x80) at--;
    else if (symbols[i] !== bytes[at]) return -1;
  }
  return at;
}
