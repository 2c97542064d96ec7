/** The layers of the map in words. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { computed } from '@preact/signals';
import { extentOf, type LonLatBox } from '../map/extent.ts';
import type { KindCounts } from '../map/geometry.ts';
import { dataLayers } from './data-layers.ts';
import { boxOf, drawables, type MapLayer, mapLayers } from './map-layers.ts';
import { layerSentence } from './map-summary.ts';
import { placePhrase, places } from './place-names.ts';

/** All that the map has to say, a sentence for each layer. */
export const layerSentences = computed((): readonly string[] =>
  mapLayers.value.map((layer, i) => {
    const isOnPaper = layer.ground === 'paper';
    const { preview } = drawables.value[i];
    const box = isOnPaper ? boxOf(preview.features) : lonLatBoxOf(layer.features);
    const isShown = dataLayers.value[i].isVisible;
    const { title, drawn, total } = layer;
    const place = isOnPaper || box === null ? null : placePhrase(box, places.value);
    return layerSentence({ title, drawn, total, counts: countsOf(layer), box, isOnPaper, isShown, place });
  }),
);

const knownLonLatBoxes = new WeakMap<FeatureCollection, LonLatBox | null>();
function lonLatBoxOf(features: FeatureCollection): LonLatBox | null {
  const known = knownLonLatBoxes.get(features);
  if (known !== undefined) return known;
  const box = extentOf([features]);
  knownLonLatBoxes.set(features, box);
  return box;
}

/** Sum of the parts. */
function countsOf({ parts }: MapLayer): KindCounts {
  const sum = { point: 0, line: 0, polygon: 0, collection: 0, none: 0 };
  for (const { counts } of parts)
    for (const kind of Object.keys(sum) as (keyof KindCounts)[]) sum[kind] += counts[kind];
  return sum;
}
