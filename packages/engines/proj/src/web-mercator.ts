/** Web Mercator: the Mercator projection of a sphere with the semi-major axis of the ellipsoid. */
import type { Projection } from './projection.ts';

export function webMercator(radiusMeters: number): Projection {
  return {
    forward(longitude, latitude, into, at) {
      into[at] = radiusMeters * longitude;
      into[at + 1] = radiusMeters * Math.asinh(Math.tan(latitude));
      return true;
    },
    inverse(x, y, into, at) {
      into[at] = x / radiusMeters;
      into[at + 1] = Math.atan(Math.sinh(y / radiusMeters));
      return true;
    },
  };
}
