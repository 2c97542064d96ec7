/** Finds the features of an object of a topology without parsing them. */
import { OPEN_BRACE, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import type { JsonCursor } from '@geomill/io/json-cursor.ts';

/** A part of a layer that is read whole: about so many bytes, or features. */
const PART_BYTES = 1 << 14;
const PART_FEATURES = 256;
const MAX_TYPE_BYTES = 1 << 10;
const MAX_NAMES = 20;

/** An object of a topology: a layer. */
export interface TopologyObject {
  readonly name: string;
  /** Start, end and number of features of each part, as in LayerState. */
  readonly parts: readonly number[];
  readonly featureCount: number;
  /** Members of a collection that its features do not have: id, properties and others. */
  readonly dropped: readonly string[];
}

/** Reads the object here. A geometry collection has its members as features; every other geometry is one. */
export function readObject(cursor: JsonCursor, name: string): TopologyObject {
  if (cursor.peek() !== OPEN_BRACE) cursor.refuse(`the object '${name.slice(0, 80)}' must be a geometry`);
  const start = cursor.offset;
  const others: string[] = [];
  let type: unknown;
  let members: { parts: number[]; featureCount: number } | null = null;
  cursor.object((key) => {
    if (key === 'type') type = JSON.parse(cursor.text("the 'type'", MAX_TYPE_BYTES));
    else if (key === 'geometries' && cursor.peek() === OPEN_BRACKET) members = readGeometries(cursor);
    else {
      if (key !== 'bbox' && others.length < MAX_NAMES) others.push(key);
      cursor.skip();
    }
  });
  if (type === 'GeometryCollection' && members !== null)
    return { name, ...(members as { parts: number[]; featureCount: number }), dropped: others };
  return { name, parts: [start, cursor.offset, 1], featureCount: 1, dropped: [] };
}

function readGeometries(cursor: JsonCursor): { parts: number[]; featureCount: number } {
  const parts: number[] = [];
  let start = -1;
  let end = -1;
  let count = 0;
  let featureCount = 0;
  const endPart = (): void => {
    if (count > 0) parts.push(start, end, count);
    count = 0;
  };
  cursor.array(() => {
    if (count === 0) start = cursor.offset;
    cursor.skip();
    end = cursor.offset;
    count++;
    featureCount++;
    if (count === PART_FEATURES || end - start >= PART_BYTES) endPart();
  });
  endPart();
  return { parts, featureCount };
}
