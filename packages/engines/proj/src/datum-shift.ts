/**
 * A shift from one datum to another by geocentric coordinates: three translations, or seven parameters with small rotations, as PROJ
 * computes the steps cart, helmert and the inverse of cart.
 */
import type { Ellipsoid } from './projection.ts';

const ARC_SECOND = Math.PI / 180 / 3600;

export interface HelmertParameters {
  readonly translation: readonly [number, number, number];
  /** Arc seconds; position vector convention. */
  readonly rotation: readonly [number, number, number];
  /** Parts per million. */
  readonly scale: number;
  /** The parameters are those from the target to the source. */
  readonly isInverse: boolean;
}

export interface DatumShift {
  /** Reads longitude, latitude (radians) and writes those of the other datum to `into`. The height is in metres. */
  apply(longitude: number, latitude: number, height: number, into: Float64Array): void;
}

export function datumShift(from: Ellipsoid, to: Ellipsoid, helmert: HelmertParameters): DatumShift {
  const [tx, ty, tz] = helmert.translation;
  const [rx, ry, rz] = helmert.rotation.map((seconds) => seconds * ARC_SECOND);
  const factor = 1 + helmert.scale * 1e-6;
  const { isInverse } = helmert;
  const squared = from.flattening * (2 - from.flattening);
  const toGeodetic = geodeticOf(to);
  return {
    apply(longitude, latitude, height, into) {
      const sin = Math.sin(latitude);
      const cos = Math.cos(latitude);
      const normal = from.semiMajorMeters / Math.sqrt(1 - squared * sin * sin);
      const x = (normal + height) * cos * Math.cos(longitude);
      const y = (normal + height) * cos * Math.sin(longitude);
      const z = (normal * (1 - squared) + height) * sin;
      if (isInverse) {
        const dx = (x - tx) / factor;
        const dy = (y - ty) / factor;
        const dz = (z - tz) / factor;
        toGeodetic(dx + rz * dy - ry * dz, -rz * dx + dy + rx * dz, ry * dx - rx * dy + dz, into);
      } else
        toGeodetic(
          factor * (x - rz * y + ry * z) + tx,
          factor * (rz * x + y - rx * z) + ty,
          factor * (-ry * x + rx * y + z) + tz,
          into,
        );
    },
  };
}

/** Bowring's formula (1976), which PROJ uses: its error is less than a nanometre near the ellipsoid. */
function geodeticOf({
  semiMajorMeters,
  flattening,
}: Ellipsoid): (x: number, y: number, z: number, into: Float64Array) => void {
  const squared = flattening * (2 - flattening);
  const axes = 1 - flattening;
  const secondSquared = squared / (1 - squared);
  return (x, y, z, into) => {
    const distance = Math.sqrt(x * x + y * y) / semiMajorMeters;
    const height = z / semiMajorMeters;
    const along = distance * axes;
    const norm = Math.sqrt(height * height + along * along);
    const cos = norm === 0 ? 1 : along / norm;
    const sin = norm === 0 ? 0 : height / norm;
    const north = height + secondSquared * axes * sin * sin * sin;
    const outwards = distance - squared * cos * cos * cos;
    into[0] = Math.atan2(y, x);
    into[1] = outwards <= 0 ? (z >= 0 ? Math.PI / 2 : -Math.PI / 2) : Math.atan(north / outwards);
  };
}
