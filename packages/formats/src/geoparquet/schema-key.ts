/**
 * The key `gdal:schema` of the metadata of a file: what it says of columns besides names and types, and of the layer. GDAL reads and writes widths,
 * alternative names and comments; all other facts are in members that GDAL ignores.
 */
import { factsJson, membersOf, readFactsJson } from '@geomill/core/columns/facts-json.ts';
import { type FieldFacts, type LayerFacts, onlyFacts } from '@geomill/core/columns/field-facts.ts';
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';

export const SCHEMA_KEY = 'gdal:schema';

/** A type, and a subtype where there is one. */
const TYPES: Readonly<Record<FieldType, readonly [type: string, subtype?: string]>> = {
  boolean: ['Integer', 'Boolean'],
  int32: ['Integer'],
  int64: ['Integer64'],
  float64: ['Real'],
  string: ['String'],
  date: ['Date'],
  datetime: ['DateTime'],
  json: ['String', 'JSON'],
  binary: ['Binary'],
};

/** `columns`: with the names of `fields` as they are written. Null: there is nothing to say. */
export function schemaText(
  fields: readonly Field[],
  columns: readonly Field[],
  facts: LayerFacts | undefined,
): string | null {
  const described = fields.flatMap((field, i): [string, object][] => {
    const own = facts?.fields.get(field.name) ?? {};
    return Object.keys(own).length === 0 ? [] : [[columns[i].name, columnJson(field, own)]];
  });
  const { title, description } = facts ?? {};
  const layer = title === undefined && description === undefined ? {} : { geomill: { title, description } };
  if (described.length === 0 && !('geomill' in layer)) return null;
  return JSON.stringify({ columns: Object.fromEntries(described), ...layer });
}

function columnJson({ type }: Field, facts: FieldFacts): object {
  const [name, subtype] = TYPES[type];
  const { width, alias, description } = facts;
  const others = onlyFacts(facts, ['title', 'mediaType', 'notNull', 'unique', 'default', 'domain']);
  return {
    type: name,
    subtype,
    width,
    alternative_name: alias,
    comment: description,
    ...(Object.keys(others).length === 0 ? {} : { geomill: factsJson(others) }),
  };
}

/** Of the fields with these names. Null: the text is not JSON. */
export function readSchemaText(text: string, names: readonly string[]): LayerFacts | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const { columns, geomill } = membersOf(json);
  const stated = new Map(Object.entries(membersOf(columns)));
  const fields = new Map<string, FieldFacts>();
  for (const name of names) {
    const facts = readColumn(stated.get(name));
    if (Object.keys(facts).length > 0) fields.set(name, facts);
  }
  const { title, description } = readFactsJson(geomill);
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    fields,
  };
}

function readColumn(json: unknown): FieldFacts {
  const { width, alternative_name: alias, comment: description, geomill } = membersOf(json);
  return { ...readFactsJson(geomill), ...readFactsJson({ width, alias, description }) };
}
