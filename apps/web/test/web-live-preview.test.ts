/** Previews that the tab computes while a slider is moved: what they draw, and the scale of the slider. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachProperties } from '../map/reach.ts';
import { metresPerPixel } from '../map/rulers.ts';
import {
  liveStepOf,
  metresOf,
  SLIDER_STEPS,
  sliderMetres,
  sliderPosition,
  withMetres,
} from '../model/live-steps.ts';
import { type SimplifyOptions, simplifyFeatures } from '../model/simplify-features.ts';

const OPTIONS: SimplifyOptions = { toleranceMetres: 100, keepsTopology: true, latitude: 0 };
/** About 111 m. */
const STEP = 0.001;

function simplified(geometries: readonly unknown[], options: Partial<SimplifyOptions> = {}) {
  const features = geometries.map((geometry) => ({ type: 'Feature', properties: { a: 1 }, geometry }));
  return simplifyFeatures({ type: 'FeatureCollection', features } as never, { ...OPTIONS, ...options });
}

type Found = { readonly type: string; readonly coordinates: never; readonly geometries: readonly Found[] };
const coordinatesOf = (geometry: Found | undefined) => geometry?.coordinates as unknown as unknown[][];
const geometryOf = (...args: Parameters<typeof simplified>) =>
  simplified(...args).features.features[0]?.geometry as unknown as Found | undefined;

/** A circle of 10 km. */
const circle = Array.from({ length: 361 }, (_, i) => {
  const angle = ((i % 360) * Math.PI) / 180;
  return [0.09 * Math.cos(angle), 0.09 * Math.sin(angle)];
});
const zigzag = Array.from({ length: 101 }, (_, i) => [i * STEP, (i % 2) * STEP * 0.5]);

test('positions within the tolerance are left out of lines, and counted', () => {
  const { before, after } = simplified([{ type: 'LineString', coordinates: zigzag }]);
  assert.deepEqual([before, after], [101, 2]);
  assert.equal(simplified([{ type: 'LineString', coordinates: zigzag }], { toleranceMetres: 10 }).after, 101);
});

test('a kept position is the same, with its height', () => {
  const line = [
    [0, 0, 5],
    [STEP, 0.00001, 6],
    [2 * STEP, 0, 7],
  ];
  assert.deepEqual(coordinatesOf(geometryOf([{ type: 'LineString', coordinates: line }])), [
    line[0],
    line[2],
  ]);
});

test('rings stay closed, and each feature keeps its type', () => {
  const polygon = geometryOf([{ type: 'Polygon', coordinates: [circle] }]) as Found;
  const [ring] = polygon.coordinates as number[][][];
  assert.ok(ring.length < 60 && ring.length >= 4, `${ring.length}`);
  assert.deepEqual(ring[0], ring.at(-1));
  const multi = geometryOf([
    { type: 'MultiPolygon', coordinates: [[circle], [circle.map(([x, y]) => [x + 1, y])]] },
  ]);
  assert.equal(multi?.type, 'MultiPolygon');
  assert.equal(coordinatesOf(multi).length, 2);
});

test('small parts stay with topology, and disappear without', () => {
  const island = circle.map(([x, y]) => [x / 1000, y / 1000]);
  assert.equal(coordinatesOf(geometryOf([{ type: 'Polygon', coordinates: [island] }]))[0].length, 4);
  assert.equal(geometryOf([{ type: 'Polygon', coordinates: [island] }], { keepsTopology: false }), undefined);
  const holed = { type: 'Polygon', coordinates: [circle, island.toReversed()] };
  assert.equal(coordinatesOf(geometryOf([holed])).length, 2);
  assert.equal(coordinatesOf(geometryOf([holed], { keepsTopology: false })).length, 1);
});

test('a degree of longitude is shorter away from the equator', () => {
  const line = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [0.002, 0.1],
      [0, 0.2],
    ],
  };
  assert.equal(simplified([line], { latitude: 0 }).after, 3);
  assert.equal(simplified([line], { latitude: 70 }).after, 2);
});

test('points, features without geometry and damaged lines do not fail', () => {
  const point = { type: 'Point', coordinates: [1, 2] };
  assert.deepEqual(geometryOf([point]), point);
  assert.equal(simplified([null]).features.features.length, 0);
  assert.equal(simplified([{ type: 'LineString', coordinates: [[1, 2]] }]).features.features.length, 0);
  assert.equal(simplified([{ type: 'Polygon', coordinates: [] }]).features.features.length, 0);
  const members = {
    type: 'GeometryCollection',
    geometries: [point, { type: 'LineString', coordinates: zigzag }],
  };
  assert.deepEqual(
    geometryOf([members])?.geometries.map(({ type }) => type),
    ['Point', 'LineString'],
  );
});

test('the slider covers what the map can show, and finds the length that a step has', () => {
  for (const kind of ['simplify', 'reach'] as const)
    for (const pixel of [0.01, 1, 40_000]) {
      assert.ok(
        sliderMetres(kind, 0, pixel) <= pixel && sliderMetres(kind, SLIDER_STEPS, pixel) >= 100 * pixel,
      );
      for (const position of [0, 1, 50, SLIDER_STEPS])
        assert.equal(sliderPosition(kind, sliderMetres(kind, position, pixel), pixel), position);
      assert.equal(sliderPosition(kind, 0, pixel), 0);
      assert.equal(sliderPosition(kind, Number.NaN, pixel), 0);
    }
});

test('lengths keep the unit of the step, and get metres if there is none', () => {
  const feet = { type: 'simplify', params: { units: 'feet', preserve_topology: false } };
  assert.deepEqual(withMetres(feet, 30.48), { ...feet.params, tolerance: 100 });
  assert.equal(metresOf({ type: 'simplify', params: withMetres(feet, 30.48) }), 30.48);
  assert.deepEqual(withMetres({ type: 'buffer', params: {} }, 12.345), { distance: 12, units: 'meters' });
  assert.equal(metresOf({ type: 'buffer', params: { units: 'meters' } }), null);
  assert.equal(liveStepOf({ type: 'toString' }), null);
});

test('a distance is drawn in its length at each zoom level, inside of polygons if it is negative', () => {
  const shown = { latitude: 60, cap: 'flat', join: '' };
  const pixels = 1000 / metresPerPixel(0, 60);
  const atZoom0 = (metres: number, layer: string, property: string) => {
    const { paint } = reachProperties({ ...shown, metres });
    const value = paint.find(([id, name]) => id === `reach ${layer}` && name === property)?.[2];
    return Array.isArray(value) ? Number(value[4]) : value;
  };
  assert.equal(atZoom0(1000, 'line', 'line-width'), 2 * pixels);
  assert.equal(atZoom0(1000, 'line casing', 'line-width'), 2 * pixels + 3);
  assert.equal(atZoom0(1000, 'circle', 'circle-radius'), pixels);
  assert.equal(atZoom0(1000, 'fill', 'fill-opacity'), 1);
  assert.equal(atZoom0(-1000, 'line', 'line-width'), pixels);
  assert.equal(atZoom0(-1000, 'line', 'line-offset'), pixels / 2);
  assert.equal(atZoom0(-1000, 'circle casing', 'circle-radius'), 0);
  assert.equal(atZoom0(-1000, 'fill', 'fill-opacity'), 0);
  assert.deepEqual(
    reachProperties({ ...shown, metres: 1 }).layout.filter(([layer]) => layer === 'reach line'),
    [
      ['reach line', 'line-cap', 'butt'],
      ['reach line', 'line-join', 'round'],
    ],
  );
});
