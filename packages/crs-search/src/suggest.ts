/**
 * Finds the systems in whose area of use coordinates can be, without PROJ, and ranks them by how likely they are: the people who
 * use a system, in relation to the size of its area in its coordinates, and how centrally the coordinates are in it.
 */
import { latin1Text } from '@geomill/platform/bytes.ts';
import { fileBytes } from '@geomill/platform/files.ts';
import { dataFile } from '@geomill/platform/program-files.ts';
import { type GeographicPoint, hasPoint, haveCommon } from './filter.ts';
import { type DegreeBox, type Extent, forward, inverse, type Placement, parseLine } from './placement.ts';
import { type Use, useOf } from './widely-used.ts';

export interface SuggestOptions {
  /** At most this many. */
  readonly limit: number;
  /** Only systems whose area of use has this point, and that put the coordinates within 1000 km of it. */
  readonly near?: GeographicPoint | null;
  /** Only systems that put at least some of the coordinates into this box, in degrees; west > east across the antimeridian. */
  readonly bbox?: DegreeBox | null;
  /** Factor of the likelihood of an EPSG code; 0: not wanted. */
  readonly weightOf?: (code: number) => number;
}

export interface Suggestion {
  /** EPSG code. */
  readonly code: number;
  /** The extent fits only with x and y exchanged. */
  readonly isSwapped: boolean;
  /** The extent in degrees, of the datum of the system; west > east if it crosses the antimeridian. */
  readonly box: DegreeBox;
}

/** Of systems that are not known to be widely used, in millions. */
const FEW = 0.1;
/** Square units; systems of a county are not likely because they are small. */
const SMALL = { projected: 9e10, geographic: 9 };
const FACTOR = {
  swapped: 0.05,
  deprecated: 0.1,
  /** Beside the latitudes of the people who use the system. */
  uninhabited: 0.02,
  /** At the edge of the area. */
  edge: 0.3,
  /** Each system that puts the coordinates at the same location as a better one, and each further zone of a grid. */
  repeated: 0.3,
  /** Within this distance of the origin of Web Mercator is sea, so small coordinates are rarely in it. */
  atOriginOfWebMercator: 0.1,
};
const WEB_MERCATOR = 3857;
const WEB_MERCATOR_FROM = 1_000_000;
/** Degrees between two locations that are the same but for the datum. */
const SAME_LOCATION = 0.02;
const MAX_KILOMETRES = 1000;
/** At this distance from the wanted point a system is half as likely. */
const NEAR_KILOMETRES = 100;
const KILOMETRES_PER_DEGREE = 111;
/** Candidates that are compared with each other; there are up to 3000. */
const MAX_COMPARED = 400;
/** Along each side of the extent. */
const SIDE_STEPS = 8;
/** Of the result, in degrees: about 1 m, although the positions are less exact. */
const DECIMALS = 5;
/** Largest absolute coordinate of a plan in its own coordinates; those of national grids are larger somewhere. */
const LARGEST_OF_PLAN = 20_000;

interface Candidate {
  readonly placement: Placement;
  readonly isSwapped: boolean;
  readonly extent: Extent;
  readonly center: readonly [longitude: number, latitude: number];
  readonly family: number | null;
  score: number;
}

/** The best systems for an extent in unknown coordinates, best first, always in the same order. Takes some 10 ms. */
export function suggestSystems(extent: Extent, options: SuggestOptions): readonly Suggestion[] {
  const [minX, minY, maxX, maxY] = extent;
  const swapped: Extent = [minY, minX, maxY, maxX];
  const { near = null, bbox = null, weightOf = (): number => 1 } = options;
  const candidates: Candidate[] = [];
  const hasPlace = (area: DegreeBox): boolean =>
    (near === null || hasPoint(area, near.longitude, near.latitude)) &&
    (bbox === null || haveCommon(area, bbox));
  for (const row of table()) {
    if (!isWithin(row.bounds, extent) && !isWithin(row.bounds, swapped)) continue;
    const weight = hasPlace(areaOf(row)) ? weightOf(row.code) : 0;
    if (weight === 0) continue;
    const found = candidateFor(row, extent, false, options) ?? candidateFor(row, swapped, true, options);
    if (found === null) continue;
    found.score *= weight;
    candidates.push(found);
  }
  candidates.sort((a, b) => b.score - a.score || a.placement.code - b.placement.code);
  const compared = candidates.slice(0, MAX_COMPARED);
  const chosen: Suggestion[] = [];
  while (chosen.length < options.limit && compared.length > 0) {
    const [best] = compared.splice(indexOfBest(compared), 1);
    chosen.push({ code: best.placement.code, isSwapped: best.isSwapped, box: rounded(boxOf(best)) });
    for (const other of compared)
      if (isSameLocation(best, other) || (best.family !== null && best.family === other.family))
        other.score *= FACTOR.repeated;
  }
  return chosen;
}

