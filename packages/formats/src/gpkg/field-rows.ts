/** Declares what is known of the fields of a filled table: constraints that all rows meet, and the schema extension (12-128r19, F.9). */
import type { Domain, FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import type { FeatureTablePlan } from './feature-table.ts';
import { CONSTRAINTS, describingName, OLD_NAMES } from './field-facts.ts';
import type { LayerModel } from './layer-state.ts';
import { gpkgFindings } from './messages.ts';
import { folded, quoted } from './names.ts';
import {
  type ColumnDeclaration,
  EXTENSIONS_SQL,
  hasTable,
  SCHEMA_EXTENSION_SQL,
  type TableDeclaration,
} from './schema-sql.ts';

interface Noting {
  readonly layer: string;
  readonly findings: Findings;
}

/** The columns with their constraints; null: there are none. Makes the indexes of unique columns. */
export function factColumns(
  database: BulkDatabase,
  { table, columns }: TableDeclaration,
  { facts, columns: names }: LayerModel,
  noting: Noting,
): readonly ColumnDeclaration[] | null {
  const byColumn = new Map([...names].map(([field, column]) => [column, facts.fields.get(field)]));
  const notNull = columns.map(({ name }) => name).filter((name) => byColumn.get(name)?.notNull);
  const withNull = columnsWithNull(database, table, notNull);
  if (withNull.length > 0)
    noting.findings.note(gpkgFindings.CONSTRAINT_NOT_MET, {
      layer: noting.layer,
      what: 'NOT NULL',
      fields: withNull.map((name) => `'${name.slice(0, 60)}'`).join(', '),
      reason: 'there are features without a value',
    });
  for (const { name } of columns)
    if (byColumn.get(name)?.unique) addUniqueIndex(database, table, name, noting);
  const declared = columns.map((column): ColumnDeclaration => {
    const { width, notNull: isNotNull, default: value } = byColumn.get(column.name) ?? {};
    const own = {
      ...(width === undefined ? {} : { width }),
      ...(isNotNull && !withNull.includes(column.name) ? { notNull: isNotNull } : {}),
      ...(value === undefined ? {} : { default: value }),
    };
    return Object.keys(own).length === 0 ? column : { ...column, facts: own };
  });
  return declared.some(({ facts: own }) => own !== undefined) ? declared : null;
}

function columnsWithNull(
  database: BulkDatabase,
  table: string,
  columns: readonly string[],
): readonly string[] {
  if (columns.length === 0) return [];
  // One pass over the rows for all columns: a text with a digit for each.
  const found = columns.map((name) => `coalesce(max(${quoted(name)} IS NULL), 0)`).join(' || ');
  const digits = String(database.value(`SELECT ${found} || '' FROM ${quoted(table)}`));
  return columns.filter((_, i) => digits[i] === '1');
}

function addUniqueIndex(database: BulkDatabase, table: string, column: string, noting: Noting): void {
  const isTaken = (name: string): boolean =>
    database.value('SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?)', name) !== null;
  // There is no journal, so an index that fails half made would damage the file.
  const c = quoted(column);
  if (database.value(`SELECT count(${c}) = count(DISTINCT ${c}) FROM ${quoted(table)}`) !== 1n) {
    noting.findings.note(gpkgFindings.CONSTRAINT_NOT_MET, {
      layer: noting.layer,
      what: 'UNIQUE',
      fields: `'${column.slice(0, 60)}'`,
      reason: 'several features have the same value',
    });
    return;
  }
  let name = `unique_${table}_${column}`;
  for (let n = 1; isTaken(name); n++) name = `unique_${table}_${column}_${n}`;
  database.exec(`CREATE UNIQUE INDEX ${quoted(name)} ON ${quoted(table)} (${quoted(column)})`);
}

/** The rows of gpkg_data_columns and of the domains that they name. `model` null: only the columns of JSON have one. */
export function registerFields(
  database: BulkDatabase,
  { table, layer, columns }: FeatureTablePlan,
  model: LayerModel | null,
  findings: Findings,
): void {
  const fieldOf = new Map([...(model?.columns ?? [])].map(([field, column]) => [column, field]));
  const aliases = new Set<string>();
  for (const { name, type } of columns) {
    const field = fieldOf.get(name) ?? name;
    const facts: FieldFacts = model?.facts.fields.get(field) ?? {};
    const isDescribed =
      ['alias', 'title', 'description', 'mediaType', 'domain'].some((kind) => kind in facts) ||
      type === 'json';
    if (!isDescribed) continue;
    addSchemaTables(database);
    const { alias, title } = named(facts, aliases);
    if (alias === undefined && facts.alias !== undefined)
      findings.note(gpkgFindings.FIELD_ALIAS_TAKEN, { layer, alias: facts.alias.slice(0, 60), field });
    database
      .prepare(
        `INSERT INTO gpkg_data_columns (table_name, column_name, name, title, description, mime_type, constraint_name)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run([
        table,
        name,
        alias ?? null,
        title ?? null,
        facts.description ?? null,
        facts.mediaType ?? (type === 'json' ? 'application/json' : null),
        facts.domain === undefined ? null : addDomain(database, facts.domain),
      ]);
  }
}

/** Alternative names are unique in a table. */
function named({ alias, title }: FieldFacts, taken: Set<string>): Pick<FieldFacts, 'alias' | 'title'> {
  if (alias === undefined) return { title };
  if (taken.has(alias)) return { title: title ?? alias };
  taken.add(alias);
  return { alias, title };
}

const SCHEMA_DEFINITION = 'http://www.geopackage.org/spec140/#extension_schema';

export function addSchemaTables(database: BulkDatabase): void {
  const missing = ['gpkg_data_columns', 'gpkg_data_column_constraints'].filter(
    (table) => !hasTable(database, table),
  );
  if (missing.length === 0) return;
  if (!hasTable(database, 'gpkg_extensions')) database.exec(EXTENSIONS_SQL);
  database.exec(SCHEMA_EXTENSION_SQL);
  const insert = database.prepare(
    "INSERT INTO gpkg_extensions VALUES (?, NULL, 'gpkg_schema', ?, 'read-write')",
  );
  for (const table of missing) insert.run([table, SCHEMA_DEFINITION]);
}

/** Adds the domain unless the file has it, and returns its name: another one if a different domain has it. */
export function addDomain(database: BulkDatabase, domain: Domain): string {
  const rows = domainRows(domain);
  const columns = constraintColumns(database);
  for (let n = 0; ; n++) {
    const name = n === 0 ? domain.name : `${domain.name}_${n}`;
    const stored = storedDomain(database, name, columns);
    const own = textOfRows(rows.map((row) => [name, ...row]));
    if (stored === own) return name;
    if (stored !== null) continue;
    const slots = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `INSERT INTO gpkg_data_column_constraints (${columns.join(', ')}) VALUES (${slots})`,
    );
    for (const row of rows) insert.run([name, ...row]);
    if (domain.kind === 'coded' && domain.description !== undefined)
      insert.run([describingName(name), 'enum', '', null, null, null, null, domain.description]);
    return name;
  }
}

/** GeoPackage 1.0 has other names for two of them. */
function constraintColumns(database: BulkDatabase): readonly string[] {
  return CONSTRAINTS.map((name) => {
    const old = OLD_NAMES[name];
    if (old === undefined) return name;
    const sql =
      "SELECT 1 FROM pragma_table_xinfo('gpkg_data_column_constraints') WHERE lower(name) = lower(?)";
    return database.value(sql, name) === null ? old : name;
  });
}

/** Null: the file has no domain of the name. */
function storedDomain(database: BulkDatabase, name: string, columns: readonly string[]): string | null {
  const row = columns.map((column) => `quote(${column})`).join(" || ',' || ");
  const found = database.value(
    `SELECT group_concat(row, ';') FROM (SELECT ${row} AS row FROM gpkg_data_column_constraints WHERE constraint_name = ? ORDER BY rowid)`,
    name,
  );
  return found === null ? null : String(found);
}

/** As `quote` of SQLite writes them. */
function textOfRows(rows: readonly (readonly SqlValue[])[]): string {
  const quotedValue = (value: SqlValue): string =>
    value === null ? 'NULL' : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  return rows.map((row) => row.map(quotedValue).join(',')).join(';');
}

/** Without the name. The standard has lower-case kinds. */
function domainRows(domain: Domain): readonly (readonly SqlValue[])[] {
  const text = domain.description ?? null;
  switch (domain.kind) {
    case 'coded':
      return domain.values.map(({ code, text: meaning }) => ['enum', code, null, null, null, null, meaning]);
    case 'glob':
      return [['glob', domain.pattern, null, null, null, null, text]];
    default: {
      const { min, max, minIsInside, maxIsInside } = domain;
      return [
        ['range', null, limitOf(min), inside(min, minIsInside), limitOf(max), inside(max, maxIsInside), text],
      ];
    }
  }
}

/** The columns have numeric affinity. */
function limitOf(limit: string | null): SqlValue {
  if (limit === null) return null;
  const number = Number(limit);
  return limit.trim() !== '' && Number.isFinite(number) && !folded(limit).includes('x') ? number : limit;
}

function inside(limit: string | null, isInside: boolean): SqlValue {
  return limit === null && !isInside ? null : Number(isInside);
}
