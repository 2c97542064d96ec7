/** The extent of positions, and a chart that contains all of them. */
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { stepErrors } from '../errors.ts';

const DEGREE = Math.PI / 180;
/** Default radius: the earth's, rounded up. Other bodies pass theirs. */
const EARTH_RADIUS_METERS = 6.4e6;
/** Rounding of computed latitudes, degrees. */
const ROUNDING = 1e-9;
/** Values beyond it are not longitudes. */
const MAX_LONGITUDE = 540;

export class GeodesicExtent {
  /** Centre of the chart, degrees. */
  longitude = 0;
  latitude = 0;
  /** Upper bound of the distance of positions from the centre. */
  radiusMeters = 0;
  /** 360 must be added to negative longitudes, so that the positions are close together. */
  isShifted = false;
  /** The centre is a pole: longitudes may go all around it. */
  isPolar = false;
  readonly #degreeMeters: number;

  constructor(polarRadiusMeters: number = EARTH_RADIUS_METERS) {
    this.#degreeMeters = polarRadiusMeters * DEGREE;
  }

  /**
   * Finds the chart for the positions `[start, end)` of `coordinates`. `limitMeters` is how large it would be at best: a pole is taken
   * as the centre only where no other is near enough. Throws COORDINATE_OUT_OF_RANGE, naming `place`. `mayShift`: no edge between them is
   * longer than half a turn.
   */
  measure(
    coordinates: Float64Array | readonly number[],
    stride: number,
    start: number,
    end: number,
    limitMeters: number,
    place: () => string,
    mayShift = true,
  ): void {
    let west = Number.POSITIVE_INFINITY;
    let east = Number.NEGATIVE_INFINITY;
    let shiftedWest = Number.POSITIVE_INFINITY;
    let shiftedEast = Number.NEGATIVE_INFINITY;
    let south = Number.POSITIVE_INFINITY;
    let north = Number.NEGATIVE_INFINITY;
    for (let at = start * stride, last = end * stride; at < last; at += stride) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      const shifted = x < 0 ? x + 360 : x;
      if (x < west) west = x;
      if (x > east) east = x;
      if (shifted < shiftedWest) shiftedWest = shifted;
      if (shifted > shiftedEast) shiftedEast = shifted;
      if (y < south) south = y;
      if (y > north) north = y;
    }
    if (!(west <= east && south <= north)) {
      // No finite position: the plane buffer handles this.
      this.#set(0, 0, 0, false, false);
      return;
    }
    if (south < -90 - ROUNDING || north > 90 + ROUNDING || west < -MAX_LONGITUDE || east > MAX_LONGITUDE) {
      const y = north > 90 + ROUNDING ? north : south;
      throw failure(stepErrors.COORDINATE_OUT_OF_RANGE, {
        path: field('input.epsg'),
        reading: 'the coordinates are probably not in the stated CRS',
        place: place(),
        x: east > MAX_LONGITUDE ? east : west,
        y,
      });
    }
    // One side is not shifted: rounding would make it seem shorter.
    const isShifted = mayShift && west < 0 && east > 0 && shiftedEast - shiftedWest < east - west;
    if (isShifted) {
      west = shiftedWest;
      east = shiftedEast;
    }
    const nearest = south > 0 ? south : north < 0 ? -north : 0;
    const halfHeight = ((north - south) / 2) * this.#degreeMeters;
    const halfWidth = ((east - west) / 2) * Math.cos(nearest * DEGREE) * this.#degreeMeters;
    const radius = Math.hypot(halfHeight, halfWidth);
    const polarRadius = (90 - nearest) * this.#degreeMeters;
    if ((radius > limitMeters || east - west > 180) && polarRadius < Math.max(radius, limitMeters)) {
      this.#set(0, south > 0 ? 90 : -90, polarRadius, false, true);
      return;
    }
    this.#set((west + east) / 2, (south + north) / 2, radius, isShifted, false);
  }

  #set(longitude: number, latitude: number, radius: number, isShifted: boolean, isPolar: boolean): void {
    this.longitude = longitude;
    this.latitude = latitude;
    this.radiusMeters = radius;
    this.isShifted = isShifted;
    this.isPolar = isPolar;
  }
}
