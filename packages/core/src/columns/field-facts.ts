/** What a schema says of a field besides its name and type. Plain data. */

/** A value that a field can have, with its meaning. */
export interface CodedValue {
  /** As text: of a number, its digits. */
  readonly code: string;
  /** Null: the file gives none. */
  readonly text: string | null;
}

/** The values that a field can have. */
export type Domain = {
  /** Fields with the same domain share its name. */
  readonly name: string;
  readonly description?: string;
} & (
  | { readonly kind: 'coded'; readonly values: readonly CodedValue[] }
  | {
      readonly kind: 'range';
      /** Numbers as texts, or dates; null: there is no limit. */
      readonly min: string | null;
      readonly max: string | null;
      readonly minIsInside: boolean;
      readonly maxIsInside: boolean;
    }
  | { readonly kind: 'glob'; readonly pattern: string }
);

/** The value of a field for which a new row states none. */
export type FieldDefault =
  | { readonly kind: 'value'; readonly value: string | number | bigint | Uint8Array }
  /** The time at which the row is made, or its date. */
  | { readonly kind: 'now'; readonly as: 'datetime' | 'date' | 'time' }
  /** A call of one of CALLED_FUNCTIONS with constant arguments. */
  | { readonly kind: 'call'; readonly name: string; readonly values: readonly string[] };

/** The SQL functions of date and time that a default can call. No other name may get into the SQL of an output. */
export const CALLED_FUNCTIONS: readonly string[] = [
  'date',
  'time',
  'datetime',
  'julianday',
  'unixepoch',
  'strftime',
];

export interface FieldFacts {
  /** A name for people, in place of that of the column. */
  readonly alias?: string;
  readonly title?: string;
  readonly description?: string;
  /** Of the values. */
  readonly mediaType?: string;
  /** Greatest length of a value in characters, or of a binary one in bytes. */
  readonly width?: number;
  readonly notNull?: true;
  readonly unique?: true;
  readonly default?: FieldDefault;
  readonly domain?: Domain;
}

export type FactKind = keyof FieldFacts;

/** All kinds, with their names in messages. */
export const FACT_NAMES: Readonly<Record<FactKind, string>> = {
  alias: 'the alternative name',
  title: 'the title',
  description: 'the description',
  mediaType: 'the media type',
  domain: 'the domain',
  notNull: 'NOT NULL',
  unique: 'UNIQUE',
  default: 'DEFAULT',
  width: 'the width',
};

export const FACT_KINDS = Object.keys(FACT_NAMES) as readonly FactKind[];

/** Facts of the fields of a layer by their names. */
export type FactsByField = ReadonlyMap<string, FieldFacts>;

/** What a file says of a layer besides its name and its features. Plain data. */
export interface LayerFacts {
  /** A name for people. */
  readonly title?: string;
  readonly description?: string;
  readonly fields: FactsByField;
  /** Every field of the format has a width: one that an output does not state is no loss. Default: widths say something of the data. */
  readonly hasStoredWidths?: true;
}

export const NO_FACTS: FactsByField = new Map();

/** The facts that describe a field, whatever its values; undefined: there are none. */
export function descriptionsIn({ alias, title, description }: FieldFacts): FieldFacts | undefined {
  const facts = {
    ...(alias === undefined ? {} : { alias }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** The facts of these kinds. */
export function onlyFacts(facts: FieldFacts, kinds: readonly FactKind[]): FieldFacts {
  return Object.fromEntries(Object.entries(facts).filter(([kind]) => kinds.includes(kind as FactKind)));
}

export function sameFact(a: FieldFacts, b: FieldFacts, kind: FactKind): boolean {
  return JSON.stringify(a[kind], plain) === JSON.stringify(b[kind], plain);
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

/** Codes of both, if no code has two meanings; null: the two cannot be one domain. */
export function sameMeanings(first: Domain, second: Domain): Domain | null {
  if (first.kind !== 'coded' || second.kind !== 'coded') return null;
  const values = new Map<string, CodedValue>(first.values.map((value) => [value.code, value]));
  for (const value of second.values) {
    const known = values.get(value.code);
    if (known !== undefined && known.text !== value.text) return null;
    values.set(value.code, value);
  }
  return values.size === first.values.length ? first : { ...first, values: [...values.values()] };
}

/** A default for people, and for formats that have only texts. */
export function defaultText(value: FieldDefault): string {
  if (value.kind === 'now')
    return `CURRENT_${value.as === 'datetime' ? 'TIMESTAMP' : value.as.toUpperCase()}`;
  if (value.kind === 'call') return `${value.name}(${value.values.map((text) => `'${text}'`).join(', ')})`;
  return value.value instanceof Uint8Array ? `${value.value.length} bytes` : String(value.value);
}

/** The facts as JSON. */
export function factsDocument(facts: FieldFacts): object {
  const { mediaType, notNull, default: value, domain, ...others } = facts;
  return {
    ...others,
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
    ...(notNull === undefined ? {} : { not_null: notNull }),
    ...(value === undefined ? {} : { default: defaultText(value) }),
    ...(domain === undefined ? {} : { domain: domainDocument(domain) }),
  };
}

function domainDocument(domain: Domain): object {
  if (domain.kind !== 'range') return domain;
  const { minIsInside, maxIsInside, ...others } = domain;
  return { ...others, min_is_inside: minIsInside, max_is_inside: maxIsInside };
}
