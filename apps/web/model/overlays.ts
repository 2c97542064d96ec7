/** What the map draws above sources and results (findings, extents of systems, masks), and the part of the Earth that it shows. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { signal } from '@preact/signals';
import type { LonLatBox } from '../map/extent.ts';

/** Decides colour and symbol; both differ for each role, so that colour alone tells nothing apart. */
export type OverlayRole = 'lost' | 'changed' | 'info' | 'extent' | 'mask';

export interface Overlay {
  readonly id: string;
  readonly role: OverlayRole;
  /** Longitude and latitude, WGS 84. A property `label` of a point (at most 20 characters) replaces its symbol. */
  readonly features: FeatureCollection;
  /** Index of the feature that is drawn stronger than the others. */
  readonly emphasised?: number;
  /** Called with the index of the feature that the user clicked. */
  readonly onPick?: (index: number) => void;
}

/** By id, in the order in which they are drawn. */
export const overlays = signal<ReadonlyMap<string, Overlay>>(new Map());

/** Draws an overlay, in place of an earlier one with this id. */
export function showOverlay(overlay: Overlay): void {
  overlays.value = new Map(overlays.peek()).set(overlay.id, overlay);
}

export function hideOverlay(id: string): void {
  if (!overlays.peek().has(id)) return;
  const next = new Map(overlays.peek());
  next.delete(id);
  overlays.value = next;
}

/** The box that the map moves to; each request is an object of its own. */
export const requestedView = signal<{ readonly box: LonLatBox } | null>(null);

export function requestFit(box: LonLatBox): void {
  requestedView.value = { box };
}

/** What the map shows, after each move; null: there is no map yet. */
export const viewBox = signal<LonLatBox | null>(null);
