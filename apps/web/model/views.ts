/** What is drawn of the view of each source; view-preview.ts makes it. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { signal } from '@preact/signals';
import type { LonLatBox } from '../map/extent.ts';
import type { Reach } from '../map/reach.ts';

export interface ViewPreview {
  /** A little more than the view for which it was made. */
  readonly box: LonLatBox;
  /** Features of the box first, then features of the source's preview that are outside of the box. */
  readonly features: FeatureCollection;
  /** Number of features in the box that are drawn, and of all in the box; null: more, which were not counted. */
  readonly drawn: number;
  readonly found: number | null;
  readonly isSimplified: boolean;
}

export interface ViewState {
  /** The last one that was made; null: none since the source was drawn. */
  readonly shown: ViewPreview | null;
  /** loading: another one. offered: `loadView` makes one; the last one took too long to make another unasked. */
  readonly next: 'none' | 'loading' | 'offered';
  /** Why the last one failed. */
  readonly message: string | null;
}

/** By path of the source. */
export const views = signal<ReadonlyMap<string, ViewState>>(new Map());

export const NO_VIEW: ViewState = { shown: null, next: 'none', message: null };

/** What the view holds after one of the steps; step-preview.ts makes it. */
export interface StepView {
  /** Of the step. */
  readonly key: number;
  /** Of the step, as its card has it. */
  readonly title: string;
  /** As of a preview. */
  readonly layerField: string | null;
  readonly state: ViewState;
}

/** Null: no step is previewed. */
export const stepView = signal<StepView | null>(null);

/** What this tab makes of the view while a slider is moved; live-preview.ts makes it. */
export interface LiveView {
  /** Of the step. */
  readonly title: string;
  readonly features: FeatureCollection;
}

/** Null: no step is previewed in this tab by its features. */
export const liveView = signal<LiveView | null>(null);
/** Null: no step is previewed in this tab by a distance. */
export const liveReach = signal<Reach | null>(null);
