/**
 * Suggests coordinate reference systems for a file that states none, by its extent. Half of the published shapefiles have
 * no .prj. A suggestion is a guess, which the user confirms by stating the CRS.
 */
import type { Bounds } from '../batch/bounds.ts';
import type { CrsText } from '../crs/crs.ts';
import type { SourceLayer } from '../formats/format.ts';
import type { CrsAuthority } from './source-crs.ts';

/** Maximum number of suggested systems. */
const MAX_SAID = 5;
/** Parameters of messages are cut at 200 characters. */
const MAX_TEXT = 180;
/** Holds every extent in longitude and latitude, so it is suggested last and always. */
export const WEB_MERCATOR: CrsText = 'EPSG:3857';

/** Represents all UTM zones: coordinates do not show which zone they are in. */
const SOME_UTM: CrsText = 'EPSG:25832';

/** National and continental systems that are common for data without a .prj. */
export const GRIDS: readonly CrsText[] = [
  2154, 27572, 27700, 2157, 29903, 28992, 31370, 3812, 2169, 2056, 21781, 31287, 31255, 31256, 31466, 31467, 31468,
  31469, 3034, 3035, 3006, 2180, 3067, 3059, 3301, 3346, 5514, 23700, 3765, 3794, 3844, 7801, 2100, 3003, 3004, 6875,
  3763, 2062, 5070, 3347, 3005, 3577, 3111, 2193, 3826, 5179, 2326, 3414, 2443, 2451,
].map((code) => `EPSG:${code}`); // biome-ignore format: a list

/** Whether `crsAdvice` needs the extents of the candidate systems for this layer. */
export function wantsAdvice({ crs, statedExtent }: SourceLayer): boolean {
  return crs === null && isUsable(statedExtent) && !fitsDegrees(statedExtent);
}

export interface CrsAdvice {
  /** Description of the coordinates; empty if nothing is known of them. */
  readonly extent: string;
  /** Suggested systems. */
  readonly candidates: string;
}

export const NO_ADVICE: CrsAdvice = { extent: '', candidates: '' };

/** Two clauses that continue the sentence of the message. */
export function crsAdvice(extent: Bounds | null | undefined, crs: CrsAuthority): CrsAdvice {
  if (!isUsable(extent)) return NO_ADVICE;
  const range = `. Its coordinates (x ${shown(extent[0])} to ${shown(extent[2])}, y ${shown(extent[1])} to ${shown(extent[3])})`;
  if (fitsDegrees(extent)) {
    const startsAtOrigin = Math.abs(extent[0]) < 1 && Math.abs(extent[1]) < 1;
    return {
      extent: `${range} fit longitude and latitude${startsAtOrigin ? ', or a local plan' : ''}`,
      candidates: ': if they are degrees, state EPSG:4326',
    };
  }
  const candidates = candidatesOf(extent, crs);
  return {
    extent: `${range} are not degrees`,
    candidates:
      candidates.length === 0
        ? ', and no widely used system holds them'
        : ` and could be in ${listed(candidates, crs)}: whoever made the data knows`,
  };
}

/** The smallest systems that hold the extent. */
function candidatesOf(extent: Bounds, crs: CrsAuthority): CrsText[] {
  const holding = [...GRIDS, WEB_MERCATOR].flatMap((code) => {
    const bounds = crs.extentOf?.(code) ?? null;
    return bounds !== null && holds(bounds, extent) ? [{ code, size: sizeOf(bounds) }] : [];
  });
  const codes = holding.sort((a, b) => a.size - b.size).map(({ code }) => code);
  const isMercator = codes.includes(WEB_MERCATOR);
  const utm = fitsUtm(extent) ? [SOME_UTM] : [];
  const others = [...codes.filter((code) => code !== WEB_MERCATOR)].slice(
    0,
    MAX_SAID - utm.length - (isMercator ? 1 : 0),
  );
  return [...others, ...utm, ...(isMercator ? [WEB_MERCATOR] : [])];
}

/** With their names where there is room for them. */
function listed(codes: readonly CrsText[], crs: CrsAuthority): string {
  const named = joined(codes.map((code) => `${code} (${crs.describe(code, 'input.epsg').name})`));
  const text = named.length <= MAX_TEXT - 60 ? named : joined(codes);
  return codes.includes(SOME_UTM) ? text.replace(SOME_UTM, `a UTM zone such as ${SOME_UTM}`) : text;
}

function isUsable(extent: Bounds | null | undefined): extent is Bounds {
  if (extent === null || extent === undefined || !extent.every(Number.isFinite)) return false;
  const [minX, minY, maxX, maxY] = extent;
  // Some writers leave the extent in the header at zero.
  return minX <= maxX && minY <= maxY && extent.some((value) => value !== 0);
}

function fitsDegrees([minX, minY, maxX, maxY]: Bounds): boolean {
  return minX >= -180.01 && maxX <= 180.01 && minY >= -90.01 && maxY <= 90.01;
}

function fitsUtm([minX, minY, maxX, maxY]: Bounds): boolean {
  return minX >= 100_000 && maxX <= 900_000 && minY >= 0 && maxY <= 10_000_000;
}

function holds(outer: Bounds, inner: Bounds): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}

function sizeOf([minX, minY, maxX, maxY]: Bounds): number {
  return (maxX - minX) * (maxY - minY);
}

/** Six digits are enough to recognise a system. */
function shown(value: number): string {
  return String(Math.abs(value) >= 1e5 ? Math.round(value) : Number(value.toPrecision(6)));
}

function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;
}
