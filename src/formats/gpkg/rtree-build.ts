/**
 * Builds SQLite's RTree by writing its three shadow tables fully packed; inserting row by row would cost more than
 * everything else together. The layout is that of ext/rtree/rtree.c:
 *
 *     <rtree>_node    nodeno -> depth of the tree (root only) u16 | cell count u16 | cells, padded to NODE_BYTES
 *     a cell                    id i64 | minX maxX minY maxY f32                     (big-endian)
 *     <rtree>_rowid   row id -> nodeno of its leaf;      <rtree>_parent   nodeno -> nodeno of its parent
 *     The root is node 1. Ids in a leaf are row ids, in other nodes the numbers of child nodes.
 *
 * Entries are packed in runs of at most RUN_ENTRIES, which limits memory for any number of features: a search may visit
 * a few more leaves, one set per run.
 */
import type { BulkDatabase } from '../../engines/sqlite/bulk-database.ts';
import type { Key } from '../../engines/sqlite/table-tree.ts';
import { EntryIds } from './rtree-ids.ts';
import { TileSorter } from './rtree-sort.ts';
import { NodeTable, PairTable, ROOT } from './rtree-tables.ts';

/** RTREE_MAXCELLS of rtree.c: the capacity of a node if pages have 4096 bytes or more. */
const NODE_CELLS = 51;
const CELL_BYTES = 24;
const NODE_BYTES = 4 + NODE_CELLS * CELL_BYTES;
const RUN_ENTRIES = 1 << 20;

export class RtreeBuilder {
  readonly #nodes: NodeTable;
  readonly #rowids: PairTable;
  readonly #parents: PairTable;
  readonly #runEntries: number;
  /** The current run: 4 floats per entry, and its id. */
  #boxes = new Float32Array(4 << 10);
  readonly #ids = new EntryIds();
  /** Boxes of the leaves written so far; leaf i is node 2 + i. */
  readonly #leaves = new BoxList();
  #nodeCount = ROOT;
  readonly #node = new Uint8Array(NODE_BYTES);
  readonly #nodeView = new DataView(this.#node.buffer);

  /** `rtree` is the name of the virtual table, which exists and is empty. */
  constructor(database: BulkDatabase, rtree: string, runEntries = RUN_ENTRIES) {
    this.#runEntries = runEntries;
    this.#nodes = new NodeTable(database, `${rtree}_node`, NODE_BYTES);
    this.#rowids = new PairTable(database, `${rtree}_rowid`);
    this.#parents = new PairTable(database, `${rtree}_parent`);
  }

  /** Adds a row with the box at `boxes[at .. at + 4]`; a box that begins with NaN is skipped. */
  add(id: Key, boxes: Float32Array, at: number): void {
    if (Number.isNaN(boxes[at])) return;
    if (this.#ids.count * 4 === this.#boxes.length) this.#makeRoom();
    const entry = this.#ids.count;
    this.#ids.add(id);
    const to = entry * 4;
    this.#boxes[to] = boxes[at];
    this.#boxes[to + 1] = boxes[at + 1];
    this.#boxes[to + 2] = boxes[at + 2];
    this.#boxes[to + 3] = boxes[at + 3];
  }

  finish(): void {
    if (this.#leaves.count === 0 && this.#ids.count <= NODE_CELLS) {
      this.#writeOnlyLeaf();
      return;
    }
    this.#flush();
    this.#rowids.finish();
    let children = this.#leaves;
    let firstChild = ROOT + 1;
    let depth = 1;
    for (; children.count > NODE_CELLS; depth++) {
      const firstParent = this.#nodeCount + 1;
      children = this.#packNodes(children, firstChild);
      firstChild = firstParent;
    }
    for (let i = 0; i < children.count; i++) {
      this.#putCell(i, 0, firstChild + i, children.boxes, i * 4);
      this.#parents.add(firstChild + i, ROOT);
    }
    this.#parents.finish();
    this.#nodes.finish(this.#endNode(children.count, depth));
  }

  #makeRoom(): void {
    if (this.#ids.count >= this.#runEntries) {
      this.#flush();
      return;
    }
    const capacity = Math.min(this.#ids.count * 2, this.#runEntries);
    this.#boxes = grown(this.#boxes, new Float32Array(capacity * 4));
  }

  /** Writes the leaves of the run. */
  #flush(): void {
    const count = this.#ids.count;
    if (count === 0) return;
    const order = new TileSorter(count).sort(this.#boxes, count, NODE_CELLS);
    const nodeOfEntry = new Uint32Array(count);
    for (let start = 0; start < count; start += NODE_CELLS) {
      const end = Math.min(start + NODE_CELLS, count);
      const nodeno = ++this.#nodeCount;
      for (let i = start; i < end; i++) {
        const entry = order[i];
        nodeOfEntry[entry] = nodeno;
        this.#putCell(i - start, this.#ids.highOf(entry), this.#ids.lowOf(entry), this.#boxes, entry * 4);
        this.#leaves.include(this.#boxes, entry * 4);
      }
      this.#leaves.next();
      this.#nodes.add(nodeno, this.#endNode(end - start, 0));
    }
    // In the order of the rows, which is mostly the order of their ids.
    for (let entry = 0; entry < count; entry++) this.#rowids.add(this.#ids.idOf(entry), nodeOfEntry[entry]);
    this.#ids.clear();
  }

  #writeOnlyLeaf(): void {
    for (let entry = 0; entry < this.#ids.count; entry++) {
      this.#putCell(entry, this.#ids.highOf(entry), this.#ids.lowOf(entry), this.#boxes, entry * 4);
      this.#rowids.add(this.#ids.idOf(entry), ROOT);
    }
    this.#rowids.finish();
    this.#nodes.finish(this.#endNode(this.#ids.count, 0));
  }

