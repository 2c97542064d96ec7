/** Words for places, and the extents that candidates are drawn as. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection, SuggestedCrs } from '../../../packages/client/src/client.ts';
import {
  areaText,
  boxText,
  candidatesBox,
  extentFeatures,
  middleOf,
  middleText,
  unitOf,
  unknownPlace,
} from '../model/crs-places.ts';

const candidate = (west: number, south: number, east: number, north: number): SuggestedCrs => ({
  code: 'EPSG:1',
  name: 'Test',
  kind: 'projected',
  deprecated: false,
  area: null,
  unit: 'metre',
  extent: { west, south, east, north },
  swapped: false,
});

test('areas of use become the name of a country', () => {
  for (const [name, text] of [
    ["UK - Britain and UKCS 49°45'N to 61°N, 9°W to 2°E", 'UK'],
    ['Europe - Liechtenstein and Switzerland', 'Liechtenstein and Switzerland'],
    ['Europe - 6°E to 12°E and ETRS89 by country', 'Europe'],
    ['Europe - LCC & LAEA', 'Europe'],
    ['Germany - West-Germany - 7.5°E to 10.5°E', 'Germany'],
    ['France - onshore and offshore; Monaco', 'France'],
  ])
    assert.equal(areaText({ area: { name, west: 0, south: 0, east: 1, north: 1 } }), text);
  assert.equal(areaText({ area: null }), null);
});

test('positions have as many decimals as the size of the extent deserves', () => {
  assert.equal(middleText({ west: -0.2, south: 51.4, east: 0, north: 51.6 }), '51.50° N, 0.10° W');
  assert.equal(middleText({ west: 5, south: 45, east: 15, north: 55 }), '50.0° N, 10.0° E');
  assert.equal(boxText([8.5, 53.5, 8.5, 53.5]), '53.5000° N, 8.5000° E');
  assert.equal(boxText([170, -50, 190, -30]), '50° S to 30° S, 170° E to 170° W');
});

test('across the antimeridian the middle and the drawn box stay between both sides', () => {
  assert.deepEqual(middleOf([170, -10, -170, 10]), [180, 0]);
  assert.deepEqual(middleOf([175, 0, -165, 10]), [-175, 5]);
  assert.deepEqual(candidatesBox([candidate(170, -90, -170, 90)]), [170, -85, 190, 85]);
  const { features } = extentFeatures([candidate(170, -10, -170, 10), candidate(0, 0, 1, 1)]);
  assert.deepEqual(
    features.map(({ geometry, properties }) => [geometry?.type, properties?.label]),
    [
      ['Polygon', undefined],
      ['Polygon', undefined],
      ['Point', '1'],
      ['Point', '2'],
    ],
  );
});

test('units of drawings are named, and searched if systems have them', () => {
  assert.deepEqual(unitOf(0.3048), { text: 'feet', unit: 'foot' });
  assert.deepEqual(unitOf(0.001), { text: 'millimetres', unit: null });
  assert.deepEqual(unitOf(1e-9), { text: 'units of 1e-9 m', unit: null });
});

test('the place in question is that of the layers without a CRS, or else of all', () => {
  const layer = (extent: number[] | null, crs: object | null) => ({ extent, crs, metres_per_unit: null });
  const placeOf = (...layers: object[]) => unknownPlace({ layers } as unknown as Inspection)?.extent;
  assert.deepEqual(
    placeOf(layer([0, 0, 1, 1], {}), layer([5, 5, 6, 6], null), layer([7, 4, 8, 5], null)),
    [5, 4, 8, 6],
  );
  assert.deepEqual(placeOf(layer([0, 0, 1, 1], {}), layer([2, 2, 3, 3], {})), [0, 0, 3, 3]);
  assert.equal(placeOf(layer(null, null)), undefined);
});
