/**
 * Reads the bytes of a config before anything parses them, in chunks cut anywhere: holds them against their limits, and
 * lifts large file parameters of steps out of them, to be stored as files. What is kept is parsed afterwards.
 *
 *     {"output_format": "shp", "transformations": [{"type": "clip", "params": {"clipping_geojson": {...}}}]}
 *                                                                                                  ^^^^^ a file
 *
 * Which parameters are such is for the transformations to say; they are looked for where steps have parameters. In the
 * place of a lifted one stands a text that nobody can send, as it is made for this request; `restore` finds it there.
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
} from '../../bytes/ascii.ts';
import { isSpace } from '../../bytes/json-bytes.ts';
import {
  BracketEnd,
  MAX_DEPTH,
  mismatch,
  type NotJson,
  StringEnd,
  TO_CLOSING,
  TOO_DEEP,
} from '../../bytes/json-ends.ts';
import { StepFile } from '../../transformations/requested-steps.ts';
import type { JsonBodyPiece } from './body-parts.ts';
import type { ConfigCounts } from './config-limits.ts';
import type { ConfigText } from './config-text.ts';

/** Member of a config that holds the steps, and the member of a step that may hold its parameters. */
const STEPS_MEMBER = 'transformations';
const PARAMETERS_MEMBER = 'params';

/** What an open object or array is. */
const ROLE = { other: 0, config: 1, steps: 2, step: 3, parameters: 4 } as const;
type Role = (typeof ROLE)[keyof typeof ROLE];

/** Bytes of a name that is compared with those that are looked for, even where each character is escaped. */
const MAX_KEY_BYTES = 512;
const OTHER_TOKEN = 0;
const decoder = new TextDecoder();

/** A file parameter that is being read. */
interface OpenFile {
  readonly path: string;
  readonly maxInline: number;
  /** Its bytes so far; null once it has been lifted. */
  buffer: Uint8Array | null;
  byteLength: number;
}

export class ConfigScanner {
  readonly #text: ConfigText;
  readonly #counts: ConfigCounts;
  readonly #fileParameters: ReadonlySet<string>;
  /** Of the names that are looked for, with quotes; their characters are ASCII. */
  readonly #keyLengths: ReadonlySet<number>;
  readonly #notJson: NotJson;
  readonly #string = new StringEnd();
  readonly #closing = new Uint8Array(MAX_DEPTH + 1);
  readonly #roles = new Uint8Array(MAX_DEPTH + 1);
  readonly #fileEnd: BracketEnd;
  readonly #nonce = randomUUID();
  /** By the text that stands in their place. */
  readonly #lifted = new Map<string, StepFile>();
  #depth = 0;
  #outerRole: Role = ROLE.config;
  /** The punctuation before the byte at hand, or OTHER_TOKEN. */
  #before = OTHER_TOKEN;
  #stepIndex = 0;
  #key = '';
  /** Bytes of the name that is being read, with its quotes; beyond the buffer they are only counted. */
  readonly #keyBytes = new Uint8Array(MAX_KEY_BYTES);
  #keyLength = 0;
  #isKey = false;
  #file: OpenFile | null = null;
  #inlineLeft: number;

  constructor(text: ConfigText, counts: ConfigCounts, fileParameters: ReadonlySet<string>, notJson: NotJson) {
    this.#text = text;
    this.#counts = counts;
    this.#fileParameters = fileParameters;
    const names = [STEPS_MEMBER, PARAMETERS_MEMBER, ...fileParameters];
    this.#keyLengths = new Set(names.map((name) => name.length + 2));
    this.#notJson = notJson;
    this.#fileEnd = new BracketEnd(notJson);
    this.#inlineLeft = counts.limits.maxInlineFiles;
  }

  /** An object, array, or string has begun and not ended. */
  get isOpen(): boolean {
    return this.#depth > 0 || this.#string.isOpen || this.#file !== null;
  }

  /** To be called before the first byte of a value that is a member of the config. */
  beginMember(name: string): void {
    this.#outerRole = name === STEPS_MEMBER ? ROLE.steps : ROLE.other;
    this.#before = OTHER_TOKEN;
  }

  /**
   * Scans `bytes` from `at` to `end` (exclusive) and keeps them; returns the offset behind the bracket that closes the
   * first one, or `end`. Throws LIMIT_EXCEEDED and what `notJson` makes. Not one byte beyond a limit is looked at: what is
   * found wrong does not depend on how the bytes were cut.
   */
  scan(bytes: Uint8Array, from: number, end: number, bytesBefore: number, pieces: JsonBodyPiece[]): number {
    let at = from;
    let kept = from;
    while (at < end) {
      if (this.#file !== null) {
        at = this.#continueFile(this.#file, bytes, at, end, bytesBefore, pieces);
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
      this.#takeByte(byte, bytesBefore + at);
      at++;
      if (this.#depth === 0 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) break;
    }
    this.#text.append(bytes, kept, at);
    return at;
  }

  /**
   * Puts what was lifted into the steps of the config that was parsed; returns false where the value that was lifted is
   * not there, because its name came again.
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

  #takeByte(byte: number, offset: number): void {
    switch (byte) {
      case QUOTE:
        this.#string.open();
        this.#isKey = this.#isNameNext();
        this.#keyBytes[0] = QUOTE;
        this.#keyLength = 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#open(byte, offset);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#depth === 0 || byte !== this.#closing[this.#depth])
          throw this.#notJson(
            offset,
            mismatch(this.#depth === 0 ? OPEN_BRACE : this.#closing[this.#depth], byte),
          );
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
        if (isSpace(byte)) return;
        this.#before = OTHER_TOKEN;
        return;
    }
    this.#before = byte;
  }

  #open(byte: number, offset: number): void {
    if (this.#depth === MAX_DEPTH) throw this.#notJson(offset, TOO_DEEP);
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

  /** A string that begins now is a name that is looked at. */
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

  /** The name, where it is one of those that are looked for; most are told apart by their length. */
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
    };
    this.#before = OTHER_TOKEN;
  }

  #continueFile(
    file: OpenFile,
    bytes: Uint8Array,
    from: number,
    end: number,
    bytesBefore: number,
    pieces: JsonBodyPiece[],
  ): number {
    if (file.buffer !== null && file.byteLength === file.maxInline) this.#lift(file, file.buffer, pieces);
    const stop = file.buffer === null ? end : Math.min(end, from + file.maxInline - file.byteLength);
    let at = from;
    if (file.byteLength === 0) this.#fileEnd.open(bytes[at++]);
    at = this.#fileEnd.scan(bytes, at, stop, bytesBefore);
    file.byteLength += at - from;
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

  #lift(file: OpenFile, buffer: Uint8Array, pieces: JsonBodyPiece[]): void {
    const placeholder = `${this.#nonce}:${this.#lifted.size}`;
    this.#lifted.set(placeholder, new StepFile(file.path));
    this.#text.appendUncounted(new TextEncoder().encode(JSON.stringify(placeholder)));
    pieces.push({ kind: 'begin-step-file', path: file.path });
    if (buffer.length > 0) pieces.push({ kind: 'bytes', bytes: buffer });
    file.buffer = null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The text of a JSON string; '' where it is none. */
function textOf(bytes: Uint8Array): string {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return '';
  }
}
