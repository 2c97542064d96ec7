/** What is being drawn on the map. Apart from drawing.ts, which is loaded only when something is drawn. */
import { signal } from '@preact/signals';
import type { Area } from './area.ts';

/** Longitude and latitude. Longitudes beyond 180 degrees are on another copy of the world. */
export type Corner = readonly [longitude: number, latitude: number];

export interface Drawing {
  readonly kind: 'rectangle' | 'polygon';
  readonly corners: readonly Corner[];
  /** Where the pointer is; null: not on the map. */
  readonly pointer: Corner | null;
  readonly onPointer: (kind: 'click' | 'double' | 'move', longitude: number, latitude: number) => void;
  readonly onEnd: (area: Area) => void;
}

/** Null: nothing is being drawn. */
export const drawing = signal<Drawing | null>(null);
