/** Declared fields of feature sets. */
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';

/** How the values of an Esri type are read. time: milliseconds since 1970, or text. */
export type ValueForm = 'value' | 'time' | 'day';

interface EsriType {
  readonly type: FieldType;
  readonly form?: ValueForm;
}

/** Not esriFieldTypeGeometry, which is no attribute. */
const TYPES: Readonly<Record<string, EsriType>> = {
  // Not 32 bits, as the object ids of ArcGIS Pro 3.2 and later are larger.
  OID: { type: 'int64' },
  SmallInteger: { type: 'int32' },
  Integer: { type: 'int32' },
  BigInteger: { type: 'int64' },
  Single: { type: 'float64' },
  Double: { type: 'float64' },
  String: { type: 'string' },
  Date: { type: 'datetime', form: 'time' },
  DateOnly: { type: 'date', form: 'day' },
  TimeOnly: { type: 'string' },
  TimestampOffset: { type: 'datetime' },
  GUID: { type: 'string' },
  GlobalID: { type: 'string' },
  XML: { type: 'string' },
  Blob: { type: 'string' },
  Raster: { type: 'string' },
};
const GEOMETRY = 'Geometry';

/** A declared field. Plain data. */
export interface DeclaredField {
  readonly name: string;
  /** Null: unknown or contradicted by values; the values have their own types. */
  readonly type: FieldType | null;
  readonly form: ValueForm;
  /** The Esri type, for messages. */
  readonly declared: string;
  /** Names by code of its domain, which are read in place of the codes; null: the codes are read. */
  readonly names: Readonly<Record<string, string>> | null;
}

/** Codes of a domain that are looked at. */
const MAX_CODES = 100_000;

/** The fields in a member `fields`; null if it is not an array of fields. Repeated names are left out. */
export function declaredFields(member: unknown): DeclaredField[] | null {
  if (!Array.isArray(member)) return null;
  const fields = new Map<string, DeclaredField>();
  for (const entry of member as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null) return null;
    const { name, type, domain } = entry as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string') return null;
    const declared = typeof type === 'string' ? type.replace(/^esriFieldType/i, '') : '';
    if (declared === GEOMETRY || fields.has(name)) continue;
    const known = Object.hasOwn(TYPES, declared) ? TYPES[declared] : null;
    fields.set(name, {
      name,
      type: known?.type ?? null,
      form: known?.form ?? 'value',
      declared: declared === '' ? 'no type' : declared.slice(0, 40),
      names: namesOf(domain),
    });
  }
  return [...fields.values()];
}

function namesOf(domain: unknown): Record<string, string> | null {
  if (typeof domain !== 'object' || domain === null) return null;
  const { codedValues } = domain as { codedValues?: unknown };
  if (!Array.isArray(codedValues)) return null;
  const names: Record<string, string> = Object.create(null);
  for (const value of (codedValues as readonly unknown[]).slice(0, MAX_CODES)) {
    const { code, name } = (value ?? {}) as { code?: unknown; name?: unknown };
    if ((typeof code === 'string' || typeof code === 'number') && typeof name === 'string')
      names[String(code)] = name;
  }
  return Object.keys(names).length === 0 ? null : names;
}

/** The fields of a layer; null if one has a type that only its values show. */
export function layerFields(fields: readonly DeclaredField[]): Field[] | null {
  const typed = fields.flatMap(({ name, type }) => (type === null ? [] : [{ name, type }]));
  return typed.length === fields.length ? typed : null;
}
