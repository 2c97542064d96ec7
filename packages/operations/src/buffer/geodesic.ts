/**
 * Buffers on the ellipsoid, for coordinates that are longitudes and latitudes. How they are made, and how exact they
 * are, is described in docs/geodesic-buffers.md.
 *
 *     points                       circles, vertex by vertex                                  geodesic-circles.ts
 *     others up to 200 km around   drawn in a chart of their own, buffered there, led back    geodesic-draw.ts, -results.ts
 *     larger ones                  their lines in bands, charts and buffers for each, united  geodesic-bands.ts
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { Ellipsoid } from '@geomill/geodesic/ellipsoid.ts';
import { LocalChart } from '@geomill/geodesic/local-chart.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
import { withRows } from '../parts/take-rows.ts';
import type { StepSetting } from '../transformation.ts';
import { GeodesicCircles } from './geodesic-circles.ts';
import { EdgeBends } from './geodesic-edges.ts';
import { type DrawnFeatures, FeatureDrawer, ROW } from './geodesic-features.ts';
import { appendParts } from './geodesic-globe.ts';
import { PlaneBuffer, type PlaneResults } from './geodesic-plane.ts';
import { ResultMapper } from './geodesic-results.ts';
import type { BufferParameters } from './parameters.ts';
import { noteDroppedOrdinates } from './planar.ts';

const { none, point, polygon, multiPoint, multiPolygon } = GEOMETRY_TYPE;
const DEGREE = Math.PI / 180;
/** Beyond nearly a quarter of a meridian, the area outside of a buffer is an island on the other side of the globe. */
const MAX_SHARE_OF_QUADRANT = 0.99;
/** Minimum distance: the tolerated bend is a share of the distance, so shorter ones need too many vertices, below the precision of degrees. */
const LEAST_METERS = 0.001;
/** Room that is made at once; more is made as it is needed. */
const MAX_EXPECTED_POSITIONS = 1 << 22;
const POLYGONS = 2;
const OPERATION = { operation: 'buffer' } as const;

/** Buffers in one geographic CRS; kept over batches for its tables. */
export class GeodesicBuffer {
  readonly #geos: Geos;
  readonly #layerName: string;
  readonly #checkPositions: StepSetting['checkPositions'];
  readonly #degreesPerUnit: number;
  readonly #distanceMeters: number;
  /** Null where buffers of points are no circles. */
  readonly #circles: GeodesicCircles | null;
  readonly #bends: EdgeBends;
  readonly #mapper: ResultMapper;
  readonly #drawer: FeatureDrawer;
  readonly #wholes: PlaneBuffer;
  readonly #bands: PlaneBuffer;

