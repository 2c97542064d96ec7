/** A small picture of data, as the path of an SVG. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import type { Box } from './extent.ts';
import { eachPath } from './geometry.ts';

/** Positions of a picture; of more, every second, third … is drawn. */
const MAX_POSITIONS = 3000;

/** The data of this box in a square of `size` units whose y axis points down. Points are dots: lines of no length. */
export function outlineOf(
  { features }: FeatureCollection,
  [west, south, east, north]: Box,
  size: number,
): string {
  let count = 0;
  for (const { geometry } of features)
    eachPath(geometry, (path) => {
      count += path.length;
    });
  const stride = Math.ceil(count / MAX_POSITIONS);
  const scale = size / (Math.max(east - west, north - south) || 1);
  const [left, top] = [(size - (east - west) * scale) / 2, (size - (north - south) * scale) / 2];
  const at = ([x, y]: readonly number[]) =>
    `${Math.round(left + (x - west) * scale)} ${Math.round(top + (north - y) * scale)}`;
  let text = '';
  let seen = 0;
  for (const { geometry } of features)
    eachPath(geometry, (path) => {
      seen += path.length;
      if (path.length < stride && seen % stride >= path.length) return;
      const kept = path.filter((_, i) => i % stride === 0 || i === path.length - 1);
      text += `M${kept.map(at).join('L')}${kept.length === 1 ? 'h0' : ''}`;
    });
  return text;
}
