/**
 * Suggests coordinate reference systems for a file that states none, by its extent. Half of the published shapefiles have
 * no .prj. A suggestion is a guess, which the user confirms by stating the CRS.
 */
import { type CrsText, LOCAL_CRS, WGS84 } from '@geomill/core/crs/crs.ts';
import { type Bounds, typicalBounds } from '@geomill/core/geometry/bounds.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { CrsAuthority } from './crs-authority.ts';

/** Maximum number of suggested systems. */
const MAX_SAID = 5;
/** Parameters of messages are cut at 200 characters. */
const MAX_TEXT = 180;
/** Holds every extent in longitude and latitude, so it is suggested last. */
export const WEB_MERCATOR: CrsText = 'EPSG:3857';
/** Within this distance of its origin is sea, so small coordinates are rarely in it. */
const WEB_MERCATOR_FROM = 1_000_000;

/** Represent all UTM zones, in Europe and anywhere: coordinates do not show which zone they are in. */
const SOME_UTM: readonly CrsText[] = ['EPSG:25832', 'EPSG:32632'];

/**
 * National and continental systems that are common for data without a .prj, with the people in their areas, in millions.
 * People in relation to the size of the area estimate how likely data with an extent that fits is in the system.
 */
const PEOPLE: readonly (readonly [code: number, millions: number])[] = [
  [2154, 66], [27572, 20], [27700, 65], [2157, 7], [29903, 5], [28992, 18], [31370, 12], [3812, 8], [2169, 0.6],
  [2056, 9], [21781, 6], [31287, 9], [31255, 3], [31256, 5], [31466, 20], [31467, 30], [31468, 25], [31469, 8],
  [3034, 100], [3035, 300], [3006, 10], [2180, 38], [3067, 5.5], [3059, 1.9], [3301, 1.3], [3346, 2.8], [5514, 16],
  [23700, 9.6], [3765, 3.9], [3794, 2.1], [3844, 19], [7801, 6.5], [2100, 10], [3003, 25], [3004, 20], [6875, 40],
  [3763, 10], [2062, 20], [5070, 250], [3347, 38], [3005, 5], [3577, 25], [3111, 6.6], [2193, 5], [3826, 23],
  [5179, 51], [2326, 7.4], [3414, 5.9], [2443, 2], [2451, 40],
]; // biome-ignore format: a table

export const GRIDS: readonly CrsText[] = PEOPLE.map(([code]) => `EPSG:${code}`);

/** Whether `crsAdvice` needs the extents of the candidate systems for this layer. */
export function wantsAdvice({ crs, statedExtent }: SourceLayer): boolean {
  return crs === null && isUsable(statedExtent) && !fitsDegrees(statedExtent);
}

export interface CrsAdvice {
  /** Description of the coordinates; empty if nothing is known of them. */
  readonly extent: string;
  /** Suggested systems. */
  readonly candidates: string;
  /** The same, one per line: code and name, separated by a space. */
  readonly suggestions: string;
}

export const NO_ADVICE: CrsAdvice = { extent: '', candidates: '', suggestions: '' };

/**
 * Typical bounds of the positions in the first partition of a layer whose head states none; no extent if it has none or
 * cannot be read. For a layer that cannot be converted anyway.
 */
export function sampledExtent(
  layer: SourceLayer,
  reader: Pick<FormatReader, 'readPartition'>,
  limits: InputLimits,
): Pick<SourceLayer, 'statedExtent' | 'hasOutliers'> {
  try {
    const [first] = layer.partitions;
    if (first === undefined) return { statedExtent: null };
    const { geometry } = reader.readPartition(layer, first, { fields: [], limits }).batch;
    const { bounds, hasOutliers } = typicalBounds(geometry);
    return { statedExtent: bounds, hasOutliers };
  } catch {
    // The missing CRS is what is reported.
    return { statedExtent: null };
  }
}

/** Metres. Units of building plans are shorter: millimetres, centimetres, inches. */
const LARGEST_PLAN_UNIT = 0.1;
const LOCAL_SUGGESTION = `${LOCAL_CRS} a plan whose position on the Earth is not known`;

