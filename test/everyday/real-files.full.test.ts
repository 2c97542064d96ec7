/** Real files, converted by the first command that one tries, hold what ogr2ogr makes of them. Skipped where the files are not present. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import test from 'node:test';
import { assertClose, geomill, type Oracle, refusal, skip, startOracle } from './job.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');
const skipped = skip !== false ? skip : existsSync(CORPUS) ? false : 'the files are not present';

const oracle = skipped === false ? await startOracle() : (null as unknown as Oracle);
test.after(() => oracle?.close());

for (const [n, path] of [
  'gpkg/gpkg-rd/dutch_addresses_28992.gpkg',
  'gpkg/gpkg-holes/multipleholes.gpkg',
  'geojson/gj-ne-places/ne_110m_populated_places_simple.geojson',
  'shp/shp-nc-nad27/nc.zip',
  'shp/shp-two-layers/two-layers.zip',
].entries())
  test(`${path} becomes the GeoPackage of ogr2ogr`, { skip: skipped }, async () => {
    const input = join(CORPUS, path);
    const output = `out-${n}.gpkg`;
    // The second layer of one file states WGS 84 for positions in another unit.
    await geomill(`convert ${input} ${output} --accept-impossible-coordinates`);
    const source = extname(path) === '.zip' ? `/vsizip/${input}` : input;
    const expected = await oracle.ogr2ogr(`gdal-${n}.gpkg`, source);
    const layers = await oracle.read(output);
    assert.deepEqual(
      layers.map(({ name, epsg, features }) => [name, epsg, features.length]).sort(),
      expected.map(({ name, epsg, features }) => [name, epsg, features.length]).sort(),
    );
    for (const layer of layers) {
      const other = expected.find(({ name }) => name === layer.name);
      for (const [i, { area = 0, values }] of layer.features.entries()) {
        assertClose(area, other?.features[i].area ?? 0, 1e-9 * Math.max(1, area));
        for (const [name, value] of Object.entries(values)) {
          const known = other?.features[i].values[name];
          assert.equal(String(value), String(known), `${name} of feature ${i}`);
        }
      }
    }
  });

test('volcanoes in a CSV are points as ogr2ogr reads the columns', { skip: skipped }, async () => {
  const input = join(CORPUS, 'csv-xy/names-volcano-data-2010/volcano_data_2010.csv');
  await geomill(`convert ${input} volcanoes.gpkg`);
  const [{ epsg, features }] = await oracle.read('volcanoes.gpkg');
  assert.equal(epsg, '4326');
  const rows = await oracle.rows(input, 'SELECT Longitude, Latitude FROM volcano_data_2010');
  assert.deepEqual(
    features.map(({ wkt }) => wkt?.match(/-?[\d.]+/g)?.map(Number)),
    rows.map((row) => row.map(Number)),
  );
});

test('a real floor plan is offered local coordinates and keeps them', { skip: skipped }, async () => {
  const input = join(CORPUS, 'dxf/dxf-floorplan/floorplan.dxf');
  assert.match(await refusal(`convert ${input} plan.gpkg`), /--from-crs local/);
  await geomill(`convert ${input} plan.gpkg --from-crs local`);
  // A text can be placed at either of its two positions.
  const drawn = "SubClasses NOT LIKE '%Text%'";
  const extent = 'min(ST_MinX(G)), min(ST_MinY(G)), max(ST_MaxX(G)), max(ST_MaxY(G))';
  const [found] = await oracle.rows(
    'plan.gpkg',
    `SELECT ${extent.replaceAll('G', 'geom')} FROM floorplan WHERE ${drawn}`,
  );
  const [expected] = await oracle.rows(
    input,
    `SELECT ${extent.replaceAll('G', 'geometry')} FROM entities WHERE ${drawn}`,
  );
  for (const [i, edge] of expected.entries()) assertClose(found[i] as number, edge as number, 1e-6);
  assert.equal((await oracle.read('plan.gpkg'))[0].epsg, null);
});
