/**
 * Finds the feature sets in a document of any kind: an answer to a query, a feature collection of ArcGIS Online with layers, a
 * web map, the result of a tool. Reads the whole document in pieces; features are skipped one by one.
 *
 *     { "layers": [ { "layerDefinition": { name, fields, ... }, "featureSet": { "features": [ ... ] } } ] }
 */
import { failure } from '@geomill/core/messages/errors.ts';
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
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import { ESRIJSON } from './dialect.ts';
import { MAX_MEMBER_BYTES, Members } from './members.ts';
import { esrijsonErrors } from './messages.ts';

const WINDOW_BYTES = 4 << 20;
/** Greatest number of feature sets. */
const MAX_SETS = 10_000;
/** Objects and arrays that can have feature sets in them. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'layers',
  'tables',
  'featureSet',
  'featureCollection',
  'operationalLayers',
  'results',
  'value',
]);
/** Greatest depth of these. */
const MAX_DEPTH = 16;

/** An array of features or geometries. */
export interface FoundSet {
  readonly members: Members;
  readonly content: 'features' | 'geometries';
  /** Offset of the first element, or of the end. */
  readonly start: number;
  /** Offset of the bracket that closes the array. */
  readonly end: number;
  /** Arrays and objects around an element. */
  readonly depth: number;
}

export interface Outline {
  /** Of the root object. */
  readonly root: Members;
  readonly rootStart: number;
  /** Offset after the root object. */
  readonly rootEnd: number;
  /** The root is a feature, and others follow it. */
  readonly isSequence: boolean;
  readonly sets: readonly FoundSet[];
}

/** Throws ESRIJSON_SYNTAX, ESRIJSON_STRUCTURE, TEXT_ENCODING_INVALID. `rootStart`: offset of the root's brace. */
export function outlineOf(source: ByteSource, fileName: string, rootStart: number): Outline {
  return new Walker(source, fileName).outline(rootStart);
}

class Walker {
  readonly #window: JsonWindow;
  readonly #sets: FoundSet[] = [];
  readonly #byteLength: number;

  constructor(source: ByteSource, fileName: string) {
    this.#window = new JsonWindow(source, fileName, ESRIJSON);
    this.#byteLength = source.byteLength;
  }

