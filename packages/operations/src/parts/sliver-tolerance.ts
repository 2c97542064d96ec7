/** How narrow a piece is that rounding left along a shared border. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { lengthInCrs } from './lengths.ts';

/** Pieces along the border of a mask below this width are slivers: this share of its extent, but no less than the metres. */
const SLIVER_SHARE = 1e-9;
const SLIVER_METERS = 1e-6;
/** What is wider was drawn, however large the mask is: it is not left over from a cut. */
const MOST_SLIVER_METERS = 1e-3;

/** For an area with these bounds: the width in the unit of the coordinates, and with the unit, for messages. */
export function sliverTolerance(
  [west, south, east, north]: Bounds,
  crs: CrsDescription,
): { readonly tolerance: number; readonly text: string } {
  const extent = Math.max(0, east - west, north - south);
  const tolerance = Math.min(
    lengthInCrs(MOST_SLIVER_METERS, crs),
    Math.max(SLIVER_SHARE * extent, lengthInCrs(SLIVER_METERS, crs)),
  );
  return { tolerance, text: `${Number(tolerance.toPrecision(2))} ${crs.unitName}` };
}
