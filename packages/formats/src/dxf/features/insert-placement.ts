/** Placement of the blocks of INSERTs and similar entities. */
import type { AffineMap, EntityTags } from '../contract.ts';
import type { BlockRecord } from '../head/drawing.ts';
import {
  composed,
  cosineOfDegrees,
  mappedX,
  mappedY,
  mappedZ,
  rotation,
  translation,
} from '../shapes/affine-map.ts';
import { readOcs } from '../shapes/ocs.ts';
import { needFinite, ownEnd, readTriple, realOf } from '../shapes/tag-values.ts';

const triple = { x: 0, y: 0, z: 0 };

/** Rows and columns of an INSERT, and the step between them in its plane. */
interface InsertArray {
  readonly columns: number;
  readonly rows: number;
  readonly columnSpacing: number;
  readonly rowSpacing: number;
}

export function readArray(tags: EntityTags): InsertArray {
  const end = ownEnd(tags);
  return {
    columns: cellCount(realOf(tags, 70, 1, 0, end)),
    rows: cellCount(realOf(tags, 71, 1, 0, end)),
    columnSpacing: realOf(tags, 44, 0, 0, end),
    rowSpacing: realOf(tags, 45, 0, 0, end),
  };
}

/** Dimensions are drawn in place, tables from their insertion point along their direction. */
export function pictureMap(tags: EntityTags, block: BlockRecord, map: AffineMap): AffineMap {
  if (tags.type !== 'ACAD_TABLE') return map;
  const place = composed(insertFrame(tags), translation(-block.baseX, -block.baseY, -block.baseZ));
  return composed(map, place);
}

interface InsertFrame {
  x: number;
  y: number;
  z: number;
  cosine: number;
  sine: number;
  scaleX: number;
  scaleY: number;
  scaleZ: number;
  ocs: AffineMap | null;
}

/** The position, rotation and scale at which an INSERT places the base point of its block. */
export function readFrame(tags: EntityTags): InsertFrame {
  const end = ownEnd(tags);
  const turn = realOf(tags, 50, 0, 0, end);
  triple.x = 0;
  triple.y = 0;
  triple.z = 0;
  readTriple(tags, 10, 0, end, triple);
  needFinite(triple.x + triple.y + triple.z, 'insertion point');
  return {
    x: triple.x,
    y: triple.y,
    z: triple.z,
    cosine: turn === 0 ? 1 : cosineOfDegrees(turn),
    sine: turn === 0 ? 0 : cosineOfDegrees(turn - 90),
    scaleX: realOf(tags, 41, 1, 0, end),
    scaleY: realOf(tags, 42, 1, 0, end),
    scaleZ: realOf(tags, 43, 1, 0, end),
    ocs: readOcs(tags, end),
  };
}

/**
 * The map from the block to the plane of the INSERT for the cell at (`cellX`, `cellY`): subtracts the base point, then
 * applies scale, cell offset, rotation and insertion point. Inlined, since files have hundreds of thousands of INSERTs.
 */
export function setLocal(
  map: AffineMap,
  { x, y, z, cosine, sine, scaleX, scaleY, scaleZ }: InsertFrame,
  { baseX, baseY, baseZ }: BlockRecord,
  cellX: number,
  cellY: number,
): void {
  const localX = cellX - scaleX * baseX;
  const localY = cellY - scaleY * baseY;
  map[0] = cosine * scaleX;
  map[1] = -sine * scaleY;
  map[3] = x + cosine * localX - sine * localY;
  map[4] = sine * scaleX;
  map[5] = cosine * scaleY;
  map[7] = y + sine * localX + cosine * localY;
  map[10] = scaleZ;
  map[11] = z - scaleZ * baseZ;
}

/** The shift from the first cell of an array to the one at (`cellX`, `cellY`). */
export function cellShift({ cosine, sine, ocs }: InsertFrame, cellX: number, cellY: number): AffineMap {
  const x = cosine * cellX - sine * cellY;
  const y = sine * cellX + cosine * cellY;
  if (ocs === null) return translation(x, y, 0);
  return translation(mappedX(ocs, x, y, 0), mappedY(ocs, x, y, 0), mappedZ(ocs, x, y, 0));
}

/** The map from the plane of an INSERT, rotated and with the insertion point as origin, to the space of the INSERT. */
export function insertFrame(tags: EntityTags): AffineMap {
  const end = ownEnd(tags);
  triple.x = 0;
  triple.y = 0;
  triple.z = 0;
  readTriple(tags, 10, 0, end, triple);
  let frame = translation(triple.x, triple.y, triple.z);
  if (tags.type === 'ACAD_TABLE') {
    if (readTriple(tags, 11, 0, end, triple) && (triple.x !== 0 || triple.y !== 0))
      frame = composed(frame, rotation((Math.atan2(triple.y, triple.x) * 180) / Math.PI));
    return frame;
  }
  const turn = realOf(tags, 50, 0, 0, end);
  if (turn !== 0) frame = composed(frame, rotation(turn));
  const ocs = readOcs(tags, end);
  return ocs === null ? frame : composed(ocs, frame);
}

/** Number of rows or columns; 0 and invalid values mean one, as in AutoCAD. */
function cellCount(value: number): number {
  return value >= 1 ? Math.floor(value) : 1;
}
