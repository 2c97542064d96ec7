/** Classes of features by the values of a field, each with a colour of the map. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { cellText } from './table.ts';

/** Of text and of true or false: the most frequent values have a class each, the others one together. */
export const MAX_CATEGORIES = 12;
/** Of numbers, with about as many features each. */
export const NUMBER_CLASSES = 5;
/** Fewer quantiles that differ are replaced by quantiles of the different values. */
const LEAST_CLASSES = 3;
/** Longer lists of fields are cut: nobody finds a field in them. */
const MAX_FIELDS = 300;

/** Name of a colour of the map: --map-layer-1 and so on in map.css. */
export type ClassColour = `layer-${number}` | `number-${number}` | 'other';

export interface ColourClass {
  readonly kind: 'value' | 'range' | 'other' | 'none';
  /** "residential", "1.5 to 3"; null: the words for the kind. */
  readonly text: string | null;
  readonly colour: ClassColour;
}

export interface Classifier {
  readonly classes: readonly ColourClass[];
  /** Index of the class of a value. */
  readonly classOf: (value: unknown) => number;
}

/** Names of the fields of the features, in the order in which they come. */
export function fieldNames({ features }: FeatureCollection): string[] {
  const names = new Set<string>();
  for (const { properties } of features) {
    for (const name of Object.keys(properties ?? {})) names.add(name);
    if (names.size > MAX_FIELDS) break;
  }
  return [...names];
}

/** A field can have any name, also one that every object has, such as `constructor`. */
export function fieldValue(properties: unknown, field: string): unknown {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, field)
    ? (properties as Readonly<Record<string, unknown>>)[field]
    : undefined;
}

export function classifierOf({ features }: FeatureCollection, field: string): Classifier {
  const values = features.map(({ properties }) => fieldValue(properties, field));
  const present = values.filter((value) => value !== null && value !== undefined);
  const areNumbers = present.length > 0 && present.every(Number.isFinite);
  const made = areNumbers ? rangesOf(present as number[]) : categoriesOf(present);
  const none = made.classes.length;
  return {
    classes: [...made.classes, { kind: 'none', text: null, colour: 'other' }],
    classOf: (value) => (value === null || value === undefined ? none : made.classOf(value)),
  };
}

/** Quantiles: equal values are in one class, so there may be fewer classes. */
function rangesOf(numbers: number[]): Classifier {
  const sorted = numbers.sort((a, b) => a - b);
  const different = [...new Set(sorted)];
  const quantiles = startsOf(sorted);
  // Where most features have one value, the quantiles would tell nothing apart.
  const from =
    quantiles.length < LEAST_CLASSES || different.length <= NUMBER_CLASSES ? startsOf(different) : quantiles;
  const classOf = (value: unknown): number =>
    Math.max(
      0,
      from.findLastIndex((start) => (value as number) >= start),
    );
  const classes = from.map((start, i): ColourClass => {
    const next = i + 1 < from.length ? sorted.findIndex((value) => value >= from[i + 1]) : sorted.length;
    const end = sorted[next - 1];
    const text = start === end ? numeral(start) : `${numeral(start)} to ${numeral(end)}`;
    return { kind: 'range', text, colour: `number-${rampColour(i, from.length)}` };
  });
  return { classes, classOf };
}

/** The least value of each of the classes that divide the sorted values evenly. */
function startsOf(sorted: readonly number[]): number[] {
  const starts = Array.from(
    { length: NUMBER_CLASSES },
    (_, i) => sorted[Math.floor((i * sorted.length) / NUMBER_CLASSES)],
  );
  return [...new Set(starts)];
}

/** Few classes use the whole ramp, so that they differ most. */
function rampColour(i: number, count: number): number {
  return count === 1 ? NUMBER_CLASSES : 1 + Math.round((i * (NUMBER_CLASSES - 1)) / (count - 1));
}

/** As the file has it; thousands are parted only above what can be a year. */
function numeral(value: number): string {
  const useGrouping = Math.abs(value) >= 10_000;
  return value.toLocaleString('en', { maximumSignificantDigits: 15, useGrouping }).replace(/^-/, '−');
}

function categoriesOf(values: readonly unknown[]): Classifier {
  const counts = new Map<string, number>();
  for (const value of values) {
    const text = cellText(value) ?? '';
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const isMore = byCount.length > MAX_CATEGORIES;
  const chosen = byCount.slice(0, MAX_CATEGORIES).map(([text]) => text);
  const numbers = new Map(chosen.map((text, i) => [text, i]));
  const classes = chosen.map((text, i): ColourClass => ({ kind: 'value', text, colour: `layer-${i + 1}` }));
  if (isMore || classes.length === 0) classes.push({ kind: 'other', text: null, colour: 'other' });
  const last = classes.length - 1;
  return { classes, classOf: (value) => numbers.get(cellText(value) ?? '') ?? last };
}