  /**
   * Throws TRANSFORMATION_INVALID for a distance that is too long for the body. `crs` is geographic; `hasShortEdges`: edges
   * come from `withShortEdges`.
   */
  constructor(
    { distanceMeters, style, simplifyToleranceMeters }: BufferParameters,
    crs: CrsDescription,
    geos: Geos,
    { path, layerName, checkPositions }: Pick<StepSetting, 'path' | 'layerName' | 'checkPositions'>,
    hasShortEdges = false,
  ) {
    const { semiMajorMeters, inverseFlattening } = crs.ellipsoid ?? failNoEllipsoid(crs, path);
    const ellipsoid = new Ellipsoid(semiMajorMeters, inverseFlattening);
    const maxMeters = ((MAX_SHARE_OF_QUADRANT * Math.PI) / 2) * ellipsoid.semiMinorMeters;
    if (Math.abs(distanceMeters) > maxMeters) {
      const reason = `is longer than ${Math.floor(maxMeters / 1000)} km, a quarter of the way around the globe`;
      throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(`${path}.distance`), reason });
    }
    if (distanceMeters !== 0 && Math.abs(distanceMeters) < LEAST_METERS) {
      const reason = `is shorter than ${LEAST_METERS * 1000} mm, the shortest that is measured on the ellipsoid; give a longer one, or 0`;
      throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(`${path}.distance`), reason });
    }
    this.#geos = geos;
    this.#layerName = layerName;
    this.#checkPositions = checkPositions;
    const degrees = crs.unitFactor / DEGREE;
    // The radians of a degree are rounded in definitions.
    this.#degreesPerUnit = Math.abs(degrees - 1) < 1e-9 ? 1 : degrees;
    this.#distanceMeters = distanceMeters;
    const hasCircles = distanceMeters > 0 && style.endCap === 'round' && simplifyToleranceMeters === 0;
    this.#circles = hasCircles
      ? new GeodesicCircles(ellipsoid, distanceMeters, style.quadrantSegments)
      : null;
    const chart = new LocalChart(ellipsoid);
    this.#bends = new EdgeBends(ellipsoid, distanceMeters, hasShortEdges);
    this.#mapper = new ResultMapper(geos, chart, this.#bends);
    const isRound = style.endCap === 'round' && style.join === 'round';
    this.#drawer = new FeatureDrawer(ellipsoid, chart, this.#bends, {
      isRound,
      prolongMeters: style.endCap === 'square' ? Math.abs(distanceMeters) : 0,
      isShrinking: distanceMeters <= 0,
      hasCircles,
    });
    const simplifyTolerance = simplifyToleranceMeters;
    const form = { distance: distanceMeters, style, simplifyTolerance };
    this.#wholes = new PlaneBuffer(form, geos, checkPositions);
    const bandStyle = isRound ? style : { ...style, endCap: 'flat' as const };
    const bandForm = { distance: Math.abs(distanceMeters), style: bandStyle, simplifyTolerance };
    this.#bands = new PlaneBuffer(bandForm, geos, checkPositions);
  }

  /** Edges up to this length stay within the tolerance, whether they are straight on the globe or in a plane. */
  get straightMeters(): number {
    return this.#bends.straightMeters;
  }

  /**
   * Notes GEOMETRY_DROPPED, GEOMETRY_REPAIRED, Z_DROPPED and M_DROPPED. Null and empty geometries stay. Throws
   * COORDINATE_OUT_OF_RANGE for positions outside the range of longitude and latitude.
   */
  apply(batch: FeatureBatch, findings: Findings): FeatureBatch {
    const column = this.#inDegrees(batch.geometry);
    const drawn = this.#drawer.draw(column, this.#layerName);
    const repaired = new RowTally();
    const wholes = this.#wholes.apply(drawn.wholes, drawn.seamRows, repaired);
    const bands = this.#bands.apply(drawn.bands, drawn.seamRows, repaired);
    const dropped = new RowTally();
    const { geometry, kept } = this.#isPlain(drawn, wholes)
      ? this.#mappedInPlace(drawn, wholes, dropped)
      : this.#appended(column, drawn, wholes, bands, dropped, repaired);
    findings.noteTally(stepFindings.GEOMETRY_DROPPED, OPERATION, dropped);
    findings.noteTally(stepFindings.GEOMETRY_REPAIRED, OPERATION, repaired);
    noteDroppedOrdinates(batch.geometry, findings);
    const inUnits = this.#inUnits(geometry);
    if (kept.length === batch.rowCount) return { ...batch, geometry: inUnits };
    return withRows(batch, kept, inUnits);
  }

  /** Whether every result stays one small feature: then nothing needs to be copied. */
  #isPlain({ kinds }: DrawnFeatures, { column, tasks, taskOf }: PlaneResults): boolean {
    for (const kind of kinds) if (kind !== ROW.whole) return false;
    for (let result = 0; result < taskOf.length; result++) {
      const task = taskOf[result];
      const { longitudes, latitudes } = tasks;
      if (!this.#mapper.isPlain(column, result, longitudes[task], latitudes[task])) return false;
    }
    return true;
  }

  #mappedInPlace(
    { kinds }: DrawnFeatures,
    { column, tasks, taskOf }: PlaneResults,
    dropped: RowTally,
  ): MappedRows {
    const kept = new Uint32Array(taskOf.length);
    let row = 0;
    for (let result = 0; result < taskOf.length; result++) {
      const task = taskOf[result];
      this.#mapper.mapInPlace(column, result, tasks.longitudes[task], tasks.latitudes[task]);
      for (; row < tasks.rows[task]; row++) dropped.add(row);
      kept[result] = row++;
    }
    for (; row < kinds.length; row++) dropped.add(row);
    return { geometry: column, kept };
  }

  #appended(
    column: GeometryColumn,
    { kinds }: DrawnFeatures,
    wholes: PlaneResults,
    bands: PlaneResults,
    dropped: RowTally,
    repaired: RowTally,
  ): MappedRows {
    const builder = new GeometryBuilder('XY', kinds.length, this.#expectedPositions(column, wholes));
    const kept = new Uint32Array(kinds.length);
    let keptCount = 0;
    for (let row = 0; row < kinds.length; row++) {
      if (kinds[row] === ROW.empty) {
        builder.endFeature(column.types[row] === none ? none : polygon);
      } else {
        const count = this.#appendRow(row, kinds[row], column, wholes, bands, builder, repaired);
        if (count === 0) {
          dropped.add(row);
          continue;
        }
        builder.endFeature(count === 1 ? polygon : multiPolygon);
      }
      this.#checkPositions(builder.positionCount);
      kept[keptCount++] = row;
    }
    return { geometry: builder.finish(), kept: kept.slice(0, keptCount) };
  }

  /** Parts of the row's buffer, appended to `builder`. */
  #appendRow(
    row: number,
    kind: number,
    column: GeometryColumn,
    wholes: PlaneResults,
    bands: PlaneResults,
    builder: GeometryBuilder,
    repaired: RowTally,
  ): number {
    if (kind === ROW.circles) return this.#appendCircles(column, row, builder);
    if (kind === ROW.whole) {
      const result = wholes.next(row);
      return result < 0 ? 0 : this.#appendResult(wholes, result, builder);
    }
    const added = new GeometryBuilder('XY');
    const removed = new GeometryBuilder('XY');
    const isShrinking = this.#distanceMeters <= 0;
    for (let result = wholes.next(row); result >= 0; result = wholes.next(row))
      if (this.#appendResult(wholes, result, added) > 0) added.endFeature(multiPolygon);
    for (let result = bands.next(row); result >= 0; result = bands.next(row)) {
      const target = isShrinking ? removed : added;
      if (this.#appendResult(bands, result, target) > 0) target.endFeature(multiPolygon);
    }
    using body = this.#bodyOf(column, row, repaired);
    using rest = isShrinking ? this.#difference(body, removed) : body.clone();
    rest.appendTo(added, POLYGONS);
    using whole = this.#united(added);
    const united = new GeometryBuilder('XY');
    whole.appendTo(united, POLYGONS);
    return appendParts(united.finish(), builder);
  }

  #appendResult({ column, tasks, taskOf }: PlaneResults, result: number, builder: GeometryBuilder): number {
    const task = taskOf[result];
    return this.#mapper.append(column, result, tasks.longitudes[task], tasks.latitudes[task], builder);
  }

  #appendCircles(column: GeometryColumn, row: number, builder: GeometryBuilder): number {
    const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
    const stride = strideOf(column.dimensions);
    const circles = this.#circles!;
    const isSingle = partOffsets[row + 1] - partOffsets[row] === 1;
    const target = isSingle ? builder : new GeometryBuilder('XY');
    let count = 0;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      if (ringOffsets[part] === ringOffsets[part + 1]) continue;
      const at = coordOffsets[ringOffsets[part]] * stride;
      const x = coordinates[at];
      const y = coordinates[at + 1];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      const longitude = x > 180 || x < -180 ? x - 360 * Math.round(x / 360) : x;
      count += circles.append(target, longitude, Math.max(-90, Math.min(90, y)));
      if (!isSingle) target.endFeature(multiPolygon);
    }
    if (isSingle || count === 0) return count;
    using together = this.#united(target);
    const united = new GeometryBuilder('XY');
    together.appendTo(united, POLYGONS);
    return appendParts(united.finish(), builder);
  }

  /** All parts of all features of a builder. */
  #united(builder: GeometryBuilder): GeosGeometry {
    const column = builder.finish();
    using parts = this.#geos.readParts(column, Uint32Array.from(column.types.keys()));
    return parts.unaryUnion();
  }

  #difference(body: GeosGeometry, removed: GeometryBuilder): GeosGeometry {
    using band = this.#united(removed);
    return body.difference(band);
  }

  /** The polygons of a row that are too large for one chart, within -180 .. 180, made valid. */
  #bodyOf(column: GeometryColumn, row: number, repaired: RowTally): GeosGeometry {
    const body = this.#drawer.bodyOf(column, row, this.#layerName);
    using geometry = this.#geos.readParts(body, Uint32Array.from(body.types.keys()));
    const parts: GeosGeometry[] = [];
    let isRepaired = false;
    for (let i = 0; i < geometry.partCount; i++) {
      using part = geometry.part(i);
      const isValid = part.isValid;
      if (!isValid) isRepaired = true;
      parts.push(isValid ? part.clone() : part.makeValid());
    }
    if (isRepaired) repaired.add(row);
    using all = this.#geos.collection(parts);
    return all.unaryUnion();
  }

  #expectedPositions(column: GeometryColumn, wholes: PlaneResults): number {
    let points = 0;
    if (this.#circles !== null)
      for (const type of column.types) if (type === point || type === multiPoint) points++;
    const perCircle = this.#circles === null ? 0 : this.#circles.ordinateCount / 2;
    return Math.min(points * perCircle + wholes.column.coordinates.length / 2, MAX_EXPECTED_POSITIONS);
  }

  #inDegrees(column: GeometryColumn): GeometryColumn {
    return this.#degreesPerUnit === 1 ? column : scaled(column, this.#degreesPerUnit);
  }

  #inUnits(column: GeometryColumn): GeometryColumn {
    return this.#degreesPerUnit === 1 ? column : scaled(column, 1 / this.#degreesPerUnit);
  }
}

interface MappedRows {
  readonly geometry: GeometryColumn;
  /** The rows of the batch that the features were made of. */
  readonly kept: Uint32Array<ArrayBuffer>;
}

function scaled(column: GeometryColumn, factor: number): GeometryColumn {
  const stride = strideOf(column.dimensions);
  const coordinates = column.coordinates.slice();
  for (let at = 0; at < coordinates.length; at += stride) {
    coordinates[at] *= factor;
    coordinates[at + 1] *= factor;
  }
  return { ...column, coordinates };
}

function failNoEllipsoid(crs: CrsDescription, path: string): never {
  const reason = `cannot be measured in ${crs.name}, which has no ellipsoid; put a reproject step before it`;
  throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(`${path}.distance`), reason });
}
