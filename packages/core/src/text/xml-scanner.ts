/**
 * A pull scanner for XML on bytes of a window: UTF-8, without document types. It creates no object and no string for an
 * element or a text. The window may end anywhere: a scan that reaches its end throws an XmlFault at or after `limit`, and
 * is repeated from its start in a larger window.
 *
 * Well-formedness is checked as far as it decides what is read: tags, their nesting, attributes, references. Names are
 * local names; prefixes are kept apart and are not resolved to namespaces.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { CR, LF, QUOTE, SPACE } from './ascii.ts';
import { ended, unexpected, XmlFault } from './xml-fault.ts';
import { appendMarkup, markupEnd } from './xml-markup.ts';
import { MAX_DEPTH, OpenElements, shownName } from './xml-open-elements.ts';
import { appendReference } from './xml-references.ts';
import { type RepeatedTag, RepeatedTags } from './xml-repeated-tags.ts';

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const BANG = 0x21;
const QUESTION = 0x3f;
const COLON = 0x3a;

/** Greatest length of a name, and of a tag. */
const MAX_NAME_BYTES = 1024;
const MAX_TAG_BYTES = 1 << 24;

/** 1: a name ends at the byte; 2: its prefix ends there. */
const NAME_BYTES = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d, SLASH, GREATER, EQUALS, LESS, QUOTE, APOSTROPHE, AMPERSAND])
  NAME_BYTES[byte] = 1;
NAME_BYTES[COLON] = 2;
/** 1: a text cannot be copied on at the byte. */
const ENDS_RUN = new Uint8Array(256);
for (const byte of [LESS, AMPERSAND, CR]) ENDS_RUN[byte] = 1;

