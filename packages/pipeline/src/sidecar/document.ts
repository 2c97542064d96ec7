/**
 * The sidecar of an output: a JSON document with what its format cannot hold. Its text comes from outside when it is read, so its size and its
 * depth are checked before it is parsed, and every part of it before it is used.
 */
import type { CodedValue, Domain, FieldDefault, FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';

/** Of the text of a sidecar. Writers keep fewer original values, so that it stays below this. */
export const MAX_SIDECAR_BYTES = 64 << 20;
const MAX_DEPTH = 16;
const VERSION = 1;

/** Rows that have the same original value or, with `first`, integers that begin with it and grow by one from row to row. */
export interface KeptValues {
  /** The first row, from 0, and their number. */
  readonly rows: readonly (readonly [start: number, count: number])[];
  /** As text: of integers their digits, of other numbers the shortest digits, of bytes base64; null: no value. */
  readonly value?: string | boolean | null;
  readonly first?: string;
}

/** Where the file has the values. */
export type ValueSource = { readonly column: string } | 'ids' | 'none';

export interface SidecarColumn {
  readonly source: ValueSource;
  readonly type: FieldType;
  /** Of the values that the file gives back, converted to the type. */
  readonly digest: string;
  /** Where those are not the original ones. */
  readonly kept: readonly KeptValues[];
}

export interface SidecarField extends SidecarColumn {
  readonly name: string;
  readonly facts: FieldFacts;
}

export interface SidecarLayer {
  readonly name: string;
  /** Its name in the file. */
  readonly written: string;
  readonly rows: number;
  readonly isTable: boolean;
  /** Digest. */
  readonly geometry: string;
  readonly crs: string;
  /** As the file states it; null: it does not. */
  readonly writtenCrs: string | null;
  readonly title?: string;
  readonly description?: string;
  /** As in LayerFacts. */
  readonly hasStoredWidths?: true;
  /** Null: the features have no ids. */
  readonly ids: SidecarColumn | null;
  readonly fields: readonly SidecarField[];
  /** Fields of the file that the format needed and the layer does not have. */
  readonly added: readonly string[];
}

export interface Sidecar {
  /** Id of the format of the file. */
  readonly format: string;
  readonly layers: readonly SidecarLayer[];
}

/** The document is not one that this version can use; the message says why. */
export class SidecarInvalid extends Error {}

export function sidecarText({ format, layers }: Sidecar): string {
  const document = {
    type: 'geomill sidecar',
    version: VERSION,
    format,
    layers: layers.map(({ fields, ...layer }) => ({
      ...layer,
      fields: fields.map(({ facts, ...field }) => ({ ...field, facts: factsToJson(facts) })),
    })),
  };
  return `${JSON.stringify(document)}\n`;
}

/** Throws SidecarInvalid. */
export function parseSidecar(bytes: Uint8Array): Sidecar {
  let document: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    checkDepth(text);
    document = JSON.parse(text);
  } catch (error) {
    if (error instanceof SidecarInvalid) throw error;
    throw new SidecarInvalid(`it is not JSON (${(error as Error).message.slice(0, 100)})`);
  }
  const { type, version, format, layers } = objectOf(document, 'the document');
  if (type !== 'geomill sidecar') throw new SidecarInvalid('it is not a sidecar of geomill');
  if (version !== VERSION)
    throw new SidecarInvalid(
      `it has version ${JSON.stringify(version)?.slice(0, 20)}, and this geomill reads ${VERSION}`,
    );
  return { format: textOf(format, 'format'), layers: listOf(layers, 'layers').map(parseLayer) };
}

