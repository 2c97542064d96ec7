/** Layers that are too small on the map to be seen: a point for a ring around each. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import type { DataLayer } from './data-style.ts';
import { extentOf, type LonLatBox } from './extent.ts';
import type { Palette } from './palette.ts';

/** A layer that is smaller on the map has a ring around it. */
const MAX_SMALL_PIXELS = 8;

const knownBoxes = new WeakMap<FeatureCollection, LonLatBox | null>();
function boxOf(features: FeatureCollection): LonLatBox | null {
  const known = knownBoxes.get(features);
  if (known !== undefined) return known;
  const box = extentOf([features]);
  knownBoxes.set(features, box);
  return box;
}

interface Mark {
  readonly type: 'Feature';
  readonly properties: { readonly colour: string };
  readonly geometry: { readonly type: 'Point'; readonly coordinates: number[] };
}

/** `project`: pixels of a position on the map. */
export function smallLayers(
  layers: Iterable<DataLayer>,
  palette: Pick<Palette, 'layers'>,
  project: (position: [longitude: number, latitude: number]) => { readonly x: number; readonly y: number },
): Mark[] {
  return [...layers].flatMap((layer): Mark[] => {
    const box = layer.isVisible ? boxOf(layer.features) : null;
    if (box === null) return [];
    const [west, south, east, north] = box;
    const [from, to] = [project([west, north]), project([east, south])];
    const size = Math.max(to.x - from.x, to.y - from.y);
    // A single point is drawn in the same size at all scales.
    if (size === 0 || size > MAX_SMALL_PIXELS) return [];
    const number = layer.colours.values().next().value ?? 1;
    const coordinates = [(west + east) / 2, (south + north) / 2];
    const properties = { colour: palette.layers[number - 1] };
    return [{ type: 'Feature', properties, geometry: { type: 'Point', coordinates } }];
  });
}
