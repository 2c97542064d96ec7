/**
 * Adds features and layers to a copy of an existing GeoPackage and puts the copy in its place. Everything else in the file
 * stays as it is: other layers, attribute tables, tiles, styles, metadata, views, indexes and triggers.
 */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { requireExpected, unfinishedPath } from '@geomill/io/output-place.ts';
import { copyFile, fileSize, removeFile } from '@geomill/platform/files.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import { BulkDatabase, refusal } from '@geomill/sqlite/bulk-database.ts';
import { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { ExistingOutput, OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { AppendedTable } from './appended-table.ts';
import type { GpkgChunk } from './chunk.ts';
import { copyContent } from './copied-content.ts';
import type { CopyingLayer } from './copied-tables.ts';
import type { CrsRow, KnownSystem } from './crs-rows.ts';
import { chunkByteLength, releaseRows } from './encode.ts';
import { FeatureTable } from './feature-table.ts';
import { moveDatabaseIntoPlace, refuseInUse, refuseLocked } from './in-use.ts';
import type { SinkLayer } from './layer-state.ts';
import { gpkgErrors } from './messages.ts';
import { folded } from './names.ts';
import { registerLayer, removeLayer, stateChangeTime } from './register.ts';
import { defineSpatialFunctions } from './spatial-functions.ts';
import { listTables } from './table-schema.ts';

/** What a GeoPackage has already. */
export interface ExistingContent {
  /** Names of all tables and views by their folded names. */
  readonly tables: ReadonlyMap<string, string>;
  /** Folded names of tables that gpkg_contents lists as features. */
  readonly layers: ReadonlySet<string>;
  readonly systems: readonly KnownSystem[];
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT for a database that is no GeoPackage, and what reading a damaged one throws. */
export function readExisting({ path, name }: ExistingOutput): ExistingContent {
  if (fileSize(path) === 0) throw failure(generalErrors.INPUT_EMPTY, { source: name });
  const database = new UntrustedDatabase(path, { source: name, mappedBytes: 0 });
  try {
    const tables = listTables(database);
    for (const table of ['gpkg_contents', 'gpkg_spatial_ref_sys', 'gpkg_geometry_columns'])
      if (!tables.has(table))
        throw failure(generalErrors.INPUT_WRONG_FORMAT, {
          source: name,
          expected: 'a GeoPackage with feature tables',
          found: `a database without the table ${table}`,
        });
    const listed = database.rows(
      'gpkg_contents',
      "SELECT table_name FROM gpkg_contents WHERE lower(data_type) = 'features'",
    );
    const hasWkt2 = database
      .rows('gpkg_spatial_ref_sys', "SELECT name FROM pragma_table_xinfo('gpkg_spatial_ref_sys')")
      .some(([column]) => folded(String(column)) === 'definition_12_063');
    const systems = database
      .rows(
        'gpkg_spatial_ref_sys',
        `SELECT srs_id, organization, organization_coordsys_id, definition, ${hasWkt2 ? 'definition_12_063' : 'NULL'}
         FROM gpkg_spatial_ref_sys`,
      )
      .map(([srsId, organization, organizationId, definition, wkt2]) => ({
        srsId: Number(srsId),
        organization: String(organization),
        organizationId: Number(organizationId),
        definition: String(definition),
        definition12063: String(wkt2 ?? ''),
      }));
    return {
      tables: new Map([...tables].map(([key, { name: table }]) => [key, table])),
      layers: new Set(listed.map(([table]) => folded(String(table)))),
      systems,
    };
  } finally {
    database.close();
  }
}

/**
 * What the file may grow by: triggers run for every row, and one that joins large tables would fill the disk. Indexes and
 * triggers that keep copies or logs of rows need far less.
 */
const GROWTH_FACTOR = 16;
const ROW_BYTES = 1024;
const ROOM_BYTES = 64 << 20;

export class ExtendingSink implements OutputSink {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #existing: ExistingOutput;
  readonly #database: BulkDatabase;
  readonly #context: WriteContext;
  readonly #layers: readonly SinkLayer[];
  readonly #tables: (FeatureTable | AppendedTable)[];
  /** The layer of the last chunk. */
  #layerIndex = 0;

  constructor(path: string, layers: readonly SinkLayer[], existing: ExistingOutput, context: WriteContext) {
    this.#path = path;
    this.#partialPath = `${unfinishedPath(path, context.expected)}.partial`;
    this.#existing = existing;
    this.#layers = layers;
    this.#context = context;
    refuseInUse(existing.path, existing.name);
    refuseLocked(path, existing.name, context.expected);
    try {
      // Where the file system can, the copy shares the blocks of the file.
      copyFile(existing.path, this.#partialPath);
      requireExpected(existing);
      this.#database = BulkDatabase.edit(this.#partialPath);
    } catch (error) {
      removeFile(this.#partialPath);
      throw this.#refused(error, refusal(error));
    }
    try {
      this.#database.allowGrowth(ROOM_BYTES);
      defineSpatialFunctions(this.#database);
      this.#tables = layers.map((layer) => this.#open(layer));
    } catch (error) {
      const refused = this.#refused(error);
      this.abort();
      throw refused;
    }
  }

  append(layerIndex: number, chunk: unknown): void {
    const table = this.#tables[layerIndex];
    if (table === undefined)
      throw failure(generalErrors.INTERNAL, { reason: `there is no output layer ${layerIndex}` });
    if (layerIndex !== this.#layerIndex) this.#finishLayer(this.#layerIndex);
    this.#layerIndex = layerIndex;
    const added = chunk as GpkgChunk;
    this.#database.allowGrowth(GROWTH_FACTOR * chunkByteLength(added) + ROW_BYTES * added.rowCount);
    table.append(added);
    releaseRows(added);
  }

  async finish(): Promise<OutputFile> {
    try {
      for (const [i, table] of this.#tables.entries()) {
        table.finish();
        if (table instanceof FeatureTable)
          registerLayer(this.#database, table, this.#layers[i].model, this.#context.findings);
        stateChangeTime(this.#database, table.plan.table, this.#context.time);
      }
      copyContent(this.#database, this.#copying(), false, this.#context.findings);
      this.#database.finish();
    } catch (error) {
      throw this.#refused(error);
    }
    moveDatabaseIntoPlace(this.#partialPath, this.#path, this.#existing.name, this.#context.expected);
    return { path: this.#path, byteLength: fileSize(this.#path) };
  }

  /** The new layers. */
  #copying(): CopyingLayer[] {
    return this.#tables.flatMap((table, i): CopyingLayer[] => {
      const { model } = this.#layers[i];
      return table instanceof FeatureTable && model !== null ? [{ ...table.plan, model }] : [];
    });
  }

  abort(): void {
    this.#database.abandon();
    for (const ending of ['', '-wal', '-shm', '-journal']) removeFile(`${this.#partialPath}${ending}`);
  }

  /** Frees the memory of the index of a new layer. */
  #finishLayer(layerIndex: number): void {
    const table = this.#tables[layerIndex];
    try {
      if (table instanceof FeatureTable) table.finish();
    } catch (error) {
      throw this.#refused(error);
    }
  }

  /** An error of SQLite, which the content of the existing file causes, as an error about that file. */
  #refused(error: unknown, reason = this.#database.refusal(error)): unknown {
    if (error instanceof GeomillError || reason === null) return error;
    return failure(gpkgErrors.OUTPUT_NOT_EXTENDED, { file: this.#existing.name, reason }, undefined, error);
  }

  #open({ table }: SinkLayer): FeatureTable | AppendedTable {
    const database = this.#database;
    if (table.kind === 'existing') return new AppendedTable(database, table.plan, this.#context.findings);
    addSystem(database, table.crs);
    if (this.#existing.mode === 'replace') removeLayer(database, table.plan.table);
    return new FeatureTable(database, table.plan, this.#context.findings);
  }
}

/** Adds the row of a CRS, unless the file has it. */
function addSystem(database: BulkDatabase, crs: CrsRow): void {
  const known = 'SELECT 1 FROM gpkg_spatial_ref_sys WHERE srs_id = ?';
  if (database.value(known, crs.srsId) !== null) return;
  const columns: Record<string, SqlValue> = {
    srs_name: crs.name,
    srs_id: crs.srsId,
    organization: crs.organization,
    organization_coordsys_id: crs.organizationId,
    definition: crs.definition,
    description: crs.description,
  };
  const wkt2 =
    "SELECT 1 FROM pragma_table_xinfo('gpkg_spatial_ref_sys') WHERE lower(name) = 'definition_12_063'";
  if (database.value(wkt2) !== null) columns.definition_12_063 = crs.definition12063;
  const names = Object.keys(columns);
  const slots = names.map(() => '?').join(', ');
  database
    .prepare(`INSERT INTO gpkg_spatial_ref_sys (${names.join(', ')}) VALUES (${slots})`)
    .run(Object.values(columns));
}