  /** Writes a level of nodes above the children, which are numbered from `firstChild` on. */
  #packNodes(children: BoxList, firstChild: number): BoxList {
    const order = new TileSorter(children.count).sort(children.boxes, children.count, NODE_CELLS);
    const parentOf = new Uint32Array(children.count);
    const parents = new BoxList();
    for (let start = 0; start < children.count; start += NODE_CELLS) {
      const end = Math.min(start + NODE_CELLS, children.count);
      const nodeno = ++this.#nodeCount;
      for (let i = start; i < end; i++) {
        const child = order[i];
        parentOf[child] = nodeno;
        this.#putCell(i - start, 0, firstChild + child, children.boxes, child * 4);
        parents.include(children.boxes, child * 4);
      }
      parents.next();
      this.#nodes.add(nodeno, this.#endNode(end - start, 0));
    }
    for (let child = 0; child < parentOf.length; child++)
      this.#parents.add(firstChild + child, parentOf[child]);
    return parents;
  }

  #putCell(cell: number, idHigh: number, idLow: number, boxes: Float32Array, at: number): void {
    const view = this.#nodeView;
    const to = 4 + cell * CELL_BYTES;
    view.setInt32(to, idHigh, false);
    view.setInt32(to + 4, idLow, false);
    view.setFloat32(to + 8, boxes[at], false);
    view.setFloat32(to + 12, boxes[at + 1], false);
    view.setFloat32(to + 16, boxes[at + 2], false);
    view.setFloat32(to + 20, boxes[at + 3], false);
  }

  /** The current node with its head; valid until the next cell is added. */
  #endNode(cellCount: number, depth: number): Uint8Array {
    this.#nodeView.setUint16(0, depth, false);
    this.#nodeView.setUint16(2, cellCount, false);
    return this.#node.fill(0, 4 + cellCount * CELL_BYTES);
  }
}

/** Boxes of nodes, each the union of the boxes included since the previous one. */
class BoxList {
  boxes = new Float32Array(4 << 8).fill(Number.NaN);
  count = 0;

  include(boxes: Float32Array, from: number): void {
    const to = this.count * 4;
    const own = this.boxes;
    // Initially NaN, for which every comparison is false.
    if (!(own[to] <= boxes[from])) own[to] = boxes[from];
    if (!(own[to + 1] >= boxes[from + 1])) own[to + 1] = boxes[from + 1];
    if (!(own[to + 2] <= boxes[from + 2])) own[to + 2] = boxes[from + 2];
    if (!(own[to + 3] >= boxes[from + 3])) own[to + 3] = boxes[from + 3];
  }

  next(): void {
    if (++this.count * 4 < this.boxes.length) return;
    this.boxes = grown(this.boxes, new Float32Array(this.boxes.length * 2).fill(Number.NaN));
  }
}

function grown(from: Float32Array<ArrayBuffer>, to: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  to.set(from);
  return to;
}
