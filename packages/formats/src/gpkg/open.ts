/** Opens a GeoPackage, lists its layers and splits them into partitions; rows are only measured. */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { type PageLayout, readPageLayout } from '@geomill/sqlite/database-pages.ts';
import { measureTable } from '@geomill/sqlite/table-pages.ts';
import { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { CRS_WITHOUT_POSITIONS, type InputFile, type OpenContext, type SourceLayer } from '../reader.ts';
import { lookOf } from '../recognise.ts';
import { type FaultyLayer, faultyLayer, type ListedLayer, listedLayers } from './catalogue.ts';
import { type ModelledLayer, readDataModel } from './data-model.ts';
import { folded, quoted } from './names.ts';
import { cutPages } from './page-partitions.ts';
import { type Cut, cutRows } from './partitions.ts';
import type { GpkgState, TableRoot } from './state.ts';
import { listTables, readColumns, type TableEntry, type TableSchema } from './table-schema.ts';

const HEAD_BYTES = 4096;
const MAGIC = 'SQLite format 3\0';
/** Bytes of a row other than its texts and blobs. */
const ROW_BYTES = 32;
/** Only the measuring of rows reads much here, and mapped pages count as memory until it ends. */
const MAPPED_BYTES = 256 << 20;

export function openGpkg(file: InputFile, context: OpenContext): readonly SourceLayer[] {
  using source = openFileSource(file.path);
  const head = source.slice(0, HEAD_BYTES);
  const { byteLength } = source;
  if (head.length === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  if (!latin1Text(head).startsWith(MAGIC))
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: file.name,
      expected: 'a GeoPackage',
      found: lookOf(head),
    });
  const declared = declaredBytes(head);
  if (byteLength < declared)
    throw failure(ioErrors.INPUT_UNREADABLE, {
      source: file.name,
      reason: `it ends at byte ${byteLength} of ${declared}: it was cut off on its way`,
    });
  const database = new UntrustedDatabase(file.path, { source: file.name, mappedBytes: MAPPED_BYTES });
  try {
    return openLayers(database, file, context);
  } finally {
    database.close();
  }
}

/**
 * The length of the file in its header (fileformat2.html 1.3), 0 if the header does not have it: SQLite itself reads a
 * truncated last page as zeros. A WAL file could contain the rest, but inputs have none.
 */
function declaredBytes(head: Uint8Array<ArrayBuffer>): number {
  if (head.length < HEAD_BYTES) return HEAD_BYTES;
  const view = new DataView(head.buffer);
  const isCurrent = view.getUint32(24) === view.getUint32(92);
  const pageBytes = view.getUint16(16) === 1 ? 65536 : view.getUint16(16);
  return isCurrent ? view.getUint32(28) * pageBytes : 0;
}

function openLayers(database: UntrustedDatabase, file: InputFile, context: OpenContext): SourceLayer[] {
  const tables = listTables(database);
  const layout = readPageLayout(file.path);
  const crsColumns = new Map(
    tables.has('gpkg_spatial_ref_sys')
      ? readColumns(database, 'gpkg_spatial_ref_sys').map(({ name }) => [folded(name), name] as const)
      : [],
  );
  const jsonColumns = listJsonColumns(database, tables);
  const modelled: ModelledLayer[] = [];
  let featureTotal = 0;
  const layers = listedLayers(database, tables, file.name, jsonColumns, context).map((layer) => {
    if ('fault' in layer) return unreadable(layer);
    const { entry, schema } = layer;
    const from = entry.kind === 'table' ? `${quoted(entry.name)} NOT INDEXED` : quoted(entry.name);
    let cut: LayerCut;
    try {
      cut =
        context.forSelection === true
          ? { ...UNCUT, root: tableRoot(database, layout, layer) }
          : cutLayer(database, file.path, layout, layer, from, context.partitionBytes);
    } catch (error) {
      return unreadable(faultyLayer(entry.name, error));
    }
    modelled.push({ table: entry.name, fields: schema.fields.map(({ name }) => name) });
    featureTotal += cut.rowCount ?? 0;
    if (featureTotal > context.limits.features)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: `the number of features in ${file.name}`,
        actual: featureTotal,
        limit: context.limits.features,
        setting: 'MAX_FEATURES',
      });
    const stated = readCrs(database, crsColumns, layer.srsId);
    const state: GpkgState = {
      path: file.path,
      source: file.name,
      table: entry.name,
      from,
      key: schema.key,
      hasRowid: entry.hasRowid,
      lastKeys: cut.lastKeys,
      geometry: schema.geometry,
      geometryType: layer.geometryType,
      srsId: layer.srsId,
      fields: schema.fields,
      runs: cut.runs,
      stored: schema.stored,
      root: cut.root,
    };
    return sourceLayer(layer, state, cut, stated);
  });
  if (context.attributesOnly !== true)
    return withFacts(layers, file, readDataModel(database, tables, modelled, context.findings));
  return layers;
}

