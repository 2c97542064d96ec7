/**
 * Reads the features that begin in one partition. The scan keeps its current state (`#phase`) and its start
 * (`#resumeAt`), so that a scan that reaches the end of the window can be resumed in a larger one.
 */

import type { FeatureBatch } from '../../batch/feature-batch.ts';
import type { Field } from '../../batch/schema.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LF,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  RECORD_SEPARATOR,
} from '../../bytes/ascii.ts';
import { JsonFault } from '../../bytes/json-fault.ts';
import type { JsonScanner } from '../../bytes/json-scanner.ts';
import type { Findings } from '../../findings.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { JsonWindow } from '../../io/json-window.ts';
import type { InputLimits } from '../../io/limits.ts';
import type { Partition } from '../format.ts';
import { CollectionMembers, typeReason } from './collection-members.ts';
import { GEOJSON } from './dialect.ts';
import { FeatureParser } from './feature-parser.ts';
import { geometryTypeOf } from './geometry-parser.ts';

/** Bytes read after the partition's end with the first read: most features that begin before it end within them. */
const OVERLAP_BYTES = 1 << 16;

const encoder = new TextEncoder();
const FEATURE = encoder.encode('Feature');
const FEATURE_COLLECTION = encoder.encode('FeatureCollection');
const KEY_TYPE = encoder.encode('type');

/** Depth of a feature inside the array inside the root object. */
const COLLECTION_DEPTH = 2;

export interface ReadState {
  readonly path: string;
  /** The file name for messages. */
  readonly fileName: string;
  readonly mode: 'collection' | 'sequence';
  /** Offset of the first feature or text. */
  readonly firstStart: number;
  /** The root's `type` if it comes before the features, else null. */
  readonly type: string | null;
}

type Phase = 'feature' | 'separator' | 'tail' | 'text' | 'between' | 'end';

export class PartitionReader {
  readonly #window: JsonWindow;
  readonly #scanner: JsonScanner;
  readonly #parser: FeatureParser;
  readonly #state: ReadState;
  readonly #partition: Partition;
  readonly #findings: Findings;
  readonly #byteLength: number;
  #phase: Phase;
  #resumeAt = 0;
  /** Only white space may follow the root object; true after a text of a sequence has ended. */
  #needsSeparator = false;

  constructor(
    source: ByteSource,
    layerName: string,
    state: ReadState,
    partition: Partition,
    limits: InputLimits,
    findings: Findings,
  ) {
    this.#window = new JsonWindow(source, state.fileName, GEOJSON);
    this.#scanner = this.#window.scanner;
    const bytes = Math.max(0, partition.end - partition.start);
    this.#parser = new FeatureParser(this.#scanner, layerName, limits, findings, bytes);
    this.#state = state;
    this.#partition = partition;
    this.#findings = findings;
    this.#byteLength = source.byteLength;
    this.#phase = state.mode === 'collection' ? 'feature' : 'between';
  }

