/** What a geodatabase says of the fields of a table besides names and types. */
import {
  type CodedValue,
  type FieldDefault,
  type Domain as FieldDomain,
  type FieldFacts,
  sameMeanings,
} from '@geomill/core/columns/field-facts.ts';
import type { CodedField } from './coded-columns.ts';
import type { FieldFacts as CatalogueFacts, CodeTexts, Domain, TableFacts } from './domains.ts';
import type { ReadField } from './row-decoder.ts';
import { TimeWriter } from './row-texts.ts';
import { FIELD, type GdbField } from './table-header.ts';

/** Widths that writers give to texts of any length. */
const NO_WIDTHS: ReadonlySet<number> = new Set([0, 65_536, 2_147_483_647, 1_073_741_822]);

/** By the names that the fields of a batch have. `coded`: fields with texts in place of codes, or beside them. */
export function fieldFacts(
  table: string,
  fields: readonly ReadField[],
  facts: TableFacts,
  coded: readonly CodedField[],
  isUtf8: boolean,
): ReadonlyMap<string, FieldFacts> {
  const found = new Map<string, FieldFacts>();
  for (const field of fields) {
    if (field.valueType === null) continue;
    const isReplaced = coded.some(({ field: own, textField }) => own === field.name && textField === own);
    const own = {
      ...(field.alias === '' || field.alias === field.name ? {} : { alias: field.alias }),
      ...(isReplaced ? {} : valueFacts(table, field, facts, isUtf8)),
      ...(field.isNullable || field.type === FIELD.globalId ? {} : { notNull: true as const }),
    };
    if (Object.keys(own).length > 0) found.set(field.name, own);
  }
  return found;
}

function valueFacts(table: string, field: ReadField, facts: TableFacts, isUtf8: boolean): FieldFacts {
  const domain = domainOf(table, field, facts);
  const value = defaultOf(field, isUtf8);
  return {
    ...(domain === null ? {} : { domain }),
    ...(value === null ? {} : { default: value }),
    ...(field.type !== FIELD.string || NO_WIDTHS.has(field.width) ? {} : { width: field.width }),
  };
}

/** Whether the values of the field have different domains in different rows, which no domain of a field says. */
export function hasManyDomains(table: string, field: GdbField, facts: TableFacts): boolean {
  const own = facts.fields.get(field.name.toLowerCase());
  return (own?.bySubtype?.size ?? 0) > 0 && domainOf(table, field, facts) === null;
}

function domainOf(table: string, { name }: GdbField, { fields, subtypes }: TableFacts): FieldDomain | null {
  if (name.toLowerCase() === subtypes?.field.toLowerCase())
    return { kind: 'coded', name: `${table}_${name}_subtypes`, values: codedValues(subtypes.texts) };
  const own = fields.get(name.toLowerCase());
  if (own === undefined) return null;
  const all = domainsOf(own);
  const [first] = all;
  if (first === undefined) return null;
  if (all.every((one) => one === first)) return plainDomain(first);
  return all
    .slice(1)
    .reduce<FieldDomain | null>(
      (joined, one) => joined && sameMeanings(joined, plainDomain(one)),
      plainDomain(first),
    );
}

function domainsOf({ domain, bySubtype }: CatalogueFacts): readonly Domain[] {
  const all = [domain, ...(bySubtype?.values() ?? [])].filter((one) => one !== null);
  return [...new Set(all)];
}

function plainDomain(domain: Domain): FieldDomain {
  const { name } = domain;
  const described = domain.description === '' ? { name } : { name, description: domain.description };
  if (domain.kind === 'coded') return { kind: 'coded', ...described, values: codedValues(domain.texts) };
  const limit = (text: string): string | null => (text === '' ? null : text);
  const { least, most } = domain;
  return {
    kind: 'range',
    ...described,
    min: limit(least),
    max: limit(most),
    minIsInside: true,
    maxIsInside: true,
  };
}

function codedValues(texts: CodeTexts): readonly CodedValue[] {
  return [...texts].map(([code, text]) => ({ code, text }));
}

const days = new TimeWriter();
const decoders = { utf8: new TextDecoder(), utf16: new TextDecoder('utf-16le') };

/** Null: there is none, or one that cannot be read. A default is stored as a value of a row is. */
function defaultOf(field: ReadField, isUtf8: boolean): FieldDefault | null {
  const { type, defaultBytes: bytes, valueType, timeForm } = field;
  if (bytes === null) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const constant = (value: string | number | bigint): FieldDefault => ({ kind: 'value', value });
  switch (type) {
    case FIELD.string:
      return constant(decoders[isUtf8 ? 'utf8' : 'utf16'].decode(bytes));
    case FIELD.int16:
      return bytes.length < 2 ? null : constant(view.getInt16(0, true));
    case FIELD.int32:
      return bytes.length < 4 ? null : constant(view.getInt32(0, true));
    case FIELD.float32:
      return bytes.length < 4 ? null : constant(view.getFloat32(0, true));
    case FIELD.float64:
      return bytes.length < 8 ? null : constant(view.getFloat64(0, true));
    case FIELD.int64:
      return bytes.length < 8 ? null : constant(view.getBigInt64(0, true));
    default: {
      const isTime = valueType === 'date' || valueType === 'datetime';
      if (!isTime || bytes.length < 8) return null;
      const length = days.write(view.getFloat64(0, true), timeForm, 0);
      return length < 0 ? null : constant(decoders.utf8.decode(days.bytes.subarray(0, length)));
    }
  }
}
