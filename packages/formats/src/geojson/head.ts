/** Reads the beginning of a file: whether it is GeoJSON, and where its features begin. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  RECORD_SEPARATOR,
} from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import { lookBeside, lookOf } from '../recognise.ts';
import { CollectionMembers, isGeoJsonType, typeReason } from './collection-members.ts';
import { GEOJSON } from './dialect.ts';

export const HEAD_BYTES = 1 << 16;

export interface Head {
  /** 'collection': features are elements of one array. 'sequence': one or more GeoJSON texts, one after another. */
  readonly mode: 'collection' | 'sequence';
  /** Offset of the first feature or text. */
  readonly firstStart: number;
  /** Texts are preceded by RS bytes (RFC 8142). */
  readonly hasSeparators: boolean;
  /** Members of the collection before its features. */
  readonly members: CollectionMembers;
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, GEOJSON_SYNTAX, GEOJSON_STRUCTURE. */
export function readHead(source: ByteSource, fileName: string): Head {
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: fileName });
  const window = new JsonWindow(source, fileName, GEOJSON);
  window.load(0, HEAD_BYTES);
  const { scanner } = window;
  for (;;) {
    try {
      return scanHead(scanner, fileName);
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      if (!window.needsMore(fault)) throw window.failureOf(fault, {});
      window.grow(0);
    }
  }
}

function scanHead(scanner: JsonScanner, fileName: string): Head {
  const { bytes } = scanner;
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  at = scanner.space(at);
  const hasSeparators = bytes[at] === RECORD_SEPARATOR;
  while (bytes[at] === RECORD_SEPARATOR) at = scanner.space(at + 1);
  if (bytes[at] !== OPEN_BRACE) throw notAnObject(scanner, at, fileName);
  const members = new CollectionMembers();
  const sequence: Head = { mode: 'sequence', firstStart: at, hasSeparators, members };
  if (hasSeparators) return sequence;
  at = scanner.space(at + 1);
  while (bytes[at] !== CLOSE_BRACE) {
    if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
    const keyEnd = scanner.string(at);
    const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
    at = scanner.punctuation(keyEnd + 1, COLON);
    if (key === 'features' && members.type !== 'Feature') {
      if (bytes[at] !== OPEN_BRACKET) throw scanner.fault(at, "'features' must be an array", 'structure');
      if (members.type === null) refuseOtherJson(scanner, fileName);
      at = scanner.space(at + 1);
      if (at >= scanner.limit) throw scanner.unexpected(at, "a Feature or ']'");
      return { mode: 'collection', firstStart: at, hasSeparators, members };
    }
    if (key === 'geometry' || key === 'coordinates' || key === 'geometries') return sequence;
    at = members.take(scanner, key, at);
    if (key === 'type') {
      const type = members.type as string;
      if (!isGeoJsonType(type)) throw wrongType(scanner, members, fileName);
      if (type !== 'FeatureCollection') return sequence;
    }
    at = scanner.space(at);
    if (bytes[at] === COMMA) at = scanner.space(at + 1);
    else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
  }
  if (members.type === 'FeatureCollection')
    throw scanner.fault(at, "this FeatureCollection has no 'features'", 'structure');
  const look = lookBeside('GeoJSON', bytes.subarray(0, scanner.limit));
  throw wrongFormat(fileName, look === 'JSON' ? "JSON whose object has no 'type'" : look);
}

/** JSON of other formats has a member `features`, too. */
function refuseOtherJson(scanner: JsonScanner, fileName: string): void {
  const look = lookOf(scanner.bytes.subarray(0, scanner.limit));
  if (look !== 'GeoJSON' && look !== 'JSON') throw wrongFormat(fileName, look);
}

function wrongType(scanner: JsonScanner, members: CollectionMembers, fileName: string): Error {
  const type = members.type as string;
  if (type === 'Topology') return wrongFormat(fileName, lookOf(scanner.bytes.subarray(0, scanner.limit)));
  return scanner.fault(members.typeAt, typeReason(type, 'a GeoJSON type'), 'structure');
}

function notAnObject(scanner: JsonScanner, at: number, fileName: string): Error {
  if (at >= scanner.limit) return scanner.unexpected(at, 'a GeoJSON object');
  const byte = scanner.bytes[at];
  if (byte === QUOTE) return wrongFormat(fileName, 'JSON whose root is a string');
  if (byte === OPEN_BRACKET) return wrongFormat(fileName, 'JSON whose root is an array');
  return wrongFormat(fileName, lookBeside('GeoJSON', scanner.bytes.subarray(0, scanner.limit)));
}

function wrongFormat(source: string, found: string): Error {
  return failure(generalErrors.INPUT_WRONG_FORMAT, { source, expected: 'GeoJSON', found });
}

const TAIL_BYTES = 1 << 16;

/**
 * The name of a collection if it comes after the features, or null. Searches the end of the file: the first `]` from
 * which the rest parses as members of the root object up to the end of the file closes an array of the root.
 */
export function nameInTail(source: ByteSource, head: Head, fileName: string): string | null {
  const window = new JsonWindow(source, fileName, GEOJSON);
  window.load(Math.max(head.firstStart, source.byteLength - TAIL_BYTES), source.byteLength);
  const { scanner } = window;
  let at = scanner.bytes.indexOf(CLOSE_BRACKET);
  for (; at >= 0 && at < scanner.limit; at = scanner.bytes.indexOf(CLOSE_BRACKET, at + 1)) {
    const next = scanner.space(at + 1);
    if (scanner.bytes[next] !== COMMA) continue;
    const members = membersToEnd(scanner, next);
    if (members !== null) return members.name;
  }
  return null;
}

function membersToEnd(scanner: JsonScanner, at: number): CollectionMembers | null {
  const { bytes } = scanner;
  const members = new CollectionMembers();
  try {
    while (bytes[at] === COMMA) {
      at = scanner.space(at + 1);
      if (bytes[at] !== QUOTE) return null;
      const keyEnd = scanner.string(at);
      const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
      at = scanner.space(members.take(scanner, key, scanner.punctuation(keyEnd + 1, COLON)));
    }
  } catch (fault) {
    if (fault instanceof JsonFault) return null;
    throw fault;
  }
  return bytes[at] === CLOSE_BRACE && scanner.space(at + 1) >= scanner.limit ? members : null;
}
