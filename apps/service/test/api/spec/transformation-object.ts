/** Specification, "Transformation object" and its parameters. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import { convert, type File, refusal } from '../../../../../test/support/spec/client.ts';
import {
  collection,
  feature,
  type GeojsonFeature,
  geojsonFile,
  MIXED,
  point,
  square,
} from '../../../../../test/support/spec/inputs.ts';
import { csvRows, extentOf, featuresOf, wktNumbers } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const TO_GEOJSON = { input: { format: 'geojson' }, output: { format: 'geojson' } };
const dot = geojsonFile(point(9, 50, { name: 'dot' }));

async function transformed(
  file: File,
  ...transformations: readonly object[]
): Promise<readonly GeojsonFeature[]> {
  return featuresOf((await convert(server, { ...TO_GEOJSON, transformations }, file)).text);
}

function refused(...transformations: readonly object[]): Promise<string> {
  return refusal(server, { ...TO_GEOJSON, transformations }, dot);
}

const buffer = (distance: number, units: string): object => ({ type: 'buffer', params: { distance, units } });

/** Metres from the westmost to the eastmost position of what becomes of a point at 9 E 0 N in UTM zone 32. */
async function planarWidth(step: object): Promise<number> {
  const config = {
    input: { format: 'geojson' },
    output: { format: 'csv', epsg: 25832 },
    transformations: [{ type: 'reproject', params: { epsg: 25832 } }, step],
  };
  const [{ geom_wkt }] = csvRows((await convert(server, config, dot)).text);
  const eastings = wktNumbers(geom_wkt).filter((_, i) => i % 2 === 0);
  return Math.max(...eastings) - Math.min(...eastings);
}

test('Transformation object | type | buffer, union, clip, dissolve and reproject are known', async () => {
  const steps = [
    buffer(1, 'meters'),
    { type: 'union' },
    { type: 'clip', params: { clipping_geojson: square(8, 49, 2).geometry } },
    { type: 'dissolve', params: { by: ['name'] } },
    { type: 'reproject', params: { epsg: 25832 } },
  ];
  for (const step of steps) assert.equal((await transformed(dot, step)).length, 1, JSON.stringify(step));
});

test('Transformation object | type | an unknown one is rejected with the supported ones', async () => {
  assert.match(
    await refused({ type: 'shrink' }),
    /'transformations\[0\]\.type': unknown transformation 'shrink'.*buffer.*union/,
  );
});

test('Transformation object | params | for buffer, holds distance and units', async () => {
  const [{ geometry }] = await transformed(dot, buffer(100, 'meters'));
  assert.equal(geometry?.type, 'Polygon');
});

test('Transformation object | params | an unknown parameter is rejected', async () => {
  const step = { type: 'buffer', params: { distance: 1, units: 'meters', shape: 'star' } };
  assert.match(await refused(step), /'transformations\[0\]\.params\.shape'/);
});

test('Transformation object | params | distance and units can be members of the object itself', async () => {
  const nested = await transformed(dot, buffer(100, 'meters'));
  assert.deepEqual(await transformed(dot, { type: 'buffer', distance: 100, units: 'meters' }), nested);
});

test('Transformation object | params | one parameter in both positions with different values is rejected', async () => {
  const step = { type: 'buffer', distance: 1, params: { distance: 2, units: 'meters' } };
  assert.match(await refused(step), /'transformations\[0\]\.distance' contradicts/);
});

test('Parameters per type | buffer | distance is a number and the radius', async () => {
  assert.ok(Math.abs((await planarWidth(buffer(12.5, 'meters'))) - 25) < 1e-6);
  assert.match(await refused({ type: 'buffer', params: { distance: 'far', units: 'meters' } }), /distance/);
});

test('Parameters per type | buffer | distance is required', async () => {
  assert.match(
    await refused({ type: 'buffer', params: { units: 'meters' } }),
    /'transformations\[0\]\.params\.distance' is required for buffer/,
  );
});

test('Parameters per type | buffer | units are meters, kilometers, feet or miles', async () => {
  const metres = { meters: 1, kilometers: 1000, feet: 0.3048, miles: 1609.344 };
  for (const [units, factor] of Object.entries(metres)) {
    const width = await planarWidth(buffer(2, units));
    assert.ok(Math.abs(width / (4 * factor) - 1) < 1e-6, `${units}: ${width}`);
  }
  assert.match(await refused(buffer(1, 'yards')), /'transformations\[0\]\.params\.units' must be one of/);
});

test('Parameters per type | buffer | units are required', async () => {
  assert.match(
    await refused({ type: 'buffer', params: { distance: 1 } }),
    /'transformations\[0\]\.params\.units' is required for buffer/,
  );
});

test('Parameters per type | buffer | applies to points, lines and polygons', async () => {
  const features = await transformed(geojsonFile(...MIXED), buffer(10, 'meters'));
  assert.deepEqual(
    features.map(({ geometry, properties }) => [properties.name, geometry?.type]),
    [
      ['light', 'Polygon'],
      ['mole', 'Polygon'],
      ['basin', 'Polygon'],
    ],
  );
});

