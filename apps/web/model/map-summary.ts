/** The map in words, for people who cannot see it. Pure. */
import type { Box, LonLatBox } from '../map/extent.ts';
import type { KindCounts } from '../map/geometry.ts';
import { latitudeText, longitudeText, metresText, numberText } from '../map/rulers.ts';

const METRES_PER_DEGREE = 111_320;
/** Web Mercator ends here; what lies beyond is drawn at the edge. */
const MAX_LATITUDE = 85.051129;

export interface DescribedLayer {
  readonly title: string;
  readonly counts: KindCounts;
  readonly drawn: number;
  readonly total: number | null;
  /** Longitude and latitude, or the units of the data if it is on paper; null: no positions. */
  readonly box: LonLatBox | Box | null;
  readonly isOnPaper: boolean;
  readonly isShown: boolean;
  /** As of `placePhrase`; null: not known. */
  readonly place?: string | null;
}

/** "harbour.gpkg: 10 points near 8.575° E, 53.548° N, 1.4 km wide, 560 m high." */
export function layerSentence(layer: DescribedLayer): string {
  const { title, counts, drawn, total, box } = layer;
  const kinds = kindsText(counts);
  const share =
    total !== null && drawn < total ? ` (of ${total.toLocaleString('en')} features in the file)` : '';
  const place =
    box === null ? '' : ` ${layer.isOnPaper ? paperText(box) : earthText(box, layer.place ?? null)}`;
  return `${isolated(title)}: ${kinds === '' ? 'no features' : kinds}${share}${place}${layer.isShown ? '' : '; not shown now'}.`;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** A name from a file for an English sentence: one that is written from right to left does not turn the words around it. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

const KINDS: Readonly<Record<keyof KindCounts, readonly [one: string, several: string]>> = {
  point: ['point', 'points'],
  line: ['line', 'lines'],
  polygon: ['polygon', 'polygons'],
  collection: ['collection', 'collections'],
  none: ['feature without geometry', 'features without geometry'],
};

function kindsText(counts: KindCounts): string {
  return (Object.keys(KINDS) as (keyof KindCounts)[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind].toLocaleString('en')} ${KINDS[kind][counts[kind] === 1 ? 0 : 1]}`)
    .join(', ');
}

function earthText([west, south, east, north]: LonLatBox, place: string | null): string {
  const [longitude, latitude] = [(west + east) / 2, (south + north) / 2];
  const width = (east - west) * METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  const height = (north - south) * METRES_PER_DEGREE;
  const decimals = Math.min(
    6,
    Math.max(0, 3 - Math.floor(Math.log10(Math.max(east - west, north - south, 1e-4)) + 1)),
  );
  const middle = `near ${longitudeText(longitude, decimals)}, ${latitudeText(latitude, decimals)}`;
  const edge =
    north > MAX_LATITUDE || south < -MAX_LATITUDE
      ? '; what is near a pole is drawn at the edge of the map'
      : '';
  const named = place === null ? '' : ` (${place})`;
  return `${middle}${named}${sizeText(width, height, metresText)}${edge}`;
}

function paperText([west, south, east, north]: Box): string {
  const units = (value: number) => `${numberText(value)} units`;
  const middle = `on plain paper near x ${signed((west + east) / 2)}, y ${signed((south + north) / 2)}`;
  return `${middle}${sizeText(east - west, north - south, units)}`;
}

function signed(value: number): string {
  return value < 0 ? `−${numberText(-value)}` : numberText(value);
}

function sizeText(width: number, height: number, text: (length: number) => string): string {
  if (width === 0 && height === 0) return ', all at one place';
  return `, ${text(width)} wide, ${text(height)} high`;
}

/** "The map shows 8.56° E to 8.59° E, 53.54° N to 53.55° N, around Bremerhaven, Germany." */
export function viewSentence([west, south, east, north]: LonLatBox, place: string | null = null): string {
  const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.max(east - west, 1e-4)))));
  if (east - west >= 360) return 'The map shows the whole world.';
  const longitudes = `${longitudeText(west, decimals)} to ${longitudeText(east, decimals)}`;
  return `The map shows ${longitudes}, ${latitudeText(south, decimals)} to ${latitudeText(north, decimals)}${place === null ? '' : `, ${place}`}.`;
}
