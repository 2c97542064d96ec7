/**
 * Finds the rows of a table in a box by its RTree (12-128r19, annex F.3). The nodes are read from the table that stores them, as
 * rtree-build.ts writes them: SQLite's own RTree module prepares statements that write, which are denied for files of users.
 *
 * The index is used only if it has an entry for every row of the table, and if triggers keep it up to date. Otherwise,
 * and after any fault, the layer is read whole: an index that lacks rows would lose features.
 */
import { mayMeet, type NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { quoted } from './names.ts';
import { rtreeName } from './schema-sql.ts';

interface IndexedTable {
  readonly table: string;
  /** SQL of the rowid. */
  readonly key: string;
  readonly geometry: string;
  /** Counts the rows; null: the table is not sound. Called only if the keys do not show that the index is complete. */
  readonly countRows: () => number | null;
}

const NODE_HEAD_BYTES = 4;
const CELL_BYTES = 24;
const ROOT = 1;
/** RTREE_MAX_DEPTH of rtree.c. */
const MAX_DEPTH = 40;
/** Nodes per SELECT. */
const NODES_AT_ONCE = 64;
const DECLARATION = /\bUSING\s+rtree\s*\(\s*[^\s,()]+(?:\s*,\s*[^\s,()]+){4}\s*\)\s*$/i;

/**
 * Calls `visit` with the key of each row that may be in one of the boxes, in any order. Returns the
 * number of rows; null: the index cannot be used.
 */
export function visitRowsNear(
  database: UntrustedDatabase,
  table: IndexedTable,
  near: NearBoxes,
  visit: (key: number) => void,
): number | null {
  try {
    const rowCount = isUpToDate(database, table) ? countEntries(database, table) : null;
    return rowCount !== null && new NodeWalk(database, table, rowCount).visit(near, visit) ? rowCount : null;
  } catch (error) {
    // A damaged or missing index; the rows may be sound.
    if (error instanceof GeomillError && error.fault === 'user') return null;
    throw error;
  }
}

function isUpToDate(database: UntrustedDatabase, { table, geometry }: IndexedTable): boolean {
  const rtree = rtreeName(table, geometry);
  const schema = database.rows(
    'sqlite_schema',
    "SELECT type, name, sql FROM sqlite_schema WHERE (type = 'trigger' AND lower(tbl_name) = lower(?)) OR lower(name) = lower(?)",
    [table, rtree],
  );
  const declaration = schema.find(([type]) => type === 'table')?.[2];
  if (typeof declaration !== 'string' || !DECLARATION.test(declaration)) return false;
  const triggers = schema.flatMap(([type, name]) => (type === 'trigger' ? [String(name).toLowerCase()] : []));
  return ['insert', 'update', 'delete'].every((event) =>
    triggers.some((name) => name.startsWith(`${rtree}_${event}`.toLowerCase())),
  );
}

/** Null: a row may have no entry. */
function countEntries(
  database: UntrustedDatabase,
  { table, key, geometry, countRows }: IndexedTable,
): number | null {
  const entries = `${rtreeName(table, geometry)}_rowid`;
  const [[count]] = database.rows(entries, `SELECT count(*) FROM ${quoted(entries)}`);
  if (typeof count !== 'number') return null;
  const [first, last] = endsOf(database, entries, 'rowid');
  const [firstKey, lastKey] = endsOf(database, table, key);
  // Every number from the first to the last is an entry, and all keys are among them: counting the rows would read the whole table.
  const isComplete = last - first === count - 1 && first <= firstKey && lastKey <= last;
  return isComplete || countRows() === count ? count : null;
}

/** The smallest and the largest key; NaN: there are none, or they are not exact as numbers. */
function endsOf(database: UntrustedDatabase, table: string, key: string): [number, number] {
  const from = `FROM ${quoted(table)} NOT INDEXED`;
  const sql = `SELECT (SELECT min(${key}) ${from}), (SELECT max(${key}) ${from})`;
  const [[first, last]] = database.rows(table, sql);
  return typeof first === 'number' && typeof last === 'number' ? [first, last] : [Number.NaN, Number.NaN];
}

class NodeWalk {
  readonly #database: UntrustedDatabase;
  readonly #nodeTable: string;
  /** Nodes and rows that are left to visit before the index must be damaged: it has a row once, and more rows than nodes. */
  #left: number;

  constructor(database: UntrustedDatabase, { table, geometry }: IndexedTable, rowCount: number) {
    this.#database = database;
    this.#nodeTable = `${rtreeName(table, geometry)}_node`;
    this.#left = 2 * rowCount + MAX_DEPTH;
  }

  visit(near: NearBoxes, visit: (key: number) => void): boolean {
    const [root] = this.#nodes([ROOT]);
    const depth = root?.getUint16(0) ?? MAX_DEPTH + 1;
    if (depth > MAX_DEPTH) return false;
    let level: number[] = [];
    if (depth === 0) return this.#visitCells(root, near, visit);
    if (!this.#visitCells(root, near, (node) => level.push(node))) return false;
    for (let height = depth - 1; height >= 0; height--) {
      const next: number[] = [];
      const take = height === 0 ? visit : (node: number) => void next.push(node);
      for (let start = 0; start < level.length; start += NODES_AT_ONCE) {
        const numbers = level.slice(start, start + NODES_AT_ONCE);
        const nodes = this.#nodes(numbers);
        if (nodes.length !== numbers.length) return false;
        if (!nodes.every((node) => this.#visitCells(node, near, take))) return false;
      }
      level = next;
    }
    return true;
  }

  #nodes(numbers: readonly number[]): DataView[] {
    const table = this.#nodeTable;
    const sql = `SELECT data FROM ${quoted(table)} WHERE nodeno IN (${numbers.map(() => '?').join(', ')})`;
    return this.#database
      .rows(table, sql, numbers)
      .flatMap(([data]) =>
        data instanceof Uint8Array && data.byteLength >= NODE_HEAD_BYTES
          ? [new DataView(data.buffer, data.byteOffset, data.byteLength)]
          : [],
      );
  }

  /** Visits the ids of the cells that may have rows in one of the boxes. False: the node is damaged, or the walk is endless. */
  #visitCells(node: DataView, near: NearBoxes, visit: (id: number) => void): boolean {
    const end = NODE_HEAD_BYTES + node.getUint16(2) * CELL_BYTES;
    if (end > node.byteLength) return false;
    for (let at = NODE_HEAD_BYTES; at < end; at += CELL_BYTES) {
      const minX = node.getFloat32(at + 8);
      const maxX = node.getFloat32(at + 12);
      const minY = node.getFloat32(at + 16);
      const maxY = node.getFloat32(at + 20);
      if (!mayMeet(near, minX, minY, maxX, maxY)) continue;
      const id = node.getInt32(at) * 2 ** 32 + node.getUint32(at + 4);
      if (!Number.isSafeInteger(id) || --this.#left < 0) return false;
      visit(id);
    }
    return true;
  }
}
