/** What is said of the coordinates of a file that states no CRS: what they could be in, and never that they are. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { onePoint } from '../../../test/support/raw-shapefile.ts';
import type { Bounds } from '../../core/src/geometry/bounds.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import type { SourceLayer } from '../../formats/src/reader.ts';
import { crsAdvice, GRIDS, NO_ADVICE, WEB_MERCATOR, wantsAdvice } from '../src/crs-advice.ts';
import { CrsService } from '../src/crs-service.ts';

const crs = new CrsService(null);
await crs.prepare(GRIDS);

const said = (extent: Bounds): string => {
  const { extent: coordinates, candidates } = crsAdvice({ statedExtent: extent }, crs);
  return coordinates + candidates;
};

test('every system of the list has an extent, and is a candidate for what lies in the middle of it', () => {
  for (const code of [...GRIDS, WEB_MERCATOR]) {
    const bounds = crs.extentOf(code);
    assert.ok(bounds !== null, code);
    assert.ok(bounds.every(Number.isFinite), code);
    const [x, y] = [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2];
    assert.match(said([x, y, x + 1000, y + 1000]), /could be in EPSG:/, code);
  }
});

test('coordinates that fit degrees are said to be so only if they are', () => {
  assert.match(
    said([5.9, 47.3, 15, 55]),
    /fit longitude and latitude: if they are degrees, state EPSG:4326$/,
  );
  assert.match(said([0, 0, 1, 1]), /longitude and latitude, or a local plan: if they are degrees/);
});

test('systems of many people in a small area come first, and the others are few', () => {
  assert.match(said([110_000, 450_000, 160_000, 520_000]), /could be in EPSG:28992/);
  assert.match(said([2_600_000, 1_200_000, 2_650_000, 1_210_000]), /could be in EPSG:2056/);
  const { suggestions } = crsAdvice({ statedExtent: [530_000, 180_000, 531_190, 180_710] }, crs);
  assert.ok(suggestions.split('\n').includes('EPSG:27700 OSGB36 / British National Grid'), suggestions);
  assert.match(said([600_000, 6_600_000, 700_000, 6_700_000]), /EPSG:2154.* a UTM zone/);
  for (const extent of [
    [420_000, 5_500_000, 600_000, 5_700_000],
    [1e6, 6e6, 1.6e6, 7.2e6],
    [1e5, 1e5, 9e5, 2e5],
  ]) {
    const advice = crsAdvice({ statedExtent: extent as Bounds }, crs);
    assert.ok((advice.candidates.match(/EPSG:/g) ?? []).length <= 5, advice.candidates);
    for (const text of [advice.extent, advice.candidates]) assert.ok(text.length <= 200, text);
    assert.ok(advice.suggestions.split('\n').length <= 5);
  }
  assert.match(said([9e8, 9e8, 9.1e8, 9.1e8]), /no widely used system holds them/);
});

test('a head that says nothing is passed over', () => {
  for (const extent of [
    [0, 0, 0, 0],
    [1, 1, 0, 0],
    [Number.NaN, 0, 1, 1],
    [-1e308, 0, Number.POSITIVE_INFINITY, 1],
  ])
    assert.deepEqual(crsAdvice({ statedExtent: extent as Bounds }, crs), NO_ADVICE);
  assert.deepEqual(crsAdvice({ statedExtent: null }, crs), NO_ADVICE);
  assert.equal(
    wantsAdvice({ crs: null, statedExtent: [1e5, 1e5, 2e5, 2e5] } as unknown as SourceLayer),
    true,
  );
  assert.equal(wantsAdvice({ crs: null, statedExtent: null } as unknown as SourceLayer), false);
});

const TO_WGS84 = { to: 'geojson', fromCrs: null, toCrs: 'EPSG:4326' } as const;

async function refusedWith(conversion: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(conversion, (error) => {
    assert.ok(error instanceof GeomillError);
    assert.equal(error.code, 'CRS_MISSING');
    assert.match(error.message, message);
    return true;
  });
}

test('a shapefile without .prj is refused with what its coordinates could be in', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'points.shp');
  const refusals: [x: number, y: number, message: RegExp][] = [
    [155_000, 463_000, /EPSG:28992/],
    [9, 50, /if they are degrees, state EPSG:4326/],
  ];
  for (const [x, y, message] of refusals) {
    writeFileSync(path, onePoint(x, y));
    await refusedWith(convertFile(path, workspace.path, { ...TO_WGS84, from: 'shp' }), message);
  }
});

const GPKG_TABLE = `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO t VALUES (1, ${pointBlob(155_000, 463_000)});`;
const LISTED =
  "INSERT INTO gpkg_contents (table_name, data_type, srs_id, min_x, min_y, max_x, max_y) VALUES ('t', 'features'";
const SPATIAL_COLUMN = "INSERT INTO gpkg_geometry_columns VALUES ('t', 'geom', 'POINT'";

test('a GeoPackage layer without a usable CRS is refused with what its coordinates could be in', async () => {
  using workspace = makeWorkspace();
  const refusals: [name: string, srsId: number, extent: string, message: RegExp][] = [
    ['cartesian', -1, '155000, 463000, 155000, 463000', /srs_id is -1.*could be in .*EPSG:28992/],
    ['geographic', 0, '9, 50, 10, 51', /srs_id is 0.*if they are degrees, state EPSG:4326/],
    ['nonsense', 777, '155000, 463000, 155000, 463000', /cannot be used.*could be in .*EPSG:28992/],
    ['silent', -1, 'NULL, NULL, NULL, NULL', /srs_id is -1.*could be in .*EPSG:28992/],
    ['texts', -1, "'a', 'b', 'c', 'd'", /srs_id is -1.*could be in .*EPSG:28992/],
  ];
  for (const [name, srsId, extent, message] of refusals) {
    const sql = `${GPKG_TABLE} ${LISTED}, ${srsId}, ${extent}); ${SPATIAL_COLUMN}, ${srsId}, 0, 0);
      INSERT INTO gpkg_spatial_ref_sys VALUES ('Mine', 777, 'NONE', 777, 'PROJCS["nothing"]', NULL);`;
    const path = writeRawGeopackage(join(workspace.path, `${name}.gpkg`), { sql, layers: [] });
    await refusedWith(convertFile(path, workspace.path, { ...TO_WGS84, from: 'gpkg' }), message);
  }
});
