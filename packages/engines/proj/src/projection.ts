/** The interface of projections that are computed here, without PROJ. */

export interface Ellipsoid {
  readonly semiMajorMeters: number;
  readonly flattening: number;
}

/**
 * A projection of one ellipsoid. Longitudes are relative to the central meridian, from -π to π; latitudes from -π/2 to π/2.
 * Both functions write two numbers to `into` at index `at`. False: the position is outside of the domain, and nothing is written.
 */
export interface Projection {
  forward(longitude: number, latitude: number, into: Float64Array, at: number): boolean;
  /** The longitude may be beyond π. */
  inverse(x: number, y: number, into: Float64Array, at: number): boolean;
}
