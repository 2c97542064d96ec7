/** Writes one GeoPackage to a temporary name and renames it when it is complete. */
import { renameSync, rmSync, statSync } from 'node:fs';
import { BulkDatabase } from '../../engines/sqlite/bulk-database.ts';
import { failure } from '../../errors.ts';
import type { Findings } from '../../findings.ts';
import type { LayerEncoding, OutputFile, OutputSink } from '../format.ts';
import { type CrsRow, REQUIRED_ROWS } from './crs-rows.ts';
import type { DatetimeZones } from './datetime-text.ts';
import type { GpkgChunk } from './encode.ts';
import { FeatureTable, type FeatureTablePlan } from './feature-table.ts';
import type { GeometryFacts } from './geometry-facts.ts';
import {
  APPLICATION_ID,
  CORE_SQL,
  countTriggersSql,
  createTableSql,
  rtreeTriggersSql,
  SCHEMA_EXTENSION_SQL,
  SPATIAL_REF_SYS_SQL,
  USER_VERSION,
} from './schema-sql.ts';

/** How a layer is encoded. Plain data. */
export interface LayerState {
  readonly plan: FeatureTablePlan;
  readonly crs: CrsRow;
  readonly zones: DatetimeZones;
}

/** SQLite's default. Larger pages were not faster, and reading a random row costs more. */
const PAGE_SIZE = 4096;
const TYPE_NAMES = [
  'GEOMETRY',
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
] as const;
const RTREE_DEFINITION = 'http://www.geopackage.org/spec140/#extension_rtree';
const PROHIBITED = 0;
const MANDATORY = 1;
const OPTIONAL = 2;

export function createGpkgSink(
  path: string,
  encodings: readonly LayerEncoding[],
  findings: Findings,
): OutputSink {
  return new GpkgSink(
    path,
    encodings.map(({ state }) => state as LayerState),
    findings,
  );
}

class GpkgSink implements OutputSink {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #database: BulkDatabase;
  readonly #layers: readonly LayerState[];
  readonly #findings: Findings;
  readonly #tables: (FeatureTable | null)[];

  constructor(path: string, layers: readonly LayerState[], findings: Findings) {
    this.#path = path;
    this.#partialPath = `${path}.partial`;
    this.#layers = layers;
    this.#findings = findings;
    this.#tables = layers.map(() => null);
    // A partial file left by a killed run is overwritten.
    rmSync(this.#partialPath, { force: true });
    this.#database = new BulkDatabase(this.#partialPath, {
      pageSize: PAGE_SIZE,
      applicationId: APPLICATION_ID,
      userVersion: USER_VERSION,
    });
    try {
      this.#createCoreTables();
    } catch (error) {
      this.abort();
      throw error;
    }
  }

  append(layerIndex: number, chunk: unknown): void {
    this.#table(layerIndex).append(chunk as GpkgChunk);
  }

  async finish(): Promise<OutputFile> {
    this.#layers.forEach((layer, i) => {
      const table = this.#table(i);
      table.finish();
      this.#register(table, layer);
    });
    this.#database.finish();
    renameSync(this.#partialPath, this.#path);
    return { path: this.#path, byteLength: statSync(this.#path).size };
  }

  abort(): void {
    this.#database.abandon();
    rmSync(this.#partialPath, { force: true });
  }

  #table(layerIndex: number): FeatureTable {
    const layer = this.#layers[layerIndex];
    if (layer === undefined) throw failure('INTERNAL', { reason: `there is no output layer ${layerIndex}` });
    const table = this.#tables[layerIndex] ?? new FeatureTable(this.#database, layer.plan, this.#findings);
    this.#tables[layerIndex] = table;
    return table;
  }

  #createCoreTables(): void {
    const database = this.#database;
    database.exec(SPATIAL_REF_SYS_SQL);
    const insert = database.prepare('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?, ?)');
    const byId = new Map(REQUIRED_ROWS.map((row) => [row.srsId, row]));
    for (const { crs } of this.#layers) if (!byId.has(crs.srsId)) byId.set(crs.srsId, crs);
    for (const row of byId.values())
      insert.run([
        row.name,
        row.srsId,
        row.organization,
        row.organizationId,
        row.definition,
        row.description,
        row.definition12063,
      ]);
    database.exec(CORE_SQL);
    const hasJson = ({ plan }: LayerState): boolean => plan.columns.some(({ type }) => type === 'json');
    if (this.#layers.some(hasJson)) database.exec(SCHEMA_EXTENSION_SQL);
  }

  /** Registers a filled table: contents, geometry column, extensions, triggers. */
  #register(featureTable: FeatureTable, { plan, crs }: LayerState): void {
    const database = this.#database;
    const { table, geometry, layer } = plan;
    const { facts, rowCount } = featureTable;
    const { declaration } = featureTable;
    const [minX, minY, maxX, maxY] = facts.bounds;
    const extent = minX <= maxX && minY <= maxY ? [minX, minY, maxX, maxY] : [null, null, null, null];
    database
      .prepare(
        `INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id)
         VALUES (?, 'features', ?, ?, ?, ?, ?, ?)`,
      )
      .run([table, this.#identifier(layer, table), ...extent, crs.srsId]);
    const typeName = geometryTypeName(facts);
    if (typeName !== TYPE_NAMES[0]) database.redeclareTable(table, createTableSql(declaration, typeName));
    database
      .prepare('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, ?)')
      .run([
        table,
        geometry,
        typeName,
        crs.srsId,
        presence(facts.countZ, facts.count),
        presence(facts.countM, facts.count),
      ]);
    database.prepare('INSERT INTO gpkg_ogr_contents VALUES (?, ?)').run([table, rowCount]);
    database.exec(countTriggersSql(table));
    for (const { name, type } of plan.columns) {
      if (type !== 'json') continue;
      database
        .prepare(
          "INSERT INTO gpkg_data_columns (table_name, column_name, mime_type) VALUES (?, ?, 'application/json')",
        )
        .run([table, name]);
    }
    if (!plan.hasIndex) return;
    database
      .prepare("INSERT INTO gpkg_extensions VALUES (?, ?, 'gpkg_rtree_index', ?, 'write-only')")
      .run([table, geometry, RTREE_DEFINITION]);
    database.exec(rtreeTriggersSql(declaration));
  }

  /** Identifiers are unique: the layer's name unless another layer has it. */
  #identifier(layer: string, table: string): string {
    const isUnique = this.#layers.filter(({ plan }) => plan.layer === layer).length === 1;
    return isUnique ? layer : table;
  }
}

/** The type that all geometries have, or GEOMETRY, which allows any. */
function geometryTypeName({ typeCounts }: GeometryFacts): string {
  let found = 0;
  for (let type = 1; type < typeCounts.length; type++) {
    if (typeCounts[type] === 0) continue;
    if (found !== 0) return TYPE_NAMES[0];
    found = type;
  }
  return TYPE_NAMES[found];
}

function presence(countWith: number, count: number): number {
  if (countWith === 0) return PROHIBITED;
  return countWith === count ? MANDATORY : OPTIONAL;
}
