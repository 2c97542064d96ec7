/**
 * Builds the geometries of MapInfo's objects. Rings of a region come without saying which of them are holes: those inside another one are. Arcs, ellipses and
 * rounded corners become straight steps of 2 degrees, as in GDAL.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { RingSorter } from '@geomill/core/geometry/ring-sorter.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';

const STEPS_OF_TURN = 180;
const STEPS_OF_CORNER = 45;
const RADIANS = Math.PI / 180;
/** Positions of a closed ring with an area. */
const LEAST_RING = 4;
const LEAST_LINE = 2;

type Kind = (typeof PART_KIND)[keyof typeof PART_KIND];
const SINGLE: Readonly<Record<Kind, number>> = {
  [PART_KIND.point]: GEOMETRY_TYPE.point,
  [PART_KIND.line]: GEOMETRY_TYPE.lineString,
  [PART_KIND.polygon]: GEOMETRY_TYPE.polygon,
};
const MULTI: Readonly<Record<Kind, number>> = {
  [PART_KIND.point]: GEOMETRY_TYPE.multiPoint,
  [PART_KIND.line]: GEOMETRY_TYPE.multiLineString,
  [PART_KIND.polygon]: GEOMETRY_TYPE.multiPolygon,
};

export class ObjectBuilder {
  readonly #builder = new GeometryBuilder();
  readonly #positionLimit: number;
  readonly #locate: () => Location;
  readonly #sorter: RingSorter;
  readonly #closed = new RowTally();
  readonly #degenerate = new RowTally();
  readonly #stroked = new RowTally();
  #isClosed = false;
  #isDegenerate = false;
  #isStroked = false;
  /** Of the object. */
  #firstPosition = 0;
  #firstPart = 0;
  /** Of the unfinished ring or line. */
  #start = 0;
  /** Rings of the unfinished region: its first position, and where each ring begins after it. */
  #regionStart = 0;
  #ringStarts = new Int32Array(16);
  #ringCount = 0;
  /** Number of members of each kind; a member is a multi geometry or a single one. */
  #members: { readonly kind: Kind; readonly first: number; readonly isMulti: boolean }[] = [];

