/**
 * The feature layers that a GeoPackage lists: matching rows of gpkg_contents and gpkg_geometry_columns whose table
 * exists. The two tables are often stale, so each is used only as far as the feature tables confirm it.
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { formatFindings } from '../findings.ts';
import type { OpenContext } from '../reader.ts';
import { STYLES } from './data-model.ts';
import { gpkgErrors, gpkgFindings } from './messages.ts';
import { folded, sameName } from './names.ts';
import {
  readAttributeSchema,
  readColumns,
  readSchema,
  type TableEntry,
  type TableSchema,
} from './table-schema.ts';

export interface ListedLayer {
  readonly entry: TableEntry;
  readonly schema: TableSchema;
  readonly geometryType: string;
  readonly srsId: number;
  /** As in gpkg_contents; null if missing. */
  readonly extent: Bounds | null;
}

/**
 * A layer whose table or view cannot be read or has too many columns. Other layers may be valid, so the error is thrown
 * only if this layer is requested.
 */
export interface FaultyLayer {
  readonly name: string;
  readonly fault: GeomillError;
}

/** Returns the error as that of one layer; rethrows errors that concern the whole file. */
export function faultyLayer(name: string, error: unknown): FaultyLayer {
  if (
    !(error instanceof GeomillError) ||
    !(error.code.startsWith('DATABASE_') || error.code === 'LIMIT_EXCEEDED')
  )
    throw error;
  return { name, fault: error };
}

interface GeometryEntry {
  readonly table: string;
  readonly column: string;
  readonly geometryType: string;
  readonly srsId: number;
}

interface ContentsEntry {
  readonly table: string;
  readonly dataType: string;
  readonly srsId: number;
  readonly extent: Bounds | null;
}

const CONTENTS = 'gpkg_contents';
const GEOMETRY_COLUMNS = 'gpkg_geometry_columns';
const EXTENT = ['min_x', 'min_y', 'max_x', 'max_y'];
const ATTRIBUTES = new Set(['attributes', 'aspatial']);
/** GDAL 1.11 needed a feature table to open a file that only has tiles, so later versions wrote this one. */
const PLACEHOLDER = 'ogr_empty_table';

type CatalogueContext = Pick<OpenContext, 'findings' | 'limits' | 'attributesOnly' | 'tables'>;

/** In the order of gpkg_contents. Throws INPUT_WRONG_FORMAT and GPKG_NO_FEATURES. */
export function listedLayers(
  database: UntrustedDatabase,
  tables: ReadonlyMap<string, TableEntry>,
  source: string,
  jsonColumns: ReadonlyMap<string, ReadonlySet<string>>,
  context: CatalogueContext,
): (ListedLayer | FaultyLayer)[] {
  const { findings } = context;
  if (!tables.has(CONTENTS) && !tables.has(GEOMETRY_COLUMNS)) {
    const found = databaseInstead([...tables.values()].map(({ name }) => name));
    throw failure(generalErrors.INPUT_WRONG_FORMAT, { source, expected: 'a GeoPackage', found });
  }
  const contents = tables.has(CONTENTS) ? readContents(database) : [];
  const geometries = tables.has(GEOMETRY_COLUMNS) ? readGeometryColumns(database) : [];
  const listed = new Set(contents.map(({ table }) => folded(table)));
  const unlisted = geometries.filter(({ table }) => !listed.has(folded(table)));
  const entriesOf = Map.groupBy(geometries, ({ table }) => folded(table));
  for (const { table } of unlisted)
    findings.note(gpkgFindings.CATALOGUE_STALE, { layer: table, problem: `${CONTENTS} does not list it` });
  const candidates = [
    ...contents,
    ...unlisted.map(({ table, srsId }) => ({ table, dataType: 'features', srsId, extent: null })),
  ];
  const isTable = tableRule(candidates, entriesOf, context);
  const layers: (ListedLayer | FaultyLayer)[] = [];
  const seen = new Set<string>();
  for (const candidate of candidates) {
    const key = folded(candidate.table);
    if (seen.has(key)) continue;
    seen.add(key);
    const entries = entriesOf.get(key) ?? [];
    const found = { entry: tables.get(key), isTable: isTable(candidate), json: jsonColumns.get(key) };
    const outcome = layerOf(database, candidate, entries, found, context);
    if (typeof outcome === 'string') {
      const { table, dataType } = candidate;
      const isCopied = ATTRIBUTES.has(dataType.toLowerCase()) && tables.has(key) && !entriesOf.has(key);
      if (folded(table) === STYLES) continue;
      if (isCopied)
        findings.note(formatFindings.ATTRIBUTES_SKIPPED, { what: `table '${table}'`, reason: outcome });
      else findings.note(formatFindings.LAYER_SKIPPED, { layer: table, reason: outcome });
    } else if (outcome !== null) layers.push(outcome);
  }
  if (layers.length === 0)
    throw failure(gpkgErrors.GPKG_NO_FEATURES, { source, found: contentsFound(candidates) });
  return layers;
}

