/**
 * A feature table while it is being filled: keys, rows, RTree, and the facts for its registration at the end.
 *
 * Integer ids become keys. While they ascend, no key can be taken, and rows are written as pages. From the first chunk on
 * for which this is not so, SQLite inserts the rows, as it does in files that exist already. Features
 * whose id is missing, taken or not an integer are inserted with a provisional key beyond all others; when all ids are
 * known, they get the numbers after the largest key and so are last in the table.
 */
import type { BytesColumn } from '@geomill/core/columns/attribute-column.ts';
import { GEOMETRY_TYPE_NAMES } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { byteView } from '@geomill/platform/bytes.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { BulkDatabase, BulkStatement } from '@geomill/sqlite/bulk-database.ts';
import { type Key, MAX_RECORD_BYTES, type TableTree } from '@geomill/sqlite/table-tree.ts';
import type { GpkgChunk } from './chunk.ts';
import { FID_KIND, type FidCandidates } from './fids.ts';
import { emptyFacts, type GeometryFacts, mergeFacts } from './geometry-facts.ts';
import { commonMultiType, promotedRecords, singleTypeOf } from './geometry-promote.ts';
import { KeyRuns } from './key-runs.ts';
import { gpkgFindings } from './messages.ts';
import { quoted } from './names.ts';
import { RecordBinder } from './record-binder.ts';
import { RtreeBuilder } from './rtree-build.ts';
import { createRtreeSql, createTableSql, rtreeName, type TableDeclaration } from './schema-sql.ts';
import { StoredRows } from './stored-rows.ts';

/** Rows per INSERT: with more, the values of a statement no longer stay in the processor's caches. */
const ROWS_AT_ONCE = 8;
/** Of eight million runs, mostly. */
const MOST_RUN_BYTES = 16 << 20;
/** Keys from here on are provisional; ids of that size are not taken as keys. */
const PROVISIONAL = 2n ** 63n - 2n ** 33n;
const LARGEST_EXACT = 2 ** 53 - 1;

const REASONS = {
  missing: 'they had no id',
  taken: 'their id was that of an earlier feature',
  unusable: 'their id is no integer of 64 bits',
} as const;

export interface FeatureTablePlan extends TableDeclaration {
  readonly layer: string;
  readonly srsId: number;
  readonly hasIndex: boolean;
  /** Lines become multi lines if the layer has both; likewise polygons. */
  readonly promotes: boolean;
  /** Name of the column for ids that are texts, if there are any. */
  readonly idColumn: string;
}

export class FeatureTable {
  readonly plan: FeatureTablePlan;
  readonly #facts = emptyFacts();
  rowCount = 0;
  readonly #database: BulkDatabase;
  readonly #findings: Findings;
  readonly #stored: StoredRows;
  /** Has the boxes of up to a million rows in memory. Null: the layer has no index, or it is complete. */
  #rtree: RtreeBuilder | null;
  /** Null as soon as SQLite inserts the rows. */
  #tree: TableTree | null;
  /** Prepared when needed, and again for a further column. */
  #insertMany: BulkStatement | null = null;
  #insertOne: BulkStatement | null = null;
  #hasIdColumn = false;
  /** The largest key so far, except provisional ones. */
  #largest: Key | null = null;
  #hasKeysFromIds = false;
  #provisionalCount = 0;
  /** The rows that were promoted before they were stored. */
  readonly #promotedRuns = new KeyRuns();
  readonly #mostRunBytes: number;
  #promotedCount = 0;
  /** False: all rows are promoted at the end, since their keys are in any order, or the runs of promoted rows are too many. */
  #promotesBefore = true;
  #isFinished = false;

  /** `mostRunBytes`: memory of the runs of promoted rows, about, from which on rows are promoted at the end. */
  constructor(
    database: BulkDatabase,
    plan: FeatureTablePlan,
    findings: Findings,
    mostRunBytes = MOST_RUN_BYTES,
  ) {
    this.#mostRunBytes = mostRunBytes;
    this.plan = plan;
    this.#database = database;
    this.#findings = findings;
    this.#stored = new StoredRows(database, plan);
    database.exec(createTableSql(plan, 'GEOMETRY'));
    const rtree = plan.hasIndex && plan.geometry !== null ? rtreeName(plan.table, plan.geometry) : null;
    if (rtree !== null) database.exec(createRtreeSql(rtree));
    this.#rtree = rtree === null ? null : new RtreeBuilder(database, rtree);
    this.#tree = database.tableTree(plan.table);
  }

