/** A feature table of an existing GeoPackage that gets more rows. Its triggers and indexes work as for any program. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import { type BulkDatabase, type BulkStatement, isFull } from '@geomill/sqlite/bulk-database.ts';
import type { GpkgChunk } from './chunk.ts';
import { emptyFacts, mergeFacts } from './geometry-facts.ts';
import { promotedRecords } from './geometry-promote.ts';
import { gpkgErrors, gpkgFindings } from './messages.ts';
import { quoted } from './names.ts';
import { RecordBinder } from './record-binder.ts';
import { hasTable } from './schema-sql.ts';

export interface AppendedTablePlan {
  readonly layer: string;
  readonly table: string;
  /** SQL of the rowid; null if rows have none: SQLite numbers no rows then. */
  readonly key: string | null;
  /** Null: a table of attributes. */
  readonly geometry: string | null;
  /** As declared in gpkg_geometry_columns. */
  readonly geometryType: string;
  /** The columns that get values; the others get their defaults. */
  readonly columns: readonly string[];
  /** Rows before. */
  readonly rowCount: number;
}

/** The geometry types by code that a layer of a declared type may have; any other declaration: all (12-128r19, annex G). */
const ALLOWED: Readonly<Record<string, readonly number[]>> = {
  POINT: [1],
  LINESTRING: [2],
  CURVE: [2],
  POLYGON: [3],
  CURVEPOLYGON: [3],
  SURFACE: [3],
  MULTIPOINT: [4],
  MULTILINESTRING: [5],
  MULTICURVE: [5],
  MULTIPOLYGON: [6],
  MULTISURFACE: [6],
  GEOMETRYCOLLECTION: [4, 5, 6, 7],
};
/** Declared types whose layers store lines and polygons as multi geometries. */
const MULTI: Readonly<Record<string, number>> = {
  MULTILINESTRING: 2,
  MULTICURVE: 2,
  MULTIPOLYGON: 3,
  MULTISURFACE: 3,
};

const LARGEST_KEY = 2n ** 63n - 1n;

export class AppendedTable {
  readonly #database: BulkDatabase;
  readonly plan: AppendedTablePlan;
  readonly #findings: Findings;
  /** Null until the first row: a layer that gets none need not allow any. */
  #insert: BulkStatement | null = null;
  #wasEmpty = false;
  /** Of the features as they come, and how many of them were promoted to the type of the layer. */
  readonly #facts = emptyFacts();
  #promotedCount = 0;
  #rowCount = 0;

  constructor(database: BulkDatabase, plan: AppendedTablePlan, findings: Findings) {
    this.#database = database;
    this.plan = plan;
    this.#findings = findings;
  }

  append(chunk: GpkgChunk): void {
    if (chunk.rowCount === 0) return;
    mergeFacts(this.#facts, chunk.facts);
    const single = MULTI[this.plan.geometryType.toUpperCase()];
    const promotes = single !== undefined && chunk.facts.typeCounts[single] > 0;
    const records = promotes ? promotedRecords(chunk.records, single).records : chunk.records;
    if (promotes) this.#promotedCount += chunk.facts.typeCounts[single];
    const stride = (this.plan.geometry === null ? 1 : 2) + this.plan.columns.length;
    const binder = new RecordBinder({ ...chunk, records }, stride);
    const values: SqlValue[] = new Array(stride).fill(null);
    const { layer, table, key } = this.plan;
    if (key === null) throw failure(gpkgErrors.GPKG_LAYER_READ_ONLY, { layer });
    let row = 0;
    try {
      const insert = this.#insert ?? this.#prepareInsert(key);
      this.#insert = insert;
      for (; row < chunk.rowCount; row++) {
        binder.bind(values, row, 1);
        if (insert.run(values) === 0) {
          const record = this.#rowCount + row + 1;
          throw failure(
            gpkgErrors.GPKG_ROW_NOT_ADDED,
            { layer, table, reason: 'a trigger skips it' },
            { layer, record },
          );
        }
      }
    } catch (error) {
      if (error instanceof GeomillError && error.code === 'GPKG_ROW_NOT_ADDED') throw error;
      const reason = this.#isOutOfKeys(error, key) ? 'its keys are used up' : this.#database.refusal(error);
      if (reason === null) throw error;
      const record = this.#rowCount + row + 1;
      throw failure(gpkgErrors.GPKG_ROW_NOT_ADDED, { layer, table, reason }, { layer, record }, error);
    }
    this.#rowCount += chunk.rowCount;
  }

  /** SQLite reports this as a full disk. */
  #isOutOfKeys(error: unknown, key: string): boolean {
    if (!isFull(error)) return false;
    const database = this.#database;
    const { table } = this.plan;
    const used = [database.value(`SELECT max(${key}) FROM ${quoted(table)}`)];
    if (hasTable(database, 'sqlite_sequence'))
      used.push(database.value('SELECT max(seq) FROM sqlite_sequence WHERE lower(name) = lower(?)', table));
    return used.includes(LARGEST_KEY);
  }

