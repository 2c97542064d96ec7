/**
 * Skips elements by a search for the word of their end tag, which is several times as fast as reading their tags. What could hide
 * an end tag (comments, CDATA sections, processing instructions, an element of the same name inside) is recognised, and such an element is read instead.
 */
import { byteView, concatBytes, newByteView } from '@geomill/platform/bytes.ts';
import { COLON } from './ascii.ts';
import { XmlFault } from './xml-fault.ts';
import type { XmlScanner } from './xml-scanner.ts';

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;

interface SearchedWindow {
  /** Offset in the document of the window's first byte. */
  readonly base: number;
  /** The window is the rest of the document. */
  readonly reachesEnd: boolean;
}

export class EndSearch {
  /** With its colon; empty: the elements have none. */
  readonly #prefix: Uint8Array;
  readonly #scanner: XmlScanner;
  // The window that was searched last. Windows reuse their memory: it is the offset of a window that tells it from others.
  #base = -1;
  #bytes: Uint8Array | null = null;
  #view = newByteView(0);
  /** Offsets in the window after the next `<!` and `<?`, which could hide an end tag. */
  #nextBang = -1;
  #nextQuestion = -1;

  /** `prefix`: that of the elements, without the colon. */
  constructor(scanner: XmlScanner, prefix: Uint8Array) {
    this.#scanner = scanner;
    this.#prefix = prefix.length === 0 ? prefix : concatBytes([prefix, Uint8Array.of(COLON)]);
  }

  /**
   * The offset after the end tag of the element whose start tag was read last, and whose local name is `word`. Throws an XmlFault at
   * the limit of the window if the element does not end in it. `window`: that of the scanner.
   */
  skip(word: Uint8Array, at: number, window: SearchedWindow): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    // The search finds no end tag with another prefix, and would go on to the end of the window for each element.
    if (!scanner.equals(scanner.prefixStart, scanner.nameStart, this.#prefix)) return scanner.skip(at);
    this.#useWindow(window.base);
    const end = this.#end(word, at);
    if (end < 0 && !window.reachesEnd) throw new XmlFault(scanner.limit, 'the file ends here');
    if (this.#nextBang < at) this.#nextBang = this.#markupFrom(BANG, at);
    if (this.#nextQuestion < at) this.#nextQuestion = this.#markupFrom(QUESTION, at);
    if (end <= 0 || Math.min(this.#nextBang, this.#nextQuestion) < end) return scanner.skip(at);
    scanner.depth--;
    return end;
  }

  #useWindow(base: number): void {
    const { bytes, limit } = this.#scanner;
    if (this.#base === base && this.#bytes === bytes && this.#view.length === limit) return;
    this.#base = base;
    this.#bytes = bytes;
    this.#view = byteView(bytes, 0, limit);
    this.#nextBang = -1;
    this.#nextQuestion = -1;
  }

  /**
   * The offset after the next end tag; -1: there is none in the window; 0: another element of that name begins before it. Only
   * the word is searched for: its first byte is much rarer than `<`.
   */
  #end(word: Uint8Array, at: number): number {
    const { bytes } = this.#scanner;
    const prefix = this.#prefix;
    for (;;) {
      const start = this.#view.indexOf(word, at);
      if (start < 0) return -1;
      at = start + word.length;
      const tag = start - prefix.length - 1;
      if (prefix.length > 0 && !this.#scanner.equals(tag + 1, start, prefix)) continue;
      if (bytes[tag] === LESS) return 0;
      if (bytes[tag] === SLASH && bytes[tag - 1] === LESS && bytes[at] === GREATER) return at + 1;
    }
  }

  /** The offset after the next `<` that `byte` follows, or infinity. */
  #markupFrom(byte: number, at: number): number {
    const { bytes } = this.#scanner;
    for (;;) {
      at = this.#view.indexOf(byte, at);
      if (at < 0) return Number.POSITIVE_INFINITY;
      if (bytes[at++ - 1] === LESS) return at;
      while (bytes[at] === byte) at++;
    }
  }
}
