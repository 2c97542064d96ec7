/**
 * Scans the bytes of a config before they are parsed, in chunks of any size. It checks their limits and extracts large file
 * parameters of steps, which are stored as files. The remaining text is parsed afterwards.
 *
 *     {"output_format": "shp", "transformations": [{"type": "clip", "params": {"clipping_geojson": {...}}}]}
 *                                                                                                  ^^^^^ a file
 *
 * The transformations define which parameters are files. An extracted parameter is replaced by a text that is generated for
 * this request, so that no client can send it; `restore` finds the parameter by it.
 */
import { randomUUID } from 'node:crypto';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import { isSpace } from '@geomill/core/text/json-bytes.ts';
import {
  BracketEnd,
  MAX_DEPTH,
  mismatch,
  StringEnd,
  TO_CLOSING,
  TOO_DEEP,
} from '@geomill/core/text/json-ends.ts';
import { StepFile } from '@geomill/operations/requested-steps.ts';
import type { JsonBodyPiece } from './body-parts.ts';
import type { ConfigCounts } from './config-limits.ts';
import type { ConfigText, GapCounter, SyntaxFailure } from './config-text.ts';

/** The config member with the steps, and the step member that may contain the parameters. */
const STEPS_MEMBER = 'transformations';
const PARAMETERS_MEMBER = 'params';

/** The meaning of an open object or array. */
const ROLE = { other: 0, config: 1, steps: 2, step: 3, parameters: 4 } as const;
type Role = (typeof ROLE)[keyof typeof ROLE];

/** Longest name in bytes that is compared with the wanted ones, even if each character is escaped. */
const MAX_KEY_BYTES = 512;
const OTHER_TOKEN = 0;
const decoder = new TextDecoder();

/** A file parameter that is being read. */
interface OpenFile {
  readonly path: string;
  readonly maxInline: number;
  /** Its bytes so far; null once it has been extracted. */
  buffer: Uint8Array | null;
  byteLength: number;
  /** Counts its bytes once it has been extracted. */
  replaced: GapCounter | null;
}

/** Thrown within this module, until the position is known. */
class BracketError extends Error {
  /** In the current chunk. */
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

export class ConfigScanner {
  readonly #text: ConfigText;
  readonly #counts: ConfigCounts;
  readonly #fileParameters: ReadonlySet<string>;
  /** Lengths of the wanted names, with quotes; their characters are ASCII. */
  readonly #keyLengths: ReadonlySet<number>;
  readonly #notJson: SyntaxFailure;
  readonly #string = new StringEnd();
  readonly #closing = new Uint8Array(MAX_DEPTH + 1);
  readonly #roles = new Uint8Array(MAX_DEPTH + 1);
  readonly #fileEnd = new BracketEnd((at, reason) => new BracketError(at, reason));
  readonly #nonce = randomUUID();
  /** Extracted parameters by the text that replaces them. */
  readonly #lifted = new Map<string, StepFile>();
  #depth = 0;
  #outerRole: Role = ROLE.config;
  /** The punctuation before the current byte, or OTHER_TOKEN. */
  #before = OTHER_TOKEN;
  #stepIndex = 0;
  #key = '';
  /** Bytes of the current name, with its quotes; bytes beyond the buffer are only counted. */
  readonly #keyBytes = new Uint8Array(MAX_KEY_BYTES);
  #keyLength = 0;
  #isKey = false;
  #file: OpenFile | null = null;
  #inlineLeft: number;

  constructor(
    text: ConfigText,
    counts: ConfigCounts,
    fileParameters: ReadonlySet<string>,
    notJson: SyntaxFailure,
  ) {
    this.#text = text;
    this.#counts = counts;
    this.#fileParameters = fileParameters;
    const names = [STEPS_MEMBER, PARAMETERS_MEMBER, ...fileParameters];
    this.#keyLengths = new Set(names.map((name) => name.length + 2));
    this.#notJson = notJson;
    this.#inlineLeft = counts.limits.maxInlineFiles;
  }

  /** Whether an object, array or string has begun and not ended. */
  get isOpen(): boolean {
    return this.#depth > 0 || this.#string.isOpen || this.#file !== null;
  }

  /** Call this before the first byte of a value that is a member of the config. */
  beginMember(name: string): void {
    this.#outerRole = name === STEPS_MEMBER ? ROLE.steps : ROLE.other;
    this.#before = OTHER_TOKEN;
  }