  outline(rootStart: number): Outline {
    this.#window.load(rootStart, rootStart + WINDOW_BYTES);
    const { members, end } = this.#object(rootStart, 1);
    const isFeature = members.keys.has('geometry') || members.keys.has('attributes');
    let isSequence = false;
    this.#step(end, (scanner, at) => {
      const next = scanner.space(at);
      isSequence = isFeature && scanner.bytes[next] === OPEN_BRACE;
      if (next < scanner.limit && !isSequence)
        throw scanner.fault(next, 'there is text after the end of the JSON');
      return next;
    });
    return { root: members, rootStart, rootEnd: end, isSequence, sets: this.#sets };
  }

  /** Runs `scan` from an offset in the file, in a window that is large enough; returns the offset that it returns. */
  #step(offset: number, scan: (scanner: JsonScanner, at: number) => number): number {
    const window = this.#window;
    if (offset - window.base > WINDOW_BYTES / 2 && !window.reachesEnd)
      window.load(offset, offset + WINDOW_BYTES);
    for (;;) {
      const at = offset - window.base;
      try {
        const next = scan(window.scanner, at);
        // At the end of a window there may be more white space, or more digits.
        if (next < window.scanner.limit || window.reachesEnd) return window.base + next;
      } catch (fault) {
        if (!(fault instanceof JsonFault)) throw fault;
        if (!window.needsMore(fault)) throw window.failureOf(fault, {});
      }
      if (window.scanner.limit - at > 4 * MAX_MEMBER_BYTES) throw this.#tooLong(offset);
      window.grow(at);
    }
  }

  #tooLong(offset: number): Error {
    const reason = `here begins a value of more than ${(4 * MAX_MEMBER_BYTES) >> 20} MiB`;
    return failure(esrijsonErrors.ESRIJSON_STRUCTURE, { offset, reason }, { offset });
  }

  #byteAt(offset: number): number {
    let byte = 0;
    this.#step(offset, (scanner, at) => {
      if (at >= scanner.limit) throw scanner.unexpected(at, 'a value');
      byte = scanner.bytes[at];
      return at;
    });
    return byte;
  }

  /** Reads the object at `offset` with the sets in it, which get the members of the object that they lack. */
  #object(offset: number, depth: number): { members: Members; end: number } {
    const members = new Members();
    const firstSet = this.#sets.length;
    const own: FoundSet[] = [];
    let at = this.#step(offset, (scanner, start) => scanner.space(start + 1));
    while (this.#byteAt(at) !== CLOSE_BRACE) {
      at = this.#member(at, depth, members, own);
      at = this.#step(at, (scanner, start) => separated(scanner, start, CLOSE_BRACE));
    }
    for (const set of this.#sets.slice(firstSet)) if (!own.includes(set)) set.members.inherit(members);
    return { members, end: at + 1 };
  }

  #member(offset: number, depth: number, members: Members, own: FoundSet[]): number {
    let key = '';
    const valueAt = this.#step(offset, (scanner, at) => {
      if (scanner.bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      const keyEnd = scanner.string(at);
      key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
      return scanner.punctuation(keyEnd + 1, COLON);
    });
    const byte = this.#byteAt(valueAt);
    if ((key === 'features' || key === 'geometries') && byte === OPEN_BRACKET)
      return this.#set(valueAt, key, depth + 1, members, own);
    if (CONTAINERS.has(key) && (byte === OPEN_BRACE || byte === OPEN_BRACKET) && depth < MAX_DEPTH) {
      members.keys.add(key);
      return byte === OPEN_BRACE ? this.#object(valueAt, depth + 1).end : this.#array(valueAt, depth + 1);
    }
    return this.#step(valueAt, (scanner, at) => members.take(scanner, key, at, depth));
  }

  /** Reads an array of objects that can have feature sets. */
  #array(offset: number, depth: number): number {
    let at = this.#step(offset, (scanner, start) => scanner.space(start + 1));
    while (this.#byteAt(at) !== CLOSE_BRACKET) {
      if (this.#byteAt(at) === OPEN_BRACE) at = this.#object(at, depth + 1).end;
      else at = this.#step(at, (scanner, start) => scanner.skip(start, depth));
      at = this.#step(at, (scanner, start) => separated(scanner, start, CLOSE_BRACKET));
    }
    return at + 1;
  }

  #set(
    offset: number,
    content: FoundSet['content'],
    depth: number,
    members: Members,
    own: FoundSet[],
  ): number {
    const start = this.#step(offset, (scanner, at) => scanner.space(at + 1));
    let at = start;
    while (this.#byteAt(at) !== CLOSE_BRACKET) {
      at = this.#step(at, (scanner, from) => scanner.skip(from, depth));
      at = this.#step(at, (scanner, from) => separated(scanner, from, CLOSE_BRACKET));
    }
    members.keys.add(content);
    const set: FoundSet = { members, content, start, end: at, depth };
    this.#sets.push(set);
    own.push(set);
    if (own.length > 1 || this.#sets.length > MAX_SETS) {
      const reason =
        own.length > 1
          ? `the member '${content}' came twice`
          : `there are more than ${MAX_SETS} feature sets`;
      throw failure(esrijsonErrors.ESRIJSON_STRUCTURE, { offset, reason }, { offset });
    }
    return Math.min(at + 1, this.#byteLength);
  }
}

/** The white space and the comma after an element or member; returns the offset of the next one or of `close`. */
function separated(scanner: JsonScanner, at: number, close: number): number {
  const { bytes } = scanner;
  at = scanner.space(at);
  if (bytes[at] === close) return at;
  const next = scanner.punctuation(at, COMMA);
  if (bytes[next] === close) throw scanner.unexpected(next, 'another element');
  return next;
}
