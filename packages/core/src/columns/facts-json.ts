/** Facts of fields as JSON that reads back the same, for formats with a place for any text. */
import {
  CALLED_FUNCTIONS,
  type CodedValue,
  type Domain,
  type FieldDefault,
  type FieldFacts,
} from './field-facts.ts';

type Members = Readonly<Record<string, unknown>>;

/** Codes of a domain that are read. */
const MAX_CODES = 100_000;
const HEX = /^(?:[0-9a-f]{2})*$/;

/** What `readFactsJson` reads. */
export function factsJson({ mediaType, notNull, default: value, domain, ...others }: FieldFacts): object {
  return {
    ...others,
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
    ...(notNull === undefined ? {} : { not_null: notNull }),
    ...(value === undefined ? {} : { default: defaultJson(value) }),
    ...(domain === undefined ? {} : { domain: domainJson(domain) }),
  };
}

function defaultJson(fact: FieldDefault): object {
  if (fact.kind !== 'value') return fact;
  const { value } = fact;
  if (typeof value === 'bigint') return { kind: 'integer', value: String(value) };
  return value instanceof Uint8Array ? { kind: 'bytes', value: hexOf(value) } : fact;
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function domainJson(domain: Domain): object {
  if (domain.kind !== 'range') return domain;
  const { minIsInside, maxIsInside, ...others } = domain;
  return { ...others, min_is_inside: minIsInside, max_is_inside: maxIsInside };
}

/** Members that are not as `factsJson` writes them are left out: the text may be of another program. */
export function readFactsJson(json: unknown): FieldFacts {
  const members = membersOf(json);
  const { width } = members;
  const value = readDefault(membersOf(members.default));
  const domain = readDomain(membersOf(members.domain));
  return {
    ...textMember('alias', members.alias),
    ...textMember('title', members.title),
    ...textMember('description', members.description),
    ...textMember('mediaType', members.media_type),
    ...(typeof width === 'number' && Number.isSafeInteger(width) && width > 0 ? { width } : {}),
    ...(members.not_null === true ? { notNull: true } : {}),
    ...(members.unique === true ? { unique: true } : {}),
    ...(value === null ? {} : { default: value }),
    ...(domain === null ? {} : { domain }),
  };
}

function textMember<Name extends string>(name: Name, value: unknown): { readonly [key in Name]?: string } {
  const members: { [key in Name]?: string } = {};
  if (typeof value === 'string' && value !== '') members[name] = value;
  return members;
}

export function membersOf(json: unknown): Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Members) : {};
}

function readDefault({ kind, value, as, name, values }: Members): FieldDefault | null {
  switch (kind) {
    case 'value':
      return typeof value === 'string' || typeof value === 'number' ? { kind, value } : null;
    case 'integer':
      return typeof value === 'string' && /^-?\d{1,19}$/.test(value)
        ? { kind: 'value', value: BigInt.asIntN(64, BigInt(value)) }
        : null;
    case 'bytes':
      return typeof value === 'string' && HEX.test(value)
        ? {
            kind: 'value',
            value: Uint8Array.from(value.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
          }
        : null;
    case 'now':
      return as === 'datetime' || as === 'date' || as === 'time' ? { kind, as } : null;
    case 'call': {
      const isCall = typeof name === 'string' && CALLED_FUNCTIONS.includes(name) && Array.isArray(values);
      if (!isCall || !values.every((one): one is string => typeof one === 'string')) return null;
      return { kind, name, values };
    }
    default:
      return null;
  }
}

function readDomain(members: Members): Domain | null {
  const { kind, name, description, values, pattern } = members;
  if (typeof name !== 'string' || name === '') return null;
  const own = { name, ...textMember('description', description) };
  if (kind === 'coded' && Array.isArray(values)) {
    const codes = (values as readonly unknown[]).slice(0, MAX_CODES).flatMap(readCode);
    return codes.length === 0 ? null : { kind, ...own, values: codes };
  }
  if (kind === 'glob' && typeof pattern === 'string') return { kind, ...own, pattern };
  if (kind !== 'range') return null;
  const limit = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    kind,
    ...own,
    min: limit(members.min),
    max: limit(members.max),
    minIsInside: members.min_is_inside !== false,
    maxIsInside: members.max_is_inside !== false,
  };
}

function readCode(json: unknown): CodedValue[] {
  const { code, text } = membersOf(json);
  return typeof code === 'string' ? [{ code, text: typeof text === 'string' ? text : null }] : [];
}