  /** Returns the offset of the next feature, or the length of the file if there is none. */
  read(): number {
    const { start, end } = this.#partition;
    if (start >= this.#byteLength) return this.#byteLength;
    const window = this.#window;
    window.load(start, end + OVERLAP_BYTES);
    if (this.#state.mode === 'collection' && start === this.#state.firstStart) {
      const first = this.#scanner.space(0);
      if (this.#scanner.bytes[first] === CLOSE_BRACKET) {
        this.#phase = 'tail';
        this.#resumeAt = first + 1;
      }
    }
    for (;;) {
      try {
        return this.#scan();
      } catch (fault) {
        if (!(fault instanceof JsonFault)) throw fault;
        if (!window.needsMore(fault)) {
          const isInFeature = this.#phase === 'feature' || this.#phase === 'text';
          throw window.failureOf(fault, isInFeature ? { record: this.#parser.rowCount + 1 } : {});
        }
        this.#parser.rollback();
        window.grow(this.#resumeAt);
        this.#resumeAt = 0;
      }
    }
  }

  finish(fields: readonly Field[] | null): FeatureBatch {
    return this.#parser.finish(fields);
  }

  #scan(): number {
    for (;;) {
      switch (this.#phase) {
        case 'feature':
        case 'separator': {
          const nextStart = this.#features();
          if (nextStart >= 0) return nextStart;
          break;
        }
        case 'tail':
          this.#tail();
          break;
        case 'text':
          this.#text();
          break;
        case 'between': {
          const nextStart = this.#between();
          if (nextStart >= 0) return nextStart;
          break;
        }
        case 'end':
          this.#end();
          return this.#byteLength;
      }
    }
  }

  /**
   * Reads features and the commas between them. Returns the offset of the first feature after the end, -1 after `]`.
   */
  #features(): number {
    const scanner = this.#scanner;
    const parser = this.#parser;
    const endAt = this.#partition.end - this.#window.base;
    let at = this.#resumeAt;
    if (this.#phase === 'feature') at = scanner.space(at);
    for (;;) {
      if (this.#phase === 'feature') {
        at = parser.feature(at, COLLECTION_DEPTH);
        this.#phase = 'separator';
        this.#resumeAt = at;
      }
      if (scanner.bytes[at] !== COMMA) {
        at = scanner.space(at);
        if (scanner.bytes[at] === CLOSE_BRACKET) {
          this.#phase = 'tail';
          this.#resumeAt = at + 1;
          return -1;
        }
        if (scanner.bytes[at] !== COMMA) throw scanner.unexpected(at, "',' or ']'");
      }
      at = scanner.punctuation(at, COMMA);
      if (at >= scanner.limit) throw scanner.unexpected(at, 'a Feature');
      if (at >= endAt) return this.#window.base + at;
      this.#phase = 'feature';
      this.#resumeAt = at;
    }
  }

  /** Reads the members after the features and the end of the root object. */
  #tail(): void {
    const members = new CollectionMembers();
    const scanner = this.#scanner;
    let at = scanner.space(this.#resumeAt);
    while (scanner.bytes[at] === COMMA) {
      at = scanner.punctuation(at, COMMA);
      if (scanner.bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      at = scanner.space(this.#member(members, at));
    }
    if (scanner.bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    members.checkType(this.#state.type, this.#window.base, 0);
    members.note(this.#findings);
    this.#phase = 'end';
    this.#resumeAt = at + 1;
  }

  /** Reads one member other than the features, its key at `at`. */
  #member(members: CollectionMembers, at: number): number {
    const scanner = this.#scanner;
    const keyEnd = scanner.string(at);
    const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
    return members.take(scanner, key, scanner.punctuation(keyEnd + 1, COLON));
  }

  /** Only white space may follow, up to the end of the file. */
  #end(): void {
    const scanner = this.#scanner;
    const at = scanner.space(this.#resumeAt);
    this.#resumeAt = at;
    if (at < scanner.limit) throw scanner.fault(at, 'there is text after the end of the JSON');
    if (!this.#window.reachesEnd) throw scanner.unexpected(at, 'the end of the file');
  }

  /** Skips white space and record separators between the texts of a sequence. Returns the same as #features. */
  #between(): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    let at = this.#resumeAt;
    for (; ; at++) {
      const byte = bytes[at];
      if (byte === LF || byte === RECORD_SEPARATOR) this.#needsSeparator = false;
      else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) break;
    }
    this.#resumeAt = at;
    if (at >= scanner.limit) {
      if (this.#window.reachesEnd) return this.#byteLength;
      throw scanner.unexpected(at, 'a GeoJSON text');
    }
    if (this.#needsSeparator) throw scanner.fault(at, 'there is text after the end of the JSON');
    const offset = this.#window.base + at;
    if (offset >= this.#partition.end) return offset;
    this.#phase = 'text';
    return -1;
  }

  /** Reads one GeoJSON text of a sequence: a Feature, a geometry or a FeatureCollection. */
  #text(): void {
    const scanner = this.#scanner;
    const start = this.#resumeAt;
    const typeAt = this.#typeOfText(start);
    const typeEnd = scanner.string(typeAt);
    let at: number;
    if (scanner.equals(typeAt + 1, typeEnd, FEATURE)) at = this.#parser.feature(start, 0);
    else if (geometryTypeOf(scanner, typeAt + 1, typeEnd) !== 0) at = this.#parser.bareGeometry(start);
    else if (scanner.equals(typeAt + 1, typeEnd, FEATURE_COLLECTION)) at = this.#collection(start);
    else {
      const type = scanner.text(typeAt + 1, Math.min(typeEnd, typeAt + 41));
      throw scanner.fault(typeAt, typeReason(type, 'a GeoJSON type'), 'structure');
    }
    this.#phase = 'between';
    this.#needsSeparator = true;
    this.#resumeAt = at;
  }

  /** Offset of the value of the object's `type`, which is usually its first member. */
  #typeOfText(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[start] !== OPEN_BRACE) throw scanner.unexpected(start, 'a GeoJSON object');
    let at = scanner.space(start + 1);
    for (;;) {
      if (bytes[at] === CLOSE_BRACE) throw scanner.fault(start, "this object has no 'type'", 'structure');
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      const keyEnd = scanner.string(at);
      const isType = scanner.equals(at + 1, keyEnd, KEY_TYPE);
      at = scanner.punctuation(keyEnd + 1, COLON);
      if (isType) {
        if (bytes[at] !== QUOTE) throw scanner.fault(at, "'type' must be a string", 'structure');
        return at;
      }
      at = scanner.space(scanner.skip(at, 1));
      if (bytes[at] === COMMA) at = scanner.space(at + 1);
      else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    }
  }

  /** Reads a whole FeatureCollection inside a sequence: it is skipped first, to ensure that the window contains it. */
  #collection(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    scanner.skip(start, 0);
    const members = new CollectionMembers();
    let at = scanner.space(start + 1);
    let hasFeatures = false;
    for (;;) {
      const keyEnd = scanner.string(at);
      const valueAt = scanner.punctuation(keyEnd + 1, COLON);
      if (!hasFeatures && scanner.text(at + 1, keyEnd) === 'features') {
        hasFeatures = true;
        at = this.#featureArray(valueAt);
      } else at = this.#member(members, at);
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACE) break;
      at = scanner.punctuation(at, COMMA);
    }
    if (!hasFeatures) throw scanner.fault(start, "this FeatureCollection has no 'features'", 'structure');
    members.checkType(null, this.#window.base, this.#window.base + start);
    members.note(this.#findings);
    return at + 1;
  }

  #featureArray(at: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw scanner.fault(at, "'features' must be an array", 'structure');
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = scanner.space(this.#parser.feature(at, COLLECTION_DEPTH));
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }
}
