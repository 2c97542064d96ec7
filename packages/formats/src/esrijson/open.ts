/** Opens EsriJSON: finds the feature sets, their fields and their spatial reference. */

import type { FieldFacts } from '@geomill/core/columns/field-facts.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { COLON, COMMA, LF, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { beginsWithMember, cutJson, findElement } from '@geomill/io/json-cuts.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import type { InputFile, OpenContext, Partition, SourceLayer } from '../reader.ts';
import { lookOf } from '../recognise.ts';
import { ESRIJSON } from './dialect.ts';
import { readFacts } from './field-facts.ts';
import { type DeclaredField, declaredFields, layerFields } from './fields.ts';
import { Members } from './members.ts';
import { esrijsonErrors, esrijsonFindings } from './messages.ts';
import { type Outline, outlineOf } from './outline.ts';
import { crsOf } from './spatial-reference.ts';
import type { LayerState } from './state.ts';

const HEAD_BYTES = 1 << 16;
/** Bytes of the first elements in which a spatial reference is searched if the feature set has none. */
const PEEK_BYTES = 1 << 16;
const FEATURE_KEYS = ['attributes', 'geometry'];
const GEOMETRY_KEYS = ['x', 'y', 'points', 'paths', 'rings', 'curvePaths', 'curveRings', 'xmin'];

type Found = Pick<LayerState, 'content' | 'firstStart' | 'end' | 'depth'> & { readonly members: Members };

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, TEXT_ENCODING_INVALID and ESRIJSON_ codes. */
export function openEsriJson(file: InputFile, context: OpenContext): SourceLayer[] {
  using source = openFileSource(file.path);
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  const { found, rootStart } = readHead(source, file.name);
  const all = found === null ? allOf(outlineOf(source, file.name, rootStart), file.name) : [found];
  const unique = new UniqueNames();
  const names = all.map(({ members }) => unique.take(nameOf(members, all.length, file.name)));
  return all.map((one, i) => layerOf(source, file, one, names[i], context));
}

/** The feature set of a document that says before its features what they are; `found` is null for any other document. */
function readHead(source: ByteSource, fileName: string): { found: Found | null; rootStart: number } {
  const window = new JsonWindow(source, fileName, ESRIJSON);
  window.load(0, HEAD_BYTES);
  for (;;) {
    try {
      return scanHead(window.scanner, fileName);
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      if (!window.needsMore(fault)) throw window.failureOf(fault, {});
      window.grow(0);
    }
  }
}

