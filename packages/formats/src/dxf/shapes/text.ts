/** TEXT, ATTRIB, ATTDEF and MTEXT: a point at the anchor of the text, and its attributes. */
import type { AffineMap, EntityTags, ShapeFunction } from '../contract.ts';
import { composed, isIdentity } from './affine-map.ts';
import { plainMtext, plainText } from './mtext.ts';
import { leaderText } from './multileader.ts';
import { readOcs } from './ocs.ts';
import { pen } from './pen.ts';
import { integerOf, needTriple, ownEnd, readTriple, realOf } from './tag-values.ts';

const anchor = { x: 0, y: 0, z: 0 };
const direction = { x: 0, y: 0, z: 0 };
/** Code 72: text between two points, beginning at the first. */
const ALIGNED = 3;
const FIT = 5;

/**
 * The insertion point, or the alignment point if the text is aligned by one. (The insertion point of aligned text was
 * only computed from the font by the last program that saved it.)
 */
export const text: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  needTriple(tags, 10, 0, end, anchor, 'insertion point');
  const horizontal = integerOf(tags, 72, 0, 0, end);
  // In ATTRIB and ATTDEF 73 is the length of a field.
  const vertical = integerOf(tags, tags.type === 'TEXT' ? 73 : 74, 0, 0, end);
  if ((horizontal !== 0 || vertical !== 0) && horizontal !== ALIGNED && horizontal !== FIT)
    readTriple(tags, 11, 0, end, anchor);
  pen.begin(map, readOcs(tags, end), stroke);
  pen.position(anchor.x, anchor.y, anchor.z);
  return pen.finishLine(builder, false);
};

/** In world coordinates, whatever the extrusion direction. */
export const mtext: ShapeFunction = ({ tags }, map, stroke, builder) => {
  needTriple(tags, 10, 0, ownEnd(tags), anchor, 'insertion point');
  pen.begin(map, null, stroke);
  pen.position(anchor.x, anchor.y, anchor.z);
  return pen.finishLine(builder, false);
};

/** The text of an entity without control codes; null for types without text. */
export function textOf(tags: EntityTags): string | null {
  const end = ownEnd(tags);
  switch (tags.type) {
    case 'TEXT':
    case 'ATTRIB':
    case 'ATTDEF':
    case 'TOLERANCE':
      return plainText(firstValue(tags, 1, end));
    case 'SHAPE':
      return firstValue(tags, 2, end);
    case 'MTEXT':
      return plainMtext(mtextValue(tags, end));
    case 'MULTILEADER':
    case 'MLEADER': {
      const value = leaderText(tags);
      return value === null ? null : plainMtext(value);
    }
    default:
      return null;
  }
}

function firstValue(tags: EntityTags, code: number, end: number): string {
  const at = tags.find(code);
  return at < 0 || at >= end ? '' : tags.text(at);
}

/** Chunks with code 3, and the last with code 1. */
function mtextValue(tags: EntityTags, end: number): string {
  let value = '';
  for (let i = 0; i < end; i++) {
    const code = tags.codes[i];
    if (code === 3 || code === 1) value += tags.text(i);
  }
  return value;
}

/** In drawing units as stored in the entity, without the scale of blocks. Null if it has none. */
export function textHeight(tags: EntityTags): number | null {
  const end = ownEnd(tags);
  switch (tags.type) {
    case 'TEXT':
    case 'ATTRIB':
    case 'ATTDEF':
    case 'MTEXT':
    case 'SHAPE':
      return finiteOrNull(realOf(tags, 40, Number.NaN, 0, end));
    case 'MULTILEADER':
    case 'MLEADER': {
      const start = Math.max(0, tags.find(300));
      return finiteOrNull(realOf(tags, 41, Number.NaN, start, end));
    }
    default:
      return null;
  }
}

/**
 * Degrees counter-clockwise from the world's x axis, in [0, 360), as seen from above; null if an entity has no
 * direction. In a mirrored coordinate system it is the direction of the base line.
 */
export function textRotationDegrees(tags: EntityTags, map: AffineMap): number | null {
  const end = ownEnd(tags);
  switch (tags.type) {
    case 'TEXT':
    case 'ATTRIB':
    case 'ATTDEF':
    case 'SHAPE':
      return turned(realOf(tags, 50, 0, 0, end), combined(map, readOcs(tags, end)));
    case 'MTEXT':
      // Programs write 11; 50 is left from R12.
      if (readTriple(tags, 11, 0, end, direction))
        return directed(direction.x, direction.y, direction.z, map);
      return turned(realOf(tags, 50, 0, 0, end), combined(map, readOcs(tags, end)));
    case 'TOLERANCE':
      return readTriple(tags, 11, 0, end, direction)
        ? directed(direction.x, direction.y, direction.z, map)
        : null;
    default:
      return null;
  }
}

function combined(map: AffineMap, ocs: AffineMap | null): AffineMap {
  return ocs === null ? map : composed(map, ocs);
}

/** Transforms an angle in a plane; unchanged if the map does not change it. */
function turned(degrees: number, map: AffineMap): number | null {
  if (!Number.isFinite(degrees)) return null;
  if (isIdentity(map)) return normalized(degrees);
  const radians = (degrees * Math.PI) / 180;
  return directed(Math.cos(radians), Math.sin(radians), 0, map);
}

function directed(x: number, y: number, z: number, map: AffineMap): number | null {
  const mappedX = map[0] * x + map[1] * y + map[2] * z;
  const mappedY = map[4] * x + map[5] * y + map[6] * z;
  if (!Number.isFinite(mappedX + mappedY) || (mappedX === 0 && mappedY === 0)) return null;
  // Removes the rounding errors of sine and cosine, such as those at 90 degrees.
  const degrees = (Math.atan2(mappedY, mappedX) * 180) / Math.PI;
  return normalized(Math.round(degrees * 1e9) / 1e9);
}

/** 0, not -0, for angles that are a multiple of 360. */
function normalized(degrees: number): number {
  const rest = degrees % 360;
  return rest < 0 ? rest + 360 : rest + 0;
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
