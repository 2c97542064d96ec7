/**
 * A pull scanner for XML on bytes of a window: UTF-8, without document types. It creates no object and no string for an
 * element or a text. The window may end anywhere: a scan that reaches its end throws an XmlFault at or after `limit`, and
 * is repeated from its start in a larger window.
 *
 * Well-formedness is checked as far as it decides what is read: tags, their nesting, attributes, references. Names are
 * local names; prefixes are kept apart and are not resolved to namespaces.
 */
import { CR, LF, QUOTE, SPACE } from './ascii.ts';
import type { ByteWriter } from './byte-writer.ts';
import { asciiSlice } from './number-text.ts';

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const HASH = 0x23;
const BANG = 0x21;
const QUESTION = 0x3f;
const SEMICOLON = 0x3b;
const COLON = 0x3a;
const CLOSE_BRACKET = 0x5d;

/** Greatest depth of elements, length of a name, of a tag and of a text. */
const MAX_DEPTH = 256;
const MAX_NAME_BYTES = 1024;
const MAX_TAG_BYTES = 1 << 24;
/** Bytes of the longest reference, "&#x10FFFF;" with some zeros. */
const MAX_REFERENCE_BYTES = 16;

/** 1: a name ends at the byte; 2: its prefix ends there. */
const NAME_BYTES = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d, SLASH, GREATER, EQUALS, LESS, QUOTE, APOSTROPHE, AMPERSAND])
  NAME_BYTES[byte] = 1;
NAME_BYTES[COLON] = 2;
/** 1: a text cannot be copied on at the byte. */
const ENDS_RUN = new Uint8Array(256);
for (const byte of [LESS, AMPERSAND, CR]) ENDS_RUN[byte] = 1;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const COMMENT = encoder.encode('--');
const CDATA = encoder.encode('[CDATA[');
const DOCTYPE = encoder.encode('DOCTYPE');

/** Stops a scan: either the bytes are wrong, or the window ends. Offsets are those in the window. */
export class XmlFault extends Error {
  /** The byte that is wrong; at or after the window's limit it only means that the window is too small. */
  readonly at: number;
  /** The byte to name in a message. */
  readonly reportAt: number;

  constructor(at: number, reason: string, reportAt = at) {
    super(reason);
    this.at = at;
    this.reportAt = reportAt;
  }
}

export class XmlScanner {
  /** The window, followed by `<`: loops need not look for its end. */
  bytes: Uint8Array<ArrayBufferLike> = Uint8Array.of(LESS);
  limit = 0;
  // The last tag; its name only if it is a start tag:
  tagStart = 0;
  /** Equal to `nameStart` if the name has no prefix; else the colon is before `nameStart`. */
  prefixStart = 0;
  nameStart = 0;
  nameEnd = 0;
  isEnd = false;
  /** A start tag that is its own end tag. */
  isEmpty = false;
  // The last attribute:
  valueStart = 0;
  valueEnd = 0;
  #attributeEnd = 0;
  /** Number of open elements. */
  depth = 0;
  /** Names of the open elements, with prefixes, one after another. */
  #names = new Uint8Array(4096);
  readonly #nameEnds = new Int32Array(MAX_DEPTH + 1);

  /**
   * Reads up to the end of the next tag and returns the offset after it. Text, comments and processing instructions before it
   * are skipped.
   */
  tag(at: number): number {
    const { bytes } = this;
    for (;;) {
      while (bytes[at] !== LESS) at++;
      if (at >= this.limit) throw this.#ended(at);
      const byte = bytes[at + 1];
      if (byte === BANG || byte === QUESTION) at = this.#skipMarkup(at);
      else return byte === SLASH ? this.#endTag(at) : this.#startTag(at);
    }
  }

  /** Offset of the next tag, after text, comments and processing instructions; -1: the window ends before one. */
  find(at: number): number {
    const { bytes } = this;
    for (;;) {
      while (bytes[at] !== LESS) at++;
      if (at >= this.limit) return -1;
      const byte = bytes[at + 1];
      if (byte !== BANG && byte !== QUESTION) return at;
      at = this.#skipMarkup(at);
    }
  }

