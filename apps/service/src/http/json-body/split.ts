/**
 * Splits a JSON body of any size while it is received. The bytes of each document are passed on unchanged, to be stored in a
 * file; the few small other members are kept and parsed.
 *
 *     {"target_geojson": {...}, "append_geojson_list": [{...}, {...}], "output_format": "shp"}
 *                        ^^^^^                          ^^^^^  ^^^^^   documents               config: the rest
 *
 * The service never parses documents. It only searches their quotes and brackets for the end (bytes/json-ends.ts); the reader
 * of the format checks the rest. Everything else must follow RFC 8259. Alternative rejected: a general streaming parser,
 * because it creates a token for every coordinate.
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LOWER_N,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import { byteName, endsLiteral, isSpace, kindOfValue } from '@geomill/core/text/json-bytes.ts';
import { BracketEnd, StringEnd } from '@geomill/core/text/json-ends.ts';
import { type BytePosition, PositionCounter, TEXT_START } from '@geomill/core/text/text-position.ts';
import { httpErrors } from '../errors.ts';
import type { JsonBody, JsonBodyLimits, JsonBodyMembers, JsonBodyPiece } from './body-parts.ts';
import { ConfigCounts, MAX_BODY_MEMBERS } from './config-limits.ts';
import { ConfigScanner } from './config-scanner.ts';
import { ConfigText } from './config-text.ts';

/** The next expected token, apart from white space; in `ValueState`, the rest of the current value. */
type State = PunctuationState | ValueState;
type PunctuationState =
  | 'body'
  | 'first-name'
  | 'next-name'
  | 'colon'
  | 'value'
  | 'after-value'
  | 'first-document'
  | 'next-document'
  | 'after-document'
  | 'nothing';
type ValueState = 'document' | TextState;
type TextState = 'name' | 'literal' | 'string' | 'brackets';

const NO_BYTES = new Uint8Array(0);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const LONGEST_NAME_IN_MESSAGE = 60;

export class JsonBodySplitter {
  readonly #members: JsonBodyMembers;
  readonly #limits: JsonBodyLimits;
  readonly #text: ConfigText;
  readonly #string = new StringEnd();
  readonly #counts: ConfigCounts;
  readonly #scanner: ConfigScanner;
  readonly #document = new BracketEnd((at, reason) => this.#notJson(at, reason));
  readonly #config: [string, unknown][] = [];
  readonly #documentCounts = new Map<string, number>();
  readonly #names = new Set<string>();
  #failure: unknown = null;
  #chunk: Uint8Array = NO_BYTES;
  /** Bytes of the body before the chunk. */
  #bytesBefore = 0;
  #pieces: JsonBodyPiece[] = [];
  #state: State = 'body';
  #markLength = 0;
  /** The current member. */
  #name: string | null = null;
  #role: 'document' | 'list' | 'config' = 'config';
  /** Counts the bytes of the body up to `#counted` of the chunk. */
  #position = new PositionCounter();
  #counted = 0;
  #listLength = 0;
  #documentCount = 0;

  constructor(members: JsonBodyMembers, limits: JsonBodyLimits) {
    this.#members = members;
    this.#limits = limits;
    this.#text = new ConfigText(limits.config.maxBytes);
    this.#counts = new ConfigCounts('the body without its documents', limits.config);
    this.#scanner = new ConfigScanner(this.#text, this.#counts, members.fileParameters, notJson);
  }

