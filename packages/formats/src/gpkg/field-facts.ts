/** What a GeoPackage says of fields besides names and types: the schema extension (12-128r19, F.9), and the declarations of columns. */
import type { CodedValue, Domain, FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { isNullDefault, readDefault } from './default-values.ts';
import { folded } from './names.ts';

/** The row of gpkg_data_columns for a column, from its third column on. */
export const DATA_COLUMNS = [
  'table_name',
  'column_name',
  'name',
  'title',
  'description',
  'mime_type',
  'constraint_name',
];

/** Of gpkg_data_column_constraints; GeoPackage 1.0 has other names for two of them. */
export const CONSTRAINTS = [
  'constraint_name',
  'constraint_type',
  'value',
  'min',
  'min_is_inclusive',
  'max',
  'max_is_inclusive',
  'description',
];
export const OLD_NAMES: Readonly<Record<string, string>> = {
  min_is_inclusive: 'minisinclusive',
  max_is_inclusive: 'maxisinclusive',
};

const textOf = (value: SqlRow[number]): string | undefined =>
  value === null || String(value).trim() === '' ? undefined : String(value);

/** The standard has no description of a list of values: GDAL stores it as one of a value of another list. */
export function describingName(name: string): string {
  return `_${name}_domain_description`;
}

/** By name. Rows of other kinds than the standard has define nothing. */
export function domainsOf(rows: readonly SqlRow[]): ReadonlyMap<string, Domain> {
  const domains = new Map<string, Domain>();
  const byName = Map.groupBy(rows, ([constraint]) => String(constraint));
  for (const [name, own] of byName) {
    const domain = domainOf(name, own);
    if (domain === null) continue;
    const described = textOf(byName.get(describingName(name))?.[0][7] ?? null);
    domains.set(name, described === undefined ? domain : { description: described, ...domain });
  }
  return domains;
}

function domainOf(name: string, rows: readonly SqlRow[]): Domain | null {
  const ofKind = (kind: string): readonly SqlRow[] =>
    rows.filter(([, type]) => folded(String(type)) === kind);
  const coded = ofKind('enum').flatMap(([, , code, , , , , text]): CodedValue[] =>
    code === null ? [] : [{ code: String(code), text: textOf(text) ?? null }],
  );
  if (coded.length > 0) return { kind: 'coded', name, values: coded };
  const [range] = ofKind('range');
  if (range !== undefined) {
    const [, , , min, minIsInside, max, maxIsInside, text] = range;
    return {
      kind: 'range',
      name,
      ...described(text),
      min: limitOf(min),
      max: limitOf(max),
      minIsInside: minIsInside !== 0,
      maxIsInside: maxIsInside !== 0,
    };
  }
  const [glob] = ofKind('glob');
  if (glob === undefined || glob[2] === null) return null;
  return { kind: 'glob', name, ...described(glob[7]), pattern: String(glob[2]) };
}

function described(text: SqlRow[number]): { readonly description?: string } {
  const description = textOf(text);
  return description === undefined ? {} : { description };
}

function limitOf(value: SqlRow[number]): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return value === null ? null : String(value);
}

/** What gpkg_data_columns says of a column; the media type of JSON is its type. `row`: undefined: nothing. */
export function describedFacts(row: SqlRow | undefined, domains: ReadonlyMap<string, Domain>): FieldFacts {
  if (row === undefined) return {};
  const [, , alias, title, description, mediaType, constraint] = row.map(textOf);
  const domain = constraint === undefined ? undefined : domainNamed(constraint, domains);
  return {
    ...(alias === undefined ? {} : { alias }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mediaType === undefined || folded(mediaType) === 'application/json' ? {} : { mediaType }),
    ...(domain === undefined ? {} : { domain }),
  };
}

function domainNamed(name: string, domains: ReadonlyMap<string, Domain>): Domain | undefined {
  const found = domains.get(name);
  if (found !== undefined) return found;
  return [...domains].find(([other]) => folded(other) === folded(name))?.[1];
}

/** `default`: the SQL of a default that is not read. */
export interface Declared {
  readonly column: string;
  readonly facts: FieldFacts;
  readonly unread: string | null;
}

/** Of all columns of a table. */
export function declaredFacts(database: UntrustedDatabase, table: string): Declared[] {
  const unique = new Set(
    database
      .rows(
        table,
        `SELECT min(i.name) FROM pragma_index_list(?) l, pragma_index_info(l.name) i
         WHERE l."unique" = 1 AND l.origin <> 'pk' AND l.partial = 0 GROUP BY l.name HAVING count(*) = 1 AND min(i.cid) >= 0`,
        [table],
      )
      .map(([name]) => folded(String(name))),
  );
  return database
    .rows(
      table,
      'SELECT name, type, "notnull", dflt_value, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 1',
      [table],
    )
    .map(([name, type, notNull, sql, hidden]): Declared => {
      const isRead = sql === null || isNullDefault(String(sql));
      const value = isRead ? undefined : readDefault(String(sql));
      const width = widthOf(String(type ?? ''));
      const facts: FieldFacts = {
        ...(width === undefined ? {} : { width }),
        ...(notNull === 1 ? { notNull: true } : {}),
        ...(unique.has(folded(String(name))) ? { unique: true } : {}),
        ...(value === undefined ? {} : { default: value }),
      };
      // A computed column has no default.
      const unread = isRead || value !== undefined || hidden !== 0 ? null : String(sql);
      return { column: String(name), facts, unread };
    });
}

/** "TEXT(20)", "VARCHAR (20)", "BLOB(100)"; numbers with digits, such as DECIMAL(10, 2), have no width here. */
function widthOf(declared: string): number | undefined {
  const found = /^[^(]*(?:TEXT|CHAR|CLOB|BLOB)[^(]*\(\s*(\d{1,9})\s*\)/i.exec(declared);
  const width = found === null ? 0 : Number(found[1]);
  return width === 0 ? undefined : width;
}
