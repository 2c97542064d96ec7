/**
 * Reads geometries of rows (fact: no public description; names and orders are those that files have). A geometry is a sequence of integers of variable
 * length:
 *
 *     point       type, x, y, [z], [m]                                    each: 0 for "none", else 1 + ordinate
 *     multipoint  type, n, box, n * (dx dy), [n * dz], [n * dm]
 *     line,       type, n, parts, [curves], box, (parts - 1) * positions,
 *     polygon           n * (dx dy), [n * dz], [n * dm], [the curves]
 *     multipatch  type, n, bytes, parts, box, (parts - 1) * positions, parts * kind, n * (dx dy), n * dz, [n * dm]
 *
 * An ordinate is integer / scale + origin; dx, dy, dz, dm are differences to the position before, over all parts.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { RingSorter } from '@geomill/core/geometry/ring-sorter.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { formatFindings } from '../findings.ts';
import { appendPatches } from '../multipatch.ts';
import { CurveSegments } from './curve-segments.ts';
import { IntegerReader } from './integer-reader.ts';
import { filegdbFindings } from './messages.ts';
import { type RowPlace, refuseRow } from './rows.ts';
import { GENERAL_SHAPES, HAS_CURVES, HAS_M, HAS_Z, hasBit, SHAPES } from './shape-types.ts';
import type { CoordinateGrid } from './table-header.ts';
import { Vertices } from './vertices.ts';

export class GeometryReader {
  readonly #builder: GeometryBuilder;
  readonly #place: RowPlace;
  readonly #positionLimit: number;
  readonly #in: IntegerReader;
  readonly #vertices: Vertices;
  readonly #curves: CurveSegments;
  readonly #sorter = new RingSorter((reason) => this.#refuse(reason));
  readonly #ringsClosed = new RowTally();
  readonly #ringsReordered = new RowTally();
  readonly #degenerate = new RowTally();
  readonly #patches = new RowTally();
  readonly #stroked = new RowTally();
  readonly #straightened = new RowTally();
  // The current row.
  #row = 0;
  #offset = 0;
  #start = 0;

  constructor(grid: CoordinateGrid, place: RowPlace, positionLimit: number, rows: number, bytes: number) {
    this.#place = place;
    this.#positionLimit = positionLimit;
    this.#builder = new GeometryBuilder('XY', rows, Math.ceil(bytes / 4));
    this.#in = new IntegerReader(grid, (reason) => this.#refuse(reason));
    this.#vertices = new Vertices();
    this.#curves = new CurveSegments((reason) => this.#refuse(reason));
  }

  none(): void {
    this.#builder.endFeature(GEOMETRY_TYPE.none);
  }

  /** Reads the geometry `bytes[start, end)` of a row. `offset`: that of `start` in the file. Throws FILEGDB_ROW, LIMIT_EXCEEDED. */
  read(bytes: Uint8Array<ArrayBuffer>, start: number, end: number, row: number, offset: number): void {
    this.#row = row;
    this.#offset = offset;
    this.#start = start;
    const input = this.#in;
    input.open(bytes, start, end);
    if (start === end) {
      this.none();
      return;
    }
    const type = input.unsigned();
    const base = type % 256;
    if (base === 0) {
      this.none();
      return;
    }
    const general = GENERAL_SHAPES[base];
    const [kind, z, m] =
      general === undefined
        ? (SHAPES[base] ?? this.#refuse(`its geometry has the type ${base}, which is not known`))
        : [general, hasBit(type, HAS_Z), hasBit(type, HAS_M)];
    switch (kind) {
      case 'point':
        this.#point(z, m);
        return;
      case 'multipoint':
        this.#multipoint(z, m);
        return;
      case 'multipatch':
        this.#multipatch(m);
        return;
      default:
        this.#parts(kind, z, m, general !== undefined && hasBit(type, HAS_CURVES));
    }
  }

  finish(findings: Findings): GeometryColumn {
    findings.noteTally(generalFindings.RING_CLOSED, {}, this.#ringsClosed);
    findings.noteTally(formatFindings.RINGS_REORDERED, {}, this.#ringsReordered);
    findings.noteTally(generalFindings.GEOMETRY_DEGENERATE, {}, this.#degenerate);
    findings.noteTally(formatFindings.MULTIPATCH_TO_POLYGONS, {}, this.#patches);
    findings.noteTally(generalFindings.CURVES_STROKED, {}, this.#stroked);
    findings.noteTally(filegdbFindings.FILEGDB_CURVE_STRAIGHT, {}, this.#straightened);
    return this.#builder.take();
  }

  #refuse(reason: string): never {
    refuseRow(this.#place, this.#row, this.#offset + Math.max(0, this.#in.at - this.#start), reason);
  }

  #tally(tally: RowTally): void {
    const row = this.#builder.featureCount;
    if (tally.rows.at(-1) !== row || tally.isFull) tally.add(row, row + 1, 0, String(this.#row));
  }

  #point(z: boolean, m: boolean): void {
    const input = this.#in;
    const builder = this.#builder;
    const x = input.unsigned();
    const y = input.unsigned();
    if (x === 0 || y === 0) {
      builder.endFeature(GEOMETRY_TYPE.point);
      return;
    }
    const { grid } = input;
    const height = z ? pointOrdinate(input.unsigned(), grid.zScale, grid.zOrigin) : Number.NaN;
    // Some writers leave out the measure.
    const measure =
      m && input.left > 0 ? pointOrdinate(input.unsigned(), grid.mScale, grid.mOrigin) : Number.NaN;
    if (z && !hasZ(builder.dimensions)) builder.widen('XYZ');
    if (!Number.isNaN(measure) && !hasM(builder.dimensions)) builder.widen('XYM');
    builder.position(
      pointOrdinate(x, grid.xyScale, grid.xOrigin),
      pointOrdinate(y, grid.xyScale, grid.yOrigin),
      height,
      measure,
    );
    builder.endRing();
    builder.endPart(PART_KIND.point);
    builder.endFeature(GEOMETRY_TYPE.point);
  }

  #multipoint(z: boolean, m: boolean): void {
    const builder = this.#builder;
    const input = this.#in;
    const count = this.#positionCount();
    if (count > 0) {
      for (let i = 0; i < 4; i++) input.unsigned();
      this.#vertices.read(input, count, z, m);
      this.#widen();
    }
    for (let i = 0; i < count; i++) {
      this.#vertices.append(builder, i, i + 1);
      builder.endRing();
      builder.endPart(PART_KIND.point);
    }
    builder.endFeature(GEOMETRY_TYPE.multiPoint);
  }

  /** The number of positions, each of which has at least two bytes. */
  #positionCount(): number {
    const count = this.#in.unsigned();
    if (count > this.#in.left / 2)
      this.#refuse(`its geometry states ${count} positions, and has ${this.#in.left} bytes`);
    if (count > this.#positionLimit)
      throw failure(
        generalErrors.LIMIT_EXCEEDED,
        {
          what: `the number of positions of row ${this.#row} of ${this.#place.file}`,
          actual: count,
          limit: this.#positionLimit,
          setting: 'MAX_FEATURE_COORDINATES',
        },
        { layer: this.#place.table, id: String(this.#row) },
      );
    return count;
  }

  #partCount(count: number): number {
    const parts = this.#in.unsigned();
    if (parts > count || parts === 0)
      this.#refuse(`its geometry states ${parts} parts with ${count} positions`);
    return parts;
  }

  /** Ordinates of this geometry that the batch does not have; M only once a measure has a value. */
  #widen(): void {
    const builder = this.#builder;
    const vertices = this.#vertices;
    if (vertices.hasZ && !hasZ(builder.dimensions)) builder.widen('XYZ');
    if (vertices.hasM && !hasM(builder.dimensions)) builder.widen('XYM');
  }

  #parts(kind: 'line' | 'polygon', z: boolean, m: boolean, hasCurves: boolean): void {
    const builder = this.#builder;
    const input = this.#in;
    const vertices = this.#vertices;
    const isPolygon = kind === 'polygon';
    const count = this.#positionCount();
    if (count === 0) {
      builder.endFeature(isPolygon ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.lineString);
      return;
    }
    const parts = this.#partCount(count);
    const curveCount = hasCurves ? input.unsigned() : 0;
    for (let i = 0; i < 4; i++) input.unsigned();
    vertices.readParts(input, parts, count);
    vertices.read(input, count, z, m);
    if (curveCount > 0) this.#stroke(curveCount);
    this.#widen();
    if (isPolygon) this.#finishPolygon();
    else this.#finishLines();
  }

  /** Replaces the vertices by those of the stroked curves. */
  #stroke(curveCount: number): void {
    this.#curves.read(this.#in, curveCount, this.#vertices);
    if (this.#curves.stroke(this.#vertices, this.#positionLimit)) this.#tally(this.#stroked);
    if (this.#curves.hasUnknown) this.#tally(this.#straightened);
  }

  #finishLines(): void {
    const builder = this.#builder;
    const { starts, partCount } = this.#vertices;
    let lines = 0;
    for (let part = 0; part < partCount; part++) {
      const [start, end] = [starts[part], starts[part + 1]];
      if (start === end) continue;
      if (end - start < 2) this.#tally(this.#degenerate);
      this.#vertices.append(builder, start, end);
      builder.endRing();
      builder.endPart(PART_KIND.line);
      lines++;
    }
    builder.endFeature(lines > 1 ? GEOMETRY_TYPE.multiLineString : GEOMETRY_TYPE.lineString);
  }

  #finishPolygon(): void {
    const builder = this.#builder;
    const vertices = this.#vertices;
    const { starts } = vertices;
    const rings = vertices.dropEmptyParts();
    if (rings === 1) {
      this.#ring(0, starts[1]);
      builder.endPart(PART_KIND.polygon);
      builder.endFeature(GEOMETRY_TYPE.polygon);
      return;
    }
    const sorter = this.#sorter;
    if (sorter.sort(vertices.xy, starts, rings)) this.#tally(this.#ringsReordered);
    let shells = 0;
    for (let i = 0; i < rings; i++) {
      const ring = sorter.order[i];
      if (sorter.isShell[ring] === 1 && shells++ > 0) builder.endPart(PART_KIND.polygon);
      this.#ring(starts[ring], starts[ring + 1]);
    }
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(shells > 1 ? GEOMETRY_TYPE.multiPolygon : GEOMETRY_TYPE.polygon);
  }

  #multipatch(m: boolean): void {
    const builder = this.#builder;
    const input = this.#in;
    const vertices = this.#vertices;
    const count = this.#positionCount();
    if (count === 0) {
      builder.endFeature(GEOMETRY_TYPE.polygon);
      return;
    }
    input.unsigned();
    const parts = this.#partCount(count);
    for (let i = 0; i < 4; i++) input.unsigned();
    vertices.readParts(input, parts, count);
    // The bits above the lowest four are those of materials.
    const types = Int32Array.from({ length: parts }, () => input.unsigned() % 16);
    vertices.read(input, count, true, m);
    this.#widen();
    const polygons = appendPatches(builder, types, vertices.starts, {
      ring: (start, end) => this.#ring(start, end),
      position: (index) => vertices.append(builder, index, index + 1),
      refuse: (reason) => this.#refuse(reason),
    });
    this.#tally(this.#patches);
    builder.endFeature(polygons > 1 ? GEOMETRY_TYPE.multiPolygon : GEOMETRY_TYPE.polygon);
  }

  /** Appends a ring, closed if necessary. Does not end the part. */
  #ring(start: number, end: number): void {
    const builder = this.#builder;
    const vertices = this.#vertices;
    vertices.append(builder, start, end);
    const isClosed = vertices.isClosed(start, end);
    if (!isClosed) {
      vertices.append(builder, start, start + 1);
      this.#tally(this.#ringsClosed);
    }
    if (end - start + (isClosed ? 0 : 1) < 4) this.#tally(this.#degenerate);
    builder.endRing();
  }
}

function pointOrdinate(stored: number, scale: number, origin: number): number {
  return stored === 0 ? Number.NaN : (stored - 1) / scale + origin;
}