/** Which tables of attributes are layers. */
function tableRule(
  candidates: readonly ContentsEntry[],
  entriesOf: ReadonlyMap<string, readonly GeometryEntry[]>,
  { attributesOnly, tables }: CatalogueContext,
): (candidate: ContentsEntry) => boolean {
  const isAttributes = ({ table, dataType }: ContentsEntry): boolean =>
    ATTRIBUTES.has(dataType.toLowerCase()) && !entriesOf.has(folded(table));
  if (attributesOnly === true) return isAttributes;
  if (tables === undefined) return () => false;
  const hasFeatures = candidates.some(
    (candidate) =>
      candidate.table !== PLACEHOLDER &&
      (candidate.dataType.toLowerCase() === 'features' || entriesOf.has(folded(candidate.table))),
  );
  return (candidate) =>
    isAttributes(candidate) && (!hasFeatures || tables === 'all' || tables.includes(candidate.table));
}

interface FoundTable {
  /** Default: there is no table of the name. */
  readonly entry: TableEntry | undefined;
  /** It is a table of attributes, and a layer. */
  readonly isTable: boolean;
  readonly json: ReadonlySet<string> | undefined;
}

/** The layer, or the reason why it is not one; null: nothing is lost without it. */
function layerOf(
  database: UntrustedDatabase,
  { table, dataType, srsId, extent }: ContentsEntry,
  geometries: readonly GeometryEntry[],
  { entry, isTable, json = new Set() }: FoundTable,
  { findings, limits, attributesOnly, tables }: CatalogueContext,
): ListedLayer | FaultyLayer | string | null {
  const geometry: GeometryEntry | undefined = geometries[0];
  const isFeatures = dataType.toLowerCase() === 'features';
  if (geometry === undefined && !isFeatures && !isTable)
    return ATTRIBUTES.has(dataType.toLowerCase())
      ? `it holds attributes without geometry${tables === undefined ? '' : '; it is read if it is chosen by its name'}`
      : `it holds ${dataType === '' ? 'no features' : dataType}, not features`;
  if (table === PLACEHOLDER) return null;
  if (entry === undefined) return 'the GeoPackage lists it, but there is no table of that name';
  if (entry.kind === 'virtual' || entry.kind === 'shadow') return 'it is a virtual table';
  let schema: TableSchema | null;
  try {
    schema = isTable
      ? readAttributeSchema(database, entry, json, limits, attributesOnly === true)
      : readSchema(database, entry, geometry?.column ?? null, json, limits);
  } catch (error) {
    return faultyLayer(entry.name, error);
  }
  if (schema === null)
    return geometry === undefined
      ? 'no column of it is known to hold geometries'
      : `it has no column '${geometry.column}', which ${GEOMETRY_COLUMNS} names as its geometry`;
  if (schema.geometry === null) return { entry, schema, geometryType: 'GEOMETRY', srsId, extent };
  const note = (problem: string): void =>
    findings.note(gpkgFindings.CATALOGUE_STALE, { layer: entry.name, problem });
  if (geometries.length > 1)
    note(`${GEOMETRY_COLUMNS} lists it ${geometries.length} times; '${schema.geometry}' was read`);
  if (geometry === undefined || !sameName(geometry.column, schema.geometry))
    note(`${GEOMETRY_COLUMNS} does not name its geometry column; '${schema.geometry}' was read`);
  if (geometry !== undefined && !isFeatures)
    note(`${CONTENTS} says it holds '${dataType}'; it was read as features`);
  return {
    entry,
    schema,
    geometryType: geometry?.geometryType ?? 'GEOMETRY',
    srsId: geometry?.srsId ?? srsId,
    extent,
  };
}

