/** The feature that is selected in the table, on the map or by its number. */
import { signal } from '@preact/signals';

export interface FeatureKey {
  /** Id of a layer of the map. */
  readonly layerId: string;
  /** Of the feature in the preview of the layer. */
  readonly index: number;
}

export interface Selection extends FeatureKey {
  /** Where it was chosen; the other views follow. */
  readonly from: 'map' | 'table' | 'list';
  /** All features where the user clicked the map, this one among them. */
  readonly here?: readonly FeatureKey[];
}

export const selection = signal<Selection | null>(null);