/** `facts`: of the layers that can be read, in their order. */
function withFacts(
  layers: readonly SourceLayer[],
  { path, name: file }: InputFile,
  facts: readonly LayerFacts[],
): SourceLayer[] {
  let next = 0;
  return layers.map((layer) => {
    if (layer.fault !== undefined) return layer;
    const origin = { format: 'gpkg', path, file, layer: layer.name };
    return { ...layer, facts: facts[next++], origin };
  });
}

function unreadable({ name, fault }: FaultyLayer): SourceLayer {
  const crsMissingReason = 'the layer cannot be read';
  const head = { fields: null, featureCount: null, crs: null, crsMissingReason, encoding: UTF8 };
  return { name, ...head, partitions: [], state: null, fault };
}

/** `rowCount` null: the rows were not counted. */
type LayerCut = Omit<Cut, 'rowCount'> &
  Pick<GpkgState, 'runs' | 'root'> & { readonly rowCount: number | null };

const UNCUT = { partitions: [], rowCount: null, lastKeys: null, runs: null };

function tableRoot(
  database: UntrustedDatabase,
  layout: PageLayout | null,
  { entry, schema }: ListedLayer,
): TableRoot | null {
  if (layout === null || schema.stored === null) return null;
  const page = rootPage(database, entry.name);
  return page === null ? null : { ...layout, page };
}

/** Splits by pages if these are as expected, else by SQL, after SQLite has checked the pages. */
function cutLayer(
  database: UntrustedDatabase,
  path: string,
  layout: PageLayout | null,
  layer: ListedLayer,
  from: string,
  partitionBytes: number,
): LayerCut {
  const { entry, schema } = layer;
  const root = tableRoot(database, layout, layer);
  const measures = root === null ? null : measureTable(path, root, root.page);
  const cut = measures === null ? null : cutPages(path, measures, partitionBytes);
  if (cut !== null) return { ...cut, root: null };
  if (entry.kind === 'table') database.requireSoundPages(entry.name);
  const rowSource = { table: entry.name, from, key: schema.key, rowBytes: rowBytes(schema) };
  return { ...cutRows(database, rowSource, partitionBytes), runs: null, root: null };
}

function rootPage(database: UntrustedDatabase, table: string): number | null {
  const sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?";
  const rows = database.rows('sqlite_schema', sql, [table]);
  return rows.length === 1 && typeof rows[0][0] === 'number' ? rows[0][0] : null;
}

function sourceLayer(
  { entry, extent }: ListedLayer,
  state: GpkgState,
  cut: LayerCut,
  { crs, missingReason, definitions }: LayerCrs,
): SourceLayer {
  // Without rows no value determines a type.
  const unknown = cut.rowCount === 0 ? 'string' : null;
  const declared = state.fields.flatMap(({ name, type }) => {
    const known = type ?? unknown;
    return known === null ? [] : [{ name, type: known }];
  });
  return {
    name: entry.name,
    fields: declared.length === state.fields.length ? declared : null,
    featureCount: cut.rowCount,
    crs,
    ...(definitions.length > 0 ? { crsDefinitions: definitions } : {}),
    crsMissingReason: missingReason,
    statedExtent: extent,
    encoding: UTF8,
    partitions: cut.partitions,
    ...(state.geometry === null ? tableFacts() : {}),
    state,
  };
}

