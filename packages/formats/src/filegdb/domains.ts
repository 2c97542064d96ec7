/** Domains and subtypes: which values the fields of a table can have, and what coded values mean. */
import type { ElementJson } from '@geomill/core/text/xml-elements.ts';
import { type Definition, elementsAt, textAt } from './definition.ts';

/** Plain data: it is sent to worker threads. */
export type Domain =
  | { readonly kind: 'coded'; readonly name: string; readonly description: string; readonly texts: CodeTexts }
  | {
      readonly kind: 'range';
      readonly name: string;
      readonly description: string;
      readonly least: string;
      readonly most: string;
    };

/** Descriptions by code. */
export type CodeTexts = ReadonlyMap<string, string>;

/** What the catalogue says of a field. Plain data. */
export interface FieldFacts {
  /** Null: the field has none, or it depends on the subtype. */
  readonly domain: Domain | null;
  /** Domains of the field by code of the subtype of a row; null: they do not depend on it. */
  readonly bySubtype: ReadonlyMap<string, Domain | null> | null;
}

/** Subtypes of a table: a field whose codes divide the rows. Plain data. */
export interface Subtypes {
  readonly field: string;
  readonly texts: CodeTexts;
}

export interface TableFacts {
  /** By name of the field in lower case. */
  readonly fields: ReadonlyMap<string, FieldFacts>;
  readonly subtypes: Subtypes | null;
}

export const NO_FACTS: TableFacts = { fields: new Map(), subtypes: null };

/** Null: it defines no domain. */
export function domainOf({ kind, content }: Definition): Domain | null {
  const name = textAt(content, 'DomainName');
  const description = textAt(content, 'Description');
  if (name === '') return null;
  const values = elementsAt(content, 'CodedValues', 'CodedValue');
  if (/^GPCodedValueDomain/.test(kind) || values.length > 0) {
    const texts = new Map(values.map((value) => [codeKey(textAt(value, 'Code')), textAt(value, 'Name')]));
    return { kind: 'coded', name, description, texts };
  }
  const least = textAt(content, 'MinValue');
  const most = textAt(content, 'MaxValue');
  if (!/^GPRangeDomain/.test(kind) && least === '' && most === '') return null;
  return { kind: 'range', name, description, least, most };
}

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/** Numbers have several spellings, texts one. Codes of texts that look like numbers are compared as numbers only with numbers. */
export function codeKey(code: string): string {
  return code.trim();
}

/** The key of a number: as the codes of domains of numbers are written. */
export function numberTexts(texts: CodeTexts): ReadonlyMap<number, string> {
  const byNumber = new Map<number, string>();
  for (const [code, text] of texts) if (NUMBER.test(code)) byNumber.set(Number(code), text);
  return byNumber;
}

/** `domains`: by name. */
export function tableFactsOf(content: ElementJson, domains: ReadonlyMap<string, Domain>): TableFacts {
  const fields = new Map<string, FieldFacts>();
  for (const field of elementsAt(content, 'GPFieldInfoExs', 'GPFieldInfoEx')) {
    const name = textAt(field, 'Name').toLowerCase();
    const domain = textAt(field, 'DomainName') || textAt(field, 'Domain', 'DomainName');
    if (name !== '' && domain !== '')
      fields.set(name, { domain: domains.get(domain) ?? null, bySubtype: null });
  }
  const subtypeField = textAt(content, 'SubtypeFieldName');
  if (subtypeField === '') return { fields, subtypes: null };
  const texts = new Map<string, string>();
  for (const subtype of elementsAt(content, 'Subtypes', 'Subtype')) {
    const code = codeKey(textAt(subtype, 'SubtypeCode'));
    texts.set(code, textAt(subtype, 'SubtypeName'));
    for (const info of elementsAt(subtype, 'FieldInfos', 'SubtypeFieldInfo')) {
      const name = textAt(info, 'FieldName').toLowerCase();
      const domain = textAt(info, 'DomainName');
      if (name === '' || domain === '') continue;
      const known = fields.get(name) ?? { domain: null, bySubtype: null };
      const bySubtype = new Map(known.bySubtype ?? []);
      bySubtype.set(code, domains.get(domain) ?? null);
      fields.set(name, { ...known, bySubtype });
    }
  }
  return { fields, subtypes: texts.size === 0 ? null : { field: subtypeField, texts } };
}