  /** Enters an element whose start tag is before the window. `name` has its prefix. */
  enter(name: Uint8Array): void {
    const start = this.#nameEnds[this.depth];
    this.#reserveNames(start + name.length);
    this.#names.set(name, start);
    this.#nameEnds[++this.depth] = start + name.length;
  }

  /** The offset after the end tag of the element whose start tag was read last. */
  skip(at: number): number {
    if (this.isEmpty) return at;
    const depth = this.depth - 1;
    while (this.depth > depth) at = this.tag(at);
    return at;
  }

  /** Whether the local name of the last tag is `name`. */
  isNamed(name: Uint8Array): boolean {
    return this.equals(this.nameStart, this.nameEnd, name);
  }

  equals(start: number, end: number, wanted: Uint8Array): boolean {
    if (end - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (this.bytes[start + i] !== wanted[i]) return false;
    return true;
  }

  /** Finds an attribute of the last tag: sets `valueStart` and `valueEnd`. `name` has its prefix. */
  attribute(name: Uint8Array): boolean {
    for (let at = this.nameEnd; ; at = this.valueEnd + 1) {
      const start = this.#attributeAt(at);
      if (start < 0) return false;
      if (this.equals(start, this.#attributeEnd, name)) return true;
    }
  }

  /** Names of the attributes of the last tag, with prefixes; in their order. */
  attributeNames(): string[] {
    const names: string[] = [];
    for (let at = this.nameEnd; ; at = this.valueEnd + 1) {
      const start = this.#attributeAt(at);
      if (start < 0) return names;
      names.push(decoder.decode(this.bytes.subarray(start, this.#attributeEnd)));
    }
  }

  /** Reads the attribute after `at`; returns the offset of its name, or -1. */
  #attributeAt(at: number): number {
    const { bytes } = this;
    while (isSpace(bytes[at])) at++;
    if (bytes[at] === GREATER || bytes[at] === SLASH) return -1;
    const start = at;
    while (NAME_BYTES[bytes[at]] !== 1) at++;
    this.#attributeEnd = at;
    while (bytes[at] !== QUOTE && bytes[at] !== APOSTROPHE) at++;
    const quote = bytes[at++];
    this.valueStart = at;
    while (bytes[at] !== quote) at++;
    this.valueEnd = at;
    return start;
  }

  /** The text of an attribute of the last tag; null: it has none. */
  attributeText(name: Uint8Array, scratch: ByteWriter): string | null {
    if (!this.attribute(name)) return null;
    const start = scratch.length;
    this.appendValue(scratch);
    const text = decoder.decode(scratch.bytes.subarray(start, scratch.length));
    scratch.length = start;
    return text;
  }

  /** Appends the text of the last attribute. */
  appendValue(out: ByteWriter): void {
    const { bytes, valueEnd } = this;
    for (let at = this.valueStart; at < valueEnd; ) {
      if (bytes[at] === AMPERSAND) at = this.#reference(at, out);
      else {
        out.uint8(isSpace(bytes[at]) ? SPACE : bytes[at]);
        at++;
      }
    }
  }

  /**
   * Appends the text of the element whose start tag was read last, and returns the offset after its end tag. Elements
   * inside are part of the text as they are written. White space around the text is left out if it has a line end: it is
   * indentation, unless `keepsSpace` says otherwise.
   */
  text(at: number, out: ByteWriter, keepsSpace = false): number {
    if (this.isEmpty) return at;
    const { bytes } = this;
    if (!keepsSpace) at = this.#skipIndentation(at);
    // Everything before is text, not white space of the file.
    let solid = out.length;
    for (;;) {
      const start = at;
      while (ENDS_RUN[bytes[at]] === 0) at++;
      if (at > start) {
        out.copy(bytes, start, Math.min(at, this.limit));
        let last = at;
        while (last > start && isSpace(bytes[last - 1])) last--;
        if (last > start) solid = out.length - (at - last);
      }
      if (at >= this.limit) throw this.#ended(at);
      if (bytes[at] === AMPERSAND) {
        at = this.#reference(at, out);
        solid = out.length;
      } else if (bytes[at] === CR) {
        if (at + 1 >= this.limit) throw this.#ended(at + 1);
        if (bytes[at + 1] !== LF) out.uint8(LF);
        at++;
      } else if (bytes[at + 1] === BANG && bytes[at + 2] === 0x5b) {
        at = this.#cdata(at, out);
        solid = out.length;
      } else if (bytes[at + 1] === BANG || bytes[at + 1] === QUESTION) at = this.#skipMarkup(at);
      else if (bytes[at + 1] === SLASH) {
        at = this.#endTag(at);
        break;
      } else {
        const from = at;
        at = this.skip(this.#startTag(at));
        out.copy(bytes, from, at);
        solid = out.length;
      }
    }
    for (let i = keepsSpace ? out.length : solid; i < out.length; i++)
      if (out.bytes[i] === LF) {
        out.length = solid;
        break;
      }
    return at;
  }

  /**
   * The end of the text of the element whose start tag was read last, if `text` would take its bytes as they are; `tag` reads
   * its end tag from there. -1: `text` has to read it.
   */
  plainText(at: number): number {
    const { bytes } = this;
    if (this.isEmpty || isSpace(bytes[at])) return -1;
    const start = at;
    while (ENDS_RUN[bytes[at]] === 0) at++;
    if (at >= this.limit || bytes[at] !== LESS || bytes[at + 1] !== SLASH) return -1;
    return at > start && isSpace(bytes[at - 1]) ? -1 : at;
  }

  /** Offset of the first byte from `at` on that is no white space. */
  space(at: number): number {
    while (isSpace(this.bytes[at])) at++;
    return at;
  }

  #skipIndentation(at: number): number {
    const from = at;
    let hasLineEnd = false;
    for (; isSpace(this.bytes[at]); at++) hasLineEnd ||= this.bytes[at] === LF || this.bytes[at] === CR;
    return hasLineEnd ? at : from;
  }

  #startTag(start: number): number {
    const { bytes } = this;
    let at = this.#name(start + 1, start);
    if (bytes[at] !== GREATER) at = this.#attributes(at, start);
    this.isEmpty = bytes[at] === SLASH;
    if (this.isEmpty && bytes[++at] !== GREATER) throw this.#unexpected(at, "'>'");
    if (at >= this.limit) throw this.#ended(at);
    this.tagStart = start;
    this.isEnd = false;
    if (!this.isEmpty) this.#push();
    return at + 1;
  }

  #endTag(start: number): number {
    const { bytes } = this;
    let at = this.#expectedName(start + 2);
    if (bytes[at] === GREATER && at < this.limit) this.depth--;
    else {
      at = this.space(this.#name(start + 2, start));
      if (bytes[at] !== GREATER || at >= this.limit) throw this.#unexpected(at, "'>'");
      this.#pop(start);
    }
    this.tagStart = start;
    this.isEnd = true;
    this.isEmpty = false;
    return at + 1;
  }

  /** The offset after the name of the innermost open element if it is at `at`; else that of the byte before the name. */
  #expectedName(at: number): number {
    const { bytes, depth } = this;
    if (depth === 0) return at - 1;
    const names = this.#names;
    const end = this.#nameEnds[depth];
    const before = at - 1;
    for (let i = this.#nameEnds[depth - 1]; i < end; i++) if (names[i] !== bytes[at++]) return before;
    return at;
  }

  #name(at: number, tagStart: number): number {
    const { bytes } = this;
    const start = at;
    this.prefixStart = at;
    this.nameStart = at;
    while (NAME_BYTES[bytes[at]] === 0) at++;
    while (NAME_BYTES[bytes[at]] !== 1) if (bytes[at++] === COLON) this.nameStart = at;
    if (at >= this.limit) throw this.#ended(at);
    if (at === start)
      throw new XmlFault(at, "'<' begins no tag here; in a text it is written as &lt;", tagStart);
    if (at - start > MAX_NAME_BYTES)
      throw new XmlFault(start, `a name is longer than ${MAX_NAME_BYTES} bytes`);
    this.nameEnd = at;
    return at;
  }

  /** Checks the attributes; returns the offset of `>` or `/`. */
  #attributes(at: number, tagStart: number): number {
    const { bytes } = this;
    for (;;) {
      const before = at;
      at = this.space(at);
      const byte = bytes[at];
      if (at >= this.limit) throw this.#ended(at);
      if (byte === GREATER || byte === SLASH) return at;
      if (at === before) throw this.#unexpected(at, 'white space between attributes');
      while (NAME_BYTES[bytes[at]] !== 1) at++;
      at = this.space(at);
      if (bytes[at] !== EQUALS || at >= this.limit) throw this.#unexpected(at, "'=' and a value in quotes");
      at = this.space(at + 1);
      const quote = bytes[at];
      if ((quote !== QUOTE && quote !== APOSTROPHE) || at >= this.limit)
        throw this.#unexpected(at, 'a value in quotes');
      at++;
      while (bytes[at] !== quote && bytes[at] !== LESS) at++;
      if (at >= this.limit) {
        if (at - tagStart > MAX_TAG_BYTES) throw new XmlFault(tagStart, 'a tag has no end');
        throw this.#ended(at);
      }
      if (bytes[at] === LESS) throw this.#unexpected(at, 'the end of the value in quotes');
      at++;
    }
  }

  /** A comment, a CDATA section or a processing instruction, which begins at `at`. */
  #skipMarkup(at: number): number {
    if (this.bytes[at + 1] === QUESTION) return this.#after(at + 2, QUESTION, GREATER, -1);
    if (this.#startsWith(at + 2, COMMENT)) return this.#after(at + 4, 0x2d, 0x2d, GREATER);
    if (this.#startsWith(at + 2, CDATA)) return this.#after(at + 9, CLOSE_BRACKET, CLOSE_BRACKET, GREATER);
    if (this.#startsWith(at + 2, DOCTYPE))
      throw new XmlFault(
        at,
        'the file has a DOCTYPE, which is not read for safety: remove it, and replace the entities that it defines',
      );
    if (at + 9 >= this.limit) throw this.#ended(this.limit, at);
    throw this.#unexpected(at + 1, 'a tag');
  }

  #cdata(at: number, out: ByteWriter): number {
    if (!this.#startsWith(at + 2, CDATA)) return this.#skipMarkup(at);
    const end = this.#after(at + 9, CLOSE_BRACKET, CLOSE_BRACKET, GREATER);
    const { bytes } = this;
    let from = at + 9;
    const last = end - 3;
    for (let i = from; i < last; i++) {
      if (bytes[i] !== CR) continue;
      out.copy(bytes, from, i);
      if (bytes[i + 1] !== LF || i + 1 === last) out.uint8(LF);
      from = i + 1;
    }
    out.copy(bytes, from, last);
    return end;
  }

  #startsWith(at: number, wanted: Uint8Array): boolean {
    return this.equals(at, at + wanted.length, wanted) && at + wanted.length <= this.limit;
  }

  /** The offset after the next two or three bytes, which end markup. */
  #after(at: number, first: number, second: number, third: number): number {
    const { bytes } = this;
    for (;;) {
      at = bytes.indexOf(first, at);
      if (at < 0 || at + 2 >= this.limit) {
        if (at >= 0 && third < 0 && at + 1 < this.limit && bytes[at + 1] === second) return at + 2;
        throw this.#ended(this.limit);
      }
      if (bytes[at + 1] === second && (third < 0 || bytes[at + 2] === third)) return at + (third < 0 ? 2 : 3);
      at++;
    }
  }

  /** Appends the character of the reference at `at`. */
  #reference(at: number, out: ByteWriter): number {
    const { bytes } = this;
    let end = at + 1;
    while (bytes[end] !== SEMICOLON && end < this.limit && end - at < MAX_REFERENCE_BYTES) end++;
    if (end >= this.limit) throw this.#ended(end);
    const name = bytes[end] === SEMICOLON ? asciiSlice(bytes, at + 1, end) : '';
    const character = bytes[at + 1] === HASH ? numbered(name) : NAMED[name];
    if (character === undefined) {
      const shown = /^[\w#]+$/.test(name) ? `the reference &${name}; is unknown` : 'an & begins no reference';
      throw new XmlFault(at, `${shown}; XML knows &amp; &lt; &gt; &quot; &apos; and numbers such as &#160;`);
    }
    out.utf8(character);
    return end + 1;
  }

  #push(): void {
    if (this.depth >= MAX_DEPTH)
      throw new XmlFault(this.prefixStart, `elements are nested deeper than ${MAX_DEPTH} levels`);
    const start = this.#nameEnds[this.depth];
    const length = this.nameEnd - this.prefixStart;
    this.#reserveNames(start + length);
    for (let i = 0; i < length; i++) this.#names[start + i] = this.bytes[this.prefixStart + i];
    this.#nameEnds[++this.depth] = start + length;
  }

  #reserveNames(length: number): void {
    if (length <= this.#names.length) return;
    const larger = new Uint8Array(Math.max(length, 2 * this.#names.length));
    larger.set(this.#names);
    this.#names = larger;
  }

  #pop(tagStart: number): void {
    const end = this.#nameEnds[this.depth];
    const start = this.depth === 0 ? 0 : this.#nameEnds[this.depth - 1];
    let isSame = this.depth > 0 && end - start === this.nameEnd - this.prefixStart;
    for (let i = start; isSame && i < end; i++)
      isSame = this.#names[i] === this.bytes[this.prefixStart + i - start];
    if (!isSame) {
      const found = this.#shown(this.bytes, this.prefixStart, this.nameEnd);
      const open =
        this.depth === 0 ? 'no element is open' : `<${this.#shown(this.#names, start, end)}> is open`;
      throw new XmlFault(tagStart, `</${found}> ends an element here, but ${open}`);
    }
    this.depth--;
  }

  /** The name of the innermost open element, for messages. */
  openName(): string {
    const end = this.#nameEnds[this.depth];
    return this.depth === 0 ? '' : this.#shown(this.#names, this.#nameEnds[this.depth - 1], end);
  }

  #shown(bytes: Uint8Array, start: number, end: number): string {
    return decoder.decode(bytes.subarray(start, Math.min(end, start + 60)));
  }

  #ended(at: number, reportAt = at): XmlFault {
    return new XmlFault(Math.max(at, this.limit), 'the file ends here', reportAt);
  }

  #unexpected(at: number, wanted: string): XmlFault {
    if (at >= this.limit) return this.#ended(at);
    return new XmlFault(at, `expected ${wanted}`);
  }
}

