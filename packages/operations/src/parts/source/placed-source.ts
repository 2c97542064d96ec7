/** A second source in the CRS of the data, with an index: what each thread makes of it for its tests and overlays. */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { cutAtAntimeridian } from '@geomill/core/sphere/cut.ts';
import { unwrapped } from '@geomill/core/sphere/unwrap.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { GeosPrepared } from '@geomill/geos/prepared.ts';
import type { FileSetting, StepSetting } from '../../transformation.ts';
import { BoxIndex } from '../box-index.ts';
import { lengthInCrs } from '../lengths.ts';
import { followEdges } from '../mask/follow-edges.ts';
import { isFinitePlane } from '../repaired.ts';
import { emptyBounds, growByRow } from '../row-bounds.ts';
import { type FeatureSource, ROW_FLAG } from './feature-source.ts';

/** Tolerated deviation of an edge from where it runs in its own CRS, on the ground. */
const TOLERANCE_METERS = 0.01;
/** Positions of geometries that GEOS holds, prepared, until they are freed: about 1 KB for each in the worst case. */
const MAX_HELD_POSITIONS = 1_000_000;

/** A row of the source in GEOS. */
export interface HeldRow {
  /** Valid, if it has an area. */
  readonly geometry: GeosGeometry;
  readonly prepared: GeosPrepared;
  /** The geometry is that of the row in `geometry`. */
  readonly isAsRead: boolean;
}

export class PlacedSource {
  readonly geometry: GeometryColumn;
  #index: BoxIndex | null = null;
  readonly #geos: Geos;
  readonly #flags: Uint8Array;
  readonly #held = new Map<number, HeldRow>();
  #heldPositions = 0;

  constructor(geos: Geos, { geometry, flags }: FeatureSource, setting: StepSetting, how: AtAntimeridian) {
    this.#geos = geos;
    this.#flags = flags;
    this.geometry = placed(geometry, flags, setting, how);
  }

  /** Of the rows, made at the first use. */
  get index(): BoxIndex {
    this.#index ??= new BoxIndex(rowBoxes(this.geometry));
    return this.#index;
  }

  [Symbol.dispose](): void {
    for (const { geometry, prepared } of this.#held.values()) {
      prepared[Symbol.dispose]();
      geometry[Symbol.dispose]();
    }
    this.#held.clear();
    this.#heldPositions = 0;
  }

  /** Number of positions of a row. */
  positionsOf(row: number): number {
    const { partOffsets, ringOffsets, coordOffsets } = this.geometry;
    return coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
  }

  /** Good until the next call. Polygons are repaired, which is reported at the end. */
  row(row: number): HeldRow {
    const known = this.#held.get(row);
    if (known !== undefined) return known;
    const count = this.positionsOf(row);
    if (this.#heldPositions + count > MAX_HELD_POSITIONS) this[Symbol.dispose]();
    const made = this.#valid(row);
    const held = { geometry: made.geometry, prepared: made.geometry.prepare(), isAsRead: !made.flag };
    this.#held.set(row, held);
    this.#heldPositions += count;
    return held;
  }

  /** The same, owned by the caller. */
  read(row: number): GeosGeometry {
    return this.#valid(row).geometry;
  }

  #valid(row: number): ReturnType<typeof validRow> {
    const valid = validRow(this.#geos, this.geometry, row);
    if (valid.flag) this.#flags[row] |= ROW_FLAG.repaired;
    return valid;
  }
}

/** A row in GEOS, repaired where it has an area and is invalid, or has ordinates that are not finite. The caller owns it. */
export function validRow(
  geos: Geos,
  column: GeometryColumn,
  row: number,
): { readonly geometry: GeosGeometry; readonly flag: boolean } {
  const read = geos.read(column, row);
  if ((!hasArea(column, row) || read.isValid) && isFinitePlane(column, row))
    return { geometry: read, flag: false };
  using broken = read;
  return { geometry: broken.makeValid(), flag: true };
}

export function hasArea({ partOffsets, partKinds }: GeometryColumn, row: number): boolean {
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
    if ((partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon) return true;
  return false;
}

/** Features that cross 180 degrees are in two parts there, or go on over 180. */
export type AtAntimeridian = 'cut' | 'unwrapped';

/** The geometries of a source or of features in longitudes and latitudes; those of other systems are the same. */
export function drawnWhereDegrees(
  column: GeometryColumn,
  crs: CrsDescription,
  how: AtAntimeridian,
): GeometryColumn {
  if (!isInDegrees(crs)) return column;
  return how === 'cut' ? cutAtAntimeridian(column).geometry : unwrapped(column, 'edges').geometry;
}

function placed(
  own: GeometryColumn,
  flags: Uint8Array,
  setting: StepSetting,
  how: AtAntimeridian,
): GeometryColumn {
  const { file, crs } = setting;
  if (file === undefined) throw new Error('a source has no CRS');
  if (file.toData === null) return drawnWhereDegrees(own, crs, how);
  const cut = drawnWhereDegrees(own, file.crs, 'cut');
  const whole = moved(cut, file, crs);
  if (whole !== null) return drawnWhereDegrees(whole, crs, how);
  // One by one, without those that the CRS cannot represent.
  const builder = new GeometryBuilder('XY', own.types.length, own.coordinates.length / 2);
  for (let row = 0; row < cut.types.length; row++) {
    const single = new GeometryBuilder('XY', 1, 64);
    copyRows(single, cut, row, row + 1);
    const result = moved(single.finish(), file, crs);
    if (result !== null) copyRows(builder, result, 0, 1);
    else {
      flags[row] |= ROW_FLAG.notShown;
      builder.endFeature(GEOMETRY_TYPE.none);
    }
  }
  return drawnWhereDegrees(builder.finish(), crs, how);
}

/** With edges that stay straight in their own CRS. Null: a position or an edge is where the CRS has none. */
function moved(column: GeometryColumn, file: FileSetting, crs: CrsDescription): GeometryColumn | null {
  const { toData } = file;
  if (toData === null) return column;
  try {
    if (column.coordOffsets.length - 1 < column.coordinates.length / 2)
      return followEdges(column, file.crs, toData, lengthInCrs(TOLERANCE_METERS, crs));
    // Points alone.
    const coordinates = column.coordinates.slice();
    toData(coordinates, 'XY');
    return { ...column, coordinates };
  } catch (thrown) {
    if (thrown instanceof GeomillError && thrown.code === 'COORDINATE_OUTSIDE_DOMAIN') return null;
    throw thrown;
  }
}

/** minX, minY, maxX, maxY of each row; infinite for one without positions. */
function rowBoxes(column: GeometryColumn): Float64Array {
  const { types, partOffsets } = column;
  const boxes = new Float64Array(types.length * 4);
  const bounds = emptyBounds();
  for (let row = 0; row < types.length; row++) {
    bounds[0] = bounds[1] = Number.POSITIVE_INFINITY;
    bounds[2] = bounds[3] = Number.NEGATIVE_INFINITY;
    if (partOffsets[row] !== partOffsets[row + 1]) growByRow(bounds, column, row);
    for (let side = 0; side < 4; side++) boxes[row * 4 + side] = bounds[side];
  }
  return boxes;
}
