/** Decides which fields become elements of GPX, and names the others as extensions. */
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { CoordinateRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import type { OutputLayer, WriteContext } from '../writer.ts';
import { gpxFindings } from './messages.ts';
import { FIELD_HINTS, LINK_FIELD, MAX_LINKS, TIMES } from './standard-fields.ts';

/** What an element can hold: see fitsElement in write-elements.ts. */
export type ElementType = 'text' | 'time' | 'decimal' | 'degrees' | 'count' | 'station' | 'fix';

/** An element with the value of a field. */
export interface ElementPlan {
  readonly field: number;
  readonly type: ElementType;
  readonly name: string;
}

/** Fields with the parts of a link; -1: none. */
export interface LinkPlan {
  readonly href: number;
  readonly text: number;
  readonly type: number;
}

/** Elements in the order of the schema. The links are between `before` and `after`. */
export interface ElementsPlan {
  readonly before: readonly ElementPlan[];
  readonly links: readonly LinkPlan[];
  readonly after: readonly ElementPlan[];
}

/** How a layer is encoded. Plain data. */
export interface WriteState {
  readonly fields: readonly Field[];
  readonly ofPoints: ElementsPlan;
  readonly ofLines: ElementsPlan;
  /** Fields with elevations and times of positions; -1: none. */
  readonly elevation: number;
  readonly times: number;
  /** By field: the name of its extension, without prefix. */
  readonly extensions: readonly string[];
  /** What single lines become. */
  readonly lines: 'trk' | 'rte';
  /** The layer has the points of lines of this layer, which are not written; null: it is written. */
  readonly pointsOf: string | null;
  readonly layerName: string;
  readonly rounding: CoordinateRounding;
}

const BEFORE_POINT = [
  ['time', 'time'],
  ['magvar', 'degrees'],
  ['geoidheight', 'decimal'],
] as const;
const TEXTS = [
  ['name', 'text'],
  ['cmt', 'text'],
  ['desc', 'text'],
  ['src', 'text'],
] as const;
const AFTER_POINT = [
  ['sym', 'text'],
  ['type', 'text'],
  ['fix', 'fix'],
  ['sat', 'count'],
  ['hdop', 'decimal'],
  ['vdop', 'decimal'],
  ['pdop', 'decimal'],
  ['ageofdgpsdata', 'decimal'],
  ['dgpsid', 'station'],
] as const;
const AFTER_LINE = [
  ['number', 'count'],
  ['type', 'text'],
] as const;
type Elements = readonly (readonly [name: keyof typeof FIELD_HINTS, type: ElementType])[];

const NUMBERS: readonly FieldType[] = ['int32', 'int64', 'float64'];
const HELD: Readonly<Record<ElementType, readonly FieldType[]>> = {
  text: ['string'],
  time: ['datetime', 'date', 'string'],
  decimal: NUMBERS,
  degrees: NUMBERS,
  count: NUMBERS,
  station: NUMBERS,
  fix: ['string'],
};
/** Names that other programs use, of which the first present one is taken. */
const OTHER_NAMES: Readonly<Partial<Record<string, readonly string[]>>> = {
  name: ['Name', 'NAME'],
  desc: ['description', 'Description', 'DESCRIPTION'],
};
const RETYPED: Readonly<Partial<Record<FieldType, string>>> = { json: 'text', binary: 'base64 text' };
const LINE_LAYERS: Readonly<Record<string, string>> = { track_points: 'tracks', route_points: 'routes' };

export function planLayer(
  layer: OutputLayer,
  layers: readonly OutputLayer[],
  rounding: CoordinateRounding,
  { options, findings }: WriteContext,
): WriteState {
  const fields = layer.fields ?? [];
  const before = elementsOf(fields, BEFORE_POINT);
  const texts = elementsOf(fields, TEXTS);
  const links = linksOf(fields);
  const elevation = fields.findIndex(({ name, type }) => name === 'ele' && NUMBERS.includes(type));
  const extensions = extensionNames(fields);
  const isRoute = options.lines === 'routes' || (options.lines !== 'tracks' && layer.name === 'routes');
  const state: WriteState = {
    fields,
    ofPoints: { before: [...before, ...texts], links, after: elementsOf(fields, AFTER_POINT) },
    ofLines: { before: texts, links, after: elementsOf(fields, AFTER_LINE) },
    elevation,
    times: fields.findIndex(({ name, type }) => name === TIMES && type === 'json'),
    extensions,
    lines: isRoute ? 'rte' : 'trk',
    pointsOf: pointsOf(layer, layers),
    layerName: layer.name,
    rounding,
  };
  if (state.pointsOf === null) noteChanges(state, layer, findings);
  return state;
}

function noteChanges(
  { fields, ofPoints, extensions, times }: WriteState,
  layer: OutputLayer,
  findings: WriteContext['findings'],
): void {
  if (!['waypoints', 'routes', 'tracks'].includes(layer.name) && layer.isPart !== true)
    findings.note(gpxFindings.GPX_LAYERS_MIXED, { layer: layer.name });
  const renamed = new Map(ofPoints.before.map(({ field, name }) => [field, name]));
  for (const [i, { name, type }] of fields.entries()) {
    const to = renamed.get(i) ?? (isElement(name, type) ? name : extensions[i]);
    if (to !== name) findings.note(formatFindings.FIELD_RENAMED, { from: name, layer: layer.name, to });
    const written = RETYPED[type];
    if (written !== undefined && i !== times)
      findings.note(formatFindings.FIELD_RETYPED, {
        field: name,
        layer: layer.name,
        from: type,
        to: written,
      });
  }
}

function isElement(name: string, type: FieldType): boolean {
  return Object.hasOwn(FIELD_HINTS, name) || (LINK_FIELD.test(name) && type === 'string') || name === TIMES;
}

/** The layer that has the same positions as lines, where all five layers of a GPX are converted. */
function pointsOf({ name, fields }: OutputLayer, layers: readonly OutputLayer[]): string | null {
  const lines = Object.hasOwn(LINE_LAYERS, name) ? LINE_LAYERS[name] : undefined;
  const hasNumbers = (fields ?? []).some((field) => /^(track|route)_fid$/.test(field.name));
  return lines !== undefined && hasNumbers && layers.some((other) => other.name === lines) ? lines : null;
}

function elementsOf(fields: readonly Field[], elements: Elements): ElementPlan[] {
  return elements.flatMap(([name, type]) => {
    for (const wanted of [name, ...(OTHER_NAMES[name] ?? [])]) {
      const field = fields.findIndex((one) => one.name === wanted && HELD[type].includes(one.type));
      if (field >= 0) return [{ field, type, name }];
    }
    return [];
  });
}

function linksOf(fields: readonly Field[]): LinkPlan[] {
  const find = (wanted: string): number =>
    fields.findIndex(({ name, type }) => name === wanted && type === 'string');
  const links: LinkPlan[] = [];
  const old = { href: find('url'), text: find('urlname'), type: -1 };
  if (old.href >= 0) links.push(old);
  const numbers = fields
    .flatMap(({ name }) => LINK_FIELD.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((number) => number <= MAX_LINKS);
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const link = { href: find(`link${number}_href`), text: find(`link${number}_text`) };
    if (link.href >= 0) links.push({ ...link, type: find(`link${number}_type`) });
  }
  return links;
}

/** Characters that names of XML, or local names, cannot have; and those beyond 16 bits. */
const NO_NAME_CHARACTER =
  /[^\w.\-\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf]/g;
/** Characters of the name of an extension. */
const MAX_NAME_LENGTH = 200;

/** Names of XML, of which no two are equal. */
function extensionNames(fields: readonly Field[]): string[] {
  const names = new UniqueNames();
  return fields.map(({ name }) => {
    const legal = name.slice(0, MAX_NAME_LENGTH).replace(NO_NAME_CHARACTER, '_');
    return names.take(/^[-.\d]|^$/.test(legal) ? `_${legal}` : legal);
  });
}