function checkDepth(text: string): void {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) throw new SidecarInvalid(`it is nested deeper than ${MAX_DEPTH}`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function parseLayer(value: unknown): SidecarLayer {
  const layer = objectOf(value, 'a layer');
  const rows = countOf(layer.rows, 'rows');
  return {
    name: textOf(layer.name, 'name'),
    written: textOf(layer.written, 'written'),
    rows,
    isTable: layer.isTable === true,
    geometry: textOf(layer.geometry, 'geometry'),
    crs: textOf(layer.crs, 'crs'),
    writtenCrs: layer.writtenCrs === null ? null : textOf(layer.writtenCrs, 'writtenCrs'),
    ...optionalText(layer, 'title'),
    ...optionalText(layer, 'description'),
    ...(layer.hasStoredWidths === true ? { hasStoredWidths: true as const } : {}),
    added: listOf(layer.added, 'added').map((one) => textOf(one, 'added')),
    ids: layer.ids === null ? null : parseColumn(objectOf(layer.ids, 'ids'), rows),
    fields: listOf(layer.fields, 'fields').map((one): SidecarField => {
      const field = objectOf(one, 'a field');
      return {
        name: textOf(field.name, 'name'),
        ...parseColumn(field, rows),
        facts: factsFromJson(field.facts),
      };
    }),
  };
}

const TYPES: readonly FieldType[] = [
  'boolean',
  'int32',
  'int64',
  'float64',
  'string',
  'binary',
  'date',
  'datetime',
  'json',
];

function parseColumn(column: Readonly<Record<string, unknown>>, rows: number): SidecarColumn {
  const type = TYPES.find((known) => known === column.type);
  if (type === undefined) throw new SidecarInvalid("'type' is no type");
  const { source } = column;
  return {
    source:
      source === 'ids' || source === 'none'
        ? source
        : { column: textOf(objectOf(source, 'source').column, 'column') },
    type,
    digest: textOf(column.digest, 'digest'),
    kept: listOf(column.kept, 'kept').map((one) => parseKept(one, type, rows)),
  };
}

function parseKept(value: unknown, type: FieldType, rows: number): KeptValues {
  const kept = objectOf(value, 'kept');
  const ranges = listOf(kept.rows, 'rows').map((range): readonly [number, number] => {
    const [start, count] = listOf(range, 'rows').map((number) => countOf(number, 'rows'));
    if (start === undefined || count === undefined || start + count > rows)
      throw new SidecarInvalid("'rows' has a row that the layer does not have");
    return [start, count];
  });
  if (kept.first !== undefined) {
    if (type !== 'int64') throw new SidecarInvalid("'first' is for values of the type int64");
    return { rows: ranges, first: integerText(kept.first) };
  }
  return { rows: ranges, value: keptValue(kept.value, type) };
}

function keptValue(value: unknown, type: FieldType): string | boolean | null {
  if (value === null) return null;
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw new SidecarInvalid("'value' is no boolean");
    return value;
  }
  if (type === 'int32' || type === 'int64') return integerText(value);
  const text = textOf(value, 'value');
  if (type === 'float64' && !(text === 'NaN' || (text.trim() !== '' && !Number.isNaN(Number(text)))))
    throw new SidecarInvalid("'value' is no number");
  if (type === 'binary' && !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new SidecarInvalid("'value' is no base64");
  return text;
}

function integerText(value: unknown): string {
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return value;
  throw new SidecarInvalid("'value' is no integer");
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new SidecarInvalid(`${what} is no object`);
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new SidecarInvalid(`'${what}' is no list`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new SidecarInvalid(`'${what}' is no text`);
}

function countOf(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new SidecarInvalid(`'${what}' is no count`);
}

function optionalText(object: Readonly<Record<string, unknown>>, key: string): Record<string, string> {
  return object[key] === undefined ? {} : { [key]: textOf(object[key], key) };
}

/** The facts as JSON, which has no large integers and no bytes. */
export function factsToJson({ default: value, ...facts }: FieldFacts): object {
  if (value === undefined) return facts;
  if (value.kind !== 'value') return { ...facts, default: value };
  const { value: held } = value;
  if (typeof held === 'bigint')
    return { ...facts, default: { kind: 'value', as: 'integer', value: String(held) } };
  if (held instanceof Uint8Array)
    return { ...facts, default: { kind: 'value', as: 'bytes', value: bytesToBase64(held) } };
  return { ...facts, default: value };
}

/** Throws SidecarInvalid. */
export function factsFromJson(value: unknown): FieldFacts {
  const facts = objectOf(value, 'facts');
  return {
    ...optionalText(facts, 'alias'),
    ...optionalText(facts, 'title'),
    ...optionalText(facts, 'description'),
    ...optionalText(facts, 'mediaType'),
    ...(facts.width === undefined ? {} : { width: countOf(facts.width, 'width') }),
    ...(facts.notNull === true ? { notNull: true as const } : {}),
    ...(facts.unique === true ? { unique: true as const } : {}),
    ...(facts.default === undefined ? {} : { default: defaultOf(objectOf(facts.default, 'default')) }),
    ...(facts.domain === undefined ? {} : { domain: domainOf(objectOf(facts.domain, 'domain')) }),
  };
}

function defaultOf(json: Readonly<Record<string, unknown>>): FieldDefault {
  if (json.kind === 'now' && (json.as === 'datetime' || json.as === 'date' || json.as === 'time'))
    return { kind: 'now', as: json.as };
  if (json.kind === 'call')
    return {
      kind: 'call',
      name: textOf(json.name, 'name'),
      values: listOf(json.values, 'values').map((one) => textOf(one, 'values')),
    };
  if (json.kind !== 'value') throw new SidecarInvalid("'default' is of no known kind");
  if (json.as === 'integer') return { kind: 'value', value: BigInt(integerText(json.value)) };
  if (json.as === 'bytes')
    return { kind: 'value', value: base64ToBytes(keptValue(json.value, 'binary') as string) };
  if (typeof json.value !== 'number' && typeof json.value !== 'string')
    throw new SidecarInvalid("'default' has no value");
  return { kind: 'value', value: json.value };
}

function domainOf(json: Readonly<Record<string, unknown>>): Domain {
  const named = { name: textOf(json.name, 'name'), ...optionalText(json, 'description') };
  if (json.kind === 'glob') return { ...named, kind: 'glob', pattern: textOf(json.pattern, 'pattern') };
  if (json.kind === 'range') {
    const limit = (value: unknown): string | null => (value === null ? null : textOf(value, 'min or max'));
    return {
      ...named,
      kind: 'range',
      min: limit(json.min),
      max: limit(json.max),
      minIsInside: json.minIsInside === true,
      maxIsInside: json.maxIsInside === true,
    };
  }
  if (json.kind !== 'coded') throw new SidecarInvalid("'domain' is of no known kind");
  const values = listOf(json.values, 'values').map((one): CodedValue => {
    const { code, text } = objectOf(one, 'values');
    return { code: textOf(code, 'code'), text: text === null ? null : textOf(text, 'text') };
  });
  return { ...named, kind: 'coded', values };
}

export function bytesToBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