  /**
   * Scans `bytes` from `at` to `end` (exclusive) and keeps them. Returns the offset after the bracket that closes the first
   * one, or `end`. Throws LIMIT_EXCEEDED and the errors of `notJson`. No byte beyond a limit is read, so the error does not
   * depend on the size of the chunks.
   */
  scan(bytes: Uint8Array, from: number, end: number, pieces: JsonBodyPiece[]): number {
    let at = from;
    let kept = from;
    while (at < end) {
      if (this.#file !== null) {
        at = this.#continueFile(this.#file, bytes, at, end, pieces);
        kept = at;
        continue;
      }
      const stop = Math.min(end, kept + this.#text.bytesLeft);
      if (at === stop) throw this.#counts.tooLong();
      if (this.#string.isOpen) {
        at = this.#continueString(bytes, at, stop);
        continue;
      }
      const byte = bytes[at];
      if (byte === OPEN_BRACE && this.#isFileNext()) {
        this.#text.append(bytes, kept, at);
        this.#beginFile();
        continue;
      }
      const wrong = this.#takeByte(byte);
      at++;
      if (wrong !== null) {
        this.#text.append(bytes, kept, at);
        throw this.#refuse(wrong, this.#text.byteLength - 1);
      }
      if (this.#depth === 0 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) break;
    }
    this.#text.append(bytes, kept, at);
    return at;
  }

  /** Call this after the last byte of a source: a parameter that has not ended becomes part of the text, to be reported. */
  end(): void {
    const file = this.#file;
    if (file !== null && file.buffer !== null)
      this.#text.appendUncounted(file.buffer.subarray(0, file.byteLength));
  }

  /**
   * Puts the extracted parameters back into the steps of the parsed config. Returns false if an extracted value is missing
   * because its name occurred again.
   */
  restore(config: unknown): boolean {
    const steps = isObject(config) && Object.hasOwn(config, STEPS_MEMBER) ? config[STEPS_MEMBER] : null;
    let found = 0;
    for (const step of Array.isArray(steps) ? steps : []) {
      for (const parameters of [step, step?.[PARAMETERS_MEMBER]])
        for (const name of this.#fileParameters) {
          if (!isObject(parameters) || !Object.hasOwn(parameters, name)) continue;
          const file = this.#lifted.get(parameters[name] as string);
          if (file === undefined) continue;
          parameters[name] = file;
          found++;
        }
    }
    return found === this.#lifted.size;
  }

  /** What is wrong with it, or null. */
  #takeByte(byte: number): string | null {
    switch (byte) {
      case QUOTE:
        this.#string.open();
        this.#isKey = this.#isNameNext();
        this.#keyBytes[0] = QUOTE;
        this.#keyLength = 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (this.#depth === MAX_DEPTH) return TOO_DEEP;
        this.#open(byte);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#depth === 0 || byte !== this.#closing[this.#depth])
          return mismatch(this.#depth === 0 ? OPEN_BRACE : this.#closing[this.#depth], byte);
        this.#depth--;
        break;
      case COMMA:
        if (this.#closing[this.#depth] === CLOSE_BRACKET) this.#counts.addElement();
        if (this.#roles[this.#depth] === ROLE.steps) this.#stepIndex++;
        break;
      case COLON:
        this.#counts.addMember();
        break;
      default:
        if (isSpace(byte)) return null;
        this.#before = OTHER_TOKEN;
        return null;
    }
    this.#before = byte;
    return null;
  }

  /**
   * The error for a bracket that is wrong for `reason`, at byte `offset` of the text. An earlier error is reported instead,
   * because it is the cause: after a missing quote, for example, the brackets of texts count.
   */
  #refuse(reason: string, offset: number): Error {
    const earlier = this.#text.syntaxError();
    if (earlier !== null && !earlier.isEnd) return this.#notJson(earlier.position, earlier.reason);
    return this.#notJson(this.#text.positionAt(offset), reason);
  }

  #open(byte: number): void {
    // A list of one element has no comma.
    if (byte === OPEN_BRACKET) this.#counts.addElement();
    const role = this.#roleOf(byte);
    this.#roles[++this.#depth] = role;
    this.#closing[this.#depth] = byte + TO_CLOSING;
    if (role === ROLE.steps) this.#stepIndex = 0;
  }

  #roleOf(byte: number): Role {
    const isObject = byte === OPEN_BRACE;
    if (this.#depth === 0) {
      const fits = this.#outerRole === ROLE.config ? isObject : !isObject;
      return fits ? this.#outerRole : ROLE.other;
    }
    const isMember = this.#before === COLON;
    switch (this.#roles[this.#depth]) {
      case ROLE.config:
        return isMember && !isObject && this.#key === STEPS_MEMBER ? ROLE.steps : ROLE.other;
      case ROLE.steps:
        return isObject ? ROLE.step : ROLE.other;
      case ROLE.step:
        return isMember && isObject && this.#key === PARAMETERS_MEMBER ? ROLE.parameters : ROLE.other;
      default:
        return ROLE.other;
    }
  }

  /** Whether a string that begins now is a name to compare. */
  #isNameNext(): boolean {
    const role = this.#roles[this.#depth];
    const isOfInterest = role === ROLE.config || role === ROLE.step || role === ROLE.parameters;
    return this.#depth > 0 && isOfInterest && (this.#before === OPEN_BRACE || this.#before === COMMA);
  }

