/** Draws dimensions without a block as a line along the measurement. */
import type { EntityTags, ShapeFunction } from '../contract.ts';
import { plainMtext } from '../shapes/mtext.ts';
import { pen } from '../shapes/pen.ts';
import { needTriple, ownEnd, readTriple, realOf, subclassStart } from '../shapes/tag-values.ts';

const from = { x: 0, y: 0, z: 0 };
const to = { x: 0, y: 0, z: 0 };

/**
 * From the first to the second measured point (13 and 14; for radii and diameters 10 and 15); without them the
 * definition point (10). Tables only have an insertion point.
 */
export const dimensionShape: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const start = tags.type === 'ACAD_TABLE' ? subclassStart(tags, 'AcDbBlockReference') : 0;
  pen.begin(map, null, stroke);
  const isSpan = readTriple(tags, 13, start, end, from) && readTriple(tags, 14, start, end, to);
  if (tags.type !== 'ACAD_TABLE' && isSpan) {
    pen.position(from.x, from.y, from.z);
    pen.position(to.x, to.y, to.z);
    return pen.finishLine(builder, false);
  }
  needTriple(tags, 10, start, end, from, 'definition point');
  pen.position(from.x, from.y, from.z);
  if (tags.type !== 'ACAD_TABLE' && readTriple(tags, 15, start, end, to)) pen.position(to.x, to.y, to.z);
  return pen.finishLine(builder, false);
};

/** Placeholder for the measurement in the text of a dimension (code 1). */
const MEASUREMENT = '<>';
/** Bits of code 70 for the kind. */
const KIND_MASK = 7;
const ALIGNED = 1;
const ANGULAR = 2;
const ANGULAR_BY_POINTS = 5;

/** The text of a dimension with the measurement filled in; null if it has none. */
export function dimensionText(tags: EntityTags): string | null {
  const end = ownEnd(tags);
  const at = tags.find(1);
  const text = at < 0 || at >= end ? '' : tags.text(at);
  const measurement = measurementText(tags, end);
  const said = text === '' ? measurement : plainMtext(text.replaceAll(MEASUREMENT, measurement));
  return said === '' ? null : said;
}

/**
 * From code 42, else computed from the points; with two decimals, since the precision is in a style. Empty: unknown.
 */
function measurementText(tags: EntityTags, end: number): string {
  const kind = realOf(tags, 70, 0, 0, end) & KIND_MASK;
  const isAngle = kind === ANGULAR || kind === ANGULAR_BY_POINTS;
  let measured = realOf(tags, 42, Number.NaN, 0, end);
  if (Number.isNaN(measured) && kind <= ALIGNED && readSpan(tags, end)) {
    const x = to.x - from.x;
    const y = to.y - from.y;
    const radians = (realOf(tags, 50, 0, 0, end) * Math.PI) / 180;
    measured = kind === ALIGNED ? Math.hypot(x, y) : Math.abs(x * Math.cos(radians) + y * Math.sin(radians));
  }
  if (!Number.isFinite(measured)) return '';
  return isAngle ? `${((measured * 180) / Math.PI).toFixed(2)}°` : measured.toFixed(2);
}

function readSpan(tags: EntityTags, end: number): boolean {
  return readTriple(tags, 13, 0, end, from) && readTriple(tags, 14, 0, end, to);
}
