/** Decides which fields become elements of a placemark, and declares the others in a Schema. */
import { FACT_NAMES } from '@geomill/core/columns/field-facts.ts';
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { CoordinateRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import type { OutputLayer, WriteContext } from '../writer.ts';

/** How a layer is encoded. Plain data. */
export interface WriteState {
  readonly layerName: string;
  readonly fields: readonly Field[];
  /** Id of its Schema. */
  readonly schemaId: string;
  /** Index of the field of each element; a value that the element cannot hold is written as data. */
  readonly roles: Readonly<Partial<Record<Role, number>>>;
  /** 1: the field is data, and declared. 2: it is both data and an element. 0: only an element. */
  readonly asData: readonly (0 | 1 | 2)[];
  readonly rounding: CoordinateRounding;
  readonly isZip: boolean;
}

/** The alternative names of fields that are data, by index. */
export type Aliases = readonly (string | undefined)[];

const TEXT: readonly FieldType[] = ['string'];
const TIME: readonly FieldType[] = ['date', 'datetime', 'string'];
const TRUTH: readonly FieldType[] = ['boolean'];
/** Elements of a placemark that have the value of a field, with the types it can have. */
const ROLE_TYPES = {
  name: TEXT,
  description: TEXT,
  timestamp: TIME,
  begin: TIME,
  end: TIME,
  altitudeMode: TEXT,
  tessellate: TRUTH,
  extrude: TRUTH,
  visibility: TRUTH,
  icon: TEXT,
  color: TEXT,
  snippet: TEXT,
  address: TEXT,
  phoneNumber: TEXT,
} satisfies Readonly<Record<string, readonly FieldType[]>>;
export type Role = keyof typeof ROLE_TYPES;
export const ROLES = Object.keys(ROLE_TYPES) as readonly Role[];

/** Types of KML 2.2 (9.13). */
const SIMPLE_TYPES: Readonly<Record<FieldType, string>> = {
  boolean: 'bool',
  int32: 'int',
  // No integer type of KML has 64 bits; the digits are kept.
  int64: 'double',
  float64: 'double',
  string: 'string',
  date: 'string',
  datetime: 'string',
  json: 'string',
  binary: 'string',
};
const RETYPED: Readonly<Partial<Record<FieldType, string>>> = {
  int64: 'double',
  date: 'text (ISO 8601)',
  datetime: 'text (ISO 8601)',
  json: 'text',
  binary: 'base64 text',
};

export function planLayer(
  layer: OutputLayer,
  index: number,
  rounding: CoordinateRounding,
  { options, findings }: WriteContext,
): WriteState {
  const fields = layer.fields ?? [];
  const roles: Partial<Record<Role, number>> = {};
  const asData: (0 | 1 | 2)[] = fields.map(() => 1);
  const stated: Partial<Record<Role, unknown>> = {
    name: options.name_field,
    description: options.description_field,
    color: options.color_field,
  };
  for (const role of ROLES) {
    const wanted = stated[role];
    const found = typeof wanted === 'string' ? indexOf(fields, wanted) : defaultField(fields, role);
    if (typeof wanted === 'string' && found < 0)
      findings.note(formatFindings.FIELD_NOT_FOUND, { field: wanted, option: field(`output.${role}_field`) });
    if (found < 0) continue;
    const { name, type } = fields[found];
    const isStated = typeof wanted === 'string';
    // A name can be any value, but is read as text.
    const fits =
      role === 'name' && isStated ? type !== 'binary' && type !== 'json' : ROLE_TYPES[role].includes(type);
    if (!fits) continue;
    roles[role] = found;
    // A reader gives the value of an element the name of the element.
    const isElement = name.toLowerCase() === role.toLowerCase() && ROLE_TYPES[role].includes(type);
    asData[found] = isElement ? 0 : 2;
    if (isElement && name !== role)
      findings.note(formatFindings.FIELD_RENAMED, { from: name, layer: layer.name, to: role });
  }
  for (const [i, { name, type }] of fields.entries()) {
    const to = RETYPED[type];
    if (asData[i] !== 0 && to !== undefined)
      findings.note(formatFindings.FIELD_RETYPED, { field: name, layer: layer.name, from: type, to });
  }
  const schemaId = `schema${index + 1}`;
  return { layerName: layer.name, fields, schemaId, roles, asData, rounding, isZip: options.kmz === true };
}

/** Notes those that have no place: the elements of a placemark are not declared. */
export function aliasesOf(
  { name: layer, facts }: OutputLayer,
  { fields, asData }: WriteState,
  { findings }: WriteContext,
): Aliases {
  return fields.map(({ name }, i) => {
    const alias = facts?.fields.get(name)?.alias;
    if (alias === undefined || asData[i] !== 0) return alias;
    const reason = 'the field is an element of KML with a name of its own';
    const params = { layer, what: FACT_NAMES.alias, fields: `'${name.slice(0, 60)}'`, reason };
    findings.note(formatFindings.FIELD_DESCRIPTIONS_DROPPED, params, { layer, field: name });
    return undefined;
  });
}

function defaultField(fields: readonly Field[], role: Role): number {
  const exact = indexOf(fields, role);
  if (exact >= 0 || (role !== 'name' && role !== 'description')) return exact;
  return fields.findIndex(({ name }) => name.toLowerCase() === role);
}

const indexOf = (fields: readonly Field[], wanted: string): number =>
  fields.findIndex(({ name }) => name === wanted);

export const simpleType = ({ type }: Field): string => SIMPLE_TYPES[type];
