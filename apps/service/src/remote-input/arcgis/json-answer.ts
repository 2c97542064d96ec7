/** Answers of a server: JSON texts of limited size, in memory, of which only the members that are needed become objects. */
import { failure } from '@geomill/core/messages/errors.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { remoteInputErrors } from '../errors.ts';

/** Largest member that becomes an object, such as the fields of a layer. */
const MAX_PARSED_BYTES = 4 * 1024 * 1024;
const MAX_MEMBERS = 1000;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Where a value is in the bytes of an answer: `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export class JsonAnswer {
  readonly #host: string;
  readonly #request: string;
  readonly #scanner = new JsonScanner();
  readonly #members: ReadonlyMap<string, Range>;

  /**
   * `bytes`: the answer and a zero byte. `host`: for messages. Throws SERVICE_ANSWER_INVALID if it is not one JSON object, and
   * SERVICE_ERROR if it is the document of an error, which servers send with status 200. `secrets`: removed from its message.
   * `request`: for messages.
   */
  constructor(bytes: Buffer<ArrayBuffer>, host: string, secrets: readonly string[], request: string) {
    this.#host = host;
    this.#request = request;
    this.#scanner.bytes = bytes;
    this.#scanner.limit = bytes.length - 1;
    this.#members = this.#scanned(() => this.#scanMembers());
    this.#refuseError(secrets);
  }

  /** The bytes of a member; null if the member is missing or null. */
  range(name: string): Range | null {
    const range = this.#members.get(name) ?? null;
    return range === null || this.text(range) === 'null' ? null : range;
  }

  /** The value of a member; null if it is missing. Throws SERVICE_ANSWER_INVALID if it is large. */
  value(name: string): unknown {
    const range = this.range(name);
    if (range === null) return null;
    if (range.end - range.start > MAX_PARSED_BYTES)
      throw this.invalid(`its '${name}' is larger than ${MAX_PARSED_BYTES} bytes`);
    return JSON.parse(this.bytes(range).toString());
  }

  bytes({ start, end }: Range): Buffer {
    return (this.#scanner.bytes as Buffer<ArrayBuffer>).subarray(start, end);
  }

  /** Short values only; of others, the beginning. */
  text({ start, end }: Range): string {
    return this.bytes({ start, end: Math.min(end, start + 100) }).toString();
  }

  /** The number at `start`; null: there is another value. */
  integer(start: number): number | null {
    const scanner = this.#scanner;
    const byte = scanner.bytes[start];
    if (byte !== 0x2d && (byte < 0x30 || byte > 0x39)) return null;
    const value = this.#scanned(() => scanner.number(start));
    return scanner.isInteger && Number.isSafeInteger(value) ? value : null;
  }

  /** Calls `take` with each element of the array at `start`; returns the range between its brackets, without white space. */
  elements(name: string, take: (element: Range) => void): Range {
    const range = this.range(name);
    const scanner = this.#scanner;
    if (range === null || scanner.bytes[range.start] !== OPEN_BRACKET)
      throw this.invalid(`it has no array '${name}'`);
    const first = scanner.space(range.start + 1);
    let at = first;
    if (scanner.bytes[at] === CLOSE_BRACKET) return { start: at, end: at };
    for (;;) {
      const end = scanner.skip(at, 2);
      take({ start: at, end });
      at = scanner.space(end);
      if (scanner.bytes[at] === CLOSE_BRACKET) return { start: first, end };
      at = scanner.space(at + 1);
    }
  }

  /** The value of a member of the object at `start`; null: it has none, or there is no object. `name`: as JSON in UTF-8. */
  member(start: number, name: Uint8Array): Range | null {
    const scanner = this.#scanner;
    if (scanner.bytes[start] !== OPEN_BRACE) return null;
    let at = scanner.space(start + 1);
    while (scanner.bytes[at] === QUOTE) {
      const nameEnd = scanner.string(at);
      const valueStart = scanner.punctuation(nameEnd + 1, COLON);
      const end = scanner.skip(valueStart, 3);
      if (scanner.equals(at + 1, nameEnd, name)) return { start: valueStart, end };
      at = scanner.space(end);
      if (scanner.bytes[at] !== COMMA) return null;
      at = scanner.space(at + 1);
    }
    return null;
  }

  invalid(reason: string): Error {
    return failure(remoteInputErrors.SERVICE_ANSWER_INVALID, {
      host: this.#host,
      request: this.#request,
      reason,
    });
  }

  #scanMembers(): ReadonlyMap<string, Range> {
    const scanner = this.#scanner;
    const { bytes, limit } = scanner;
    const members = new Map<string, Range>();
    const hasMark = BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
    let at = scanner.space(hasMark ? BYTE_ORDER_MARK.length : 0);
    if (bytes[at] !== OPEN_BRACE) throw this.invalid('it is not a JSON object, perhaps a page for browsers');
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACE || members.size > 0) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      const nameEnd = scanner.string(at);
      const start = scanner.punctuation(nameEnd + 1, COLON);
      const end = scanner.skip(start, 1);
      if (members.size === MAX_MEMBERS) throw this.invalid(`it has more than ${MAX_MEMBERS} members`);
      members.set(scanner.text(at + 1, Math.min(nameEnd, at + 101)), { start, end });
      at = scanner.space(end);
      if (bytes[at] === CLOSE_BRACE) break;
      at = scanner.punctuation(at, COMMA);
    }
    if (scanner.space(at + 1) < limit) throw this.invalid('there is text after its JSON object');
    return members;
  }

  #scanned<T>(scan: () => T): T {
    try {
      return scan();
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      const { limit } = this.#scanner;
      const reason = error.at >= limit ? 'its JSON is cut off' : `at byte ${error.at}: ${error.message}`;
      throw this.invalid(reason);
    }
  }

  #refuseError(secrets: readonly string[]): void {
    if (this.range('error') === null) return;
    const error = this.value('error');
    const { code, message, details } = typeof error === 'object' ? (error as Record<string, unknown>) : {};
    const texts = [message, ...(Array.isArray(details) ? details.slice(0, 3) : [])].filter(
      (text) => typeof text === 'string' && text !== '',
    );
    const all = [...new Set(texts)].join(' ') || (typeof error === 'string' ? error : 'no message');
    throw failure(remoteInputErrors.SERVICE_ERROR, {
      host: this.#host,
      request: this.#request,
      status: typeof code === 'number' ? code : 'unknown',
      message: shortText(withoutSecrets(all, secrets)),
    });
  }
}

/** The message may repeat the URL. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (rest, secret) => rest.replaceAll(secret, '...').replaceAll(encodeURIComponent(secret), '...'),
    text,
  );
}
