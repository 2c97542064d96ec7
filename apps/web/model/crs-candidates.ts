/** The systems in which the coordinates of a source can be: asked of the engine, and drawn on the map. */
import type { CrsQuestion, CrsSuggestions, FeatureCollection } from '@geomill/client/client.ts';
import { signal } from '@preact/signals';
import { engine } from '../engines/current.ts';
import { type Bounds, middleOf } from './crs-places.ts';
import { hideOverlay, showOverlay, viewBox } from './overlays.ts';

/** The source whose candidates are on the map: of several sources without a CRS only one, or their numbers would mix. */
export const locating = signal<string | null>(null);

/**
 * With a `bbox` in the question: the systems that put the coordinates into it, or else those that put them near its middle,
 * because a view on a map is seldom exact.
 */
export async function suggest(question: CrsQuestion, signal: AbortSignal): Promise<CrsSuggestions> {
  const found = await engine.peek().suggestCrs(question, { signal });
  const { bbox, ...others } = question;
  if (found.crs.length > 0 || bbox === undefined) return found;
  return engine.peek().suggestCrs({ ...others, near: middleOf(bbox as Bounds) }, { signal });
}

/** Draws the extents of the candidates as `extentFeatures` made them. Without any the map stays, to be moved. */
export function showCandidates(
  features: FeatureCollection,
  active: number,
  onPick: (index: number) => void,
): void {
  const count = features.features.length / 2;
  showOverlay({
    id: 'crs candidates',
    role: 'extent',
    features,
    ...(active < count ? { emphasised: active } : {}),
    onPick: (index) => onPick(index % count),
  });
}

export function hideCandidates(): void {
  hideOverlay('crs candidates');
}

/** What the map shows, as a request has it. Null: there is no map yet. */
export function viewBounds(): Bounds | null {
  const { value: box } = viewBox;
  if (box === null) return null;
  const [west, south, east, north] = box;
  const turned = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180;
  const isWhole = east - west >= 360;
  return [
    isWhole ? -180 : turned(west),
    Math.max(-90, south),
    isWhole ? 180 : turned(east),
    Math.min(90, north),
  ];
}
