/** LEADER and MULTILEADER: the lines, and the position of the latter's text. Arrow heads are ignored. */
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { EntityError, type EntityTags, type ShapeFunction } from '../contract.ts';
import { pen } from './pen.ts';
import { appendSpline, SplineParts } from './spline.ts';
import { integerOf, ownEnd, readTriple } from './tag-values.ts';

const vertex = { x: 0, y: 0, z: 0 };
const SPLINE_PATH = 1;

/** Vertices in world coordinates, from the tip of the arrow; straight, or a curve through them. */
export const leader: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const curve = new SplineParts();
  for (let at = tags.find(10, 0, end); at >= 0; at = tags.find(10, at + 1, end)) {
    readTriple(tags, 10, at, end, vertex);
    curve.fits.push(vertex.x, vertex.y, vertex.z);
  }
  pen.begin(map, null, stroke);
  if (integerOf(tags, 72, 0, 0, end) === SPLINE_PATH && curve.fits.length > 6) appendSpline(curve);
  else
    for (let i = 0; i < curve.fits.length; i += 3)
      pen.position(curve.fits[i], curve.fits[i + 1], curve.fits[i + 2]);
  return pen.finishLine(builder, false);
};

/** Codes of a MULTILEADER that open and close its nested parts. */
const OPEN_CONTEXT = 300;
const CLOSE_CONTEXT = 301;
const OPEN_LEADER = 302;
const CLOSE_LEADER = 303;
/** Inside a leader; in the context itself the same code is the text. */
const OPEN_LINE = 304;
const CLOSE_LINE = 305;

/** The text with MTEXT codes; null if the content is a block or empty. */
export function leaderText(tags: EntityTags): string | null {
  const end = ownEnd(tags);
  const context = tags.find(OPEN_CONTEXT);
  if (context < 0) return null;
  for (let i = context; i < end && tags.codes[i] !== CLOSE_CONTEXT; i++) {
    if (tags.codes[i] === OPEN_LEADER) return null;
    if (tags.codes[i] === OPEN_LINE) return tags.text(i);
  }
  return null;
}

/** One leader of several lines that meet at its landing. */
class Leader {
  /** Positions x, y, z of each line. */
  readonly lines: number[][] = [];
  readonly landing: number[] = [];
  readonly dogleg: number[] = [];
  doglegLength = 0;
}

/**
 * Lines from their tips to the landing and along the dogleg; if there is text, a collection that includes its position.
 */
export const multileader: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const context = tags.find(OPEN_CONTEXT, 0, end);
  const contextEnd = context < 0 ? -1 : tags.find(CLOSE_CONTEXT, context, end);
  if (contextEnd < 0) throw new EntityError('a multileader has no context data');
  const leaders: Leader[] = [];
  const location: number[] = [];
  readContext(tags, context + 1, contextEnd, leaders, location);
  // 291: whether doglegs are drawn.
  const hasDogleg = integerOf(tags, 291, 1, contextEnd, end) !== 0;
  pen.begin(map, null, stroke);
  for (const { lines, landing, dogleg, doglegLength } of leaders)
    for (const line of lines) {
      const first = pen.count;
      for (let i = 0; i + 2 < line.length; i += 3) pen.position(line[i], line[i + 1], line[i + 2]);
      if (landing.length === 3) pen.position(landing[0], landing[1], landing[2]);
      if (landing.length === 3 && dogleg.length === 3 && hasDogleg && doglegLength > 0)
        pen.position(
          landing[0] + dogleg[0] * doglegLength,
          landing[1] + dogleg[1] * doglegLength,
          landing[2] + dogleg[2] * doglegLength,
        );
      if (pen.count - first > 1) pen.endLoop();
      else pen.rewind(pen.loopCount, first);
    }
  return finish(builder, location);
};

function finish(builder: GeometryBuilder, location: readonly number[]): number {
  const lineCount = pen.loopCount;
  if (location.length === 3) {
    pen.position(location[0], location[1], location[2]);
    pen.endLoop();
  }
  if (lineCount === 0) return pen.finishParts(builder, PART_KIND.point);
  if (location.length !== 3) return pen.finishParts(builder, PART_KIND.line);
  pen.settle(builder);
  for (let loop = 0; loop <= lineCount; loop++) {
    pen.ring(builder, loop);
    builder.endPart(loop < lineCount ? PART_KIND.line : PART_KIND.point);
  }
  return GEOMETRY_TYPE.geometryCollection;
}

/** Reads the context `[start, end)`: leaders with their lines, and the location of the text or block. */
function readContext(
  tags: EntityTags,
  start: number,
  end: number,
  leaders: Leader[],
  location: number[],
): void {
  let leaderAt: Leader | null = null;
  let line: number[] | null = null;
  let hasText = false;
  let hasBlock = false;
  for (let i = start; i < end; i++) {
    const code = tags.codes[i];
    if (code === OPEN_LEADER) {
      leaderAt = new Leader();
      leaders.push(leaderAt);
    } else if (code === CLOSE_LEADER) leaderAt = null;
    else if (code === OPEN_LINE && leaderAt !== null) {
      line = [];
      leaderAt.lines.push(line);
    } else if (code === CLOSE_LINE) line = null;
    else if (line !== null) {
      if (code === 10) push(tags, code, i, end, line);
    } else if (leaderAt !== null) {
      if (code === 10) push(tags, code, i, end, leaderAt.landing);
      else if (code === 11) push(tags, code, i, end, leaderAt.dogleg);
      else if (code === 40) leaderAt.doglegLength = tags.real(i);
    } else if (code === 290) hasText = tags.integer(i) !== 0;
    else if (code === 296) hasBlock = tags.integer(i) !== 0;
    else if (code === 12 && hasText) push(tags, code, i, end, location);
    else if (code === 15 && hasBlock && location.length === 0) push(tags, code, i, end, location);
  }
}

function push(tags: EntityTags, code: number, at: number, end: number, target: number[]): void {
  readTriple(tags, code, at, end, vertex);
  target.push(vertex.x, vertex.y, vertex.z);
}