/** Two clauses that continue the sentence of the message, and the suggestions in them. Only drawings have `metresPerUnit`. */
export function crsAdvice(
  layer: Pick<SourceLayer, 'statedExtent' | 'hasOutliers' | 'metresPerUnit'>,
  crs: CrsAuthority,
): CrsAdvice {
  const { statedExtent: extent, metresPerUnit, hasOutliers = false } = layer;
  if (!isUsable(extent)) return NO_ADVICE;
  const advice = adviceByExtent(extent, hasOutliers, crs);
  if (metresPerUnit === undefined) return advice;
  if (metresPerUnit !== null && metresPerUnit < LARGEST_PLAN_UNIT)
    return {
      extent: `. Its unit is ${metresPerUnit} m, in which no national system is`,
      candidates: `: if it is a plan whose position on the Earth is not known, state ${LOCAL_CRS}`,
      suggestions: LOCAL_SUGGESTION,
    };
  return {
    extent: advice.extent,
    candidates: `${advice.candidates}; if it is a plan whose position is not known, state ${LOCAL_CRS}`,
    suggestions: `${advice.suggestions}\n${LOCAL_SUGGESTION}`,
  };
}

function adviceByExtent(extent: Bounds, hasOutliers: boolean, crs: CrsAuthority): CrsAdvice {
  const range = `. ${hasOutliers ? 'Nearly all of its' : 'Its'} coordinates (x ${shown(extent[0])} to ${shown(extent[2])}, y ${shown(extent[1])} to ${shown(extent[3])})`;
  if (fitsDegrees(extent)) {
    const startsAtOrigin = Math.abs(extent[0]) < 1 && Math.abs(extent[1]) < 1;
    return {
      extent: `${range} fit longitude and latitude${startsAtOrigin ? ', or a local plan' : ''}`,
      candidates: ': if they are degrees, state EPSG:4326',
      suggestions: suggestionsOf([WGS84], crs),
    };
  }
  const candidates = crsCandidates(extent, crs);
  return {
    suggestions: suggestionsOf(candidates, crs),
    extent: `${range} are not degrees`,
    candidates:
      candidates.length === 0
        ? ', and no widely used system holds them'
        : ` and could be in ${listed(candidates, crs)}; ask its producer`,
  };
}

/** At most five systems that hold the extent, which is not in degrees: the most likely first. */
export function crsCandidates(extent: Bounds, crs: CrsAuthority): CrsText[] {
  const holding = PEOPLE.flatMap(([number, millions]) => {
    const code = `EPSG:${number}`;
    const bounds = crs.extentOf?.(code) ?? null;
    return bounds !== null && holds(bounds, extent) ? [{ code, density: millions / sizeOf(bounds) }] : [];
  });
  const codes = holding.sort((a, b) => b.density - a.density).map(({ code }) => code);
  const utm = SOME_UTM.find((code) => isHeldBy(code, extent, crs));
  const others = [
    ...(utm === undefined ? [] : [utm]),
    ...(fitsWebMercator(extent, crs) ? [WEB_MERCATOR] : []),
  ];
  return [...codes.slice(0, MAX_SAID - others.length), ...others];
}

function suggestionsOf(codes: readonly CrsText[], crs: CrsAuthority): string {
  return codes.map((code) => `${code} ${crs.describe(code, 'input.epsg').name}`).join('\n');
}

/** With their names where there is room for them. */
function listed(codes: readonly CrsText[], crs: CrsAuthority): string {
  const named = joined(codes.map((code) => `${code} (${crs.describe(code, 'input.epsg').name})`));
  const text = named.length <= MAX_TEXT - 60 ? named : joined(codes);
  const utm = SOME_UTM.find((code) => codes.includes(code));
  return utm === undefined ? text : text.replace(utm, `a UTM zone such as ${utm}`);
}

function isUsable(extent: Bounds | null | undefined): extent is Bounds {
  if (extent === null || extent === undefined || !extent.every(Number.isFinite)) return false;
  const [minX, minY, maxX, maxY] = extent;
  // Some writers leave the extent in the header at zero.
  return minX <= maxX && minY <= maxY && extent.some((value) => value !== 0);
}

export function fitsDegrees([minX, minY, maxX, maxY]: Bounds): boolean {
  return minX >= -180.01 && maxX <= 180.01 && minY >= -90.01 && maxY <= 90.01;
}

function fitsWebMercator(extent: Bounds, crs: CrsAuthority): boolean {
  return extent.some((value) => Math.abs(value) > WEB_MERCATOR_FROM) && isHeldBy(WEB_MERCATOR, extent, crs);
}

/** Whether the area of use of a system, in its coordinates, holds the extent. */
export function isHeldBy(code: CrsText, extent: Bounds, crs: CrsAuthority): boolean {
  const bounds = crs.extentOf?.(code) ?? null;
  return bounds !== null && holds(bounds, extent);
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
