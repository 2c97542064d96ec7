/**
 * Reads the encodings of GeoParquet 1.1 that are taken from GeoArrow: lists of lists of structs of x, y and perhaps z and m.
 *
 *     encoding          lists   a ring, and a part, begins where the repetition level is at most
 *     point             0       0               0
 *     linestring        1       0               0
 *     polygon           2       1               0
 *     multipoint        1       1               1
 *     multilinestring   2       1               1
 *     multipolygon      3       2               1
 */
import {
  dimensionsOf,
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { damaged } from '../fault.ts';
import type { Segment } from './chunk-reader.ts';
import { PHYSICAL } from './metadata.ts';
import type { SchemaNode } from './schema.ts';

interface NativeEncoding {
  readonly type: number;
  readonly kind: number;
  readonly lists: number;
  readonly ringLevel: number;
  readonly partLevel: number;
}

const { point, line, polygon } = PART_KIND;
const TYPE = GEOMETRY_TYPE;

export const NATIVE_ENCODINGS: Readonly<Record<string, NativeEncoding>> = {
  point: { type: TYPE.point, kind: point, lists: 0, ringLevel: 0, partLevel: 0 },
  linestring: { type: TYPE.lineString, kind: line, lists: 1, ringLevel: 0, partLevel: 0 },
  polygon: { type: TYPE.polygon, kind: polygon, lists: 2, ringLevel: 1, partLevel: 0 },
  multipoint: { type: TYPE.multiPoint, kind: point, lists: 1, ringLevel: 1, partLevel: 1 },
  multilinestring: { type: TYPE.multiLineString, kind: line, lists: 2, ringLevel: 1, partLevel: 1 },
  multipolygon: { type: TYPE.multiPolygon, kind: polygon, lists: 3, ringLevel: 2, partLevel: 1 },
};

/** Plain data. */
export interface NativePlan {
  readonly encoding: string;
  /** Of x, y and, where the column has them, z and m. */
  readonly leaves: readonly SchemaNode[];
  readonly hasZ: boolean;
  readonly hasM: boolean;
  /** Definition level from which the geometry is not null. */
  readonly definition: number;
}

/** Null: the column does not have the structure of the encoding. */
export function nativePlan(node: SchemaNode, encoding: string): NativePlan | null {
  const { lists } = NATIVE_ENCODINGS[encoding] ?? { lists: -1 };
  if (lists < 0 || node.isRepeated) return null;
  let inner = node;
  for (let i = 0; i < lists; i++) {
    const [repeated] = inner.children;
    if (inner.children.length !== 1 || repeated === undefined || !repeated.isRepeated) return null;
    // Of lists of structs some writers leave out the element.
    const isElement = i === lists - 1 && repeated.children.some(({ name }) => name === 'x');
    inner = isElement ? repeated : repeated.children[0];
    if (inner === undefined || (!isElement && repeated.children.length !== 1)) return null;
  }
  const ordinate = (name: string): SchemaNode | undefined =>
    inner.children.find(
      (child) => child.name === name && child.type === PHYSICAL.double && !child.isRepeated,
    );
  const [x, y, z, m] = ['x', 'y', 'z', 'm'].map(ordinate);
  if (x === undefined || y === undefined) return null;
  const leaves = [x, y, z, m].filter((leaf) => leaf !== undefined);
  return { encoding, leaves, hasZ: z !== undefined, hasM: m !== undefined, definition: node.definition };
}

/** Values of one leaf, level by level. */
class Ordinates {
  readonly #segments: readonly Segment[];
  readonly #most: number;
  #segment = 0;
  #level = 0;
  #value = 0;

  constructor(segments: readonly Segment[], most: number) {
    this.#segments = segments;
    this.#most = most;
  }

  /** The next ordinate; NaN: it is null. */
  next(): number {
    while (this.#level >= (this.#segments[this.#segment]?.count ?? -1)) {
      if (this.#segment >= this.#segments.length) throw damaged('a geometry has fewer y than x');
      this.#segment++;
      this.#level = 0;
      this.#value = 0;
    }
    const { definitions, values, firstValue } = this.#segments[this.#segment];
    const isPresent = definitions === null || definitions[this.#level] === this.#most;
    this.#level++;
    if (!isPresent || values.kind !== 'float64') return Number.NaN;
    return values.values[firstValue + this.#value++];
  }
}

/** `segments`: of each leaf of the plan. */
export function readNativeGeometries(
  plan: NativePlan,
  segments: readonly (readonly Segment[])[],
  rowCount: number,
  findings: Findings,
): GeometryColumn {
  const { type, kind, ringLevel, partLevel } = NATIVE_ENCODINGS[plan.encoding];
  const dimensions = dimensionsOf(plan.hasZ, plan.hasM);
  const positions = segments[0].reduce((sum, { count }) => sum + count, 0);
  const builder = new GeometryBuilder(dimensions, rowCount, positions);
  const most = plan.leaves[0].definition;
  const ordinates = segments.map((own, i) => new Ordinates(own, plan.leaves[i].definition));
  const [x, y] = ordinates;
  const z = hasZ(dimensions) ? ordinates[2] : null;
  const m = hasM(dimensions) ? ordinates[ordinates.length - 1] : null;
  const closed = new RowTally();
  const gaps = new RowTally();
  let hasGap = false;
  let firstPart = 0;
  let ringStart = 0;
  let parts = 0;
  let rows = 0;
  let isNull = true;
  const endRing = (): void => {
    if (builder.positionCount === ringStart) return;
    if (kind === polygon && closeRing(builder, ringStart)) closed.add(rows - 1);
    builder.endRing();
    ringStart = builder.positionCount;
  };
  const endPart = (): void => {
    const before = parts;
    if (builder.ringCount === before) return;
    builder.endPart(kind);
    parts = builder.ringCount;
  };
  const endFeature = (): void => {
    if (rows > 0) builder.endFeature(isNull ? TYPE.none : type);
    if (hasGap && builder.partCount > firstPart) gaps.add(rows - 1);
    hasGap = false;
    firstPart = builder.partCount;
  };
  for (const { count, definitions, repetitions } of segments[0])
    for (let i = 0; i < count; i++) {
      const repetition = repetitions === null ? 0 : repetitions[i];
      if (repetition <= ringLevel) endRing();
      if (repetition <= partLevel) endPart();
      if (repetition === 0) {
        endFeature();
        rows++;
      }
      const definition = definitions === null ? most : definitions[i];
      isNull = definition < plan.definition;
      const px = x.next();
      const py = y.next();
      const pz = z === null ? Number.NaN : z.next();
      const pm = m === null ? Number.NaN : m.next();
      // An empty list, or an empty point, which has NaN.
      if (definition < most || (Number.isNaN(px) && Number.isNaN(py))) {
        hasGap = true;
        continue;
      }
      if (!Number.isFinite(px) || !Number.isFinite(py))
        throw damaged('x and y of a geometry are not finite numbers');
      builder.position(px, py, pz, pm);
    }
  endRing();
  endPart();
  endFeature();
  if (rows !== rowCount) throw damaged(`a geometry column has ${rows} rows instead of ${rowCount}`);
  findings.noteTally(generalFindings.RING_CLOSED, {}, closed);
  findings.noteTally(generalFindings.EMPTY_MEMBER_DROPPED, {}, gaps);
  return builder.finish();
}