  /** The current columns of the table. */
  get declaration(): TableDeclaration {
    const { columns, idColumn } = this.plan;
    return this.#hasIdColumn
      ? { ...this.plan, columns: [...columns, { name: idColumn, type: 'string' }] }
      : this.plan;
  }

  /** Of the geometries as they are stored after `finish`. */
  get facts(): GeometryFacts {
    const multi = this.#multiType;
    if (multi === null) return this.#facts;
    const typeCounts = new Array<number>(8).fill(0);
    typeCounts[multi] = this.#facts.count;
    return { ...this.#facts, typeCounts };
  }

  append(chunk: GpkgChunk): void {
    const { ids, rowCount } = chunk;
    if (ids?.texts != null && !this.#hasIdColumn) this.#addIdColumn();
    const keys = this.#ascendingKeys(ids, rowCount);
    mergeFacts(this.#facts, chunk.facts);
    if (keys === null || chunk.hasNumericTexts || hasTooLongRecord(chunk)) this.#finishTree();
    if (keys !== null) {
      const multiType = this.#multiType;
      const multi =
        multiType === null || !this.#promotesBefore
          ? chunk
          : this.#promoted(chunk, keys, singleTypeOf(multiType));
      this.#appendAscending(multi, keys);
    } else this.#insertOneByOne(chunk, ids as FidCandidates);
    if (ids?.texts != null) this.#noteTexts(ids.texts, rowCount);
    this.rowCount += rowCount;
  }

  /** Completes the geometries, the keys and the RTree, and frees their memory. Does nothing if it was called before. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#finishTree();
    this.#settleTypes();
    this.#settleProvisional();
    this.#rtree?.finish();
    this.#rtree = null;
  }

  /** The keys of a chunk if they need no checks, else null. */
  #ascendingKeys(ids: FidCandidates | null, rowCount: number): FidCandidates['values'] | null {
    if (rowCount === 0) return new Float64Array(0);
    const hasIntegers = ids !== null && (ids.kinds === null || ids.kinds.includes(FID_KIND.integer));
    if (!hasIntegers && !this.#hasKeysFromIds) return this.#runningKeys(rowCount);
    if (ids === null || ids.kinds !== null) return null;
    const { values } = ids;
    if (!this.#isAbove(values[0])) return null;
    for (let row = 1; row < rowCount; row++) if (values[row - 1] >= values[row]) return null;
    return values[rowCount - 1] < PROVISIONAL ? values : null;
  }

  #runningKeys(rowCount: number): Float64Array<ArrayBuffer> {
    const first = Number(this.#largest ?? 0) + 1;
    const keys = new Float64Array(rowCount);
    for (let row = 0; row < rowCount; row++) keys[row] = first + row;
    return keys;
  }

  #isAbove(key: Key): boolean {
    return this.#largest === null || key > this.#largest;
  }

  #appendAscending(chunk: GpkgChunk, keys: FidCandidates['values']): void {
    const { rowCount, boxes } = chunk;
    const tree = this.#tree;
    if (tree === null) this.#insertAscending(chunk, keys);
    else {
      const { bytes, offsets } = chunk.records;
      const records = byteView(bytes);
      for (let row = 0; row < rowCount; row++)
        tree.append(keys[row], records, offsets[row], offsets[row + 1]);
    }
    const rtree = this.#rtree;
    if (rtree !== null) for (let row = 0; row < rowCount; row++) rtree.add(keys[row], boxes, row * 4);
    if (rowCount > 0) this.#largest = keys[rowCount - 1];
    if (keys === chunk.ids?.values) this.#hasKeysFromIds = true;
  }

  #insertAscending(chunk: GpkgChunk, keys: FidCandidates['values']): void {
    const { rowCount } = chunk;
    const stride = this.#stride;
    const binder = new RecordBinder(chunk, stride);
    const values: SqlValue[] = new Array(ROWS_AT_ONCE * stride).fill(null);
    this.#insertMany ??= this.#prepareInsert(ROWS_AT_ONCE);
    this.#insertOne ??= this.#prepareInsert(1);
    const wholeEnd = rowCount - (rowCount % ROWS_AT_ONCE);
    for (let row = 0; row < wholeEnd; row += ROWS_AT_ONCE) {
      for (let k = 0; k < ROWS_AT_ONCE; k++) values[k * stride] = keys[row + k];
      binder.bind(values, row, ROWS_AT_ONCE);
      this.#insertMany.run(values);
    }
    values.length = stride;
    for (let row = wholeEnd; row < rowCount; row++) {
      values[0] = keys[row];
      binder.bind(values, row, 1);
      this.#insertOne.run(values);
    }
  }

  /** Completes the pages. From now on SQLite inserts the rows. */
  #finishTree(): void {
    const tree = this.#tree;
    if (tree === null) return;
    this.#tree = null;
    tree.finish();
    if (tree.lastKey === null) return;
    // As SQLite does when it inserts a row; bigint, because the column has no type.
    const largest = tree.lastKey > 0 ? BigInt(tree.lastKey) : 0n;
    const insert = 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)';
    this.#database.prepare(insert).run([this.plan.table, largest]);
  }

  #insertOneByOne(chunk: GpkgChunk, ids: FidCandidates | null): void {
    this.#promotesBefore = false;
    const stride = this.#stride;
    const binder = new RecordBinder(chunk, stride);
    const values: SqlValue[] = new Array(stride).fill(null);
    const { boxes } = chunk;
    this.#insertOne ??= this.#prepareInsert(1);
    for (let row = 0; row < chunk.rowCount; row++) {
      binder.bind(values, row, 1);
      const kind = ids === null ? FID_KIND.none : (ids.kinds?.[row] ?? FID_KIND.integer);
      const key: Key = kind === FID_KIND.integer ? (ids as FidCandidates).values[row] : PROVISIONAL;
      values[0] = key;
      // Its row may be between promoted ones.
      if (this.#promotedCount > 0 && !this.#isAbove(key)) this.#restoreSingle();
      if (key < PROVISIONAL && this.#insertOne.run(values) === 1) {
        if (this.#isAbove(key)) this.#largest = key;
        else this.#noteOutOfOrder(this.rowCount + row + 1);
        this.#hasKeysFromIds = true;
        this.#rtree?.add(key, boxes, row * 4);
        continue;
      }
      values[0] = PROVISIONAL + BigInt(this.#provisionalCount++);
      this.#insertOne.run(values);
      const isUnusable = kind === FID_KIND.text || key >= PROVISIONAL;
      const reason = kind === FID_KIND.none ? 'missing' : isUnusable ? 'unusable' : 'taken';
      this.#noteReassigned(reason, this.rowCount + row + 1);
    }
  }

  #noteReassigned(reason: keyof typeof REASONS, record: number): void {
    const { layer, key } = this.plan;
    this.#findings.note(
      gpkgFindings.FID_REASSIGNED,
      { layer, column: key, reason: REASONS[reason] },
      { layer, record },
    );
  }

  #noteOutOfOrder(record: number): void {
    const { layer, key } = this.plan;
    this.#findings.note(gpkgFindings.ORDER_BY_KEY, { layer, column: key }, { layer, record });
  }

  #noteTexts(texts: BytesColumn, rowCount: number): void {
    const { layer, idColumn } = this.plan;
    let count = rowCount;
    if (texts.validity !== null) {
      count = 0;
      for (let row = 0; row < rowCount; row++) count += (texts.validity[row >> 3] >> (row & 7)) & 1;
    }
    this.#findings.note(gpkgFindings.IDS_AS_FIELD, { layer, field: idColumn }, { layer }, count);
  }

  /** The type of all features so far, if single geometries must be promoted to it. */
  get #multiType(): number | null {
    return this.plan.promotes ? commonMultiType(this.#facts.typeCounts) : null;
  }

  #promoted(chunk: GpkgChunk, keys: FidCandidates['values'], single: number): GpkgChunk {
    const { records, wasSingle } = promotedRecords(chunk.records, single);
    for (let row = 0; row < chunk.rowCount; row++) {
      const first = row;
      while (row < chunk.rowCount && wasSingle[row] === 1) row++;
      if (row === first) continue;
      this.#promotedRuns.add(keys[first], keys[row - 1]);
      this.#promotedCount += row - first;
    }
    if (this.#promotedRuns.byteLength > this.#mostRunBytes) this.#promotesBefore = false;
    return { ...chunk, records };
  }

  /**
   * Promotes the rows that were stored before the first multi geometry. If a later feature has another type, the promoted
   * rows become single geometries again.
   */
  #settleTypes(): void {
    const multi = this.#multiType;
    const { layer } = this.plan;
    if (multi !== null) {
      const count = this.#facts.typeCounts[singleTypeOf(multi)];
      // While keys ascend, all rows from the first promoted one on were promoted before they were stored.
      if (this.#promotedCount < count)
        this.#stored.promote(this.#promotesBefore ? this.#promotedRuns.first : null);
      const type = GEOMETRY_TYPE_NAMES[multi].toUpperCase();
      this.#findings.note(gpkgFindings.GEOMETRIES_PROMOTED, { layer, type }, { layer }, count);
    } else this.#restoreSingle();
  }

  #restoreSingle(): void {
    if (this.#promotedCount === 0) return;
    this.#stored.restoreSingle(this.#promotedRuns);
    this.#promotedRuns.clear();
    this.#promotedCount = 0;
  }

  #settleProvisional(): void {
    const count = this.#provisionalCount;
    if (count === 0) return;
    const database = this.#database;
    const { table, key } = this.plan;
    const [t, k] = [quoted(table), quoted(key)];
    let first = BigInt(this.#largest ?? 0) + 1n;
    if (first + BigInt(count) > PROVISIONAL) {
      // There are not enough keys above the largest: use those above the largest that a double holds exactly.
      const below = database.value(`SELECT max(${k}) FROM ${t} WHERE ${k} <= ${LARGEST_EXACT - count}`);
      first = ((below as bigint | null) ?? 0n) + 1n;
    }
    if (first < 1n) first = 1n;
    database.exec(`UPDATE ${t} SET ${k} = ${k} - ${PROVISIONAL - first} WHERE ${k} >= ${PROVISIONAL}`);
    const last = database.value(`SELECT max(${k}) FROM ${t}`) as bigint;
    database.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run([last, table]);
    if (this.#rtree !== null) this.#stored.index(first, first + BigInt(count) - 1n, this.#rtree);
  }

  get #stride(): number {
    return (this.plan.geometry === null ? 1 : 2) + this.plan.columns.length + (this.#hasIdColumn ? 1 : 0);
  }

  #addIdColumn(): void {
    this.#database.exec(
      `ALTER TABLE ${quoted(this.plan.table)} ADD COLUMN ${quoted(this.plan.idColumn)} TEXT`,
    );
    this.#hasIdColumn = true;
    this.#insertMany = null;
    this.#insertOne = null;
  }

  #prepareInsert(rowCount: number): BulkStatement {
    const row = `(${new Array(this.#stride).fill('?').join(', ')})`;
    // The key of a single row may already be taken.
    const conflict = rowCount === 1 ? ' ON CONFLICT DO NOTHING' : '';
    const rows = new Array(rowCount).fill(row).join(', ');
    return this.#database.prepare(`INSERT INTO ${quoted(this.plan.table)} VALUES ${rows}${conflict}`);
  }
}

/** SQLite rejects such a row, and says why. */
function hasTooLongRecord({ rowCount, records: { bytes, offsets } }: GpkgChunk): boolean {
  if (bytes.length <= MAX_RECORD_BYTES) return false;
  for (let row = 0; row < rowCount; row++)
    if (offsets[row + 1] - offsets[row] > MAX_RECORD_BYTES) return true;
  return false;
}