  /** `locate`: where the object is that is being built. */
  constructor(positionLimit: number, locate: () => Location, refuse: (reason: string) => never) {
    this.#positionLimit = positionLimit;
    this.#locate = locate;
    this.#sorter = new RingSorter(refuse);
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  none(): void {
    this.#builder.endFeature(GEOMETRY_TYPE.none);
  }

  position(x: number, y: number): void {
    const builder = this.#builder;
    builder.reserve(2);
    builder.coordinates[builder.coordinateLength++] = x;
    builder.coordinates[builder.coordinateLength++] = y;
  }

  /** Throws LIMIT_EXCEEDED for an object that has `count` more positions, before it is read. */
  expect(count: number): void {
    const actual = this.#builder.positionCount - this.#firstPosition + count;
    if (actual <= this.#positionLimit) return;
    const params = { actual, limit: this.#positionLimit, setting: 'MAX_FEATURE_COORDINATES' };
    throw failure(
      generalErrors.LIMIT_EXCEEDED,
      { what: 'the number of positions of a feature', ...params },
      this.#locate(),
    );
  }

  point(x: number, y: number): void {
    const first = this.#builder.partCount;
    this.position(x, y);
    this.endPoint();
    this.endMember(PART_KIND.point, first, false);
  }

  /** Ends the part of one position. */
  endPoint(): void {
    this.#builder.endRing();
    this.#builder.endPart(PART_KIND.point);
    this.#start = this.#builder.positionCount;
  }

  /** Ends the line of the positions since the last part. */
  endLine(): void {
    const builder = this.#builder;
    if (builder.positionCount - this.#start < LEAST_LINE) this.#isDegenerate = true;
    builder.endRing();
    builder.endPart(PART_KIND.line);
    this.#start = builder.positionCount;
  }

  get partCount(): number {
    return this.#builder.partCount;
  }

  /** The parts since `first` are one geometry of the object. */
  endMember(kind: Kind, first: number, isMulti = this.#builder.partCount - first > 1): void {
    this.#members.push({ kind, first, isMulti });
  }

  beginRegion(): void {
    this.#regionStart = this.#builder.positionCount;
    this.#start = this.#regionStart;
    this.#ringCount = 0;
  }

  /** Ends the ring of the positions since the last one; one without positions is left out. */
  endRing(): void {
    const builder = this.#builder;
    if (builder.positionCount === this.#start) return;
    if (closeRing(builder, this.#start)) this.#isClosed = true;
    if (builder.positionCount - this.#start < LEAST_RING) this.#isDegenerate = true;
    if (this.#ringCount + 1 >= this.#ringStarts.length) {
      const grown = new Int32Array(this.#ringStarts.length * 2);
      grown.set(this.#ringStarts);
      this.#ringStarts = grown;
    }
    this.#ringStarts[this.#ringCount++] = this.#start - this.#regionStart;
    this.#start = builder.positionCount;
  }

  /** Sorts the rings into polygons. */
  endRegion(): void {
    const builder = this.#builder;
    const first = builder.partCount;
    const count = this.#ringCount;
    const starts = this.#ringStarts;
    if (count > 0) {
      starts[count] = builder.positionCount - this.#regionStart;
      const from = this.#regionStart * 2;
      const given = builder.coordinates.slice(from, builder.coordinateLength);
      this.#sorter.sort(given, starts, count);
      builder.coordinateLength = from;
      for (let i = 0; i < count; i++) {
        const ring = this.#sorter.order[i];
        if (i > 0 && this.#sorter.isShell[ring] === 1) builder.endPart(PART_KIND.polygon);
        builder.coordinates.set(
          given.subarray(starts[ring] * 2, starts[ring + 1] * 2),
          builder.coordinateLength,
        );
        builder.coordinateLength += (starts[ring + 1] - starts[ring]) * 2;
        builder.endRing();
      }
      builder.endPart(PART_KIND.polygon);
    }
    this.#start = builder.positionCount;
    this.endMember(PART_KIND.polygon, first);
  }

  line(x1: number, y1: number, x2: number, y2: number): void {
    const first = this.#builder.partCount;
    this.position(x1, y1);
    this.position(x2, y2);
    this.endLine();
    this.endMember(PART_KIND.line, first, false);
  }

  /** Corners in any order. */
  rectangle(x1: number, y1: number, x2: number, y2: number): void {
    const [minX, minY, maxX, maxY] = sorted(x1, y1, x2, y2);
    this.beginRegion();
    this.position(minX, minY);
    this.position(maxX, minY);
    this.position(maxX, maxY);
    this.position(minX, maxY);
    this.position(minX, minY);
    this.endRing();
    this.endRegion();
  }

  /** A rectangle whose corners are quarters of an ellipse with these diameters. */
  roundRectangle(x1: number, y1: number, x2: number, y2: number, width: number, height: number): void {
    const [minX, minY, maxX, maxY] = sorted(x1, y1, x2, y2);
    const radiusX = Math.min(Math.abs(width), maxX - minX) / 2;
    const radiusY = Math.min(Math.abs(height), maxY - minY) / 2;
    if (radiusX === 0 || radiusY === 0) {
      this.rectangle(x1, y1, x2, y2);
      return;
    }
    this.expect(4 * STEPS_OF_CORNER + 5);
    this.beginRegion();
    const corner = (x: number, y: number, fromDegrees: number): void =>
      this.#arc(x, y, radiusX, radiusY, fromDegrees, 90, STEPS_OF_CORNER);
    corner(minX + radiusX, minY + radiusY, 180);
    corner(maxX - radiusX, minY + radiusY, 270);
    corner(maxX - radiusX, maxY - radiusY, 0);
    corner(minX + radiusX, maxY - radiusY, 90);
    this.endRing();
    this.endRegion();
    this.#isStroked = true;
  }

  /** The ellipse in a box. */
  ellipse(x1: number, y1: number, x2: number, y2: number): void {
    this.expect(STEPS_OF_TURN + 1);
    this.beginRegion();
    this.#arc(
      (x1 + x2) / 2,
      (y1 + y2) / 2,
      Math.abs(x2 - x1) / 2,
      Math.abs(y2 - y1) / 2,
      0,
      360,
      STEPS_OF_TURN,
    );
    this.endRing();
    this.endRegion();
    this.#isStroked = true;
  }

  /** The part of the ellipse in a box from one angle to another, counter-clockwise from east. */
  arc(x1: number, y1: number, x2: number, y2: number, fromDegrees: number, toDegrees: number): void {
    const sweep = toDegrees < fromDegrees ? toDegrees + 360 - fromDegrees : toDegrees - fromDegrees;
    const steps = Math.max(LEAST_LINE, Math.ceil((sweep / 360) * STEPS_OF_TURN));
    this.expect(steps + 1);
    const first = this.#builder.partCount;
    this.#arc(
      (x1 + x2) / 2,
      (y1 + y2) / 2,
      Math.abs(x2 - x1) / 2,
      Math.abs(y2 - y1) / 2,
      fromDegrees,
      sweep,
      steps,
    );
    this.endLine();
    this.endMember(PART_KIND.line, first, false);
    this.#isStroked = true;
  }

  #arc(
    x: number,
    y: number,
    radiusX: number,
    radiusY: number,
    fromDegrees: number,
    sweepDegrees: number,
    steps: number,
  ): void {
    for (let i = 0; i <= steps; i++) {
      const degrees = fromDegrees + (sweepDegrees * i) / steps;
      this.position(x + radiusX * cosine(degrees), y + radiusY * cosine(degrees - 90));
    }
  }

  /** Ends the object with the members that were added; `record`: its number in the partition. */
  endObject(record: number): void {
    const builder = this.#builder;
    const row = builder.featureCount;
    const members = this.#members;
    if (members.length === 1) {
      const [{ kind, isMulti }] = members;
      const parts = builder.partCount - this.#firstPart;
      builder.endFeature(isMulti || parts > 1 ? MULTI[kind] : SINGLE[kind]);
    } else if (members.length === 0) builder.endFeature(GEOMETRY_TYPE.geometryCollection);
    else this.#endCollection();
    if (this.#isClosed) this.#closed.add(row, record);
    if (this.#isDegenerate) this.#degenerate.add(row, record);
    if (this.#isStroked) this.#stroked.add(row, record);
    this.#isClosed = false;
    this.#isDegenerate = false;
    this.#isStroked = false;
    this.#members = [];
    this.#firstPart = builder.partCount;
    this.#firstPosition = builder.positionCount;
    this.#start = this.#firstPosition;
  }

  #endCollection(): void {
    const builder = this.#builder;
    for (const [i, { kind, first, isMulti }] of this.#members.entries()) {
      const end = this.#members[i + 1]?.first ?? builder.partCount;
      if (isMulti)
        for (let part = first; part < end; part++)
          builder.markPart(part, kind | (part === first ? PART_MULTI_FIRST : PART_MULTI_NEXT));
    }
    builder.endFeature(GEOMETRY_TYPE.geometryCollection);
  }

  /** The geometries; notes what was changed. */
  finish(findings: Findings): GeometryColumn {
    findings.noteTally(generalFindings.RING_CLOSED, {}, this.#closed);
    findings.noteTally(generalFindings.GEOMETRY_DEGENERATE, {}, this.#degenerate);
    findings.noteTally(generalFindings.CURVES_STROKED, {}, this.#stroked);
    return this.#builder.take();
  }
}

/** Exact at quarters of a turn. */
function cosine(degrees: number): number {
  return degrees % 180 === 90 || degrees % 180 === -90 ? 0 : Math.cos(degrees * RADIANS);
}

function sorted(x1: number, y1: number, x2: number, y2: number): [number, number, number, number] {
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
}