  /**
   * Takes the next bytes of the body, in chunks of any size, and returns the pieces that they complete.
   * Throws BODY_NOT_JSON, BODY_MEMBER_INVALID and LIMIT_EXCEEDED; every later call throws the same error.
   */
  push(chunk: Uint8Array): readonly JsonBodyPiece[] {
    if (this.#failure !== null) throw this.#failure;
    const pieces: JsonBodyPiece[] = [];
    this.#chunk = chunk;
    this.#pieces = pieces;
    try {
      for (let at = 0; at < chunk.length; ) at = this.#advance(at);
      this.#countTo(chunk.length);
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#chunk = NO_BYTES;
      this.#pieces = [];
    }
    this.#bytesBefore += chunk.length;
    this.#counted = 0;
    return pieces;
  }

  /** Call this when the body has ended. Throws BODY_TRUNCATED if it is incomplete, or the error of `push`. */
  finish(): JsonBody {
    if (this.#failure !== null) throw this.#failure;
    if (this.#state !== 'nothing') throw this.#truncated();
    // An assignment to '__proto__' would set the prototype; fromEntries creates a member.
    const config: Record<string, unknown> = Object.fromEntries(this.#config);
    if (!this.#scanner.restore(config))
      throw invalidMember('transformations', 'has a parameter that came more than once; send exactly one');
    return { config, documentCounts: this.#documentCounts };
  }

  /** Reads at least the byte at `at`, or begins the value whose first byte it is. Returns the next offset. */
  #advance(at: number): number {
    const state = this.#state;
    if (state === 'document') return this.#continueDocument(at, at);
    if (state === 'name' || state === 'string' || state === 'brackets' || state === 'literal')
      return this.#continueText(state, at);
    if (state === 'body') return this.#beginBody(at);
    if (isSpace(this.#chunk[at])) return at + 1;
    return this.#beginNext(state, at);
  }

  /** Reads the bytes before the first member. */
  #beginBody(at: number): number {
    const byte = this.#chunk[at];
    const offset = this.#bytesBefore + at;
    if (offset === this.#markLength && byte === BYTE_ORDER_MARK[offset]) {
      // It is no column.
      if (++this.#markLength === BYTE_ORDER_MARK.length) {
        this.#position = new PositionCounter({ ...TEXT_START, offset: offset + 1 });
        this.#counted = at + 1;
      }
    } else if (this.#markLength % BYTE_ORDER_MARK.length !== 0)
      throw this.#unexpected(at, 'a byte order mark of UTF-8');
    else if (byte === OPEN_BRACE) this.#state = 'first-name';
    else if (!isSpace(byte)) throw this.#unexpected(at, "'{' (the body must be a JSON object, in UTF-8)");
    return at + 1;
  }

  #beginNext(state: Exclude<PunctuationState, 'body'>, at: number): number {
    const byte = this.#chunk[at];
    switch (state) {
      case 'first-name':
      case 'next-name':
        if (byte === QUOTE) return this.#beginText('name', at);
        if (byte !== CLOSE_BRACE || state === 'next-name')
          throw this.#unexpected(at, 'the name of a member in quotes');
        this.#state = 'nothing';
        return at + 1;
      case 'colon':
        if (byte !== COLON) throw this.#unexpected(at, "':'");
        this.#state = 'value';
        return at + 1;
      case 'value':
        return this.#beginValue(at);
      case 'after-value':
        if (byte !== COMMA && byte !== CLOSE_BRACE) throw this.#unexpected(at, "',' or '}'");
        this.#name = null;
        this.#state = byte === COMMA ? 'next-name' : 'nothing';
        return at + 1;
      case 'first-document':
        return byte === CLOSE_BRACKET ? this.#endList(at) : this.#beginDocument(at);
      case 'next-document':
        return this.#beginDocument(at);
      case 'after-document':
        if (byte === CLOSE_BRACKET) return this.#endList(at);
        if (byte !== COMMA) throw this.#unexpected(at, "',' or ']'");
        this.#state = 'next-document';
        return at + 1;
      default:
        throw this.#unexpected(at, 'the end of the body');
    }
  }

  #beginMember(name: string): void {
    if (this.#names.has(name)) throw invalidMember(clip(name), 'came more than once; send exactly one');
    this.#names.add(name);
    this.#counts.addMember();
    if (this.#names.size > MAX_BODY_MEMBERS)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of members of the body',
        actual: `more than ${MAX_BODY_MEMBERS}`,
        limit: MAX_BODY_MEMBERS,
        setting: 'a fixed limit',
      });
    const { documents, documentLists } = this.#members;
    this.#name = name;
    this.#role = documents.includes(name) ? 'document' : documentLists.includes(name) ? 'list' : 'config';
  }

  #beginValue(at: number): number {
    const byte = this.#chunk[at];
    const kind = kindOfValue(byte);
    if (kind === null) throw this.#unexpected(at, 'a value');
    if (this.#role === 'config' || byte === LOWER_N) {
      if (byte === QUOTE) return this.#beginText('string', at);
      return this.#beginText(byte === OPEN_BRACE || byte === OPEN_BRACKET ? 'brackets' : 'literal', at);
    }
    if (this.#role === 'document') return this.#beginDocument(at);
    if (byte !== OPEN_BRACKET)
      throw invalidMember(this.#path(), `must be a list of JSON objects, not ${kind}`);
    this.#listLength = 0;
    this.#state = 'first-document';
    return at + 1;
  }

  #beginDocument(at: number): number {
    const byte = this.#chunk[at];
    const kind = kindOfValue(byte);
    if (kind === null) throw this.#unexpected(at, 'a value');
    this.#state = 'document';
    const path = this.#path();
    if (byte !== OPEN_BRACE) throw invalidMember(path, `must be a JSON object, not ${kind}`);
    const { maxDocuments, maxDocumentsSetting } = this.#limits;
    if (++this.#documentCount > maxDocuments)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of documents in the body',
        actual: `more than ${maxDocuments}`,
        limit: maxDocuments,
        setting: maxDocumentsSetting,
      });
    const index = this.#role === 'list' ? this.#listLength : null;
    this.#pieces.push({ kind: 'begin', member: this.#name!, index, path });
    this.#document.open(byte);
    return this.#continueDocument(at, at + 1);
  }

  /** `start`: first byte of the chunk that belongs to the document; `at`: first byte that was not scanned yet. */
  #continueDocument(start: number, at: number): number {
    const chunk = this.#chunk;
    const end = this.#document.scan(chunk, at, chunk.length, 0);
    this.#pieces.push({ kind: 'bytes', bytes: chunk.subarray(start, end) });
    if (this.#document.isOpen) return end;
    this.#pieces.push({ kind: 'end' });
    if (this.#role === 'list') {
      this.#listLength++;
      this.#state = 'after-document';
    } else {
      this.#documentCounts.set(this.#name!, 1);
      this.#state = 'after-value';
    }
    return end;
  }

  #endList(at: number): number {
    this.#documentCounts.set(this.#name!, this.#listLength);
    this.#state = 'after-value';
    return at + 1;
  }

  #beginText(state: TextState, at: number): number {
    this.#state = state;
    this.#text.begin(this.#countTo(at));
    if (state === 'literal') return at;
    if (state === 'brackets') {
      this.#scanner.beginMember(this.#name!);
      return at;
    }
    if (this.#text.bytesLeft === 0) throw this.#counts.tooLong();
    this.#text.append(this.#chunk, at, at + 1);
    this.#string.open();
    return at + 1;
  }

  #continueText(state: TextState, start: number): number {
    const chunk = this.#chunk;
    if (state === 'brackets') {
      const end = this.#scanner.scan(chunk, start, chunk.length, this.#pieces);
      if (!this.#scanner.isOpen) this.#endText(state);
      return end;
    }
    // No byte beyond the limit is read, so the error does not depend on the size of the chunks.
    const stop = Math.min(chunk.length, start + this.#text.bytesLeft);
    let end = start;
    let isOpen: boolean;
    if (state === 'literal') {
      while (end < stop && !endsLiteral(chunk[end])) end++;
      isOpen = end === chunk.length || !endsLiteral(chunk[end]);
    } else {
      end = this.#string.scan(chunk, start, stop);
      isOpen = this.#string.isOpen;
    }
    if (isOpen && end < chunk.length) throw this.#counts.tooLong();
    this.#text.append(chunk, start, end);
    if (!isOpen) this.#endText(state);
    return end;
  }

  #endText(state: TextState): void {
    if (state === 'name') {
      this.#beginMember(this.#parse('the name of a member') as string);
      this.#state = 'colon';
      return;
    }
    const name = this.#name!;
    const value = this.#parse(`the value of '${clip(name)}'`);
    // null is the only value of a document member that is kept.
    if (this.#role === 'config') this.#config.push([name, value]);
    this.#state = 'after-value';
  }

  #parse(what: string): unknown {
    return this.#text.parse((position, reason) => notJson(position, `${what} is not valid JSON: ${reason}`));
  }

  /** The position of the byte at `at` of the chunk, which is not before that of an earlier call. */
  #countTo(at: number): BytePosition {
    this.#position.add(this.#chunk.subarray(this.#counted, at));
    this.#counted = at;
    return this.#position.position();
  }

  /** The current value, for messages. */
  #path(): string {
    const isElement = this.#role === 'list' && this.#state === 'document';
    return isElement ? `${this.#name}[${this.#listLength}]` : clip(this.#name!);
  }

  #unexpected(at: number, expected: string): GeomillError {
    const reason = `expected ${expected} but found ${byteName(this.#chunk[at])}`;
    return this.#notJson(at, reason);
  }

  #notJson(at: number, reason: string): GeomillError {
    return notJson(this.#countTo(at), reason);
  }

  #truncated(): GeomillError {
    const offset = this.#bytesBefore;
    const preposition = this.#state === 'after-value' ? 'behind' : 'within';
    const where = this.#name === null ? "before its closing '}'" : `${preposition} '${this.#path()}'`;
    const reason = offset === 0 ? 'it is empty' : `at byte ${offset}, ${where}; send the whole body`;
    return failure(httpErrors.BODY_TRUNCATED, { reason }, { offset });
  }
}

function notJson({ line, column, offset }: BytePosition, reason: string): GeomillError {
  return failure(httpErrors.BODY_NOT_JSON, { line, column, offset, reason }, { line, column, offset });
}

function invalidMember(path: string, reason: string): GeomillError {
  return failure(httpErrors.BODY_MEMBER_INVALID, { path, reason });
}

function clip(name: string): string {
  return name.slice(0, LONGEST_NAME_IN_MESSAGE);
}