const decoder = new TextDecoder();

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
  /** What is known of a start tag that repeats; null: nothing. */
  repeated: RepeatedTag | null = null;
  // The last attribute:
  valueStart = 0;
  valueEnd = 0;
  #attributeCount = 0;
  #attributeStart = 0;
  #attributeEnd = 0;
  readonly #open = new OpenElements();
  readonly #repeated = new RepeatedTags();

  /** Number of open elements. */
  get depth(): number {
    return this.#open.depth;
  }

  /** Leaves, or returns to, elements that were open. */
  set depth(depth: number) {
    this.#open.depth = depth;
  }

  /** The name of the innermost open element, for messages. */
  openName(): string {
    return this.#open.name();
  }

  /**
   * Reads up to the end of the next tag and returns the offset after it. Text, comments and processing instructions before it
   * are skipped.
   */
  tag(at: number): number {
    const { bytes } = this;
    for (;;) {
      while (bytes[at] !== LESS) at++;
      if (at >= this.limit) throw ended(at, this.limit);
      const byte = bytes[at + 1];
      if (byte === BANG || byte === QUESTION) at = markupEnd(bytes, at, this.limit);
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
      at = markupEnd(bytes, at, this.limit);
    }
  }

  /** Enters an element whose start tag is before the window. `name` has its prefix. */
  enter(name: Uint8Array): void {
    this.#open.enter(name, 0, name.length);
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
    for (let at = this.nameEnd; this.attributeAfter(at); at = this.valueEnd + 1)
      if (this.isAttribute(name)) return true;
    return false;
  }

  /** Reads the next attribute of the last tag: from `nameEnd`, or after the `valueEnd` of another one; false: there is none. */
  attributeAfter(at: number): boolean {
    this.#attributeStart = this.#attributeAt(at);
    return this.#attributeStart >= 0;
  }

  /** Whether the last attribute has that name. */
  isAttribute(name: Uint8Array): boolean {
    return this.equals(this.#attributeStart, this.#attributeEnd, name);
  }

  /** Names of the attributes of the last tag, with prefixes; in their order. */
  attributeNames(): string[] {
    const names: string[] = [];
    for (let at = this.nameEnd; this.attributeAfter(at); at = this.valueEnd + 1)
      names.push(decoder.decode(this.bytes.subarray(this.#attributeStart, this.#attributeEnd)));
    return names;
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
      if (bytes[at] === AMPERSAND) at = appendReference(bytes, at, this.limit, out);
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
      if (at >= this.limit) throw ended(at, this.limit);
      if (bytes[at] === AMPERSAND) {
        at = appendReference(bytes, at, this.limit, out);
        solid = out.length;
      } else if (bytes[at] === CR) {
        if (at + 1 >= this.limit) throw ended(at + 1, this.limit);
        if (bytes[at + 1] !== LF) out.uint8(LF);
        at++;
      } else if (bytes[at + 1] === BANG && bytes[at + 2] === 0x5b) {
        at = appendMarkup(bytes, at, this.limit, out);
        solid = out.length;
      } else if (bytes[at + 1] === BANG || bytes[at + 1] === QUESTION) at = markupEnd(bytes, at, this.limit);
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
    const known = this.#repeated.expected(bytes, start);
    if (known === null) return this.#newTag(start);
    this.prefixStart = start + 1;
    this.nameStart = start + known.nameStart;
    this.nameEnd = start + known.nameEnd;
    this.repeated = known;
    if (!known.isWhole) return this.#enter(start, this.#tagEnd(this.nameEnd, start));
    this.isEmpty = known.isEmpty;
    return this.#enter(start, start + known.bytes.length);
  }

  #newTag(start: number): number {
    const { bytes } = this;
    const nameEnd = this.#name(start + 1, start);
    const end = this.#tagEnd(nameEnd, start);
    // Tags with several attributes rarely repeat.
    const isWhole = this.#attributeCount < 2;
    const to = isWhole ? end : nameEnd + 1;
    this.repeated = this.#repeated.add(bytes, start, to, isWhole, this.nameStart, nameEnd, this.isEmpty);
    return this.#enter(start, end);
  }

  /** Checks the attributes; returns the offset after the tag. */
  #tagEnd(at: number, start: number): number {
    const { bytes } = this;
    this.#attributeCount = 0;
    if (bytes[at] !== GREATER) at = this.#attributes(at, start);
    this.isEmpty = bytes[at] === SLASH;
    if (this.isEmpty && bytes[++at] !== GREATER) throw unexpected(at, this.limit, "'>'");
    if (at >= this.limit) throw ended(at, this.limit);
    return at + 1;
  }

  /** Enters the element whose start tag is `[start, end)`. */
  #enter(start: number, end: number): number {
    this.tagStart = start;
    this.isEnd = false;
    if (this.isEmpty) return end;
    if (this.#open.depth >= MAX_DEPTH)
      throw new XmlFault(this.prefixStart, `elements are nested deeper than ${MAX_DEPTH} levels`);
    if (this.repeated === null) this.#open.enter(this.bytes, this.prefixStart, this.nameEnd);
    else this.#open.enterTag(this.repeated);
    return end;
  }

  #endTag(start: number): number {
    const { bytes } = this;
    let at = this.#open.nameEndAt(bytes, start + 2);
    if (at < 0 || bytes[at] !== GREATER || at >= this.limit) at = this.#endTagInFull(start, at);
    this.#open.depth--;
    this.tagStart = start;
    this.isEnd = true;
    this.isEmpty = false;
    return at + 1;
  }

  /** The offset of `>`; `expectedEnd`: that after the name if it is the expected one, else -1. */
  #endTagInFull(start: number, expectedEnd: number): number {
    const at = this.#name(start + 2, start);
    const end = this.space(at);
    if (this.bytes[end] !== GREATER || end >= this.limit) throw unexpected(end, this.limit, "'>'");
    if (at === expectedEnd) return end;
    const found = shownName(this.bytes, this.prefixStart, this.nameEnd);
    const open = this.depth === 0 ? 'no element is open' : `<${this.openName()}> is open`;
    throw new XmlFault(start, `</${found}> ends an element here, but ${open}`);
  }

  #name(at: number, tagStart: number): number {
    const { bytes } = this;
    const start = at;
    this.prefixStart = at;
    this.nameStart = at;
    while (NAME_BYTES[bytes[at]] === 0) at++;
    while (NAME_BYTES[bytes[at]] !== 1) if (bytes[at++] === COLON) this.nameStart = at;
    if (at >= this.limit) throw ended(at, this.limit);
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
      if (at >= this.limit) throw ended(at, this.limit);
      if (byte === GREATER || byte === SLASH) return at;
      this.#attributeCount++;
      if (at === before) throw unexpected(at, this.limit, 'white space between attributes');
      while (NAME_BYTES[bytes[at]] !== 1) at++;
      at = this.space(at);
      if (bytes[at] !== EQUALS || at >= this.limit)
        throw unexpected(at, this.limit, "'=' and a value in quotes");
      at = this.space(at + 1);
      const quote = bytes[at];
      if ((quote !== QUOTE && quote !== APOSTROPHE) || at >= this.limit)
        throw unexpected(at, this.limit, 'a value in quotes');
      at++;
      while (bytes[at] !== quote && bytes[at] !== LESS) at++;
      if (at >= this.limit) {
        if (at - tagStart > MAX_TAG_BYTES) throw new XmlFault(tagStart, 'a tag has no end');
        throw ended(at, this.limit);
      }
      if (bytes[at] === LESS) throw unexpected(at, this.limit, 'the end of the value in quotes');
      at++;
    }
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === 0x09;
}
