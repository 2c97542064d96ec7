/**
 * Colours of a drawing as 0xRRGGBB. An entity has a true colour (code 420), an index into AutoCAD's palette (code 62),
 * the colour of its layer (256 or no colour), or the colour of the INSERT of its block (0).
 */
import type { LayerRecord } from '../head/drawing.ts';

export const COLOR_BY_BLOCK = 0;
export const COLOR_BY_LAYER = 256;
/** Index 7 is the contrast to the background: white on a black screen, black on paper, as in GDAL. */
const CONTRAST = 7;
const CONTRAST_RGB = 0x000000;

/** Indices 1 to 9, then 250 to 255; the others are computed. */
const PRIMARY = [
  0xff0000,
  0xffff00,
  0x00ff00,
  0x00ffff,
  0x0000ff,
  0xff00ff,
  CONTRAST_RGB,
  0x7f7f7f,
  0xbfbfbf,
];
const GRAYS = [0x545454, 0x767676, 0x989898, 0xbababa, 0xdcdcdc, 0xffffff];
/** Greatest component of the five shades of a hue. */
const SHADES = [1, 0.65, 0.5, 0.3, 0.15].map((brightness) => 255 * brightness);

/**
 * AutoCAD Color Index, 0xRRGGBB by index. From 10 on each group of ten is one hue, 1/24 of the circle after the
 * previous one, in five shades, each fully and half saturated.
 */
const PALETTE: Int32Array = makePalette();

function makePalette(): Int32Array {
  const palette = new Int32Array(256).fill(CONTRAST_RGB);
  for (let i = 0; i < PRIMARY.length; i++) palette[i + 1] = PRIMARY[i];
  for (let i = 0; i < GRAYS.length; i++) palette[i + 250] = GRAYS[i];
  for (let index = 10; index < 250; index++) {
    const hue = Math.floor((index - 10) / 10) / 4;
    const shade = SHADES[(index % 10) >> 1];
    const saturation = index % 2 === 0 ? 1 : 0.5;
    const component = (distance: number): number =>
      Math.floor(shade * (1 - saturation * (1 - Math.max(0, Math.min(1, 2 - distance)))));
    // Distance of the hue from red, green and blue in sixths of the circle.
    const red = component(Math.min(hue, 6 - hue));
    const green = component(Math.abs(hue - 2));
    const blue = component(Math.abs(hue - 4));
    palette[index] = red * 0x10000 + green * 0x100 + blue;
  }
  return palette;
}

/** The colour of an index; negative indices belong to layers that are off. Outside the palette: the contrast colour. */
export function colorOfIndex(index: number): number {
  const at = Math.abs(index);
  return at >= 1 && at <= 255 ? PALETTE[at] : PALETTE[CONTRAST];
}

/** The colour of entities with colour ByLayer on this layer. */
export function colorOfLayer(layer: LayerRecord | undefined): number {
  if (layer === undefined) return PALETTE[CONTRAST];
  return layer.trueColor >= 0 ? layer.trueColor & 0xffffff : colorOfIndex(layer.colorIndex);
}

/** "#rrggbb". */
export function colorText(rgb: number): string {
  return `#${rgb.toString(16).padStart(6, '0')}`;
}