  #continueString(bytes: Uint8Array, from: number, stop: number): number {
    const at = this.#string.scan(bytes, from, stop);
    if (this.#isKey) {
      const room = MAX_KEY_BYTES - this.#keyLength;
      if (room > 0) this.#keyBytes.set(bytes.subarray(from, Math.min(at, from + room)), this.#keyLength);
      this.#keyLength += at - from;
    }
    if (this.#string.isOpen) return at;
    this.#before = OTHER_TOKEN;
    if (this.#isKey) this.#key = this.#readKey();
    this.#isKey = false;
    return at;
  }

  /** The name if it is one of the wanted ones; most others differ in length. */
  #readKey(): string {
    const length = this.#keyLength;
    if (length > MAX_KEY_BYTES) return '';
    const bytes = this.#keyBytes.subarray(0, length);
    return this.#keyLengths.has(length) || bytes.includes(BACKSLASH) ? textOf(bytes) : '';
  }

  #isFileNext(): boolean {
    const role = this.#roles[this.#depth];
    return (
      this.#before === COLON &&
      (role === ROLE.step || role === ROLE.parameters) &&
      this.#depth > 0 &&
      this.#fileParameters.has(this.#key)
    );
  }

  #beginFile(): void {
    const inner = this.#roles[this.#depth] === ROLE.parameters ? `.${PARAMETERS_MEMBER}` : '';
    const maxInline = Math.min(this.#counts.limits.maxInlineFile, this.#inlineLeft);
    this.#file = {
      path: `${STEPS_MEMBER}[${this.#stepIndex}]${inner}.${this.#key}`,
      maxInline,
      buffer: new Uint8Array(maxInline),
      byteLength: 0,
      replaced: null,
    };
    this.#before = OTHER_TOKEN;
  }

  #continueFile(
    file: OpenFile,
    bytes: Uint8Array,
    from: number,
    end: number,
    pieces: JsonBodyPiece[],
  ): number {
    if (file.buffer !== null && file.byteLength === file.maxInline) this.#lift(file, file.buffer, pieces);
    const stop = file.buffer === null ? end : Math.min(end, from + file.maxInline - file.byteLength);
    let at = from;
    if (file.byteLength === 0) this.#fileEnd.open(bytes[at++]);
    try {
      at = this.#fileEnd.scan(bytes, at, stop, 0);
    } catch (error) {
      throw error instanceof BracketError ? this.#refuseInFile(file, bytes, from, error) : error;
    }
    file.byteLength += at - from;
    file.replaced?.add(bytes.subarray(from, at));
    if (file.buffer === null) pieces.push({ kind: 'bytes', bytes: bytes.subarray(from, at) });
    else file.buffer.set(bytes.subarray(from, at), file.byteLength - (at - from));
    if (this.#fileEnd.isOpen) return at;
    if (file.buffer === null) pieces.push({ kind: 'end' });
    else {
      this.#inlineLeft -= file.byteLength;
      this.#text.appendUncounted(file.buffer.subarray(0, file.byteLength));
    }
    this.#file = null;
    return at;
  }

  /** The error for a bracket at `at` of the chunk, of which the bytes from `from` on belong to the file. */
  #refuseInFile(file: OpenFile, bytes: Uint8Array, from: number, { at, message }: BracketError): Error {
    if (file.buffer === null) {
      file.replaced?.add(bytes.subarray(from, at));
      return this.#refuse(message, this.#text.byteLength);
    }
    this.#text.appendUncounted(file.buffer.subarray(0, file.byteLength));
    this.#text.appendUncounted(bytes.subarray(from, at + 1));
    return this.#refuse(message, this.#text.byteLength - 1);
  }

  #lift(file: OpenFile, buffer: Uint8Array, pieces: JsonBodyPiece[]): void {
    const placeholder = `${this.#nonce}:${this.#lifted.size}`;
    this.#lifted.set(placeholder, new StepFile(file.path));
    file.replaced = this.#text.replace(JSON.stringify(placeholder));
    file.replaced.add(buffer);
    pieces.push({ kind: 'begin-step-file', path: file.path });
    if (buffer.length > 0) pieces.push({ kind: 'bytes', bytes: buffer });
    file.buffer = null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The text of a JSON string; '' if it is not a valid one. */
function textOf(bytes: Uint8Array): string {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return '';
  }
}
