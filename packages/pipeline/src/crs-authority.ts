import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';

/** The CRS functions that planning needs. */
export interface CrsAuthority {
  /** Throws CRS_UNKNOWN. */
  describe(definition: CrsText, path: string): CrsDescription;
  /** Whether two definitions give the same positions, apart from axis order. */
  equivalent(a: CrsText, b: CrsText): boolean;
  /** Bounds of the area of use in coordinates of the system; null: unknown. Default: nobody needs it. */
  extentOf?(definition: CrsText): Bounds | null;
}
