/**
 * An R-tree of the parts of a mask, packed in the order of a sort by tiles: nodes of NODE boxes, level by level up to one.
 *
 *   boxes  | parts ...            | nodes of the parts ... | ... | root |
 *   starts   0                      parts                          last
 */
import type { Bounds } from '../../../batch/bounds.ts';
import type { GeometryColumn } from '../../../batch/geometry-column.ts';

const NODE = 16;

export class PartIndex {
  /** minX, minY, maxX, maxY of each box. */
  readonly #boxes: Float64Array;
  /** Where each level begins, in boxes, and where the last one ends. */
  readonly #starts: readonly number[];
  /** The part of each box of the first level. */
  readonly #parts: Uint32Array;

  /** Of the parts of an XY column. */
  constructor(column: GeometryColumn) {
    const count = column.partKinds.length;
    const own = boxesOfParts(column, count);
    this.#parts = tiled(own, count);
    const starts = [0];
    for (let size = count, total = 0; ; size = Math.ceil(size / NODE)) {
      total += size;
      starts.push(total);
      if (size <= 1) break;
    }
    this.#starts = starts;
    const boxes = new Float64Array(starts[starts.length - 1] * 4);
    for (let i = 0; i < count; i++)
      boxes.set(own.subarray(this.#parts[i] * 4, this.#parts[i] * 4 + 4), i * 4);
    for (let level = 1; level + 1 < starts.length; level++)
      for (let box = starts[level]; box < starts[level + 1]; box++) {
        const first = starts[level - 1] + (box - starts[level]) * NODE;
        unite(boxes, box, first, Math.min(first + NODE, starts[level]));
      }
    this.#boxes = boxes;
  }

  /** The parts whose bounds meet these. */
  meeting(bounds: Bounds): number[] {
    const found: number[] = [];
    const top = this.#starts.length - 2;
    this.#search(top, this.#starts[top], this.#starts[top + 1], bounds, found);
    return found;
  }

  #search(level: number, first: number, end: number, bounds: Bounds, found: number[]): void {
    const boxes = this.#boxes;
    const [west, south, east, north] = bounds;
    for (let box = first; box < end; box++) {
      const at = box * 4;
      if (boxes[at] > east || boxes[at + 1] > north || boxes[at + 2] < west || boxes[at + 3] < south)
        continue;
      if (level === 0) {
        found.push(this.#parts[box]);
        continue;
      }
      const child = this.#starts[level - 1] + (box - this.#starts[level]) * NODE;
      this.#search(level - 1, child, Math.min(child + NODE, this.#starts[level]), bounds, found);
    }
  }
}

function boxesOfParts(
  { ringOffsets, coordOffsets, coordinates }: GeometryColumn,
  count: number,
): Float64Array {
  const boxes = new Float64Array(count * 4);
  for (let part = 0; part < count; part++) {
    const at = part * 4;
    boxes.set([Infinity, Infinity, -Infinity, -Infinity], at);
    const end = coordOffsets[ringOffsets[part + 1]] * 2;
    for (let i = coordOffsets[ringOffsets[part]] * 2; i < end; i += 2) {
      boxes[at] = Math.min(boxes[at], coordinates[i]);
      boxes[at + 1] = Math.min(boxes[at + 1], coordinates[i + 1]);
      boxes[at + 2] = Math.max(boxes[at + 2], coordinates[i]);
      boxes[at + 3] = Math.max(boxes[at + 3], coordinates[i + 1]);
    }
  }
  return boxes;
}

/** The parts in vertical slices of about as many as there are slices' nodes, each from south to north. */
function tiled(boxes: Float64Array, count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  const middle = (part: number, axis: 0 | 1): number => boxes[part * 4 + axis] + boxes[part * 4 + axis + 2];
  order.sort((a, b) => middle(a, 0) - middle(b, 0));
  const slice = NODE * Math.max(1, Math.ceil(Math.sqrt(count / NODE)));
  for (let first = 0; first < count; first += slice)
    order.subarray(first, first + slice).sort((a, b) => middle(a, 1) - middle(b, 1));
  return order;
}

function unite(boxes: Float64Array, box: number, first: number, end: number): void {
  const at = box * 4;
  boxes.set([Infinity, Infinity, -Infinity, -Infinity], at);
  for (let i = first * 4; i < end * 4; i += 4) {
    boxes[at] = Math.min(boxes[at], boxes[i]);
    boxes[at + 1] = Math.min(boxes[at + 1], boxes[i + 1]);
    boxes[at + 2] = Math.max(boxes[at + 2], boxes[i + 2]);
    boxes[at + 3] = Math.max(boxes[at + 3], boxes[i + 3]);
  }
}
