/** MapInfo tables that GDAL writes are read as GDAL reads them, and GDAL reads the MIF files that are written here as what went in. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { readZipMembers } from '../../../test/support/zip-members.ts';
import { reader as mif } from '../src/mapinfo/read-mif.ts';
import { reader as tab } from '../src/mapinfo/read-tab.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'from osgeo import ogr']).status === 0;
const options = { skip: hasGdal ? false : 'python3-gdal is not installed' };

/** Tables with many rows, regions with more vertices than old versions have, and compressed objects; then what GDAL reads of all. */
const MAKE = `
import json, math, os, sys
from osgeo import gdal, ogr, osr
gdal.UseExceptions()
folder = sys.argv[1]
srs = osr.SpatialReference(); srs.ImportFromEPSG(25832)
def ring(x, y, r, n): return ','.join(f'{x + r * math.cos(6.283185307 * i / n):.3f} {y + r * math.sin(6.283185307 * i / n):.3f}' for i in list(range(n)) + [0])
rows = {
  'many': [(f'row {i}', i, i / 7, f'POINT ({500000 + i % 97 * 13.5} {5800000 + i // 97 * 9.25})') for i in range(5000)],
  'regions': [(f'region {i}', i, None, f'POLYGON (({ring(500000 + i * 300, 5800000, 100, 60)}),({ring(500000 + i * 300, 5800000, 40, 30)}))') for i in range(300)],
  'large': [('large', 1, 0.5, f'POLYGON (({ring(500000, 5800000, 10000, 40000)}))'), ('lines', 2, None, f'MULTILINESTRING (({ring(0, 0, 10, 33000)}),(0 0,1 1))')],
}
out = {}
for extension, options in (('tab', []), ('mif', ['FORMAT=MIF'])):
  for name, features in rows.items():
    path = os.path.join(folder, f'{name}.{extension}')
    source = ogr.GetDriverByName('MapInfo File').CreateDataSource(path, options)
    layer = source.CreateLayer(name, srs)
    for field, kind in (('name', ogr.OFTString), ('n', ogr.OFTInteger), ('size', ogr.OFTReal)): layer.CreateField(ogr.FieldDefn(field, kind))
    for text, n, size, wkt in features:
      feature = ogr.Feature(layer.GetLayerDefn()); feature['name'] = text; feature['n'] = n
      if size is not None: feature['size'] = size
      feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt)); layer.CreateFeature(feature)
    source = None
    layer = (source := ogr.Open(path)).GetLayer(0)
    out[f'{name}.{extension}'] = [[f['name'], f['n'], f['size'], f.GetGeometryRef().ExportToWkt()] for f in layer]
json.dump(out, open(os.path.join(folder, 'expected.json'), 'w'))
`;
const READ = `
import json, sys
from osgeo import gdal, ogr
gdal.UseExceptions()
layer = (source := ogr.Open(sys.argv[1])).GetLayer(0)
srs = layer.GetSpatialRef()
print(json.dumps({'projection': srs.GetAttrValue('PROJECTION'), 'fields': [layer.GetLayerDefn().GetFieldDefn(i).GetTypeName() for i in range(layer.GetLayerDefn().GetFieldCount())],
  'rows': [[None if (g := f.GetGeometryRef()) is None else g.ExportToWkt(), f.items()] for f in layer]}))
`;

function python(script: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', script, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Positions of a geometry in WKT, whatever its type. */
const numbersOf = (wkt: string): number[] => (wkt.match(/-?\d[\d.e+-]*/g) ?? []).map(Number);

test(
  'tables and MIF files of GDAL have the rows, values and positions that GDAL reads',
  options,
  async () => {
    using workspace = makeWorkspace();
    python(MAKE, workspace.path);
    const expected = JSON.parse(readFileSync(join(workspace.path, 'expected.json'), 'utf8')) as Record<
      string,
      [string, number, number | null, string][]
    >;
    for (const [name, rows] of Object.entries(expected)) {
      const reader = name.endsWith('.tab') ? tab : mif;
      for (const partitionBytes of [1 << 12, 1 << 24]) {
        const { layers } = await readFileLayers(reader, join(workspace.path, name), { partitionBytes });
        assert.equal(layers[0].rows.length, rows.length, name);
        for (const [i, { geometry, properties }] of layers[0].rows.entries()) {
          // GDAL reads a number that is not there as 0, as MapInfo does.
          const [text, n, size, wkt] = rows[i];
          assert.deepEqual([properties.name, properties.n, properties.size ?? 0], [text, n, size ?? 0], name);
          const [found, wanted] = [numbersOf(geometry ?? ''), numbersOf(wkt)];
          assert.equal(found.length, wanted.length, name);
          assert.ok(
            found.every((value, k) => Math.abs(value - wanted[k]) < 1e-6),
            name,
          );
        }
      }
    }
  },
);

test('GDAL reads a written MIF as what went in', options, async () => {
  using workspace = makeWorkspace();
  const features = [
    { type: 'Point', coordinates: [9, 53] },
    {
      type: 'LineString',
      coordinates: [
        [9, 53],
        [9.5, 53.5],
        [10, 53],
      ],
    },
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [9, 53],
          [9.5, 53.5],
        ],
        [
          [8, 53],
          [8.5, 53.5],
        ],
      ],
    },
    {
      type: 'Polygon',
      coordinates: [
        [
          [9, 53],
          [10, 53],
          [10, 54],
          [9, 54],
          [9, 53],
        ],
        [
          [9.2, 53.2],
          [9.2, 53.4],
          [9.4, 53.4],
          [9.4, 53.2],
          [9.2, 53.2],
        ],
      ],
    },
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [9, 53],
            [10, 53],
            [10, 54],
            [9, 53],
          ],
        ],
        [
          [
            [11, 53],
            [12, 53],
            [12, 54],
            [11, 53],
          ],
        ],
      ],
    },
    null,
  ].map((geometry, i) => ({
    type: 'Feature',
    properties: {
      name: `"Straße", ${i}\nzwei`,
      n: i,
      size: i / 3,
      yes: i % 2 === 0,
      day: '2024-02-29',
      at: '2024-02-29T12:30:15',
    },
    geometry,
  }));
  const given = join(workspace.path, 'given.geojson');
  writeFileSync(given, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(given, workspace.path, {
    from: 'geojson',
    to: 'mif',
    toCrs: 'EPSG:25832',
    outputName: 'out',
  });
  for (const { name, bytes } of await readZipMembers(readFileSync(outputPath)))
    writeFileSync(join(workspace.path, name), bytes);
  const path = join(workspace.path, 'out.mif');
  const read = JSON.parse(python(READ, path)) as {
    projection: string;
    fields: string[];
    rows: [string | null, Record<string, unknown>][];
  };
  assert.equal(read.projection, 'Transverse_Mercator');
  assert.equal(read.rows.length, features.length);
  const { layers } = await readFileLayers(mif, path);
  for (const [i, [wkt, values]] of read.rows.entries()) {
    const own = layers[0].rows[i];
    const [found, wanted] = [numbersOf(own.geometry ?? ''), numbersOf(wkt ?? '')];
    assert.equal(found.length, wanted.length);
    assert.ok(found.every((value, k) => Math.abs(value - wanted[k]) < 1e-6));
    assert.equal(values.name, features[i].properties.name);
    assert.equal(values.n, i);
    assert.ok(Math.abs((values.size as number) - i / 3) < 1e-12);
  }
});