function tableFacts(): Pick<SourceLayer, 'isTable' | 'assumedCrs'> {
  return { isTable: true, assumedCrs: CRS_WITHOUT_POSITIONS };
}

/** Texts and blobs count with their lengths, numbers with 8 bytes. */
function rowBytes({ geometry, fields }: TableSchema): string {
  const measured = geometry === null ? [] : [geometry];
  let fixed = ROW_BYTES;
  for (const { name, type } of fields) {
    if (type === 'string' || type === 'json' || type === 'binary' || type === null) measured.push(name);
    else fixed += 8;
  }
  return [...measured.map((name) => `coalesce(octet_length(${quoted(name)}), 0)`), fixed].join(' + ');
}

/**
 * Columns that contain JSON, as folded names by folded table name (12-128r19, 2.3.1: mime_type of gpkg_data_columns).
 */
function listJsonColumns(
  database: UntrustedDatabase,
  tables: ReadonlyMap<string, TableEntry>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  if (!tables.has('gpkg_data_columns')) return found;
  const sql =
    "SELECT table_name, column_name FROM gpkg_data_columns WHERE lower(mime_type) = 'application/json'";
  for (const [table, column] of database.rows('gpkg_data_columns', sql)) {
    const key = folded(String(table));
    const columns = found.get(key) ?? new Set();
    columns.add(folded(String(column)));
    found.set(key, columns);
  }
  return found;
}

/** The CRS of a layer, from gpkg_spatial_ref_sys (12-128r19, 1.1.2). */

interface LayerCrs {
  readonly crs: CrsText | null;
  readonly missingReason: string;
  /** In full, WKT2 first. */
  readonly definitions: readonly CrsText[];
}

const TABLE = 'gpkg_spatial_ref_sys';

/** `columns` are the original names of the table's columns by folded name; empty if there is no such table. */
function readCrs(database: UntrustedDatabase, columns: ReadonlyMap<string, string>, srsId: number): LayerCrs {
  const missing = (missingReason: string): LayerCrs => ({ crs: null, missingReason, definitions: [] });
  if (srsId === -1) return missing('srs_id is -1, an undefined Cartesian system');
  if (srsId === 0) return missing('srs_id is 0, an undefined geographic system');
  const select = (name: string): string => {
    const column = columns.get(name);
    return column === undefined ? 'NULL' : quoted(column);
  };
  if (!columns.has('srs_id')) return missing(`there is no table ${TABLE} with a column srs_id`);
  const names = ['organization', 'organization_coordsys_id', 'definition_12_063', 'definition'];
  const [row] = database.rows(
    TABLE,
    `SELECT ${names.map(select).join(', ')} FROM ${TABLE} WHERE srs_id = ? LIMIT 1`,
    [srsId],
  );
  if (row === undefined) return missing(`${TABLE} has no row of srs_id ${srsId}`);
  const [organization, code, wkt2, wkt1] = row;
  const definitions = [wkt2, wkt1]
    .map((definition) => (typeof definition === 'string' ? definition.trim() : ''))
    .filter((text) => text !== '' && text.toLowerCase() !== 'undefined');
  if (/^\s*epsg\s*$/i.test(String(organization)) && Number.isSafeInteger(Number(code)) && Number(code) > 0)
    return { crs: `EPSG:${Number(code)}`, missingReason: '', definitions };
  const [crs] = definitions;
  if (crs !== undefined) return { crs, missingReason: '', definitions: definitions.slice(1) };
  return missing(`the definition of srs_id ${srsId} in ${TABLE} is undefined`);
}
