/** Names of places: what the build makes of Natural Earth, and the words for what is in view. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { placeColumns } from '../../../scripts/place-names.ts';
import type { LonLatBox } from '../map/extent.ts';
import { placePhrase } from '../model/place-names.ts';

const places = placeColumns(join(import.meta.dirname, '../../..'));
const MAX_BYTES = 150_000;

test('the names have one row for each place, the most populous first, within the budget', () => {
  const { names, countries, country, longitudes, latitudes } = places;
  assert.ok(names.length > 7000);
  for (const column of [country, longitudes, latitudes]) assert.equal(column.length, names.length);
  assert.ok(names.indexOf('Tokyo') < 20 && names.indexOf('Rostock') > 500);
  assert.ok(country.every((i) => countries[i] !== undefined));
  assert.ok(longitudes.every((x) => Math.abs(x) <= 180) && latitudes.every((y) => Math.abs(y) <= 90));
  const keys = names.map((name, i) => `${name} ${longitudes[i].toFixed(1)} ${latitudes[i].toFixed(1)}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(gzipSync(JSON.stringify(places), { level: 9 }).length <= MAX_BYTES);
});

const CASES: Readonly<Record<string, readonly [box: LonLatBox, phrase: string | null]>> = {
  'one town in the box': [[11.9, 53.9, 12.4, 54.3], 'around Rostock, Germany'],
  'several of one country, the largest first': [
    [6.67, 52.65, 10.48, 54.42],
    'around Hamburg, Bremen and Kiel, Germany',
  ],
  'towns of different countries': [
    [6, 49, 6.5, 50],
    'around Metz (France), Luxembourg (Luxembourg) and Diekirch (Luxembourg)',
  ],
  'no town in the box, one beside it': [[8.5681, 53.5449, 8.5868, 53.5506], 'around Bremerhaven, Germany'],
  'a point near a town': [[12.2, 54.1, 12.2, 54.1], 'near Rostock, Germany'],
  'a point far from towns': [[5, 55.5, 5.01, 55.51], '220 km from Esbjerg, Denmark'],
  'nothing within 500 km': [[-30, -40, -29, -39], null],
  'across the antimeridian': [[177, -19, 182, -16], 'around Suva, Lautoka and Nandi, Fiji'],
  'a box one turn to the east': [[371.9, 53.9, 372.4, 54.3], 'around Rostock, Germany'],
  'wider than names describe': [[-20, 30, 40, 60], null],
};

for (const [name, [box, phrase]] of Object.entries(CASES))
  test(`the place of a box: ${name}`, () => assert.equal(placePhrase(box, places), phrase));

test('without names there is no place', () =>
  assert.equal(placePhrase([11.9, 53.9, 12.4, 54.3], null), null));
