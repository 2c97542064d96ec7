/** Reads a large XML part in windows, element by element. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import { startOf } from './xml-part.ts';

const WINDOW_BYTES = 1 << 22;
/** One element, such as a row, is held in memory as a whole. */
const MAX_ELEMENT_BYTES = 128 << 20;

/**
 * Reads what belongs to the tag that was read last, and returns the offset after it. If the window ends before, it throws
 * an XmlFault and is called again with a larger window: until then it must change nothing. A negative offset ends the reading.
 */
export type ElementStep = (scanner: XmlScanner, at: number) => number;

export class XmlParts {
  readonly #source: ByteSource;
  readonly #window: XmlWindow;

  constructor(source: ByteSource, name: string) {
    this.#source = source;
    this.#window = new XmlWindow(source, name);
  }

  /** Offset in the source of the current window. */
  get base(): number {
    return this.#window.base;
  }

  /**
   * Calls `step` after each tag, until the root element ends. Throws XML_SYNTAX and LIMIT_EXCEEDED. `from`: an offset
   * inside these elements, of which the root is the first; their names have their prefixes.
   */
  read(step: ElementStep, from = 0, open: readonly Uint8Array[] = []): void {
    const window = this.#window;
    const { scanner } = window;
    window.load(from, from + WINDOW_BYTES);
    for (const name of open) scanner.enter(name);
    let at = from === 0 ? startOf(scanner) : 0;
    let isBegun = open.length > 0;
    while (!isBegun || scanner.depth > 0) {
      const { depth } = scanner;
      try {
        const next = step(scanner, scanner.tag(at));
        isBegun = true;
        if (next < 0) return;
        at = next;
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        if (!window.needsMore(fault)) throw window.failureOf(fault);
        scanner.depth = depth;
        window.checkEncoding(at);
        this.#loadFrom(at);
        at = 0;
      }
    }
    window.checkEncoding(at);
  }

  #loadFrom(at: number): void {
    const { scanner, base } = this.#window;
    const start = base + at;
    const rest = scanner.limit - at;
    if (rest > MAX_ELEMENT_BYTES)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the length of one row or text in bytes',
        actual: rest,
        limit: MAX_ELEMENT_BYTES,
        setting: 'a fixed limit',
      });
    this.#window.load(start, Math.min(this.#source.byteLength, start + Math.max(WINDOW_BYTES, 2 * rest)));
  }
}
