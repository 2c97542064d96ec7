/** Which fields of a layer have texts in place of coded values, or beside them. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { CodedField } from './coded-columns.ts';
import type { Domain, TableFacts } from './domains.ts';
import type { ReadField } from './row-decoder.ts';

/** How values of fields with domains of coded values, and subtypes, are read. */
export type DomainOption = 'code' | 'text' | 'both';

export function codedFields(
  all: readonly ReadField[],
  { fields, subtypes }: TableFacts,
  domains: 'text' | 'both',
): CodedField[] {
  const names = new UniqueNames({ taken: all.map(({ name }) => name) });
  return all.flatMap((field): CodedField[] => {
    const isSubtype = field.name.toLowerCase() === subtypes?.field.toLowerCase();
    const own = fields.get(field.name.toLowerCase());
    const texts = isSubtype ? subtypes.texts : textsOf(own?.domain ?? null);
    const found = [...(own?.bySubtype ?? [])].map(([code, domain]) => [code, textsOf(domain)] as const);
    const bySubtype = found.length === 0 ? null : new Map(found);
    const hasTexts = texts !== null || found.some(([, one]) => one !== null);
    if (!hasTexts || field.valueType === null || field.valueType === 'binary') return [];
    const textField = domains === 'text' ? field.name : names.take(`${field.name}_text`);
    const subtypeField = bySubtype === null ? null : (subtypes?.field ?? null);
    return [{ field: field.name, textField, texts, bySubtype, subtypeField }];
  });
}

function textsOf(domain: Domain | null): CodedField['texts'] {
  return domain?.kind === 'coded' ? domain.texts : null;
}

/** The fields of a batch, in its order. */
export function layerFields(fields: readonly ReadField[], coded: readonly CodedField[]): Field[] {
  return fields.flatMap(({ name, valueType }): Field[] => {
    if (valueType === null) return [];
    const own = coded.find(({ field }) => field === name);
    if (own === undefined) return [{ name, type: valueType }];
    const text = { name: own.textField, type: 'string' } as const;
    return own.textField === name ? [text] : [{ name, type: valueType }, text];
  });
}
