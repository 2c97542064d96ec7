/** Definitions with a code that no authority has are read by their parameters, from every place that states a CRS. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../../test/support/convert.ts';
import { writeRawShapefile } from '../../../../test/support/raw-shapefile.ts';
import { Proj } from '../src/proj.ts';

const proj = await Proj.load({ gridDirectory: null });

const wgs84 = (id: string): string =>
  `GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]${id}]`;
const albers = (id: string, base = ''): string =>
  `PROJCS["USA_Contiguous_Albers_Equal_Area_Conic",GEOGCS["GCS_North_American_1983",DATUM["North_American_Datum_1983",SPHEROID["GRS_1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]${base}],PROJECTION["Albers_Conic_Equal_Area"],PARAMETER["False_Easting",0],PARAMETER["False_Northing",0],PARAMETER["longitude_of_center",-96],PARAMETER["Standard_Parallel_1",29.5],PARAMETER["Standard_Parallel_2",45.5],PARAMETER["latitude_of_center",37.5],UNIT["Meter",1]${id}]`;

test('parameters count where a code is unknown', () => {
  const utm = proj.describe('EPSG:25832', 'crs');
  const withId = (text: string, from: string, to: string): string => {
    assert.ok(text.includes(from), from);
    return text.replace(from, to);
  };
  const json = (id: unknown): string => JSON.stringify({ ...JSON.parse(utm.projjson as string), id });
  const base = (id: unknown): string => {
    const crs = JSON.parse(utm.projjson as string);
    return JSON.stringify({ ...crs, base_crs: { ...crs.base_crs, id } });
  };
  const cases: readonly (readonly [definition: string, authority: string | null, code: string])[] = [
    [albers(',AUTHORITY["EPSG","102003"]'), 'ESRI:102003', 'EPSG:102003'],
    [albers(',AUTHORITY["FOO","1"]'), 'ESRI:102003', 'FOO:1'],
    [albers(',AUTHORITY["ESRI","999999"]'), 'ESRI:102003', 'ESRI:999999'],
    [albers('', ',AUTHORITY["EPSG","999999"]'), 'ESRI:102003', 'EPSG:999999'],
    [
      albers(',AUTHORITY["FOO","1"]').replace('"longitude_of_center",-96', '"longitude_of_center",-97.5'),
      null,
      'FOO:1',
    ],
    [wgs84(',AUTHORITY["EPSG","104305"]'), 'EPSG:4326', 'EPSG:104305'],
    [withId(utm.wkt2 as string, 'ID["EPSG",25832]]', 'ID["EPSG",1025832]]'), 'EPSG:25832', 'EPSG:1025832'],
    [withId(utm.wkt2 as string, 'ID["EPSG",25832]]', 'ID["MINE","a-1","v2"]]'), 'EPSG:25832', 'MINE:a-1'],
    [json({ authority: 'EPSG', code: 102003 }), 'EPSG:25832', 'EPSG:102003'],
    [json({ authority: 'FOO', code: 'x' }), 'EPSG:25832', 'FOO:x'],
    [base({ authority: 'FOO', code: 7 }), 'EPSG:25832', 'FOO:7'],
    ['EPSG:102003', 'ESRI:102003', 'EPSG:102003'],
    ['EPSG:54004', 'ESRI:54004', 'EPSG:54004'],
    ['urn:ogc:def:crs:EPSG::102003', 'ESRI:102003', 'EPSG:102003'],
    ['http://www.opengis.net/def/crs/EPSG/0/102003', 'ESRI:102003', 'EPSG:102003'],
  ];
  for (const [definition, authority, code] of cases) {
    const found = proj.describe(definition, 'crs');
    assert.equal(found.authority && `${found.authority.name}:${found.authority.code}`, authority, definition);
    assert.equal(found.unknownCode, code, definition);
    const coordinates = Float64Array.of(-96, 37.5);
    const transformer = proj.transformer('EPSG:4326', definition);
    if (!transformer.isIdentity)
      transformer.transform(coordinates, 'XY', [-96, 37.5, -96, 37.5], { count: 1, at: () => 0 });
    assert.ok(coordinates.every(Number.isFinite), definition);
  }
});

test('known codes are not doubted, and codes without parameters stay errors', () => {
  for (const definition of [
    'EPSG:4326',
    'EPSG:25832',
    'ESRI:102003',
    'EPSG:7405',
    'EPSG:4979',
    'OGC:CRS84',
    'IGNF:LAMB93',
  ]) {
    const { wkt1, wkt2, projjson } = proj.describe(definition, 'crs');
    for (const text of [definition, wkt1, wkt2, projjson])
      if (text !== null) assert.equal(proj.describe(text, 'crs').unknownCode, undefined, text);
  }
  for (const definition of ['EPSG:999999', 'FOO:1', 'urn:ogc:def:crs:EPSG::999999', 'EPSG:4'])
    assert.throws(() => proj.describe(definition, 'crs'), { code: 'CRS_UNKNOWN' }, definition);
});

test('files of every format that states a CRS are read by its parameters', async () => {
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'in.csv');
  writeFileSync(source, 'lon,lat\n-96,37.5\n-100,40\n');
  const toCsv = { to: 'csv', toCrs: 'EPSG:4326', writeOptions: { decimals: 6 } };
  for (const format of ['gpkg', 'flatgeobuf', 'geoparquet', 'shp']) {
    let path: string;
    if (format === 'shp') {
      path = join(workspace.path, 'raw.zip');
      const prj = albers(',AUTHORITY["EPSG","102003"]');
      await writeRawShapefile(path, { fields: [['A', 'C', 1, 0]], rows: [['a']], prj });
    } else {
      const made = await convertFile(source, join(workspace.path, format), {
        ...{ from: 'csv', to: format, fromCrs: 'EPSG:4326', toCrs: 'ESRI:102003' },
      });
      path = made.outputPath;
      const bytes = readFileSync(path).toString('latin1');
      assert.ok(bytes.includes('ESRI'), format);
      writeFileSync(path, Buffer.from(bytes.replaceAll('ESRI', 'EPSG'), 'latin1'));
    }
    const { report, outputPath } = await convertFile(path, join(workspace.path, `${format}-csv`), {
      from: format,
      ...toCsv,
    });
    const found = report.warnings.filter(({ code }) => code === 'CRS_CODE_UNKNOWN');
    assert.deepEqual(
      found.map(({ params }) => [params.code, params.used]),
      [['EPSG:102003', 'ESRI:102003']],
      format,
    );
    if (format !== 'shp')
      assert.match(readFileSync(outputPath, 'utf8'), /POINT \(-96 37\.5\)[\s\S]*POINT \(-100 40\)/, format);
  }
});

test('a request with such a code is read likewise, and reported', async () => {
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'in.csv');
  writeFileSync(source, 'x,y\n0,0\n');
  const { report } = await convertFile(source, workspace.path, {
    ...{ from: 'csv', to: 'geojson', fromCrs: 'EPSG:102003' },
  });
  assert.ok(report.warnings.some(({ code }) => code === 'CRS_CODE_UNKNOWN'));
  await assert.rejects(
    convertFile(source, join(workspace.path, 'b'), { from: 'csv', to: 'geojson', fromCrs: 'EPSG:999999' }),
    {
      code: 'CRS_UNKNOWN',
    },
  );
});