test('Parameters per type | buffer | a distance in metres is geodesic if the data is in degrees', async () => {
  const [circle] = await transformed(geojsonFile(point(9, 60)), buffer(1000, 'meters'));
  const [west, south, east, north] = extentOf(circle);
  const [width, height] = [east - west, north - south];
  // At 60 degrees north a degree of longitude is 55,800 m and one of latitude 111,412 m.
  assert.ok(Math.abs(width * 55_800 - 2000) < 5, `${width * 55_800} m wide`);
  assert.ok(Math.abs(height * 111_412 - 2000) < 5, `${height * 111_412} m high`);
});

test('Parameters per type | buffer | a negative distance shrinks polygons', async () => {
  const [west, , east] = extentOf(
    (await transformed(geojsonFile(square(0, 0, 1)), buffer(-11.132, 'kilometers')))[0],
  );
  assert.ok(Math.abs(west - 0.1) < 1e-3 && Math.abs(east - 0.9) < 1e-3, `${west} ${east}`);
});

test('Parameters per type | union | no parameters: the object has only type', async () => {
  assert.equal((await transformed(dot, { type: 'union' })).length, 1);
  assert.match(
    await refused({ type: 'union', params: { distance: 1 } }),
    /distance' is not a parameter of union/,
  );
});

test('Parameters per type | union | merges overlapping and adjacent geometries', async () => {
  const overlapping = [square(0, 0, 1), square(0.5, 0, 1)];
  const adjacent = [square(5, 0, 1), square(6, 0, 1)];
  const apart = square(9, 9, 0.5);
  const features = await transformed(geojsonFile(...overlapping, ...adjacent, apart), { type: 'union' });
  const widths = features.map(extentOf).map(([west, , east]) => east - west);
  assert.deepEqual(widths.sort(), [0.5, 1.5, 2]);
});

test('Parameters per type | union | retains attributes', async () => {
  const file = geojsonFile(
    square(0, 0, 1, { name: 'a' }),
    square(1, 0, 1, { name: 'b' }),
    square(5, 5, 1, { name: 'c' }),
  );
  const features = await transformed(file, { type: 'union' });
  assert.deepEqual(features.map(({ properties }) => properties.name).sort(), ['a', 'c']);
});

test('Parameters per type | union | fields of merged features have the first value, or the one that aggregate selects', async () => {
  const file = geojsonFile(square(0, 0, 1, { depth: 2 }), square(1, 0, 1, { depth: 5 }));
  const merged = async (step: object): Promise<unknown> =>
    (await transformed(file, step))[0].properties.depth;
  assert.equal(await merged({ type: 'union' }), 2);
  assert.equal(await merged({ type: 'union', params: { aggregate: { depth: 'sum' } } }), 7);
});

test('Parameters per type | clip | clipping_geojson is a GeoJSON polygon', async () => {
  const clipping_geojson = square(0, 0, 1).geometry;
  const line = feature(
    'LineString',
    [
      [-1, 0.5],
      [2, 0.5],
    ],
    { name: 'road' },
  );
  const [{ geometry, properties }, ...others] = await transformed(geojsonFile(line, point(3, 3)), {
    type: 'clip',
    params: { clipping_geojson },
  });
  assert.equal(others.length, 0);
  assert.deepEqual(
    [properties.name, geometry],
    [
      'road',
      {
        type: 'LineString',
        coordinates: [
          [0, 0.5],
          [1, 0.5],
        ],
      },
    ],
  );
});

test('Parameters per type | clip | a Feature or FeatureCollection of polygons is accepted too', async () => {
  const mask = square(8, 49, 2);
  for (const clipping_geojson of [mask, collection(mask)])
    assert.equal((await transformed(dot, { type: 'clip', clipping_geojson })).length, 1);
  assert.match(await refused({ type: 'clip', clipping_geojson: point(1, 1).geometry }), /clipping_geojson/);
});

test('Parameters per type | dissolve | by: a list of fields, whose values group the features', async () => {
  const file = geojsonFile(
    square(0, 0, 1, { zone: 'a' }),
    square(5, 0, 1, { zone: 'a' }),
    square(9, 0, 1, { zone: 'b' }),
  );
  const features = await transformed(file, { type: 'dissolve', params: { by: ['zone'] } });
  assert.deepEqual(features.map(({ properties, geometry }) => [properties.zone, geometry?.type]).sort(), [
    ['a', 'MultiPolygon'],
    ['b', 'Polygon'],
  ]);
});

test('Parameters per type | dissolve | without by: everything becomes one feature', async () => {
  const file = geojsonFile(square(0, 0, 1), square(5, 0, 1));
  assert.equal((await transformed(file, { type: 'dissolve' })).length, 1);
});

test('Parameters per type | reproject | epsg: later steps work in that CRS; the CRS of the output does not change', async () => {
  const [back] = await transformed(dot, { type: 'reproject', params: { epsg: 25832 } });
  const [x, y] = extentOf(back);
  assert.ok(Math.abs(x - 9) < 1e-9 && Math.abs(y - 50) < 1e-9, `${x} ${y}`);
});

test('Parameters per type | erase | erasing_geojson: what is inside is removed', async () => {
  const step = { type: 'erase', params: { erasing_geojson: square(8, 49, 2).geometry } };
  const features = await transformed(
    geojsonFile(point(9, 50, { name: 'in' }), point(1, 1, { name: 'out' })),
    step,
  );
  assert.deepEqual(
    features.map(({ properties }) => properties.name),
    ['out'],
  );
});
