/**
 * Recognises cells in the form in which programs write them, `<c r="B2" s="1" t="s"><v>7</v></c>`, in one scan: without names
 * of open elements and a search for each attribute. Everything else is left to the XML scanner.
 */
import { CR, LF, NINE, QUOTE, SPACE, TAB, ZERO } from '@geomill/core/text/ascii.ts';
import { MAX_COLUMNS } from './column-kinds.ts';

const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const SLASH = 0x2f;
const AMPERSAND = 0x26;
const UNDERSCORE = 0x5f;
const LOWER_C = 0x63;
const LOWER_I = 0x69;
const LOWER_R = 0x72;
const LOWER_S = 0x73;
const LOWER_T = 0x74;
const LOWER_X = 0x78;

/** Kinds of content. */
export const NO_CONTENT = 0;
export const VALUE_CONTENT = 1;
export const TEXT_CONTENT = 2;

const encoder = new TextEncoder();
const OPEN_VALUE = encoder.encode('<v>');
const CLOSE_VALUE = encoder.encode('</v></c>');
const OPEN_TEXT = encoder.encode('<is><t>');
const OPEN_PRESERVED = encoder.encode('<is><t xml:space="preserve">');
const CLOSE_TEXT = encoder.encode('</t></is></c>');
const CLOSE = encoder.encode('</c>');
const STR = encoder.encode('str"');
const INLINE = encoder.encode('inlineStr"');

/** 1: a text is not its bytes as they are from the byte on; the underscore can begin "_x000D_". */
const ENDS_TEXT = new Uint8Array(256);
for (const byte of [LESS, AMPERSAND, CR, UNDERSCORE]) ENDS_TEXT[byte] = 1;

/** The type of cells that are texts themselves, as `t="str"`; other types are the first byte of their name, 0 if there is none. */
export const STR_TYPE = 1;

export class PlainCell {
  /** -1: the cell has no reference. */
  column = -1;
  type = 0;
  /** Number of the style; -1: the cell has none. */
  style = -1;
  content = NO_CONTENT;
  /** The content. */
  start = 0;
  end = 0; // exclusive
  /** The offset after the cell. */
  after = 0;

  /**
   * Whether a plain cell begins at `at`. `bytes` are those of an XmlScanner: what is found is before its limit, because a
   * window ends with '<', which is part of none of the texts compared here but as their first byte.
   */
  read(bytes: Uint8Array, at: number): boolean {
    if (bytes[at] !== LESS || bytes[at + 1] !== LOWER_C) return false;
    this.column = -1;
    this.type = 0;
    this.style = -1;
    at += 2;
    while (bytes[at] === SPACE) {
      if (bytes[at + 2] !== EQUALS || bytes[at + 3] !== QUOTE) return false;
      const name = bytes[at + 1];
      at =
        name === LOWER_R
          ? this.#reference(bytes, at + 4)
          : name === LOWER_S
            ? this.#style(bytes, at + 4)
            : name === LOWER_T
              ? this.#type(bytes, at + 4)
              : -1;
      if (at < 0) return false;
    }
    if (bytes[at] === SLASH) {
      this.content = NO_CONTENT;
      this.after = at + 2;
      return bytes[at + 1] === GREATER;
    }
    return bytes[at] === GREATER && this.#content(bytes, at + 1);
  }

  #content(bytes: Uint8Array, at: number): boolean {
    if (isAt(bytes, at, OPEN_VALUE)) {
      this.content = VALUE_CONTENT;
      return this.#text(bytes, at + OPEN_VALUE.length, CLOSE_VALUE) && !this.#hasEdgeSpace(bytes);
    }
    if (isAt(bytes, at, OPEN_TEXT)) {
      this.content = TEXT_CONTENT;
      return this.#text(bytes, at + OPEN_TEXT.length, CLOSE_TEXT);
    }
    if (isAt(bytes, at, OPEN_PRESERVED)) {
      this.content = TEXT_CONTENT;
      return this.#text(bytes, at + OPEN_PRESERVED.length, CLOSE_TEXT);
    }
    this.content = NO_CONTENT;
    this.after = at + CLOSE.length;
    return isAt(bytes, at, CLOSE);
  }

  #text(bytes: Uint8Array, at: number, close: Uint8Array): boolean {
    this.start = at;
    while (ENDS_TEXT[bytes[at]] === 0 || (bytes[at] === UNDERSCORE && bytes[at + 1] !== LOWER_X)) at++;
    this.end = at;
    this.after = at + close.length;
    return isAt(bytes, at, close);
  }

  #hasEdgeSpace(bytes: Uint8Array): boolean {
    return isSpace(bytes[this.start]) || isSpace(bytes[this.end - 1]);
  }

  /** The offset after the value of the attribute, as those below; -1: it is no plain one. */
  #reference(bytes: Uint8Array, at: number): number {
    let column = 0;
    for (; bytes[at] >= 0x41 && bytes[at] <= 0x5a && column <= MAX_COLUMNS; at++)
      column = column * 26 + bytes[at] - 0x40;
    const digits = at;
    while (isDigit(bytes[at])) at++;
    this.column = column - 1;
    return column > 0 && column <= MAX_COLUMNS && at > digits && bytes[at] === QUOTE ? at + 1 : -1;
  }

  #style(bytes: Uint8Array, at: number): number {
    let style = 0;
    const digits = at;
    for (; isDigit(bytes[at]) && at - digits < 9; at++) style = style * 10 + bytes[at] - ZERO;
    this.style = style;
    return at > digits && bytes[at] === QUOTE ? at + 1 : -1;
  }

  #type(bytes: Uint8Array, at: number): number {
    this.type = bytes[at];
    if (bytes[at + 1] === QUOTE) return at + 2;
    if (isAt(bytes, at, INLINE)) {
      this.type = LOWER_I;
      return at + INLINE.length;
    }
    this.type = STR_TYPE;
    return isAt(bytes, at, STR) ? at + STR.length : -1;
  }
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
const isSpace = (byte: number): boolean => byte === SPACE || byte === LF || byte === TAB;
