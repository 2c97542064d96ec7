/** What declared fields of feature sets say besides names and types, read and written. */
import type { Domain, FieldDefault, FieldFacts } from '@geomill/core/columns/field-facts.ts';
import { type Field, isNumber } from '@geomill/core/columns/schema.ts';

type Members = Readonly<Record<string, unknown>>;

/** Codes of a domain that are read. */
const MAX_CODES = 100_000;
/** Their values are made by the server. */
const OWN_TYPES = /^esriFieldType(?:OID|GlobalID)$/i;

/** `field`: a member of `fields`. `hasNames`: the names of its domain are read in place of the codes. */
export function readFacts(field: Members, hasNames: boolean): FieldFacts {
  const { name, alias, type, length, nullable, defaultValue, domain } = field;
  const isOwn = typeof type === 'string' && OWN_TYPES.test(type);
  const found = hasNames ? null : readDomain(domain);
  const value = hasNames ? null : readDefault(defaultValue, type);
  const isText = type === 'esriFieldTypeString';
  return {
    ...(typeof alias === 'string' && alias !== '' && alias !== name ? { alias } : {}),
    ...(isText && !hasNames && isWidth(length) ? { width: length } : {}),
    ...(nullable === false && !isOwn ? { notNull: true } : {}),
    ...(value === null ? {} : { default: value }),
    ...(found === null ? {} : { domain: found }),
  };
}

/** Services state the greatest width of a text for texts without one. */
function isWidth(length: unknown): length is number {
  return typeof length === 'number' && length > 0 && length < 65_536 && Number.isInteger(length);
}

function readDefault(value: unknown, type: unknown): FieldDefault | null {
  if (typeof value === 'number' && type === 'esriFieldTypeDate') {
    const time = new Date(value);
    return Number.isNaN(time.getTime()) ? null : { kind: 'value', value: time.toISOString() };
  }
  return typeof value === 'string' || typeof value === 'number' ? { kind: 'value', value } : null;
}

function readDomain(domain: unknown): Domain | null {
  if (typeof domain !== 'object' || domain === null) return null;
  const { name, codedValues, range, description } = domain as Members;
  const own = {
    name: typeof name === 'string' && name !== '' ? name : 'domain',
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
  };
  if (Array.isArray(codedValues)) {
    const values = (codedValues as readonly unknown[]).slice(0, MAX_CODES).flatMap((value) => {
      const { code, name: text } = (value ?? {}) as Members;
      if (typeof code !== 'string' && typeof code !== 'number') return [];
      return [{ code: String(code), text: typeof text === 'string' ? text : null }];
    });
    return values.length === 0 ? null : { kind: 'coded', ...own, values };
  }
  if (!Array.isArray(range) || range.length !== 2) return null;
  const [min, max] = (range as readonly unknown[]).map((limit) =>
    typeof limit === 'number' || typeof limit === 'string' ? String(limit) : null,
  );
  return { kind: 'range', ...own, min, max, minIsInside: true, maxIsInside: true };
}

/** The members that state the facts. */
export function factMembers(field: Field, facts: FieldFacts): object {
  const { domain, default: value } = facts;
  return {
    ...(facts.alias === undefined ? {} : { alias: facts.alias }),
    ...(facts.notNull ? { nullable: false } : {}),
    ...(value?.kind === 'value' ? { defaultValue: constant(value.value) } : {}),
    ...(domain === undefined ? {} : { domain: domainMember(field, domain) }),
  };
}

function constant(value: string | number | bigint | Uint8Array): unknown {
  return typeof value === 'bigint' ? Number(value) : value instanceof Uint8Array ? null : value;
}

function domainMember({ type }: Field, domain: Domain): object | null {
  const typed = (code: string): string | number =>
    (isNumber(type) || type === 'boolean') && code.trim() !== '' && Number.isFinite(Number(code))
      ? Number(code)
      : code;
  const own = {
    name: domain.name,
    ...(domain.description === undefined ? {} : { description: domain.description }),
  };
  if (domain.kind === 'coded')
    return {
      type: 'codedValue',
      ...own,
      codedValues: domain.values.map(({ code, text }) => ({ name: text ?? code, code: typed(code) })),
    };
  if (domain.kind === 'glob') return null;
  const { min, max } = domain;
  return { type: 'range', ...own, range: [min, max].map((limit) => (limit === null ? null : typed(limit))) };
}
