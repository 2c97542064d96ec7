/**
 * Reads the elements of a JSON array that begin in one partition. The scan keeps its current state (`phase`) and its start
 * (`resumeAt`), so that a scan that reaches the end of the window can be resumed in a larger one.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, QUOTE } from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { JsonWindow } from './json-window.ts';

/** Bytes read after the partition's end with the first read: most elements that begin before it end within them. */
const OVERLAP_BYTES = 1 << 16;

type ElementPhase = 'element' | 'separator' | 'tail' | 'end';

export abstract class JsonElements<OwnPhase extends string = never> {
  protected readonly window: JsonWindow;
  protected readonly scanner: JsonScanner;
  /** Offsets in the file. */
  protected readonly partition: { readonly start: number; readonly end: number };
  protected phase: ElementPhase | OwnPhase;
  protected resumeAt = 0;
  readonly #parser: { readonly rowCount: number; rollback(): void };

  /** `parser` writes the elements; `rollback` removes the incomplete one. */
  constructor(
    window: JsonWindow,
    partition: { readonly start: number; readonly end: number },
    parser: { readonly rowCount: number; rollback(): void },
    phase: ElementPhase | OwnPhase,
  ) {
    this.window = window;
    this.scanner = window.scanner;
    this.partition = partition;
    this.phase = phase;
    this.#parser = parser;
  }

  /** One phase or more; the offset of the next element after the end, or -1 if the scan goes on. */
  protected abstract scan(): number;

  /** Reads the element at `at`; returns the position after it. */
  protected abstract element(at: number): number;

  /** Called with the position of the bracket after the last element. */
  protected abstract endArray(at: number): void;

  /** For messages: whether a fault in this phase is in an element. */
  protected abstract get isInElement(): boolean;

  /** `startsArray`: the partition starts after the opening bracket, so the array may be empty. */
  protected scanPartition(startsArray: boolean): number {
    const { window, scanner } = this;
    window.load(this.partition.start, this.partition.end + OVERLAP_BYTES);
    if (startsArray) {
      const first = scanner.space(0);
      if (scanner.bytes[first] === CLOSE_BRACKET) this.endArray(first);
    }
    for (;;) {
      try {
        const next = this.scan();
        if (next >= 0) return next;
      } catch (fault) {
        if (!(fault instanceof JsonFault)) throw fault;
        if (!window.needsMore(fault))
          throw window.failureOf(fault, this.isInElement ? { record: this.#parser.rowCount + 1 } : {});
        this.#parser.rollback();
        window.grow(this.resumeAt);
        this.resumeAt = 0;
      }
    }
  }

  /**
   * Reads elements and the commas between them. Returns the offset of the first element after the end, -1 after `]`.
   * `expected`: what should follow a comma.
   */
  protected elements(expected: string): number {
    const { scanner } = this;
    const endAt = this.partition.end - this.window.base;
    let at = this.resumeAt;
    if (this.phase === 'element') at = scanner.space(at);
    for (;;) {
      if (this.phase === 'element') {
        at = this.element(at);
        this.phase = 'separator';
        this.resumeAt = at;
      }
      if (scanner.bytes[at] !== COMMA) {
        at = scanner.space(at);
        if (scanner.bytes[at] === CLOSE_BRACKET) {
          this.endArray(at);
          return -1;
        }
        if (scanner.bytes[at] !== COMMA) throw scanner.unexpected(at, "',' or ']'");
      }
      at = scanner.punctuation(at, COMMA);
      if (at >= scanner.limit) throw scanner.unexpected(at, expected);
      if (at >= endAt) return this.window.base + at;
      this.phase = 'element';
      this.resumeAt = at;
    }
  }

  /** Reads the members after the elements, up to the end of the object; `member` reads one, its key at `at`. */
  protected members(member: (at: number) => number): void {
    const { scanner } = this;
    let at = scanner.space(this.resumeAt);
    while (scanner.bytes[at] === COMMA) {
      at = scanner.punctuation(at, COMMA);
      if (scanner.bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      at = scanner.space(member(at));
    }
    if (scanner.bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    this.phase = 'end';
    this.resumeAt = at + 1;
  }

  /** Only white space may follow, up to the end of the file. */
  protected endOfFile(): void {
    const { scanner } = this;
    const at = scanner.space(this.resumeAt);
    this.resumeAt = at;
    if (at < scanner.limit) throw scanner.fault(at, 'there is text after the end of the JSON');
    if (!this.window.reachesEnd) throw scanner.unexpected(at, 'the end of the file');
  }
}
