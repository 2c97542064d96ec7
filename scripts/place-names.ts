/**
 * Names for the map of the workspace: populated places of Natural Earth (public domain), as the package city-timezones has them. That
 * package lacks the scale ranks of Natural Earth but has the populations, by which the places are sorted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Columns of the same length, the most populous place first. */
export interface PlaceColumns {
  readonly names: readonly string[];
  /** Names of countries, to which `country` refers. */
  readonly countries: readonly string[];
  readonly country: readonly number[];
  /** Degrees. */
  readonly longitudes: readonly number[];
  readonly latitudes: readonly number[];
}

interface City {
  readonly city: string;
  readonly country: string;
  readonly lat: number;
  readonly lng: number;
  readonly pop: number;
}

/** 0.001 degrees are about 100 m. */
const DECIMALS = 3;

export function placeColumns(root: string): PlaceColumns {
  const file = join(root, 'node_modules', 'city-timezones', 'data', 'cityMap.json');
  const cities = JSON.parse(readFileSync(file, 'utf8')) as readonly City[];
  const byKey = new Map<string, City>();
  for (const city of cities) {
    // The package has some places twice.
    const key = `${city.city} ${city.lat.toFixed(1)} ${city.lng.toFixed(1)}`;
    if (!byKey.has(key)) byKey.set(key, city);
  }
  const sorted = [...byKey.values()].sort((a, b) => b.pop - a.pop);
  const countries = [...new Set(sorted.map(({ country }) => country))];
  const numbers = new Map(countries.map((name, i) => [name, i]));
  const rounded = (degrees: number) => Number(degrees.toFixed(DECIMALS));
  return {
    names: sorted.map(({ city }) => city.normalize('NFC')),
    countries,
    country: sorted.map(({ country }) => numbers.get(country) ?? 0),
    longitudes: sorted.map(({ lng }) => rounded(lng)),
    latitudes: sorted.map(({ lat }) => rounded(lat)),
  };
}
