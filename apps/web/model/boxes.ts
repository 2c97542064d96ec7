/** Boxes in longitude and latitude, which may be any number of times around the Earth. Pure. */
import type { LonLatBox } from '../map/extent.ts';

/** The box moved around the Earth to where its middle is nearest to that of the other. */
export function alignedTo(other: LonLatBox, [west, south, east, north]: LonLatBox): LonLatBox {
  const turns = Math.round((other[0] + other[2] - west - east) / 720);
  return [west + turns * 360, south, east + turns * 360, north];
}

export function intersects(one: LonLatBox, other: LonLatBox): boolean {
  const [west, south, east, north] = alignedTo(one, other);
  return west <= one[2] && east >= one[0] && south <= one[3] && north >= one[1];
}

export function contains(outer: LonLatBox, inner: LonLatBox): boolean {
  const [west, south, east, north] = alignedTo(outer, inner);
  return west >= outer[0] && east <= outer[2] && south >= outer[1] && north <= outer[3];
}

/** The part of the width or of the height of the box that is in the view, whichever is less: 0 to 1. */
export function shareInView(box: LonLatBox, view: LonLatBox): number {
  const [west, south, east, north] = alignedTo(box, view);
  const share = (from: number, to: number, low: number, high: number): number =>
    high === low ? 1 : Math.max(0, Math.min(to, high) - Math.max(from, low)) / (high - low);
  return Math.min(share(west, east, box[0], box[2]), share(south, north, box[1], box[3]));
}

/** With `margin` times its width and height on each side, within the latitudes of the Earth. */
export function widened([west, south, east, north]: LonLatBox, margin: number): LonLatBox {
  const [x, y] = [(east - west) * margin, (north - south) * margin];
  return [west - x, Math.max(-90, south - y), east + x, Math.min(90, north + y)];
}

/** As the filter takes it: longitudes within 180 degrees, west greater than east across the antimeridian. */
export function wrapped([west, south, east, north]: LonLatBox): LonLatBox {
  if (east - west >= 360) return [-180, south, 180, north];
  const wrap = (x: number) => x - 360 * Math.floor((x + 180) / 360);
  return [wrap(west), south, wrap(east), north];
}
