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
  [`--filter 'name = "Kirchweg"'`, /for a text, write 'Kirchweg'/, `--filter "name = 'Kirchweg'"`],
  ["--filter 'opened >= 2020-01-01'", /single quotes, as '2020-01-31'/, `--filter "opened >= '2020-01-01'"`],
  ['--buffer 25', /m, km, ft or mi/, '--buffer 25m --out-geometry wkt'],
  ['-t_srs EPSG:4326', /'-t_srs'; -t_srs of ogr2ogr is --to-crs CRS/, '--to-crs EPSG:4326'],
  ['--crs EPSG:4326', /--to-crs CRS for the output/, '--to-crs EPSG:4326'],
  ['--to-crs WGS84', /--to-crs EPSG:4326 +WGS 84/, '--to-crs EPSG:4326'],
  ["--to-crs 'UTM 32N'", /--to-crs EPSG:25832 +ETRS89/, '--to-crs EPSG:25832'],
  ['-f CSV', /--to FORMAT/, '--to CSV'],
  [`-where "class = 'A'"`, /--filter CONDITION/, `--filter "class = 'A'"`],
  [`--where "class = 'A'"`, /--filter CONDITION/, `--filter "class = 'A'"`],
  [
    '-spat 471000 5932000 472000 5934000',
    /--filter WEST,SOUTH,EAST,NORTH.* --bbox-crs CRS/,
    '--filter 471000,5932000,472000,5934000 --bbox-crs 25832',
  ],
  [
    '--filter 471000,5932000,472000,5934000',
    /--bbox-crs/,
    '--filter 471000,5932000,472000,5934000 --bbox-crs 25832',
  ],
  [`--filter "opened >= '01.03.2020'"`, /write dates as '2020-01-31'/, `--filter "opened >= '2020-03-01'"`],
  ['--exclude name', /--drop FIELDS/, '--drop name'],
  ['--select rid name', /'name'; .* write .* a list with commas/, '--select rid,name'],
  ['--clip city.gpkg', /'municipalities'/, '--clip city.gpkg:municipalities'],
  ['--mask municipalities.gpkg', /--clip FILE/, '--clip municipalities.gpkg'],
  ['--buffer 25 --units m', /--buffer 25m/, '--buffer 25m'],
  ['--layer-name streets --delimiter ;', /--out-delimiter VALUE/, '--out-delimiter ;'],
  ['--out-layer-field class', /--out-/, '--out-geometry wkt'],
];

for (const [wrong, message, right] of corrections)
  test(`the message about ${wrong} leads to ${right}`, { skip }, async () => {
    assert.match(await refusal(`${ROADS} ${wrong}`), message);
    await geomill(`${ROADS} ${right}`);
    assert.ok((await oracle.read('roads.csv'))[0].features.length > 0);
  });

const others: readonly (readonly [wrong: string, message: RegExp, right: string])[] = [
  ['roads.gpkg --output other.gpkg', /geomill convert IN OUT/, 'roads.gpkg other.gpkg'],
  ['roads.gpkg .', /name a file in it/, 'roads.gpkg ./other.gpkg'],
  ['roads.gpkg other.gpkg -nln streets', /--layer-name NAME/, 'roads.gpkg other.gpkg --layer-name streets'],
  ['city.gpkg:roads other.gpkg', /add --layer roads/, 'city.gpkg other.gpkg --layer roads'],
  [
    'obs_01.zip obs_02.zip out',
    /add --out-dir DIR and --to FORMAT/,
    'obs_01.zip obs_02.zip --out-dir out --to gpkg',
  ],
  [
    'year.zip.files --out-dir out --to gpkg',
    /write a pattern/,
    "'year.zip.files/*.shp' --out-dir out --to gpkg",
  ],
  ['floorplan.dxf plan.gpkg', /--from-crs local/, 'floorplan.dxf plan.gpkg --from-crs local'],
  [
    'floorplan.dxf plan.geojson --from-crs local',
    /add --to-crs local .*add --out-geojson-crs requested/,
    'floorplan.dxf plan.geojson --from-crs local --to-crs local --out-geojson-crs requested',
  ],
];

for (const [wrong, message, right] of others)
  test(`the message about convert ${wrong} leads to convert ${right}`, { skip }, async () => {
    assert.match(await refusal(`convert ${wrong}`), message);
    await geomill(`convert ${right} --overwrite`);
  });

test('37: web Mercator in a GeoJSON is read with the flag that the message names', { skip }, async () => {
  const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [950_000, 7_000_000] } }; // biome-ignore format: one line
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } };
  writeFileSync('mercator.geojson', JSON.stringify({ type: 'FeatureCollection', crs, features: [point] }));
  assert.match(
    await refusal('convert mercator.geojson mercator.gpkg'),
    /crs member 'urn:ogc:def:crs:EPSG::3857'.* '--from-crs'/,
  );
  await geomill('convert mercator.geojson mercator.gpkg --from-crs EPSG:3857');
  const [{ epsg, features }] = await oracle.read('mercator.gpkg');
  assert.deepEqual([epsg, features[0].wkt], ['3857', 'POINT (950000 7000000)']);
});

const unreadable: readonly (readonly [name: string, content: string | Uint8Array, message: RegExp])[] = [
  ['places.gml', '<gml:FeatureCollection/>', /GML is not supported; convert it with 'ogr2ogr/],
  ['drawing.dxf', 'AC1027 and binary data', /it looks like a DWG/],
  ['drawing.dwg', 'AC1027 and binary data', /drawing\.dwg has 22 bytes, but the head ends at byte 236/],
  ['old.dwg', 'AC1009 and binary data', /a drawing of AutoCAD R11 or R12; DWG is read from R14/],
  ['empty.geojson', '', /empty \(0 bytes\)/],
  ['page.geojson', '<html><title>404</title></html>', /XML or HTML/],
  ['topology.geojson', '{"type":"Topology","objects":{},"arcs":[]}', /it looks like TopoJSON/],
  ['comma.geojson', '{"type":"FeatureCollection",\n"features":[],}', /comma.* \(line 2, column \d+\)/],
  ['quotes.geojson', "{'type': 'Point'}", /line 1, column 2/],
  ['nan.geojson', '{"type":"Point","coordinates":[NaN,\n1]}', /line 1, column 32/],
  ['cut.geojson', '{"type":"FeatureCollection","features":[\n{"type":"Fea', /line 2, column/],
  ['plan.rar', 'Rar!\x1a\x07\x00', /RAR archive is not supported; unpack it/],
  ['table.ods', 'PK', /save it as \.xlsx, or the sheet as CSV/],
];

for (const [name, content, message] of unreadable)
  test(`a file such as ${name} is refused with what it is and what to do`, { skip }, async () => {
    writeFileSync(name, content);
    assert.match(await refusal(`convert ${name} out.gpkg --from-crs 4326`), message);
  });
