/** What the writer, its threads and the sink exchange. */
import type { CoordinateRounding } from '../coordinate-digits.ts';
import type { EncodedFeatures } from './encode.ts';

/** The features of a chunk without the positions of their lines, which the collector has. */
export type KeptFeatures = Pick<EncodedFeatures, 'geometry' | 'attributeOffsets'>;

export interface WriteState {
  readonly layerName: string;
  /** Coordinates are longitude and latitude of WGS 84, cut at the antimeridian. */
  readonly isWgs84: boolean;
  /** The `crs` member's name; null: no member is written. */
  readonly crsName: string | null;
  readonly rounding: CoordinateRounding;
}
