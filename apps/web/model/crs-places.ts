/** Where systems put coordinates: in words, and as extents. All functions are pure. */
import type { CrsQuestion, FeatureCollection, Inspection, SuggestedCrs } from '@geomill/client/client.ts';
import type { LonLatBox } from '../map/extent.ts';

/** Coordinates whose system is in question. */
export interface UnknownPlace {
  /** Smallest x, smallest y, largest x, largest y. */
  readonly extent: CrsQuestion['extent'];
  /** Metres, as a drawing states it; null: not stated. */
  readonly metresPerUnit: number | null;
}

/** Of the layers without a CRS, or of all if each has one; null: no layer has coordinates. */
export function unknownPlace({ layers }: Inspection): UnknownPlace | null {
  const placed = layers.filter(({ extent }) => extent !== null);
  const missing = placed.filter(({ crs }) => crs === null);
  const asked = missing.length > 0 ? missing : placed;
  if (asked.length === 0) return null;
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { extent } of asked) {
    const [minX, minY, maxX, maxY] = extent as readonly number[];
    box[0] = Math.min(box[0], minX);
    box[1] = Math.min(box[1], minY);
    box[2] = Math.max(box[2], maxX);
    box[3] = Math.max(box[3], maxY);
  }
  return { extent: box as CrsQuestion['extent'], metresPerUnit: asked[0].metres_per_unit };
}

/** Metres per unit, the name in a sentence, and the name for the search; null: no system of EPSG is in it. */
const UNITS: readonly (readonly [metres: number, text: string, unit: string | null])[] = [
  [1, 'metres', 'metre'],
  [1000, 'kilometres', 'kilometre'],
  [0.3048, 'feet', 'foot'],
  [1200 / 3937, 'US survey feet', 'US survey foot'],
  [0.9144, 'yards', 'yard'],
  [0.001, 'millimetres', null],
  [0.01, 'centimetres', null],
  [0.1, 'decimetres', null],
  [0.0254, 'inches', null],
  [1609.344, 'miles', null],
];

/** The unit that a drawing states, in words and as a search names it. */
export function unitOf(metresPerUnit: number): { readonly text: string; readonly unit: string | null } {
  const found = UNITS.find(([metres]) => Math.abs(metres / metresPerUnit - 1) < 1e-9);
  if (found === undefined) return { text: `units of ${metresPerUnit} m`, unit: null };
  return { text: found[1], unit: found[2] };
}

/** "51.5° N, 0.1° W": the middle of the extent, with as many decimals as its size deserves. */
export function middleText({ west, south, east, north }: SuggestedCrs['extent']): string {
  const width = east - west + (west > east ? 360 : 0);
  const decimals = Math.max(width, north - south) > 1 ? 1 : 2;
  return positionText(...middleOf([west, south, east, north]), decimals);
}

export function positionText(longitude: number, latitude: number, decimals = 1): string {
  return `${degreesText(latitude, 'N', 'S', decimals)}, ${degreesText(longitude, 'E', 'W', decimals)}`;
}

function degreesText(value: number, positive: string, negative: string, decimals: number): string {
  return `${Math.abs(value).toFixed(decimals)}° ${value < 0 ? negative : positive}`;
}

/** "53.5° N to 53.6° N, 8.5° E to 8.6° E"; a point is one position. */
export function boxText([west, south, east, north]: LonLatBox): string {
  const size = Math.max(east - west, north - south);
  const decimals = size > 10 ? 0 : size > 1 ? 1 : size > 0.1 ? 2 : 4;
  const range = (low: string, high: string) => (low === high ? low : `${low} to ${high}`);
  const [y1, y2] = [south, north].map((value) => degreesText(value, 'N', 'S', decimals));
  const [x1, x2] = [west, east].map((value) => degreesText(normalized(value), 'E', 'W', decimals));
  return `${range(y1, y2)}, ${range(x1, x2)}`;
}

const CONTINENT = /^(?:Africa|Antarctica|Asia|Europe|North America|South America|Oceania)$/;

/** The country, or the continent of systems for a zone: "UK" of "UK - Britain and UKCS ...", "Switzerland" of "Europe - Switzerland". */
export function areaText({ area }: Pick<SuggestedCrs, 'area'>): string | null {
  if (area === null) return null;
  const [first, second] = area.name.split(' - ').map((part) => part.split(/; |\. /, 1)[0]);
  // "Europe - 6°E to 12°E", "Europe - LCC & LAEA".
  return CONTINENT.test(first) && second !== undefined && !/[°&]/.test(second) ? second : first;
}

function normalized(longitude: number): number {
  return longitude > 180 ? longitude - 360 : longitude;
}

/** First the boxes of all, then a point with the number of each, counted from 1. */
export function extentFeatures(candidates: readonly SuggestedCrs[]): FeatureCollection {
  const boxes = candidates.map(({ extent }) => drawnBox(extent));
  const feature = (geometry: object, properties: object) => ({ type: 'Feature', properties, geometry });
  const features = [
    ...boxes.map(([west, south, east, north]) => {
      const corners = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ];
      return feature({ type: 'Polygon', coordinates: [corners] }, {});
    }),
    ...boxes.map(([west, south, east, north], i) =>
      feature(
        { type: 'Point', coordinates: [(west + east) / 2, (south + north) / 2] },
        { label: String(i + 1) },
      ),
    ),
  ];
  return { type: 'FeatureCollection', features } as unknown as FeatureCollection;
}

/** East beyond 180 across the antimeridian; off the poles, where the map ends. */
function drawnBox({ west, south, east, north }: SuggestedCrs['extent']): LonLatBox {
  return [west, Math.max(south, -85), west > east ? east + 360 : east, Math.min(north, 85)];
}

/** The box of the first candidates: of all of them it would nearly always be the whole Earth. */
export function candidatesBox(candidates: readonly SuggestedCrs[]): LonLatBox | null {
  const boxes = candidates.map(({ extent }) => drawnBox(extent));
  if (boxes.length === 0) return null;
  const pick = (side: 0 | 1 | 2 | 3, choose: (...values: number[]) => number) =>
    choose(...boxes.map((box) => box[side]));
  return [pick(0, Math.min), pick(1, Math.min), pick(2, Math.max), pick(3, Math.max)];
}

/** West, south, east, north in degrees; west > east across the antimeridian. */
export type Bounds = [west: number, south: number, east: number, north: number];

/** Longitude and latitude. */
export function middleOf([west, south, east, north]: Bounds): [number, number] {
  return [normalized(west + (east - west + (west > east ? 360 : 0)) / 2), (south + north) / 2];
}