const NAMED: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});

/** The character of "#160" or "#xA0"; undefined: XML has no such character. */
function numbered(text: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(text);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  const isCharacter =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === 0x09;
}

/** Finds the number of a name among a fixed set without creating a string. */
export class NameTable<Name extends string> {
  readonly #slots: { readonly bytes: Uint8Array; readonly name: Name }[][] = Array.from(
    { length: 256 },
    () => [],
  );

  constructor(names: readonly Name[]) {
    for (const name of names) {
      const bytes = encoder.encode(name);
      this.#slots[slotOf(bytes, 0, bytes.length)].push({ bytes, name });
    }
  }

  /** The name of the scanner's last tag, without its prefix; null: it is not in the table. */
  find({ bytes, nameStart, nameEnd }: XmlScanner): Name | null {
    const slot = this.#slots[slotOf(bytes, nameStart, nameEnd)];
    for (let k = 0; k < slot.length; k++) {
      const wanted = slot[k].bytes;
      if (wanted.length !== nameEnd - nameStart) continue;
      let i = 0;
      while (i < wanted.length && bytes[nameStart + i] === wanted[i]) i++;
      if (i === wanted.length) return slot[k].name;
    }
    return null;
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return (bytes[start] * 7 + bytes[end - 1] * 31 + (end - start) * 13) & 255;
}
