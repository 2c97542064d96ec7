/** Table and column names that are valid in SQLite and GeoPackage and unique as SQLite compares them. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../findings.ts';

const GEOMETRY_COLUMN = 'geom';
const KEY_COLUMN = 'fid';
/** Prefixes of tables reserved by SQLite, the standard and its RTree extension. */
const RESERVED = /^(?:sqlite|gpkg|rtree)_/;

interface TableNames {
  readonly key: string;
  /** Null: the table has no geometries. */
  readonly geometry: string | null;
  /** One per field. */
  readonly columns: readonly string[];
}

/** Names that differ in more than the case of ASCII letters, which SQLite ignores. */
function sqlNames(): UniqueNames {
  return new UniqueNames({ fold: folded });
}

/** SQL ends at NUL, and unpaired surrogates have no UTF-8. */
function writable(name: string, fallback: string): string {
  return name.toWellFormed().replaceAll('\0', '\uFFFD') || fallback;
}

/** A table name per layer: the layer's own name if possible. */
export function tableNames(layers: readonly string[], findings: Findings): string[] {
  const names = sqlNames();
  return layers.map((layer) => {
    const allowed = writable(layer, 'layer');
    const table = names.take(RESERVED.test(folded(allowed)) ? `layer_${allowed}` : allowed);
    if (table !== layer)
      findings.note(formatFindings.LAYER_RENAMED, { from: layer, to: table, format: 'GeoPackage' });
    return table;
  });
}

/**
 * Fields keep their names if possible; key and geometry columns are renamed instead, as nothing refers to them yet.
 * `furtherColumnName` names a later column for ids that are texts.
 */
export function columnNames(
  fields: readonly Field[],
  layer: string,
  hasGeometry: boolean,
  findings: Findings,
): TableNames {
  const names = sqlNames();
  const columns = fields.map(({ name }) => {
    const to = names.take(writable(name, 'unnamed'));
    if (to !== name) findings.note(formatFindings.FIELD_RENAMED, { from: name, layer, to });
    return to;
  });
  const geometry = hasGeometry ? names.take(GEOMETRY_COLUMN) : null;
  const key = names.take(KEY_COLUMN);
  if (geometry !== null && geometry !== GEOMETRY_COLUMN)
    findings.note(formatFindings.COLUMN_RENAMED, {
      column: 'the geometry',
      layer,
      field: GEOMETRY_COLUMN,
      to: geometry,
    });
  if (key !== KEY_COLUMN)
    findings.note(formatFindings.COLUMN_RENAMED, {
      column: 'the primary key',
      layer,
      field: KEY_COLUMN,
      to: key,
    });
  return { key, geometry, columns };
}

/** Name for an additional column. */
export function furtherColumnName(table: TableNames, wanted: string): string {
  const names = sqlNames();
  for (const name of [table.key, table.geometry ?? '', ...table.columns]) names.take(name);
  return names.take(wanted);
}

/** Quotes any identifier for SQL. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** SQLite ignores the case of the letters A to Z in names, and of no others. */
export function sameName(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

export function folded(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
