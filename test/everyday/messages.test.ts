/** Everyday mistakes: the first command is refused with a message that leads to the right one, which then runs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import test from 'node:test';
import { geomill, type Oracle, refusal, skip, startOracle } from './job.ts';

const oracle = skip === false ? await startOracle() : (null as unknown as Oracle);
test.after(() => oracle?.close());

const ROADS = 'convert roads.gpkg roads.csv --overwrite';
const corrections: readonly (readonly [wrong: string, message: RegExp, right: string])[] = [
  ['--layer Roads', /did you mean 'roads'/, '--layer roads'],
  [`--filter "CLASS = 'A'"`, /did you mean 'class'/, `--filter "class = 'A'"`],
  [`--filter 'name = "Kirchweg"'`, /a text in single quotes/, `--filter "name = 'Kirchweg'"`],
  ["--filter 'opened >= 2020-01-01'", /single quotes, as '2020-01-31'/, `--filter "opened >= '2020-01-01'"`],
  ['--buffer 25', /m, km, ft or mi/, '--buffer 25m --out-geometry wkt'],
  ['-t_srs EPSG:4326', /--to-crs CRS/, '--to-crs EPSG:4326'],
  ['--out-layer-field class', /--out-/, '--out-geometry wkt'],
];

for (const [wrong, message, right] of corrections)
  test(`the message about ${wrong} leads to ${right}`, { skip }, async () => {
    assert.match(await refusal(`${ROADS} ${wrong}`), message);
    await geomill(`${ROADS} ${right}`);
    assert.ok((await oracle.read('roads.csv'))[0].features.length > 0);
  });

test('web Mercator in a GeoJSON is read with the flag that the message names', { skip }, async () => {
  const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [950_000, 7_000_000] } }; // biome-ignore format: one line
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } };
  writeFileSync('mercator.geojson', JSON.stringify({ type: 'FeatureCollection', crs, features: [point] }));
  assert.match(await refusal('convert mercator.geojson mercator.gpkg'), /--from-crs/);
  await geomill('convert mercator.geojson mercator.gpkg --from-crs EPSG:3857');
  const [{ epsg, features }] = await oracle.read('mercator.gpkg');
  assert.deepEqual([epsg, features[0].wkt], ['3857', 'POINT (950000 7000000)']);
});

const unreadable: readonly (readonly [name: string, content: string | Uint8Array, message: RegExp])[] = [
  ['places.kml', '<kml/>', /KML is not supported; convert it with 'ogr2ogr/],
  ['drawing.dxf', 'AC1027 and binary data', /DWG, which is not supported; save the drawing as DXF/],
  ['empty.geojson', '', /empty \(0 bytes\)/],
  ['page.geojson', '<html><title>404</title></html>', /XML or HTML/],
  ['topology.geojson', '{"type":"Topology","objects":{},"arcs":[]}', /TopoJSON.* convert it with/],
  [
    'esri.geojson',
    '{"geometryType":"esriGeometryPoint","features":[{"attributes":{"a":1},"geometry":{"x":1,"y":2}}]}',
    /Esri JSON.* f=geojson/,
  ],
  ['comma.geojson', '{"type":"FeatureCollection",\n"features":[],}', /comma.* \(line 2, column \d+\)/],
];

for (const [name, content, message] of unreadable)
  test(`a file such as ${name} is refused with what it is and what to do`, { skip }, async () => {
    writeFileSync(name, content);
    assert.match(await refusal(`convert ${name} out.gpkg --from-crs 4326`), message);
  });