/** Whether the coordinates can be those of a plan whose position on the Earth is not known. */
export function mayBeLocal(extent: Extent): boolean {
  const [minX, minY, maxX, maxY] = extent;
  const fitsDegrees = minX >= -180 && maxX <= 180 && minY >= -90 && maxY <= 90;
  if (fitsDegrees) return Math.abs(minX) < 1 && Math.abs(minY) < 1;
  return extent.every((value) => Math.abs(value) <= LARGEST_OF_PLAN);
}

/** The first of the highest score. */
function indexOfBest(candidates: readonly Candidate[]): number {
  let best = 0;
  for (let i = 1; i < candidates.length; i++) if (candidates[i].score > candidates[best].score) best = i;
  return best;
}

function candidateFor(
  row: Row,
  extent: Extent,
  isSwapped: boolean,
  { near = null, bbox = null }: SuggestOptions,
): Candidate | null {
  if (!isWithin(row.bounds, extent)) return null;
  const placement = placementOf(row);
  const [minX, minY, maxX, maxY] = extent;
  const center = inverse(placement, (minX + maxX) / 2, (minY + maxY) / 2);
  if (center === null) return null;
  for (const x of [minX, maxX])
    for (const y of [minY, maxY]) if (inverse(placement, x, y) === null) return null;
  const kilometres = near === null ? 0 : kilometresTo(center, near);
  if (kilometres > MAX_KILOMETRES) return null;
  const use = useOf(placement.code);
  const score = density(placement, use, center[1]) * likelihood(placement, extent, center, isSwapped);
  const candidate = {
    placement,
    isSwapped,
    extent,
    center,
    family: use?.family ?? null,
    score: score / (1 + (kilometres / NEAR_KILOMETRES) ** 2),
  };
  return bbox === null || haveCommon(boxOf(candidate), bbox) ? candidate : null;
}

/** Millions of people per square unit at a latitude. */
function density({ bounds, area, isGeographic }: Placement, use: Use | null, latitude: number): number {
  const size = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]);
  if (use === null) return FEW / Math.max(size, isGeographic ? SMALL.geographic : SMALL.projected);
  const { millions, latitudes } = use;
  if (latitudes === null) return millions / size;
  const [south, north] = latitudes;
  const people = latitude >= south && latitude <= north ? millions : millions * FACTOR.uninhabited;
  return (people / size) * ((area.north - area.south) / (north - south));
}

function likelihood(
  { code, area, isDeprecated }: Placement,
  extent: Extent,
  [longitude, latitude]: readonly [number, number],
  isSwapped: boolean,
): number {
  const u = (2 * longitude - area.west - area.east) / (area.east - area.west);
  const v = (2 * latitude - area.south - area.north) / (area.north - area.south);
  const offCenter = Math.min(1, Math.max(Math.abs(u), Math.abs(v)));
  let factor = 1 - (1 - FACTOR.edge) * offCenter ** 2;
  if (isSwapped) factor *= FACTOR.swapped;
  if (isDeprecated) factor *= FACTOR.deprecated;
  if (code === WEB_MERCATOR && extent.every((value) => Math.abs(value) < WEB_MERCATOR_FROM))
    factor *= FACTOR.atOriginOfWebMercator;
  return factor;
}

function isSameLocation(a: Candidate, b: Candidate): boolean {
  return (
    Math.abs(a.center[0] - b.center[0]) < SAME_LOCATION && Math.abs(a.center[1] - b.center[1]) < SAME_LOCATION
  );
}

/** From the middle of the extent; exact enough for a limit. */
function kilometresTo([longitude, latitude]: Candidate['center'], point: GeographicPoint): number {
  const turn = Math.abs(normalized(longitude - point.longitude));
  const east = turn * Math.cos(((latitude + point.latitude) / 2) * (Math.PI / 180));
  return KILOMETRES_PER_DEGREE * Math.hypot(east, latitude - point.latitude);
}

