/** The colours of the map by the names of the style sheet. Pure. */
import { type ClassColour, MAX_CATEGORIES, NUMBER_CLASSES } from '../model/colour-classes.ts';

/** Names of colours in map.css: --map-water and so on. */
export const COLOUR_NAMES = [
  'water',
  'land',
  'border',
  'grid',
  'selected',
  'lost',
  'changed',
  'info',
  'extent',
  'mask',
  'name',
  'result',
] as const;

/** Of the layers, in their order, of classes, and of all else by name. */
export type Palette = Readonly<Record<(typeof COLOUR_NAMES)[number], string>> & {
  readonly layers: readonly string[];
  readonly classes: Readonly<Record<ClassColour, string>>;
};

export const CLASS_COLOURS: readonly ClassColour[] = [
  ...Array.from({ length: MAX_CATEGORIES }, (_, i) => `layer-${i + 1}` as const),
  ...Array.from({ length: NUMBER_CLASSES }, (_, i) => `number-${i + 1}` as const),
  'other',
];
