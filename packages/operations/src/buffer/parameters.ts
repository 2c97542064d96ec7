/** Parameters of a buffer as the code uses them. */
import type { BufferStyle } from '@geomill/geos/instance.ts';
import { metersOf } from '../parts/lengths.ts';
import type { StepParameters } from '../transformation.ts';

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
  return {
    distanceMeters: metersOf(parameters.distance, parameters.units),
    style: {
      quadrantSegments: (parameters.quadrant_segments ?? 16) as number,
      endCap: (parameters.end_cap ?? 'round') as BufferStyle['endCap'],
      join: (parameters.join ?? 'round') as BufferStyle['join'],
      mitreLimit: (parameters.mitre_limit ?? 5) as number,
    },
    simplifyToleranceMeters: metersOf(parameters.simplify_tolerance ?? 0, parameters.units),
    geodesic: parameters.geodesic === true,
  };
}
