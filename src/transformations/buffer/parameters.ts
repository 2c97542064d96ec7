/** Parameters of a buffer as the code uses them. */
import type { BufferStyle } from '../../engines/geos/buffer-styles.ts';
import type { StepParameters } from '../transformation.ts';

/** Metres in one unit of a request; feet are the international ones. */
export const METERS_PER_UNIT = { meters: 1, kilometers: 1000, feet: 0.3048, miles: 1609.344 } as const;

export type DistanceUnit = keyof typeof METERS_PER_UNIT;

export interface BufferParameters {
  /** Negative to shrink polygons. */
  readonly distanceMeters: number;
  readonly style: BufferStyle;
  /** How far the outline of a result may be simplified; 0 for not at all. */
  readonly simplifyToleranceMeters: number;
  /** Measured on the ellipsoid even where the CRS is projected. */
  readonly geodesic: boolean;
}

/** From parameters that the schema has checked and filled in. */
export function bufferParameters(parameters: StepParameters): BufferParameters {
  const factor = METERS_PER_UNIT[parameters.units as DistanceUnit];
  return {
    distanceMeters: (parameters.distance as number) * factor,
    style: {
      quadrantSegments: (parameters.quadrant_segments ?? 16) as number,
      endCap: (parameters.end_cap ?? 'round') as BufferStyle['endCap'],
      join: (parameters.join ?? 'round') as BufferStyle['join'],
      mitreLimit: (parameters.mitre_limit ?? 5) as number,
    },
    simplifyToleranceMeters: ((parameters.simplify_tolerance ?? 0) as number) * factor,
    geodesic: parameters.geodesic === true,
  };
}
