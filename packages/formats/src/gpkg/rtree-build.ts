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
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import type { Key } from '@geomill/sqlite/table-tree.ts';
import { EntryIds } from './rtree-ids.ts';
import { TileSorter } from './rtree-sort.ts';
import { NodeTable, PairTable, ROOT } from './rtree-tables.ts';

/** RTREE_MAXCELLS of rtree.c: the capacity of a node if pages have 4096 bytes or more. */
const NODE_CELLS = 51;
const CELL_BYTES = 24;
const CELL_WORDS = CELL_BYTES / 4;
const NODE_BYTES = 4 + NODE_CELLS * CELL_BYTES;
const RUN_ENTRIES = 1 << 20;
/** Rows per call of an inner loop, as in radix-sort.ts. */
const BLOCK = 2048;

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
  /** The same memory; cells begin at multiples of 4 bytes. */
  readonly #nodeWords = new Uint32Array(this.#node.buffer);

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
      const parents = new BoxList();
      const parentOf = this.#writeNodes(children.boxes, numbered(firstChild, children.count), parents);
      parentOf.forEach((parent, child) => {
        this.#parents.add(firstChild + child, parent);
      });
      children = parents;
      firstChild = firstParent;
    }
    const bits = bitsOf(children.boxes);
    for (let i = 0; i < children.count; i++) {
      this.#putCell(i, 0, firstChild + i, bits, i * 4);
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
    const { count } = this.#ids;
    if (count === 0) return;
    const nodeOfEntry = this.#writeNodes(this.#boxes, this.#ids, this.#leaves);
    // In the order of the rows, which is mostly the order of their ids.
    for (let entry = 0; entry < count; entry += BLOCK)
      this.#addRowids(nodeOfEntry, entry, Math.min(entry + BLOCK, count));
    this.#ids.clear();
  }

  /** Writes a level of nodes with these entries, and adds their boxes to `nodes`. Returns the number of the node of each entry. */
  #writeNodes(boxes: Float32Array, ids: EntryIds, nodes: BoxList): Uint32Array {
    const { count } = ids;
    const sorter = new TileSorter(count);
    const order = sorter.sort(boxes, count, NODE_CELLS);
    const nodeOfEntry = new Uint32Array(count);
    for (let start = 0; start < count; start += NODE_CELLS) {
      const end = Math.min(start + NODE_CELLS, count);
      nodes.add(sorter.boxes, order, start, end);
      this.#writeNode(sorter, order, ids, nodeOfEntry, start, end);
    }
    return nodeOfEntry;
  }

  #writeNode(
    { entries, bits }: TileSorter,
    order: Uint32Array,
    ids: EntryIds,
    nodeOfEntry: Uint32Array,
    start: number,
    end: number,
  ): void {
    const nodeno = ++this.#nodeCount;
    for (let i = start; i < end; i++) {
      const entry = entries[order[i]];
      nodeOfEntry[entry] = nodeno;
      this.#putCell(i - start, ids.highOf(entry), ids.lowOf(entry), bits, order[i] * 4);
    }
    this.#nodes.add(nodeno, this.#endNode(end - start, 0));
  }

  #addRowids(nodeOfEntry: Uint32Array, start: number, end: number): void {
    const ids = this.#ids;
    for (let entry = start; entry < end; entry++) this.#rowids.add(ids.idOf(entry), nodeOfEntry[entry]);
  }

  #writeOnlyLeaf(): void {
    const bits = bitsOf(this.#boxes);
    for (let entry = 0; entry < this.#ids.count; entry++) {
      this.#putCell(entry, this.#ids.highOf(entry), this.#ids.lowOf(entry), bits, entry * 4);
      this.#rowids.add(this.#ids.idOf(entry), ROOT);
    }
    this.#rowids.finish();
    this.#nodes.finish(this.#endNode(this.#ids.count, 0));
  }

  /** `bits` are the boxes as integers, from `at` on that of the cell. */
  #putCell(cell: number, idHigh: number, idLow: number, bits: Uint32Array, at: number): void {
    const words = this.#nodeWords;
    const to = 1 + cell * CELL_WORDS;
    words[to] = swapped(idHigh);
    words[to + 1] = swapped(idLow);
    words[to + 2] = swapped(bits[at]);
    words[to + 3] = swapped(bits[at + 1]);
    words[to + 4] = swapped(bits[at + 2]);
    words[to + 5] = swapped(bits[at + 3]);
  }

  /** The current node with its head; valid until the next cell is added. */
  #endNode(cellCount: number, depth: number): Uint8Array {
    this.#nodeWords[0] = swapped((depth << 16) | cellCount);
    return this.#node.fill(0, 4 + cellCount * CELL_BYTES);
  }
}

function bitsOf(boxes: Float32Array): Uint32Array {
  return new Uint32Array(boxes.buffer, boxes.byteOffset, boxes.length);
}

/** A word with its bytes in the other order; typed arrays are little-endian wherever Node runs. */
function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** Boxes of nodes. */
class BoxList {
  boxes = new Float32Array(4 << 8);
  count = 0;

  /** Adds the union of the boxes with the numbers order[start, end). */
  add(boxes: Float32Array, order: Uint32Array, start: number, end: number): void {
    if (this.count * 4 === this.boxes.length)
      this.boxes = grown(this.boxes, new Float32Array(this.boxes.length * 2));
    const first = order[start] * 4;
    let minX = boxes[first];
    let maxX = boxes[first + 1];
    let minY = boxes[first + 2];
    let maxY = boxes[first + 3];
    for (let i = start + 1; i < end; i++) {
      const at = order[i] * 4;
      if (boxes[at] < minX) minX = boxes[at];
      if (boxes[at + 1] > maxX) maxX = boxes[at + 1];
      if (boxes[at + 2] < minY) minY = boxes[at + 2];
      if (boxes[at + 3] > maxY) maxY = boxes[at + 3];
    }
    const to = this.count++ * 4;
    this.boxes[to] = minX;
    this.boxes[to + 1] = maxX;
    this.boxes[to + 2] = minY;
    this.boxes[to + 3] = maxY;
  }
}

/** Consecutive ids. */
function numbered(first: number, count: number): EntryIds {
  const ids = new EntryIds();
  for (let i = 0; i < count; i++) ids.add(first + i);
  return ids;
}

function grown(from: Float32Array<ArrayBuffer>, to: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  to.set(from);
  return to;
}
