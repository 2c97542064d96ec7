/**
 * Polygons whose longitudes go on over 180 degrees or around a pole, as polygons within -180 .. 180 and -90 .. 90.
 *
 * A ring around a pole is, in longitude and latitude, a line from one side to the other: it is closed along the pole, from its vertex nearest
 * to the pole, which is its upper limit. GEOS then removes its holes.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { cutAtAntimeridian } from '@geomill/core/sphere/cut.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';

/**
 * Longitudes of a ring around a pole are multiples of this, 2.5e-8 m at most: adding whole turns to them is exact, so that what was cut
 * apart meets again without a slit.
 */
const LONGITUDE_STEP = 2 ** -42;

/** A closed ring in degrees with continuous longitudes; its last longitude may be a turn from its first. */
export interface LooseRing {
  /** x, y, x, y. */
  readonly positions: readonly number[];
  /** Seen from above, not in longitude and latitude. */
  readonly isCounterClockwise: boolean;
}

/** How often a ring goes around a pole: 0, or 1 eastward, -1 westward. */
function windingOf({ positions }: LooseRing): number {
  return Math.round((positions[positions.length - 2] - positions[0]) / 360);
}

/** Appends the parts of one polygon, its shell first; returns how many they are. */
export function appendLoosePolygon(
  geos: Geos,
  rings: readonly LooseRing[],
  builder: GeometryBuilder,
): number {
  if (rings.every((ring) => windingOf(ring) === 0)) {
    const { geometry } = cutAtAntimeridian(columnOf(rings));
    return appendParts(geometry, builder);
  }
  using shell = wholeRing(geos, rings[0]);
  let left = shell.clone();
  try {
    for (const ring of rings.slice(1)) {
      using hole = wholeRing(geos, ring);
      const next = left.difference(hole);
      left[Symbol.dispose]();
      left = next;
    }
    const scratch = new GeometryBuilder('XY');
    left.appendTo(scratch, 2);
    return appendParts(scratch.finish(), builder);
  } finally {
    left[Symbol.dispose]();
  }
}

/** Appends all parts of a column, but ends no feature; returns how many they are. */
export function appendParts(column: GeometryColumn, builder: GeometryBuilder): number {
  const { partKinds, ringOffsets, coordOffsets, coordinates } = column;
  for (let part = 0; part < partKinds.length; part++) {
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      builder.reserve(2 * (coordOffsets[ring + 1] - coordOffsets[ring]));
      for (let at = 2 * coordOffsets[ring]; at < 2 * coordOffsets[ring + 1]; at++)
        builder.coordinates[builder.coordinateLength++] = coordinates[at];
      builder.endRing();
    }
    builder.endPart(PART_KIND.polygon);
  }
  return partKinds.length;
}

function columnOf(rings: readonly LooseRing[]): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  for (const { positions } of rings) {
    for (let at = 0; at < positions.length; at += 2) builder.position(positions[at], positions[at + 1]);
    // Rounding of trigonometric functions may keep a ring open by a digit.
    builder.coordinates[builder.coordinateLength - 2] = positions[0];
    builder.coordinates[builder.coordinateLength - 1] = positions[1];
    builder.endRing();
  }
  builder.endPart(PART_KIND.polygon);
  builder.endFeature(GEOMETRY_TYPE.polygon);
  return builder.finish();
}

/** The area of a ring without regard to holes. */
function wholeRing(geos: Geos, ring: LooseRing): GeosGeometry {
  if (windingOf(ring) === 0) {
    using geometry = geos.read(cutAtAntimeridian(columnOf([ring])).geometry, 0);
    return geometry.makeValid();
  }
  return capOf(geos, ring);
}

function capOf(geos: Geos, ring: LooseRing): GeosGeometry {
  const { positions, isCounterClockwise } = ring;
  const winding = windingOf(ring);
  // Eastward around it, the pole on the left is the north pole.
  const pole = winding > 0 === isCounterClockwise ? 90 : -90;
  const count = positions.length / 2 - 1;
  let nearest = 0;
  for (let i = 1; i < count; i++)
    if ((positions[2 * i + 1] - positions[2 * nearest + 1]) * pole > 0) nearest = i;
  const line: number[] = [];
  for (let i = nearest; i <= nearest + count; i++) {
    const at = 2 * (i % count);
    const longitude = Math.round(positions[at] / LONGITUDE_STEP) * LONGITUDE_STEP;
    line.push(longitude + (i >= count ? 360 * winding : 0), positions[at + 1]);
  }
  line.push(line[2 * count], pole, line[0], pole, line[0], line[1]);
  using cap = geos.polygonFromRings(Float64Array.from(line), [line.length / 2]);
  using valid = cap.makeValid();
  const pieces = new GeometryBuilder('XY');
  for (let turns = -2; turns <= 2; turns++) {
    using window = geos.rectangle(360 * turns - 180, -90, 360 * turns + 180, 90);
    using piece = valid.intersection(window);
    const before = pieces.coordinateLength;
    if (piece.appendTo(pieces, 2) === GEOMETRY_TYPE.none) continue;
    for (let at = before; at < pieces.coordinateLength; at += 2) pieces.coordinates[at] -= 360 * turns;
  }
  const column = pieces.finish();
  using together = geos.readParts(
    column,
    column.types.map((_, i) => i),
  );
  return together.unaryUnion();
}
