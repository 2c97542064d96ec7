/** Names of places on the Earth, and what a box is near to, in words. */
import { signal } from '@preact/signals';
import type { LonLatBox } from '../map/extent.ts';
import { metresText } from '../map/rulers.ts';

declare const PLACE_NAMES_FILE: string;

/** Columns of the same length, the most populous place first. */
export interface Places {
  readonly names: readonly string[];
  /** Names of countries, to which `country` refers. */
  readonly countries: readonly string[];
  readonly country: readonly number[];
  /** Degrees. */
  readonly longitudes: readonly number[];
  readonly latitudes: readonly number[];
}

/** Null: not loaded. */
export const places = signal<Places | null>(null);

let loading: Promise<void> | null = null;

/** Loads the names once. Without them the map has only outlines. */
export function loadPlaces(): Promise<void> {
  loading ??= fetchPlaces().catch(() => {
    loading = null;
  });
  return loading;
}

async function fetchPlaces(): Promise<void> {
  const response = await fetch(new URL(PLACE_NAMES_FILE, import.meta.url));
  if (response.ok) places.value = (await response.json()) as Places;
}

/** Places that are named of those in a box. */
const MAX_NAMED = 3;
/** Wider boxes are larger than what names of places describe. */
const MAX_DEGREES = 30;
const METRES_PER_DEGREE = 111_320;
/** A place at this distance is near; from further away the distance is stated. */
const NEAR_METRES = 25_000;
const FAR_METRES = 500_000;

/** "around Hamburg and Bremen, Germany", "near Bremerhaven, Germany", "120 km from Reykjavík, Iceland". Null: nothing is near, or the box is wide. */
export function placePhrase([west, south, east, north]: LonLatBox, known: Places | null): string | null {
  if (known === null || east - west > MAX_DEGREES) return null;
  const { names, longitudes, latitudes } = known;
  const middle = (west + east) / 2;
  const inside: number[] = [];
  const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180);
  let nearest = { at: -1, degrees: Number.POSITIVE_INFINITY };
  for (let i = 0; i < names.length && inside.length < MAX_NAMED; i++) {
    // On the side of the antimeridian where the box is.
    const x = longitudes[i] + 360 * Math.round((middle - longitudes[i]) / 360);
    const y = latitudes[i];
    if (x >= west && x <= east && y >= south && y <= north) inside.push(i);
    const degrees = Math.hypot((x - middle) * squeeze, y - (south + north) / 2);
    if (degrees < nearest.degrees) nearest = { at: i, degrees };
  }
  if (inside.length > 0) return `around ${namesText(inside, known)}`;
  const metres = nearest.degrees * METRES_PER_DEGREE;
  if (nearest.at < 0 || metres > FAR_METRES) return null;
  const text = namesText([nearest.at], known);
  return metres <= NEAR_METRES ? `near ${text}` : `${metresText(Number(metres.toPrecision(2)))} from ${text}`;
}

/** "Hamburg, Bremen and Kiel, Germany", or with the country of each. */
function namesText(at: readonly number[], { names, countries, country }: Places): string {
  const isOneCountry = at.every((i) => country[i] === country[at[0]]);
  if (isOneCountry) return `${listText(at.map((i) => names[i]))}, ${countries[country[at[0]]]}`;
  return listText(at.map((i) => `${names[i]} (${countries[country[i]]})`));
}

function listText(texts: readonly string[]): string {
  return texts.length < 2
    ? texts.join('')
    : `${texts.slice(0, -1).join(', ')} and ${texts[texts.length - 1]}`;
}