function boxOf({ placement, extent: [minX, minY, maxX, maxY] }: Candidate): DegreeBox {
  const longitudes: number[] = [];
  const latitudes: number[] = [];
  const visit = (x: number, y: number): void => {
    const position = inverse(placement, x, y);
    // The corners were found; an edge can leave the area of use, which is only a box in degrees, by a little.
    if (position === null) return;
    longitudes.push(position[0]);
    latitudes.push(position[1]);
  };
  for (let i = 0; i <= SIDE_STEPS; i++) {
    const x = minX + ((maxX - minX) * i) / SIDE_STEPS;
    const y = minY + ((maxY - minY) * i) / SIDE_STEPS;
    for (const edge of [minY, maxY]) visit(x, edge);
    for (const edge of [minX, maxX]) visit(edge, y);
  }
  const [south, north] = [Math.max(-90, Math.min(...latitudes)), Math.min(90, Math.max(...latitudes))];
  const { area } = placement;
  if (area.east - area.west < 359.9 || (area.north < 89.9 && area.south > -89.9))
    return { ...turned(Math.min(...longitudes), Math.max(...longitudes)), south, north };
  const pole = area.north >= 89.9 ? 90 : -90;
  const [x, y] = forward(placement, (area.west + area.east) / 2, pole);
  if (!placement.isGeographic && x >= minX && x <= maxX && y >= minY && y <= maxY)
    return { west: -180, east: 180, south: Math.min(south, pole), north: Math.max(north, pole) };
  return { ...aroundPole(longitudes), south, north };
}

function rounded({ west, south, east, north }: DegreeBox): DegreeBox {
  const round = (value: number): number => Number(value.toFixed(DECIMALS));
  return { west: round(west), south: round(south), east: round(east), north: round(north) };
}

/** The shortest arc with all longitudes: around a pole the seam of an area is like any other meridian. */
function aroundPole(longitudes: readonly number[]): Pick<DegreeBox, 'west' | 'east'> {
  const sorted = [...longitudes].sort((a, b) => a - b);
  let [gap, after] = [sorted[0] + 360 - sorted[sorted.length - 1], 0];
  for (let i = 1; i < sorted.length; i++)
    if (sorted[i] - sorted[i - 1] > gap) [gap, after] = [sorted[i] - sorted[i - 1], i];
  return turned(sorted[after], sorted.at(after - 1) ?? sorted[after]);
}

function turned(west: number, east: number): Pick<DegreeBox, 'west' | 'east'> {
  if (west >= -180 && east <= 180) return { west, east };
  if (east - west >= 360) return { west: -180, east: 180 };
  return { west: normalized(west), east: normalized(east) };
}

/** From -180 to 180. */
function normalized(longitude: number): number {
  return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
}

/** Part of the bounds by which an extent may be outside of them. */
const TOLERANCE = 0.005;

function isWithin([minX, minY, maxX, maxY]: Extent, inner: Extent): boolean {
  const [x, y] = [TOLERANCE * (maxX - minX), TOLERANCE * (maxY - minY)];
  return inner[0] >= minX - x && inner[1] >= minY - y && inner[2] <= maxX + x && inner[3] <= maxY + y;
}

/** A line of the table, of which only the beginning is parsed: most systems are never candidates. */
interface Row {
  readonly code: number;
  readonly bounds: Extent;
  readonly area: DegreeBox;
  readonly line: string;
  placement: Placement | null;
}

function placementOf(row: Row): Placement {
  row.placement ??= parseLine(row.line);
  return row.placement;
}

function areaOf({ area }: Row): DegreeBox {
  return { ...area, east: normalized(area.east) };
}

let rows: readonly Row[] | null = null;

/** Read at the first use, in about 10 ms. */
function table(): readonly Row[] {
  rows ??= latin1Text(fileBytes(dataFile('packages/crs-search/src/placements.txt')))
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [code, , west, south, east, north, minX, minY, maxX, maxY] = line.split(' ', 10).map(Number);
      return {
        code,
        bounds: [minX, minY, maxX, maxY],
        area: { west, south, east, north },
        line,
        placement: null,
      };
    });
  return rows;
}

/** All EPSG codes of the table, ascending. */
export function placedCodes(): readonly number[] {
  return table().map(({ code }) => code);
}

/** Null: the EPSG code is not in the table. */
export function placementOfCode(code: number): Placement | null {
  const row = table().find((one) => one.code === code);
  return row === undefined ? null : placementOf(row);
}