  #prepareInsert(key: string): BulkStatement {
    const { table, geometry, columns } = this.plan;
    const names = [key, ...[...(geometry === null ? [] : [geometry]), ...columns].map(quoted)];
    const slots = names.map(() => '?').join(', ');
    this.#wasEmpty = this.#database.value(`SELECT 1 FROM ${quoted(table)} LIMIT 1`) === null;
    return this.#database.prepare(`INSERT INTO ${quoted(table)} (${names.join(', ')}) VALUES (${slots})`);
  }

  /** Brings the catalogue up to date. */
  finish(): void {
    if (this.#rowCount === 0) return;
    const { layer, geometryType } = this.plan;
    if (this.#promotedCount > 0) {
      const params = { layer, type: geometryType.toUpperCase() };
      this.#findings.note(gpkgFindings.GEOMETRIES_MADE_MULTI, params, { layer }, this.#promotedCount);
    }
    this.#widenType();
    this.#widenOrdinates();
    this.#updateContents();
    const count = Number(this.#database.value(`SELECT count(*) FROM ${quoted(this.plan.table)}`));
    if (count < this.plan.rowCount + this.#rowCount)
      throw failure(
        gpkgErrors.GPKG_ROW_NOT_ADDED,
        { layer, table: this.plan.table, reason: 'its triggers delete rows' },
        { layer },
      );
    this.#updateCount(count);
  }

  /** Declares the layer as GEOMETRY if its type does not allow the added features. */
  #widenType(): void {
    const { table, geometry, geometryType, layer } = this.plan;
    const allowed = ALLOWED[geometryType.toUpperCase()];
    if (allowed === undefined) return;
    const single = MULTI[geometryType.toUpperCase()];
    const others = this.#facts.typeCounts.reduce(
      (sum, count, type) => (type === 0 || type === single || allowed.includes(type) ? sum : sum + count),
      0,
    );
    if (others === 0 || geometry === null) return;
    const database = this.#database;
    database
      .prepare(
        "UPDATE gpkg_geometry_columns SET geometry_type_name = 'GEOMETRY' WHERE lower(table_name) = lower(?)",
      )
      .run([table]);
    const declared = database.value("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table);
    const names = [quoted(geometry), `\`${geometry}\``, `[${geometry}]`, geometry].map(escaped).join('|');
    const column = new RegExp(`([(,\\s](?:${names})\\s+)"?${geometryType}"?(?=[\\s,)])`, 'gi');
    // A declaration of another form stays: only its name for the type is too narrow then.
    if (typeof declared === 'string' && declared.match(column)?.length === 1)
      database.redeclareTable(table, declared.replace(column, '$1GEOMETRY'));
    this.#findings.note(gpkgFindings.GEOMETRY_TYPE_WIDENED, { layer, type: geometryType }, { layer }, others);
  }

  /** Z and M are declared as prohibited (0), mandatory (1) or optional (2). */
  #widenOrdinates(): void {
    const { count, countZ, countM } = this.#facts;
    if (count === 0) return;
    const { table } = this.plan;
    for (const [column, present] of [
      ['z', countZ],
      ['m', countM],
    ] as const) {
      const contradicted = [...(present > 0 ? [0] : []), ...(present < count ? [1] : [])].join(', ');
      this.#database
        .prepare(
          `UPDATE gpkg_geometry_columns SET ${column} = 2
           WHERE lower(table_name) = lower(?) AND ${column} IN (${contradicted})`,
        )
        .run([table]);
    }
  }

  #updateContents(): void {
    const database = this.#database;
    const { table } = this.plan;
    const where = 'WHERE lower(table_name) = lower(?)';
    const now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
    database.prepare(`UPDATE gpkg_contents SET last_change = ${now} ${where}`).run([table]);
    const [minX, minY, maxX, maxY] = this.#facts.bounds;
    if (!(minX <= maxX && minY <= maxY)) return;
    // An extent that is missing although there are features is not known.
    const set = this.#wasEmpty
      ? 'SET min_x = ?, min_y = ?, max_x = ?, max_y = ?'
      : 'SET min_x = min(min_x, ?), min_y = min(min_y, ?), max_x = max(max_x, ?), max_y = max(max_y, ?)';
    database.prepare(`UPDATE gpkg_contents ${set} ${where}`).run([minX, minY, maxX, maxY, table]);
  }

  /** GDAL reads this count instead of counting the rows; triggers may have updated it. */
  #updateCount(count: number): void {
    const database = this.#database;
    const { table } = this.plan;
    if (!hasTable(database, 'gpkg_ogr_contents')) return;
    database
      .prepare(
        'UPDATE gpkg_ogr_contents SET feature_count = ? WHERE lower(table_name) = lower(?) AND feature_count IS NOT NULL',
      )
      .run([count, table]);
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
