/**
 * All within a distance of features, as wide lines: they follow a slider at once, whatever the number of features. The colour is
 * opaque and pale, and below the data, so that lines which overlap look like one area; a casing is its outline. Pure.
 */
import type { FeatureCollection } from '@geomill/client/client.ts';
import type { LayerSpecification } from 'maplibre-gl';
import type { Palette } from './palette.ts';
import { metresPerPixel } from './rulers.ts';

export interface Reach {
  readonly features: FeatureCollection;
  /** Negative: what is taken away from polygons. */
  readonly metres: number;
  /** At which a pixel of the map has its length. */
  readonly latitude: number;
  /** Ends and corners of lines, as the step names them; empty: round. */
  readonly cap: string;
  readonly join: string;
}

/** Id of the source. */
export const REACH = 'reach';
const CASING_PIXELS = 1.5;
const MAX_ZOOM = 24;
const CAPS: Readonly<Record<string, string>> = { flat: 'butt', square: 'square' };
const JOINS: Readonly<Record<string, string>> = { mitre: 'miter', bevel: 'bevel' };

/** A property of a layer, and its value. */
type Property = readonly [layer: string, name: string, value: unknown];

const isPoint = ['==', ['geometry-type'], 'Point'];
const isPolygon = ['==', ['geometry-type'], 'Polygon'];

/** In the order in which they are drawn. */
export function reachLayers(palette: Palette): LayerSpecification[] {
  const colours = new Map(reachColours(palette).map(([layer, name, value]) => [layer, { [name]: value }]));
  const layerOf = (id: string, type: string, filter: unknown) =>
    ({
      id: `${REACH} ${id}`,
      type,
      source: REACH,
      filter,
      paint: colours.get(`${REACH} ${id}`),
    }) as LayerSpecification;
  return [
    layerOf('line casing', 'line', ['!', isPoint]),
    layerOf('circle casing', 'circle', isPoint),
    layerOf('line', 'line', ['!', isPoint]),
    layerOf('circle', 'circle', isPoint),
    layerOf('fill', 'fill', isPolygon),
  ];
}

export function reachColours({ result, land }: Palette): readonly Property[] {
  const pale = mixed(result, land, 0.3);
  return [
    [`${REACH} line casing`, 'line-color', result],
    [`${REACH} circle casing`, 'circle-color', result],
    [`${REACH} line`, 'line-color', pale],
    [`${REACH} circle`, 'circle-color', pale],
    [`${REACH} fill`, 'fill-color', pale],
  ];
}

/** "rgb(1, 2, 3)" as the browser writes colours. */
function mixed(colour: string, ground: string, share: number): string {
  const [one, other] = [colour, ground].map((text) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number));
  return `rgb(${one.map((value, i) => Math.round(share * value + (1 - share) * (other[i] ?? 0))).join(', ')})`;
}

export function reachProperties({ metres, latitude, cap, join }: Omit<Reach, 'features'>): {
  readonly paint: readonly Property[];
  readonly layout: readonly Property[];
} {
  const isInside = metres < 0;
  const pixels = Math.abs(metres) / metresPerPixel(0, latitude);
  // Of a line both sides are within the distance; of a polygon that shrinks only the inside.
  const width = isInside ? pixels : 2 * pixels;
  // A line of a polygon is moved to its inside; the casing is seen on that side only.
  const offset = (more: number) => (isInside ? atAllZooms(pixels / 2, more / 2) : 0);
  const casing = isInside ? CASING_PIXELS : 2 * CASING_PIXELS;
  const lines = [`${REACH} line casing`, `${REACH} line`];
  return {
    paint: [
      [lines[0], 'line-width', atAllZooms(width, casing)],
      [lines[0], 'line-offset', offset(casing)],
      [lines[1], 'line-width', atAllZooms(width)],
      [lines[1], 'line-offset', offset(0)],
      [
        `${REACH} circle casing`,
        'circle-radius',
        atAllZooms(isInside ? 0 : pixels, isInside ? 0 : CASING_PIXELS),
      ],
      [`${REACH} circle`, 'circle-radius', atAllZooms(isInside ? 0 : pixels)],
      [`${REACH} fill`, 'fill-opacity', isInside ? 0 : 1],
    ],
    layout: lines.flatMap((layer): Property[] => [
      [layer, 'line-cap', CAPS[cap] ?? 'round'],
      [layer, 'line-join', JOINS[join] ?? 'round'],
    ]),
  };
}

/** A length at zoom level 0: each level doubles it. */
function atAllZooms(pixels: number, more = 0): unknown {
  return [
    'interpolate',
    ['exponential', 2],
    ['zoom'],
    0,
    pixels + more,
    MAX_ZOOM,
    pixels * 2 ** MAX_ZOOM + more,
  ];
}
