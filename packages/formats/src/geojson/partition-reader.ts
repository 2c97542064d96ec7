/** Reads the features that begin in one partition. */
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
} from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { JsonElements } from '@geomill/io/json-elements.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import type { Partition } from '../reader.ts';
import { CollectionMembers, typeReason } from './collection-members.ts';
import { GEOJSON } from './dialect.ts';
import { geometryTypeOf } from './geometry-parser.ts';
import { EXTENDED_TYPES } from './json-fg/members.ts';
import { contextOf } from './json-fg/outline.ts';
import type { JsonFgLayer } from './json-fg/state.ts';
import type { TextParser } from './text-parser.ts';

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
  /** The layer of a JSON-FG document; null: the file is GeoJSON. */
  readonly jsonFg: JsonFgLayer | null;
}

export class PartitionReader<Parser extends TextParser> extends JsonElements<'text' | 'between'> {
  readonly parser: Parser;
  /** Members of the root object after its features; null: the partition does not have them. */
  tail: CollectionMembers | null = null;
  readonly #state: ReadState;
  readonly #noteMembers: (members: CollectionMembers) => void;
  readonly #byteLength: number;
  /** Only white space may follow the root object; true after a text of a sequence has ended. */
  #needsSeparator = false;

  /** `noteMembers`: notes what of the members of a collection is not read. */
  constructor(
    source: ByteSource,
    state: ReadState,
    partition: Partition,
    noteMembers: (members: CollectionMembers) => void,
    parserOf: (scanner: JsonScanner) => Parser,
  ) {
    const window = new JsonWindow(source, state.fileName, GEOJSON);
    const parser = parserOf(window.scanner);
    super(window, partition, parser, state.mode === 'collection' ? 'element' : 'between');
    this.parser = parser;
    this.#state = state;
    this.#noteMembers = noteMembers;
    this.#byteLength = source.byteLength;
  }

  /** Returns the offset of the next feature, or the length of the file if there is none. */
  read(): number {
    const { start } = this.partition;
    if (start >= this.#byteLength) return this.#byteLength;
    return this.scanPartition(this.#state.mode === 'collection' && start === this.#state.firstStart);
  }

  protected override scan(): number {
    switch (this.phase) {
      case 'element':
      case 'separator':
        return this.elements('a Feature');
      case 'tail':
        this.#tail();
        return -1;
      case 'text':
        this.#text();
        return -1;
      case 'between':
        return this.#between();
      case 'end':
        this.endOfFile();
        return this.#byteLength;
    }
  }

  protected override element(at: number): number {
    return this.parser.feature(at, COLLECTION_DEPTH);
  }

  protected override endArray(at: number): void {
    this.phase = 'tail';
    this.resumeAt = at + 1;
  }

  protected override get isInElement(): boolean {
    return this.phase === 'element' || this.phase === 'text';
  }

  #tail(): void {
    const members = new CollectionMembers();
    this.members((at) => this.#member(members, at));
    members.checkType(this.#state.type, this.window.base, 0);
    this.tail = members;
    this.#noteMembers(members);
  }

  /** Reads one member other than the features, its key at `at`. */
  #member(members: CollectionMembers, at: number): number {
    const scanner = this.scanner;
    const keyEnd = scanner.string(at);
    const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
    return members.take(scanner, key, scanner.punctuation(keyEnd + 1, COLON));
  }

  /** Skips white space and record separators between the texts of a sequence. Returns the same as `elements`. */
  #between(): number {
    const scanner = this.scanner;
    const { bytes } = scanner;
    let at = this.resumeAt;
    for (; ; at++) {
      const byte = bytes[at];
      if (byte === LF || byte === RECORD_SEPARATOR) this.#needsSeparator = false;
      else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) break;
    }
    this.resumeAt = at;
    if (at >= scanner.limit) {
      if (this.window.reachesEnd) return this.#byteLength;
      throw scanner.unexpected(at, 'a GeoJSON text');
    }
    if (this.#needsSeparator) throw scanner.fault(at, 'there is text after the end of the JSON');
    const offset = this.window.base + at;
    if (offset >= this.partition.end) return offset;
    this.phase = 'text';
    return -1;
  }

  /** Reads one GeoJSON text of a sequence: a Feature, a geometry or a FeatureCollection. */
  #text(): void {
    const scanner = this.scanner;
    const start = this.resumeAt;
    const typeAt = this.#typeOfText(start);
    const typeEnd = scanner.string(typeAt);
    let at: number;
    if (scanner.equals(typeAt + 1, typeEnd, FEATURE)) at = this.parser.feature(start, 0);
    else if (this.#isGeometry(typeAt + 1, typeEnd)) at = this.parser.bareGeometry(start);
    else if (scanner.equals(typeAt + 1, typeEnd, FEATURE_COLLECTION)) at = this.#collection(start);
    else {
      const type = scanner.text(typeAt + 1, Math.min(typeEnd, typeAt + 41));
      throw scanner.fault(typeAt, typeReason(type, 'a GeoJSON type'), 'structure');
    }
    this.phase = 'between';
    this.#needsSeparator = true;
    this.resumeAt = at;
  }

  #isGeometry(start: number, end: number): boolean {
    if (geometryTypeOf(this.scanner, start, end) !== 0) return true;
    return this.parser.readsExtendedTypes && EXTENDED_TYPES.has(this.scanner.text(start, end));
  }

  /** Offset of the value of the object's `type`, which is usually its first member. */
  #typeOfText(start: number): number {
    const scanner = this.scanner;
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
    const scanner = this.scanner;
    const { bytes } = scanner;
    scanner.skip(start, 0);
    if (this.parser.readsExtendedTypes) this.parser.beginCollection?.(contextOf(scanner, start));
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
    this.parser.endCollection?.();
    members.checkType(null, this.window.base, this.window.base + start);
    this.#noteMembers(members);
    return at + 1;
  }

  #featureArray(at: number): number {
    const scanner = this.scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw scanner.fault(at, "'features' must be an array", 'structure');
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = scanner.space(this.parser.feature(at, COLLECTION_DEPTH));
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }
}
