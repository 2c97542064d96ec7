/** A worker that simplifies features while a slider is moved, so that the page goes on answering. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { type SimplifyOptions, simplifyFeatures } from './model/simplify-features.ts';

/** The features come first, and again when they change: copying them takes longer than simplifying them. */
export type SimplifyRequest =
  | { readonly kind: 'features'; readonly features: FeatureCollection }
  | { readonly kind: 'simplify'; readonly options: SimplifyOptions };

let features: FeatureCollection = { type: 'FeatureCollection', features: [] };

addEventListener('message', ({ data }: MessageEvent<SimplifyRequest>) => {
  if (data.kind === 'features') features = data.features;
  else postMessage(simplifyFeatures(features, data.options));
});
