/** Values of grid lines, and lengths of the scale bar. Pure. */

/** The least of 1, 2 and 5 times a power of ten that is not less than `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** Distance of grid lines in degrees: above 10 degrees 30, which divides the world. */
export function degreeStep(least: number): number {
  return least > 10 ? 30 : niceStep(least);
}

/** Multiples of `step` from `from` to `to`, without the errors of adding up. At most 500. */
export function ticks(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.min(500, Math.floor(to / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => rounded((first + i) * step, step));
}

function rounded(value: number, step: number): number {
  const text = Number(value.toFixed(decimalsOf(step)));
  return text === 0 ? 0 : text;
}

/** Decimal places that tell multiples of the step apart. */
export function decimalsOf(step: number): number {
  return Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** "8.5° E"; longitudes beyond 180 degrees are those of the other side. */
export function longitudeText(longitude: number, decimals: number): string {
  const within = ((((longitude + 180) % 360) + 360) % 360) - 180;
  return degreesText(
    within === -180 ? 180 : within,
    decimals,
    within === -180 ? '' : within < 0 ? ' W' : ' E',
  );
}

/** "53.5° N". */
export function latitudeText(latitude: number, decimals: number): string {
  return degreesText(latitude, decimals, latitude < 0 ? ' S' : ' N');
}

function degreesText(degrees: number, decimals: number, side: string): string {
  const text = Math.abs(degrees).toFixed(decimals);
  return `${text}°${Number(text) === 0 || Number(text) === 180 ? '' : side}`;
}

/** "12,500.5": a coordinate of data without a position on the Earth. */
export function unitsText(value: number, decimals: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** "3 km", "250 m". */
export function metresText(metres: number): string {
  if (metres >= 1000) return `${numberText(metres / 1000)} km`;
  return metres >= 1 ? `${numberText(metres)} m` : `${numberText(metres * 100)} cm`;
}

/** Three significant digits, or the whole number if it has more. */
export function numberText(value: number): string {
  return value >= 1000
    ? Math.round(value).toLocaleString('en')
    : Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** Pixels of Web Mercator around the world at zoom 0, and metres of a pixel at the equator. */
const WORLD_PIXELS = 512;
const METRES_PER_PIXEL = (2 * Math.PI * 6378137) / WORLD_PIXELS;

export function metresPerPixel(zoom: number, latitude: number): number {
  return (METRES_PER_PIXEL * Math.cos((latitude * Math.PI) / 180)) / 2 ** zoom;
}

/** `scale`: of the plane (plane.ts). */
export function unitsPerPixel(zoom: number, scale: number): number {
  return 1 / (scale * WORLD_PIXELS * 2 ** zoom);
}

/** The longest nice length within `pixels`. */
export function scaleBar(
  perPixel: number,
  pixels: number,
): { readonly length: number; readonly width: number } {
  const most = perPixel * pixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const length = ([5, 2, 1].find((factor) => factor * power <= most) ?? 1) * power;
  return { length, width: length / perPixel };
}
