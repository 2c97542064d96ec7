/**
 * Reads record contents of a .shp into a geometry column. Layouts, all numbers little-endian, offsets from the start of
 * the content:
 *
 *   Point       0 type   4 x y [z] [m]
 *   MultiPoint  0 type   4 bounds(32)  36 n      40 n * (x y)  [zmin zmax n*z]  [mmin mmax n*m]
 *   PolyLine,   0 type   4 bounds(32)  36 parts  40 n  44 parts * start  n * (x y)  [z as above]  [m]
 *   Polygon
 *   MultiPatch  as PolyLine with parts * type after the starts
 *
 * M is optional in Z types (and in practice in M types): only the content length shows whether it is there.
 */
import {
  dimensionsOf,
  GEOMETRY_TYPE,
  GeometryBuilder,
  hasZ as hasHeights,
  hasM as hasMeasures,
  PART_KIND,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { RingSorter } from '@geomill/core/geometry/ring-sorter.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { appendPatches } from '../multipatch.ts';
import { shpErrors } from './messages.ts';
import {
  baseType,
  M_TYPE,
  NO_DATA_LIMIT,
  RECORD_HEADER_BYTES,
  SHAPE_TYPE,
  SHAPE_TYPE_NAMES,
  typeHasZ,
} from './shp-header.ts';

export class ShapeReader {
  readonly builder: GeometryBuilder;
  readonly ringsClosed = new RowTally();
  readonly ringsReordered = new RowTally();
  readonly degenerate = new RowTally();
  readonly patches = new RowTally();
  /** Records whose stated length contradicts the .shx and the length of the file. */
  readonly lengthsCorrected = new RowTally();
  readonly #fileType: number;
  readonly #file: string;
  readonly #positionLimit: number;
  readonly #sorter = new RingSorter((reason) => this.#refuse(reason));
  #starts = new Int32Array(64);
  #xy = new Float64Array(1024);
  // The current record.
  #view: DataView = new DataView(new ArrayBuffer(0));
  #record = 0;
  #pointsAt = 0;
  /** Offset of the first z (m); -1 if the record has none. */
  #zAt = -1;
  #mAt = -1;

  /** `expected`: the number of features to read and the bytes of their records, to size the arrays. */
  constructor(
    fileType: number,
    file: string,
    positionLimit: number,
    expected: { readonly features: number; readonly bytes: number },
  ) {
    this.#fileType = fileType;
    this.#file = file;
    this.#positionLimit = positionLimit;
    const dimensions = dimensionsOf(
      typeHasZ(fileType),
      fileType > M_TYPE && fileType !== SHAPE_TYPE.multiPatch,
    );
    const isPoint = fileType % 10 === SHAPE_TYPE.point;
    const headBytes = RECORD_HEADER_BYTES + (isPoint ? 4 : 48);
    const positions = Math.ceil(
      (expected.bytes - expected.features * headBytes) / (8 * strideOf(dimensions)),
    );
    this.builder = new GeometryBuilder(dimensions, expected.features, positions);
  }

  nullShape(): void {
    this.builder.endFeature(GEOMETRY_TYPE.none);
  }

  /**
   * Appends the feature of one record: content `[at, at + byteLength)` of `view`; `record` counts from 1 in the
   * partition. Throws SHP_RECORD before allocating anything for it.
   */
  read(view: DataView, at: number, byteLength: number, record: number): void {
    this.#view = view;
    this.#record = record;
    if (byteLength < 4) this.#refuse(`its content has only ${byteLength} bytes`);
    const type = view.getInt32(at, true);
    if (type === SHAPE_TYPE.null) {
      this.builder.endFeature(GEOMETRY_TYPE.none);
      return;
    }
    if (!SHAPE_TYPE_NAMES.has(type) || baseType(type) !== baseType(this.#fileType))
      this.#refuse(
        `shape type ${SHAPE_TYPE_NAMES.get(type) ?? type} in a file of ${SHAPE_TYPE_NAMES.get(this.#fileType)} shapes`,
      );
    switch (baseType(type)) {
      case SHAPE_TYPE.point:
        this.#readPoint(type, at, byteLength);
        return;
      case SHAPE_TYPE.multiPoint:
        this.#readMultiPoint(type, at, byteLength);
        return;
      default:
        this.#readParts(type, at, byteLength);
    }
  }

  #refuse(reason: string): never {
    throw failure(
      shpErrors.SHP_RECORD,
      { file: this.#file, record: this.#record, reason },
      { record: this.#record },
    );
  }

  #readPoint(type: number, at: number, byteLength: number): void {
    const { builder } = this;
    const z = typeHasZ(type);
    const needed = type === SHAPE_TYPE.point ? 20 : 28;
    if (byteLength < needed)
      this.#refuse(`a ${SHAPE_TYPE_NAMES.get(type)} needs ${needed} bytes, but there are ${byteLength}`);
    const x = this.#view.getFloat64(at + 4, true);
    const y = this.#view.getFloat64(at + 12, true);
    this.#zAt = z ? at + 20 : -1;
    this.#mAt = type > M_TYPE ? at + 20 : z && byteLength >= 36 ? at + 28 : -1;
    if (Number.isNaN(x) || Number.isNaN(y)) {
      builder.endFeature(GEOMETRY_TYPE.point);
      return;
    }
    this.#pointsAt = at + 4;
    this.#widen(1);
    this.#appendPositions(0, 1);
    builder.endRing();
    builder.endPart(PART_KIND.point);
    builder.endFeature(GEOMETRY_TYPE.point);
  }

  #readMultiPoint(type: number, at: number, byteLength: number): void {
    const { builder } = this;
    if (byteLength < 40) this.#refuse(`a MultiPoint needs 40 bytes, but there are ${byteLength}`);
    const count = this.#view.getInt32(at + 36, true);
    this.#locateOrdinates(type, at, byteLength, at + 40, count, 0);
    for (let i = 0; i < count; i++) {
      this.#appendPositions(i, i + 1);
      builder.endRing();
      builder.endPart(PART_KIND.point);
    }
    builder.endFeature(GEOMETRY_TYPE.multiPoint);
  }

  #readParts(type: number, at: number, byteLength: number): void {
    if (byteLength < 44)
      this.#refuse(`a ${SHAPE_TYPE_NAMES.get(type)} needs 44 bytes, but there are ${byteLength}`);
    const view = this.#view;
    const partCount = view.getInt32(at + 36, true);
    const count = view.getInt32(at + 40, true);
    const partBytes = type === SHAPE_TYPE.multiPatch ? 8 : 4;
    if (partCount < 0 || partCount * partBytes > byteLength - 44)
      this.#refuse(`it declares ${partCount} parts, but has ${byteLength} bytes`);
    this.#locateOrdinates(type, at, byteLength, at + 44 + partCount * partBytes, count, partCount);
    if (partCount === 1 && view.getInt32(at + 44, true) === 0 && count > 0) {
      if (type % 10 === SHAPE_TYPE.polygon) {
        this.#appendRing(0, count);
        this.builder.endPart(PART_KIND.polygon);
        this.builder.endFeature(GEOMETRY_TYPE.polygon);
        return;
      }
      if (type % 10 === SHAPE_TYPE.polyLine) {
        this.#appendLine(0, count);
        this.builder.endFeature(GEOMETRY_TYPE.lineString);
        return;
      }
    }
    const parts = this.#readStarts(at + 44, partCount, count);
    if (type === SHAPE_TYPE.multiPatch) this.#finishPatches(at + 44 + partCount * 4, parts);
    else if (type % 10 === SHAPE_TYPE.polygon) this.#finishPolygon(parts, count);
    else this.#finishLines(parts);
  }

  /** Checks the declared counts against the content length and sets the offsets of x y, z and m. */
  #locateOrdinates(
    type: number,
    at: number,
    byteLength: number,
    pointsAt: number,
    count: number,
    partCount: number,
  ): void {
    const z = typeHasZ(type);
    const end = at + byteLength;
    const withoutM = pointsAt + count * 16 + (z ? 16 + count * 8 : 0);
    if (count < 0 || withoutM > end)
      this.#refuse(
        `it declares ${count} positions${partCount > 0 ? ` in ${partCount} parts` : ''}, which need ${withoutM - at} bytes, but has ${byteLength}`,
      );
    if (count > this.#positionLimit)
      throw failure(
        generalErrors.LIMIT_EXCEEDED,
        {
          what: `the number of positions of record ${this.#record} of ${this.#file}`,
          actual: count,
          limit: this.#positionLimit,
          setting: 'MAX_FEATURE_COORDINATES',
        },
        { record: this.#record },
      );
    this.#pointsAt = pointsAt;
    this.#zAt = z ? pointsAt + count * 16 + 16 : -1;
    const hasM = (z || type > M_TYPE) && withoutM + 16 + count * 8 <= end;
    this.#mAt = hasM ? withoutM + 16 : -1;
    this.#widen(count);
  }

  /** Adds the ordinates of this record to the batch; M only once a measure is not "no data". */
  #widen(count: number): void {
    const { builder } = this;
    if (this.#zAt >= 0 && !hasHeights(builder.dimensions)) builder.widen('XYZ');
    if (this.#mAt < 0 || hasMeasures(builder.dimensions)) return;
    for (let i = 0, at = this.#mAt; i < count; i++, at += 8) {
      if (this.#view.getFloat64(at, true) >= NO_DATA_LIMIT) {
        builder.widen('XYM');
        return;
      }
    }
  }

  /** The starts of the parts that have positions, and the end of the last; returns the number of parts. */
  #readStarts(startsAt: number, partCount: number, count: number): number {
    if (this.#starts.length < partCount + 2) this.#starts = new Int32Array(partCount * 2 + 2);
    const starts = this.#starts;
    if (partCount === 0 && count > 0) {
      starts[0] = 0;
      starts[1] = count;
      return 1;
    }
    let previous = 0;
    for (let part = 0; part < partCount; part++) {
      const start = this.#view.getInt32(startsAt + part * 4, true);
      if (start < previous || start > count || (part === 0 && start !== 0))
        this.#refuse(
          `part ${part + 1} begins at position ${start}, but must begin between ${previous} and ${count}`,
        );
      starts[part] = start;
      previous = start;
    }
    starts[partCount] = count;
    return partCount;
  }

  #finishLines(partCount: number): void {
    const starts = this.#starts;
    let lines = 0;
    for (let part = 0; part < partCount; part++) {
      if (starts[part] === starts[part + 1]) continue;
      this.#appendLine(starts[part], starts[part + 1]);
      lines++;
    }
    this.builder.endFeature(lines > 1 ? GEOMETRY_TYPE.multiLineString : GEOMETRY_TYPE.lineString);
  }

  #finishPolygon(partCount: number, count: number): void {
    const starts = this.#starts;
    let rings = 0;
    for (let part = 0; part < partCount; part++) {
      if (starts[part] < starts[part + 1]) starts[rings++] = starts[part];
    }
    starts[rings] = count;
    const { builder } = this;
    if (rings === 0) {
      builder.endFeature(GEOMETRY_TYPE.polygon);
      return;
    }
    const xy = this.#copyXy(count);
    const sorter = this.#sorter;
    if (sorter.sort(xy, starts, rings)) this.ringsReordered.add(this.builder.featureCount, this.#record);
    let shells = 0;
    for (let i = 0; i < rings; i++) {
      const ring = sorter.order[i];
      if (sorter.isShell[ring] === 1 && shells++ > 0) builder.endPart(PART_KIND.polygon);
      this.#appendRing(starts[ring], starts[ring + 1]);
    }
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(shells > 1 ? GEOMETRY_TYPE.multiPolygon : GEOMETRY_TYPE.polygon);
  }

  #finishPatches(typesAt: number, partCount: number): void {
    const types = new Int32Array(partCount);
    for (let part = 0; part < partCount; part++) types[part] = this.#view.getInt32(typesAt + part * 4, true);
    const polygons = appendPatches(this.builder, types, this.#starts, {
      ring: (start, end) => this.#appendRing(start, end),
      position: (index) => this.#appendPositions(index, index + 1),
      refuse: (reason) => this.#refuse(reason),
    });
    this.patches.add(this.builder.featureCount, this.#record);
    this.builder.endFeature(polygons > 1 ? GEOMETRY_TYPE.multiPolygon : GEOMETRY_TYPE.polygon);
  }

  #appendLine(start: number, end: number): void {
    if (end - start < 2) this.degenerate.add(this.builder.featureCount, this.#record);
    this.#appendPositions(start, end);
    this.builder.endRing();
    this.builder.endPart(PART_KIND.line);
  }

  /** Appends positions `[start, end)` as a ring and closes it if necessary. Does not end the part. */
  #appendRing(start: number, end: number): void {
    const { builder } = this;
    this.#appendPositions(start, end);
    const view = this.#view;
    const first = this.#pointsAt + start * 16;
    const last = this.#pointsAt + (end - 1) * 16;
    const closed =
      view.getFloat64(first, true) === view.getFloat64(last, true) &&
      view.getFloat64(first + 8, true) === view.getFloat64(last + 8, true) &&
      (this.#zAt < 0 || this.#z(start) === this.#z(end - 1));
    if (!closed) {
      this.#appendPositions(start, start + 1);
      this.ringsClosed.add(builder.featureCount, this.#record);
    }
    if (end - start + (closed ? 0 : 1) < 4) this.degenerate.add(this.builder.featureCount, this.#record);
    builder.endRing();
  }

  #z(index: number): number {
    return this.#view.getFloat64(this.#zAt + index * 8, true);
  }

  #appendPositions(start: number, end: number): void {
    const { builder } = this;
    const { stride } = builder;
    builder.reserve((end - start) * stride);
    const view = this.#view;
    const to = builder.coordinates;
    let out = builder.coordinateLength;
    let at = this.#pointsAt + start * 16;
    if (stride === 2) {
      for (let i = start; i < end; i++, at += 16) {
        to[out++] = view.getFloat64(at, true);
        to[out++] = view.getFloat64(at + 8, true);
      }
      builder.coordinateLength = out;
      return;
    }
    const zAt = this.#zAt;
    const mAt = this.#mAt;
    const writeZ = hasHeights(builder.dimensions);
    const writeM = hasMeasures(builder.dimensions);
    for (let i = start; i < end; i++, at += 16) {
      to[out++] = view.getFloat64(at, true);
      to[out++] = view.getFloat64(at + 8, true);
      if (writeZ) to[out++] = zAt < 0 ? Number.NaN : view.getFloat64(zAt + i * 8, true);
      if (writeM) {
        const measure = mAt < 0 ? Number.NaN : view.getFloat64(mAt + i * 8, true);
        to[out++] = measure < NO_DATA_LIMIT ? Number.NaN : measure;
      }
    }
    builder.coordinateLength = out;
  }

  #copyXy(count: number): Float64Array {
    if (this.#xy.length < count * 2) this.#xy = new Float64Array(count * 3);
    const xy = this.#xy;
    const view = this.#view;
    for (let i = 0, at = this.#pointsAt; i < count * 2; i++, at += 8) xy[i] = view.getFloat64(at, true);
    return xy;
  }
}
