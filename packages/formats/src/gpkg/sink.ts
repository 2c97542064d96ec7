/** Writes one GeoPackage to a temporary name and renames it when it is complete. */

import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { unfinishedPath } from '@geomill/io/output-place.ts';
import { fileSize, removeFile } from '@geomill/platform/files.ts';
import { fileName } from '@geomill/platform/paths.ts';
import { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import type { GpkgChunk } from './chunk.ts';
import { copyContent } from './copied-content.ts';
import type { CopyingLayer } from './copied-tables.ts';
import { REQUIRED_ROWS } from './crs-rows.ts';
import { releaseRows } from './encode.ts';
import { FeatureTable } from './feature-table.ts';
import { moveDatabaseIntoPlace, refuseInUse } from './in-use.ts';
import type { SinkLayer } from './layer-state.ts';
import { registerLayer, stateChangeTime } from './register.ts';
import { APPLICATION_ID, CORE_SQL, SPATIAL_REF_SYS_SQL, USER_VERSION } from './schema-sql.ts';

/** SQLite's default. Larger pages were not faster, and reading a random row costs more. */
const PAGE_SIZE = 4096;

export class GpkgSink implements OutputSink {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #database: BulkDatabase;
  readonly #layers: readonly SinkLayer[];
  readonly #context: WriteContext;
  readonly #tables: (FeatureTable | null)[];
  /** The layer of the last chunk. */
  #layerIndex = 0;

  constructor(path: string, layers: readonly SinkLayer[], context: WriteContext) {
    this.#path = path;
    this.#partialPath = `${unfinishedPath(path, context.expected)}.partial`;
    this.#layers = layers;
    this.#context = context;
    this.#tables = layers.map(() => null);
    refuseInUse(path, fileName(path));
    // A partial file left by a killed run is overwritten.
    removeFile(this.#partialPath);
    this.#database = BulkDatabase.create(this.#partialPath, {
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
    // Frees the memory of its index.
    if (layerIndex !== this.#layerIndex) this.#table(this.#layerIndex).finish();
    this.#layerIndex = layerIndex;
    this.#table(layerIndex).append(chunk as GpkgChunk);
    releaseRows(chunk as GpkgChunk);
  }

  async finish(): Promise<OutputFile> {
    this.#layers.forEach(({ model }, i) => {
      const table = this.#table(i);
      table.finish();
      registerLayer(this.#database, table, model, this.#context.findings);
      stateChangeTime(this.#database, table.plan.table, this.#context.time);
    });
    copyContent(
      this.#database,
      this.#copying(),
      this.#context.keepsOtherContent === true,
      this.#context.findings,
    );
    this.#database.finish();
    moveDatabaseIntoPlace(this.#partialPath, this.#path, fileName(this.#path), this.#context.expected);
    return { path: this.#path, byteLength: fileSize(this.#path) };
  }

  abort(): void {
    this.#database.abandon();
    removeFile(this.#partialPath);
  }

  #copying(): CopyingLayer[] {
    return this.#layers.flatMap(({ model }, i): CopyingLayer[] => {
      const { table, geometry, key } = this.#table(i).plan;
      return model === null ? [] : [{ table, geometry, key, model }];
    });
  }

  #table(layerIndex: number): FeatureTable {
    const table = this.#layers[layerIndex]?.table;
    if (table?.kind !== 'new')
      throw failure(generalErrors.INTERNAL, { reason: `there is no output layer ${layerIndex}` });
    this.#tables[layerIndex] ??= new FeatureTable(this.#database, table.plan, this.#context.findings);
    return this.#tables[layerIndex];
  }

  #createCoreTables(): void {
    const database = this.#database;
    database.exec(SPATIAL_REF_SYS_SQL);
    const insert = database.prepare('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?, ?)');
    const byId = new Map(REQUIRED_ROWS.map((row) => [row.srsId, row]));
    for (const { table } of this.#layers)
      if (table.kind === 'new' && !byId.has(table.crs.srsId)) byId.set(table.crs.srsId, table.crs);
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
  }
}
