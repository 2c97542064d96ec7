/**
 * Plain paper: where coordinates without a position on the Earth are drawn. An affine transformation puts them around the
 * middle of the plane of Web Mercator, with the same scale for x and y, so that nothing is distorted. Pure.
 */
import type { Box } from './extent.ts';

export interface Plane {
  /** Sides of the square of Web Mercator for each unit of the data. */
  readonly scale: number;
  /** Where MapLibre draws a position. */
  readonly toLonLat: (x: number, y: number) => [longitude: number, latitude: number];
  readonly fromLonLat: (longitude: number, latitude: number) => [x: number, y: number];
}

/** Share of the world that the data gets: the rest is margin. Zoomed in by 17 levels, one pixel is a 100,000th of the data. */
const SHARE = 1 / 16;

/** The paper for data in this box. */
export function planeOf([west, south, east, north]: Box): Plane {
  const [middleX, middleY] = [(west + east) / 2, (south + north) / 2];
  const size = Math.max(east - west, north - south);
  const scale = SHARE / (size > 0 ? size : 1);
  return {
    scale,
    toLonLat(x, y) {
      const up = (y - middleY) * scale;
      return [(x - middleX) * scale * 360, (Math.atan(Math.sinh(2 * Math.PI * up)) * 180) / Math.PI];
    },
    fromLonLat(longitude, latitude) {
      const up = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / (2 * Math.PI);
      return [middleX + longitude / 360 / scale, middleY + up / scale];
    },
  };
}
