/** The feature that is selected in the table or on the map. */
import { signal } from '@preact/signals';

export interface Selection {
  /** Id of a layer of the map. */
  readonly layerId: string;
  /** Of the feature in the preview of the layer. */
  readonly index: number;
  /** Where it was chosen; the other view follows. */
  readonly from: 'map' | 'table';
}

export const selection = signal<Selection | null>(null);
