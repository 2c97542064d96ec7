/** Converting GeoPackage to GeoPackage loses nothing, and several layers are handled as the target requires. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../packages/formats/src/gpkg/read.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { pointBlob, writeRawGeopackage } from '../support/raw-gpkg.ts';
import { type ReadLayer, readFileLayers } from '../support/read-layers.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'gpkg');

async function layersOf(path: string): Promise<readonly ReadLayer[]> {
  return (await readFileLayers(reader, path)).layers;
}

function plain({ source, fields, rows }: ReadLayer): unknown {
  return { name: source.name, fields, rows };
}

/** The fixture, and the content of the GeoPackage made from it. */
async function thereAndBack(name: string, workspace: string, toCrs: string | null = null) {
  const path = join(FOLDER, `${name}.gpkg`);
  const { outputPath, report } = await convertFile(path, workspace, { from: 'gpkg', to: 'gpkg', toCrs });
  return { given: await layersOf(path), found: await layersOf(outputPath), report };
}

const kept: Readonly<Record<string, string>> = {
  geometries: 'every geometry type with Z, M and both, the empty ones and NULL',
  types: 'every column type, with int64 beyond 2^53, blobs, dates, times in UTC and NULL',
  names: 'names of layers and fields, whatever they hold',
  index: 'layers in their order, one without rows',
  utf16: 'texts of a database in UTF-16',
};

for (const [name, what] of Object.entries(kept)) {
  test(`a GeoPackage of a GeoPackage keeps ${what}`, async () => {
    using workspace = makeWorkspace();
    const { given, found } = await thereAndBack(name, workspace.path);
    assert.deepEqual(found.map(plain), given.map(plain));
  });
}

test('a GeoPackage of a GeoPackage keeps negative, sparse and 64-bit ids, and reports a generated one', async () => {
  using workspace = makeWorkspace();
  const { given, found, report } = await thereAndBack('fids', workspace.path);
  assert.deepEqual(found[0].rows.slice(0, -1), given[0].rows.slice(0, -1));
  // 2^63 - 1 would leave no number for a row that is added later.
  assert.deepEqual(found[0].rows.at(-1)?.properties, given[0].rows.at(-1)?.properties);
  assert.deepEqual(
    report.warnings.map(({ code, count }) => [code, count]),
    [['FID_REASSIGNED', 1]],
  );
});

for (const [datetimes, expected] of [
  ['keep', ['2024-02-29T23:30:00.000-02:00', '2024-03-01T05:00:00.250+05:30', '2024-02-29T10:00:00.123']],
  ['utc', ['2024-03-01T01:30:00.000Z', '2024-02-29T23:30:00.250Z', '2024-02-29T10:00:00.123Z']],
] as const) {
  test(`times with an offset and without a zone are preserved, or converted to UTC on request: ${datetimes}`, async () => {
    using workspace = makeWorkspace();
    const path = writeRawGeopackage(join(workspace.path, 'zones.gpkg'), {
      sql: `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, at DATETIME);
        INSERT INTO t VALUES (1, ${pointBlob(1, 2)}, '2024-02-29T23:30:00-02:00'), (2, NULL, '2024-03-01T05:00:00.25+05:30'),
          (3, NULL, '2024-02-29T10:00:00.123'), (4, NULL, '0001-01-01T00:00:00Z');`,
      layers: ['t'],
    });
    const writeOptions = { datetimes };
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'gpkg',
      to: 'gpkg',
      writeOptions,
    });
    const [{ rows }] = await layersOf(outputPath);
    assert.deepEqual(
      rows.map(({ properties }) => properties.at),
      [...expected, '0001-01-01T00:00:00.000Z'],
    );
  });
}

/** Longitude and latitude of the first point of each layer of crs-three; from GDAL's `gdaltransform`. */
const FIRST_POINTS = { geographic: [9, 45], utm: [9, 45.153477], web: [8.983153, 44.863131] } as const;

for (const [toCrs, expectedCrs] of [
  [null, 'EPSG:4326'],
  ['EPSG:25833', 'EPSG:25833'],
] as const) {
  test(`three layers of three systems stay separate in a GeoPackage, all in ${expectedCrs}`, async () => {
    using workspace = makeWorkspace();
    const { found, report } = await thereAndBack('crs-three', workspace.path, toCrs);
    assert.equal(report.features.written, 9);
    assert.deepEqual(
      found.map(({ source, rows }) => [source.name, source.crs, rows.length]),
      [
        ['geographic', expectedCrs, 3],
        ['utm', expectedCrs, 3],
        ['web', expectedCrs, 3],
      ],
    );
    if (toCrs === null) assert.equal(found[0].rows[0].geometry, 'POINT (9 45)');
  });
}

test('merges three layers of three systems in a GeoJSON, with a field that names the layer', async () => {
  using workspace = makeWorkspace();
  const { outputPath, report } = await convertFile(join(FOLDER, 'crs-three.gpkg'), workspace.path, {
    from: 'gpkg',
    to: 'geojson',
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as {
    features: {
      properties: { layer: keyof typeof FIRST_POINTS; name: string };
      geometry: { coordinates: number[] };
    }[];
  };
  assert.deepEqual(
    features.map(({ properties }) => properties.name.replace(/ \d$/, '')),
    features.map(({ properties }) => properties.layer),
  );
  for (const [i, [layer, [x, y]]] of Object.entries(FIRST_POINTS).entries()) {
    const { properties, geometry } = features[i * 3];
    assert.equal(properties.layer, layer);
    assert.ok(
      Math.abs(geometry.coordinates[0] - x) < 1e-6 && Math.abs(geometry.coordinates[1] - y) < 1e-6,
      layer,
    );
  }
  assert.ok(report.warnings.some(({ code }) => code === 'LAYERS_JOINED'));
});

test('converts one requested layer of several', async () => {
  using workspace = makeWorkspace();
  const { outputPath } = await convertFile(join(FOLDER, 'crs-three.gpkg'), workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    layers: ['utm'],
  });
  const found = await layersOf(outputPath);
  assert.deepEqual(
    found.map(({ source }) => source.name),
    ['utm'],
  );
});
