/**
 * Areas around a pole through every format that holds areas: judged by shapely (validity) and pyproj's geodesics (area). Skipped without
 * these.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isInputFormat, isOutputFormat } from '../../packages/formats/src/format.ts';
import { formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { inOrder, statedCrs, traitsOf } from '../support/formats.ts';
import { AREAS } from '../support/polar-areas.ts';

const PYTHON = '/usr/bin/python3';
const hasJudges = spawnSync(PYTHON, ['-c', 'import pyproj, shapely']).status === 0;
const skip = hasJudges ? false : 'pyproj or shapely is not installed';

/** Prints the validity, area and bounds of each feature of a GeoJSON file, and the area of its input in an equal-area plane. */
const JUDGE = `
import json, sys
from pyproj import Geod
from shapely import wkt
from shapely.geometry import shape
geod = Geod(ellps='WGS84')
def ring(coords):
    lon, lat = [p[0] for p in coords], [p[1] for p in coords]
    return abs(geod.polygon_area_perimeter(lon, lat)[0])
def area(g):
    if g.geom_type == 'Polygon':
        return ring(g.exterior.coords) - sum(ring(h.coords) for h in g.interiors)
    return sum(area(p) for p in getattr(g, 'geoms', []))
features = json.load(open(sys.argv[1]))['features']
inputs = json.load(open(sys.argv[2]))
print(json.dumps([[g.is_valid, area(g), wkt.loads(w).area, list(g.bounds)]
    for f, w in zip(features, inputs) for g in [shape(f['geometry'])]]))
`;

type Judgement = readonly [isValid: boolean, area: number, planar: number, bounds: readonly number[]];

function judged(workspace: string, output: string, inputs: readonly string[]): Judgement[] {
  const list = join(workspace, 'inputs.json');
  writeFileSync(list, JSON.stringify(inputs));
  const done = spawnSync(PYTHON, ['-c', JUDGE, output, list], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Judgement[];
}

/** Areas are polygons with holes, which tracks and drawings do not hold. */
const areaFormats = formats.filter(
  (format) =>
    isInputFormat(format) &&
    isOutputFormat(format) &&
    ['any', 'one kind', 'flat'].includes(traitsOf(format.id).roundTrip.geometries),
);

for (const { id } of areaFormats)
  for (const [pole, crs] of [
    ['north', 'EPSG:3571'],
    ['south', 'ESRI:102020'],
  ] as const)
    test(`areas around the ${pole} pole keep their area and are valid through ${id}`, { skip }, async () => {
      using workspace = makeWorkspace();
      const input = join(workspace.path, 'in.csv');
      const wkts = Object.values(AREAS);
      writeFileSync(input, `id,geom_wkt\n${wkts.map((wkt, i) => `${i},"${wkt}"\n`).join('')}`);
      const there = { from: 'csv', to: id, fromCrs: crs, toCrs: 'EPSG:4326', layerName: 'areas' };
      // In the order of the input, where the format can keep it.
      const writeOptions = { ...traitsOf(id).roundTrip.options, ...inOrder(id) };
      const written = await convertFile(input, workspace.path, { ...there, writeOptions });
      const readOptions = traitsOf(id).roundTrip.readOptions ?? {};
      const back = { from: id, to: 'geojson', fromCrs: statedCrs(id), outputName: 'back', readOptions };
      const { outputPath } = await convertFile(written.outputPath, workspace.path, back);
      const results = judged(workspace.path, outputPath, wkts);
      assert.equal(results.length, wkts.length);
      for (const [i, [isValid, area, planar, bounds]] of results.entries()) {
        const what = Object.keys(AREAS)[i];
        assert.ok(isValid, `${what} is valid`);
        assert.ok(Math.abs(area - planar) <= 0.01 * planar, `${what}: ${area} for ${planar}`);
        assert.ok(bounds[0] >= -180 && bounds[2] <= 180 && bounds[1] >= -90 && bounds[3] <= 90, what);
      }
    });