function readContents(database: UntrustedDatabase): ContentsEntry[] {
  const columns = new Set(readColumns(database, CONTENTS).map(({ name }) => folded(name)));
  const extent = EXTENT.map((name) => (columns.has(name) ? name : 'NULL'));
  const names = ['table_name', 'data_type', 'srs_id', ...extent].join(', ');
  return database
    .rows(CONTENTS, `SELECT ${names} FROM ${CONTENTS} NOT INDEXED`)
    .filter(isNamed)
    .map(([table, dataType, srsId, ...bounds]) => ({
      table: String(table),
      dataType: String(dataType ?? ''),
      srsId: Number(srsId ?? 0),
      extent: bounds.every((value) => typeof value === 'number') ? (bounds as number[] as Bounds) : null,
    }));
}

function readGeometryColumns(database: UntrustedDatabase): GeometryEntry[] {
  return database
    .rows(
      GEOMETRY_COLUMNS,
      `SELECT table_name, column_name, geometry_type_name, srs_id FROM ${GEOMETRY_COLUMNS} NOT INDEXED`,
    )
    .filter(isNamed)
    .map(([table, column, geometryType, srsId]) => ({
      table: String(table),
      column: String(column),
      geometryType: String(geometryType),
      srsId: Number(srsId ?? 0),
    }));
}

function isNamed([table]: SqlRow): boolean {
  return table !== null;
}

function contentsFound(contents: readonly ContentsEntry[]): string {
  if (contents.length === 0) return 'nothing';
  const count = (is: (dataType: string) => boolean): number =>
    contents.filter(({ dataType }) => is(dataType.toLowerCase())).length;
  const tiles = count((type) => type.includes('tile') || type.includes('coverage'));
  const attributes = count((type) => ATTRIBUTES.has(type));
  const others = contents.length - tiles - attributes;
  const said = (number: number, what: string): string[] =>
    number === 0 ? [] : [`${number} ${what}${number === 1 ? '' : 's'}`];
  return [
    ...said(tiles, 'set of tiles').map((text) => text.replace('set of tiless', 'sets of tiles')),
    ...said(attributes, 'table without geometry').map((text) => text.replace(/table(.*)ys$/, 'tables$1y')),
    ...said(others, 'other content'),
  ].join(', ');
}

/** Describes a database without the tables of a GeoPackage, for the error message. */
function databaseInstead(tables: readonly string[]): string {
  const has = (name: string): boolean => tables.some((table) => sameName(table, name));
  if (has('geometry_columns') && has('spatial_ref_sys')) return 'a SpatiaLite or FDO database';
  if (has('metadata') && has('tiles')) return 'an MBTiles file';
  const own = tables.filter((table) => !table.startsWith('sqlite_'));
  if (own.length === 0) return 'a SQLite database without tables';
  const shown = own.slice(0, 5).map((table) => `'${table}'`);
  const rest = own.length > shown.length ? ' and more' : '';
  return `a SQLite database with the tables ${shown.join(', ')}${rest}`;
}
