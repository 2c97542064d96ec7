/** HATCH: readers find its boundary paths by their counts, so each count must be correct. */
import type { Complain } from './drawing.ts';
import { type Structure, subclass, type Tag } from './tags.ts';

const POLYLINE_PATH = 2;

/** Codes of a line, arc, ellipse edge (72 = 1, 2, 3), after 72. */
const EDGE_CODES: Readonly<Record<number, readonly number[]>> = {
  1: [10, 20, 11, 21],
  2: [10, 20, 40, 50, 51, 73],
  3: [10, 20, 11, 21, 40, 50, 51, 73],
};

class Cursor {
  readonly #tags: readonly Tag[];
  at = 0;

  constructor(tags: readonly Tag[]) {
    this.#tags = tags;
  }

  peek(): number {
    return this.#tags[this.at]?.code ?? -1;
  }

  /** The value of the next tag, which must have this code. */
  take(code: number): number {
    const tag = this.#tags[this.at++];
    if (tag?.code !== code)
      throw new Error(`${tag?.code ?? 'the end'} at line ${tag?.line} where ${code} belongs`);
    return Number(tag.value);
  }
}

export function lintHatch(entity: Structure, say: Complain): void {
  const tags = subclass(entity, 'AcDbHatch') ?? [];
  try {
    const cursor = new Cursor(tags);
    for (const code of [10, 20, 30, 210, 220, 230]) cursor.take(code);
    if (tags[cursor.at]?.value === '') say('the pattern has no name');
    cursor.take(2);
    const isSolid = cursor.take(70) === 1;
    cursor.take(71);
    const pathCount = cursor.take(91);
    if (pathCount < 1) say('there is no boundary path');
    for (let i = 0; i < pathCount; i++) readPath(cursor, say);
    cursor.take(75);
    cursor.take(76);
    if (isSolid && (cursor.peek() === 52 || cursor.peek() === 78)) say('a solid fill has a pattern');
    // Patterns are skipped up to the seeds; 47 is the pixel size.
    while (cursor.peek() !== 98 && cursor.peek() !== -1) cursor.at++;
    const seeds = cursor.take(98);
    for (let i = 0; i < seeds; i++) {
      cursor.take(10);
      cursor.take(20);
    }
  } catch (error) {
    say((error as Error).message);
  }
}

function readPath(cursor: Cursor, say: Complain): void {
  const flags = cursor.take(92);
  if ((flags & POLYLINE_PATH) !== 0) readPolylinePath(cursor, say);
  else {
    const edgeCount = cursor.take(93);
    if (edgeCount < 1) say('a path of no edges');
    for (let i = 0; i < edgeCount; i++) readEdge(cursor);
  }
  const sources = cursor.take(97);
  for (let i = 0; i < sources; i++) cursor.take(330);
}

function readPolylinePath(cursor: Cursor, say: Complain): void {
  const hasBulges = cursor.take(72) !== 0;
  if (cursor.take(73) !== 1) say('a path is not closed');
  const count = cursor.take(93);
  const positions: number[] = [];
  for (let i = 0; i < count; i++) {
    positions.push(cursor.take(10), cursor.take(20));
    if (cursor.peek() === 42) {
      if (!hasBulges) say('a bulge where 72 says there are none');
      cursor.take(42);
    }
  }
  if (count < (hasBulges ? 2 : 3)) say(`a path of ${count} vertices`);
  const [x, y] = positions;
  if (count > 1 && x === positions.at(-2) && y === positions.at(-1))
    say('the first vertex of a path is repeated');
}

function readEdge(cursor: Cursor): void {
  const kind = cursor.take(72);
  if (kind !== 4) {
    const codes = EDGE_CODES[kind];
    if (codes === undefined) throw new Error(`an edge of type ${kind}`);
    for (const code of codes) cursor.take(code);
    return;
  }
  for (const code of [94, 73, 74]) cursor.take(code);
  const knots = cursor.take(95);
  const controls = cursor.take(96);
  for (let i = 0; i < knots; i++) cursor.take(40);
  for (let i = 0; i < controls; i++) {
    cursor.take(10);
    cursor.take(20);
    if (cursor.peek() === 42) cursor.take(42);
  }
  const fits = cursor.take(97);
  for (let i = 0; i < 2 * fits; i++) cursor.take(i % 2 === 0 ? 11 : 21);
  if (cursor.peek() === 12) for (const code of [12, 22, 13, 23]) cursor.take(code);
}