function scanHead(scanner: JsonScanner, fileName: string): { found: Found | null; rootStart: number } {
  const { bytes } = scanner;
  const rootStart = scanner.space(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  if (bytes[rootStart] !== OPEN_BRACE) throw notAnObject(scanner, rootStart, fileName);
  const members = new Members();
  let at = scanner.space(rootStart + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = scanner.string(at);
    const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
    at = scanner.punctuation(keyEnd + 1, COLON);
    if (key === 'features' && bytes[at] === OPEN_BRACKET && isDescribed(members)) {
      const firstStart = scanner.space(at + 1);
      if (firstStart >= scanner.limit) throw scanner.unexpected(firstStart, "a feature or ']'");
      return { found: { content: 'features', firstStart, end: null, depth: 2, members }, rootStart };
    }
    if (key === 'type') refuseOtherJson(scanner, fileName);
    if (key === 'features' || key === 'layers' || key === 'geometries' || key === 'operationalLayers') break;
    at = scanner.space(members.take(scanner, key, at, 1));
    if (bytes[at] !== COMMA) break;
    at = scanner.space(at + 1);
  }
  return { found: null, rootStart };
}

function isDescribed(members: Members): boolean {
  return members.value('fields') !== undefined && members.value('spatialReference') !== undefined;
}

/** Other formats of JSON have a member `type`. */
function refuseOtherJson(scanner: JsonScanner, fileName: string): void {
  const found = lookOf(scanner.bytes.subarray(0, scanner.limit));
  if (found === 'GeoJSON' || found === 'TopoJSON') throw wrongFormat(fileName, found);
}

function notAnObject(scanner: JsonScanner, at: number, fileName: string): Error {
  if (at >= scanner.limit) return scanner.unexpected(at, 'an EsriJSON object');
  if (scanner.bytes[at] === OPEN_BRACKET) return wrongFormat(fileName, 'JSON whose root is an array');
  return wrongFormat(fileName, lookOf(scanner.bytes.subarray(0, scanner.limit)));
}

function wrongFormat(source: string, found: string): Error {
  return failure(generalErrors.INPUT_WRONG_FORMAT, { source, expected: 'EsriJSON', found });
}

function allOf({ root, rootStart, rootEnd, isSequence, sets }: Outline, fileName: string): Found[] {
  if (sets.length > 0) return sets.map(({ start, ...set }) => ({ ...set, firstStart: start }));
  const error = serverError(root);
  if (error !== null)
    throw failure(esrijsonErrors.ESRIJSON_SERVER_ERROR, { source: fileName, message: serverMessage(error) });
  const { keys } = root;
  const one = { firstStart: rootStart, end: rootEnd, depth: 1, members: root };
  if (isSequence) return [{ ...one, content: 'sequence', end: null }];
  if (keys.has('geometry') || keys.has('attributes')) return [{ ...one, content: 'feature' }];
  if (GEOMETRY_KEYS.some((key) => keys.has(key))) return [{ ...one, content: 'geometry' }];
  throw failure(esrijsonErrors.ESRIJSON_NO_FEATURES, { source: fileName, what: otherDocument(keys) });
}

/** In one of the two forms of ArcGIS servers. */
function serverError(root: Members): object | null {
  const error = root.value('error');
  if (typeof error === 'object' && error !== null) return error;
  if (root.value('status') !== 'error') return null;
  return { code: root.value('code'), details: root.value('messages') };
}

function serverMessage(error: object): string {
  const { code, message, details } = error as Readonly<Record<string, unknown>>;
  const texts = [message, ...(Array.isArray(details) ? (details as unknown[]) : [])].filter(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
  const text = [...new Set(texts)].join(' ').slice(0, 500) || 'no message';
  return typeof code === 'number' || typeof code === 'string' ? `${text} (code ${code})` : text;
}

function otherDocument(keys: ReadonlySet<string>): string {
  if (keys.has('objectIds')) return 'a list of object ids';
  if (keys.has('count')) return 'a number of features';
  if (keys.has('currentVersion')) return 'the description of a service or layer';
  const names = [...keys].slice(0, 10).map((key) => `'${key.slice(0, 40)}'`);
  return names.length === 0 ? 'an empty object' : `the members ${names.join(', ')}`;
}

function nameOf(members: Members, count: number, fileName: string): string {
  const own = members.text('name') ?? members.text('title') ?? members.text('paramName');
  if (own !== null) return own;
  const id = members.value('id');
  return count > 1 && typeof id === 'number' ? `layer_${id}` : fileName.replace(/\.[^.]*$/, '');
}

function layerOf(
  source: ByteSource,
  file: InputFile,
  { members, ...found }: Found,
  name: string,
  context: OpenContext,
): SourceLayer {
  const { flags } = members;
  const stated = crsOf(members.value('spatialReference'));
  const crs = stated ?? peekedCrs(source, found.firstStart, found.end ?? source.byteLength);
  const isGeometry = found.content === 'geometry' || found.content === 'geometries';
  const fields = isGeometry ? [] : fieldsOf(members, context);
  if (fields !== null) checkFieldCount(name, fields.length, context.limits);
  if (flags.exceededTransferLimit === true) noteIncomplete(name, context.findings);
  const state: LayerState = {
    path: file.path,
    fileName: file.name,
    ...found,
    hasZ: flags.hasZ ?? false,
    hasM: flags.hasM ?? false,
    isZoneUnknown: flags.datesInUnknownTimezone ?? false,
    crs,
    isTable: members.value('geometryType') === undefined,
    fields,
  };
  return {
    name,
    fields: fields === null ? null : layerFields(fields),
    featureCount: null,
    crs,
    crsMissingReason:
      "neither the feature set nor its first geometry has a 'spatialReference' with a code or WKT",
    encoding: 'UTF-8',
    partitions: partitionsOf(source, state, context.partitionBytes),
    ...factsOf(members, fields),
    state,
  };
}

function partitionsOf(source: ByteSource, state: LayerState, partitionBytes: number): Partition[] {
  const { content, firstStart } = state;
  const range = { start: firstStart, end: state.end ?? source.byteLength };
  if (content === 'feature' || content === 'geometry') return [range];
  const keys = content === 'geometries' ? GEOMETRY_KEYS : FEATURE_KEYS;
  return cutJson(source, range, partitionBytes, ESRIJSON, (scanner, from, to) => {
    const beginsLikeElement = (at: number): boolean =>
      beginsWithMember(scanner, at, (key) => (keys.includes(key) ? true : null));
    return content === 'sequence'
      ? findLine(scanner, from, to, beginsLikeElement)
      : findElement(scanner, from, to, beginsLikeElement);
  });
}

/** The first object in `[from, to)` that begins a line like a feature. */
function findLine(
  { bytes }: JsonScanner,
  from: number,
  to: number,
  beginsLikeElement: (at: number) => boolean,
): number | null {
  const searched = bytes.subarray(0, to);
  for (let at = searched.indexOf(LF, from); at >= 0 && at + 1 < to; at = searched.indexOf(LF, at + 1))
    if (bytes[at + 1] === OPEN_BRACE && beginsLikeElement(at + 1)) return at + 1;
  return null;
}

export function noteIncomplete(layer: string, findings: Findings): void {
  findings.note(esrijsonFindings.ESRIJSON_INCOMPLETE, { layer });
}

function factsOf(members: Members, fields: readonly DeclaredField[] | null): Pick<SourceLayer, 'facts'> {
  const declared = members.value('fields');
  if (fields === null || !Array.isArray(declared)) return {};
  const byName = new Map((declared as { readonly name?: unknown }[]).map((field) => [field.name, field]));
  const found = fields.flatMap(({ name, names }): [string, FieldFacts][] => {
    const facts = readFacts(byName.get(name) ?? {}, names !== null);
    return Object.keys(facts).length === 0 ? [] : [[name, facts]];
  });
  return { facts: { fields: new Map(found) } };
}

function fieldsOf(members: Members, { options, findings }: OpenContext): DeclaredField[] | null {
  const fields = declaredFields(members.value('fields'));
  // Some services send an empty list with features that have attributes.
  if (fields === null || fields.length === 0) return null;
  const coded = fields.filter(({ names }) => names !== null).map(({ name }) => name);
  if (options.coded_values === 'names')
    return fields.map((field) => (field.names === null ? field : { ...field, type: 'string' }));
  if (coded.length > 0)
    findings.note(
      esrijsonFindings.ESRIJSON_CODES_KEPT,
      { fields: coded.slice(0, 20).join(', ') },
      undefined,
      coded.length,
    );
  return fields.map((field) => ({ ...field, names: null }));
}

/** The CRS of the first geometry that states one, if it is near the beginning; null if none does. */
function peekedCrs(source: ByteSource, start: number, end: number): string | null {
  const window = new JsonWindow(source, '', ESRIJSON);
  window.load(start, Math.min(end, start + PEEK_BYTES));
  const { scanner } = window;
  const text = latin1Text(scanner.bytes, 0, scanner.limit);
  for (const match of text.matchAll(/"spatialReference"\s*:\s*(?=\{)/g)) {
    const at = match.index + match[0].length;
    try {
      const crs = crsOf(JSON.parse(scanner.text(at, scanner.skip(at, 0))));
      if (crs !== null) return crs;
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      return null;
    }
  }
  return null;
}
