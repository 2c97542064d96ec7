/**
 * Clip and erase by masks in files of every format and several CRSs: the same features and areas as shapely, and in one CRS as
 * `ogr2ogr -clipsrc`, whose parcels at a shared border leave no slivers either.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { transformations } from '../../packages/operations/src/registry.ts';
import { checkedStep } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal =
  spawnSync(PYTHON, ['-c', 'import osgeo.ogr, shapely']).status === 0 &&
  spawnSync('ogr2ogr', ['--version']).status === 0;
const skip = hasGdal ? false : 'GDAL or shapely is not installed';

const workspace = makeWorkspace();
test.after(() => workspace[Symbol.dispose]());
const pathOf = (name: string): string => join(workspace.path, name);

type Box = readonly [west: number, south: number, east: number, north: number];

/** A GeoJSON of boxes of UTM 32, in the crs member that GDAL reads. */
function writeBoxes(name: string, boxes: readonly (readonly [object, Box])[]): string {
  const features = boxes.map(([properties, [w, s, e, n]]) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Polygon', coordinates: [[[w, s], [e, s], [e, n], [w, n], [w, s]]] }, // biome-ignore format: one line
  }));
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } };
  writeFileSync(pathOf(name), JSON.stringify({ type: 'FeatureCollection', crs, features }));
  return pathOf(name);
}

function ogr2ogr(...argv: readonly string[]): void {
  const done = spawnSync('ogr2ogr', argv, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

interface MaskFile {
  readonly path: string;
  readonly crs: string;
  readonly layer?: string;
  readonly where?: string;
}

const DISTRICTS = "name = 'A'";

/** The parcels, and masks that share borders with them or, in other CRSs, all but do. */
function makeFiles(): { readonly data: string; readonly masks: readonly MaskFile[] } {
  const parcels = writeBoxes(
    'parcels.geojson',
    Array.from({ length: 100 }, (_, i) => {
      const [x, y] = [471_000 + (i % 10) * 500, 5_933_000 + Math.floor(i / 10) * 500];
      return [{ parcel: i }, [x, y, x + 500, y + 500]] as const;
    }),
  );
  const whole = writeBoxes('whole.geojson', [[{ n: 1 }, [471_000, 5_933_000, 474_000, 5_938_000]]]);
  const districts = writeBoxes('districts.geojson', [
    [{ name: 'A' }, [471_000, 5_933_000, 472_300, 5_938_000]],
    [{ name: 'B' }, [472_300, 5_933_000, 474_000, 5_938_000]],
  ]);
  const data = pathOf('parcels.gpkg');
  ogr2ogr(data, parcels, '-nln', 'parcels');
  ogr2ogr(pathOf('whole.gpkg'), whole, '-nln', 'whole');
  ogr2ogr(pathOf('muni.gpkg'), districts, '-nln', 'districts');
  ogr2ogr('-update', pathOf('muni.gpkg'), whole, '-nln', 'whole');
  ogr2ogr('-f', 'ESRI Shapefile', pathOf('whole.shz'), whole);
  ogr2ogr('-t_srs', 'EPSG:4326', '-lco', 'COORDINATE_PRECISION=12', pathOf('degrees.geojson'), districts);
  ogr2ogr('-t_srs', 'EPSG:3857', pathOf('mercator.gpkg'), whole, '-nln', 'whole');
  const same = 'EPSG:25832';
  return {
    data,
    masks: [
      { path: pathOf('whole.gpkg'), crs: same },
      { path: pathOf('whole.shz'), crs: same },
      { path: pathOf('muni.gpkg'), crs: same, layer: 'districts' },
      { path: pathOf('muni.gpkg'), crs: same, layer: 'districts', where: DISTRICTS },
      { path: pathOf('degrees.geojson'), crs: 'EPSG:4326' },
      { path: pathOf('degrees.geojson'), crs: 'EPSG:4326', where: DISTRICTS },
      { path: pathOf('mercator.gpkg'), crs: 'EPSG:3857' },
    ],
  };
}

let made: ReturnType<typeof makeFiles> | undefined;
const files = (): ReturnType<typeof makeFiles> => {
  made ??= makeFiles();
  return made;
};

/** Areas by id of what a step leaves. */
async function areasLeft(
  data: string,
  { path, layer, where }: MaskFile,
  operation: string,
): Promise<Map<number, number>> {
  const record = transformations.find(({ id }) => id === operation)!;
  const parameters = {
    mask: path,
    ...(layer && { mask_layer: layer }),
    ...(where && { mask_filter: where }),
  };
  const step = checkedStep(record, parameters, `--${operation}`, transformations);
  const out = makeWorkspace();
  test.after(() => out[Symbol.dispose]());
  const { outputPath } = await convertFile(data, out.path, {
    from: 'gpkg',
    to: 'geojson',
    toCrs: 'EPSG:25832',
    writeOptions: { geojson_crs: 'requested' },
    transformations: [step],
    stepInputs: {
      [path]: { path, name: path.endsWith('.shz') ? 'whole.zip' : path.slice(path.lastIndexOf('/') + 1) },
    },
  });
  return areasIn(outputPath);
}

interface Parcels {
  readonly features: readonly {
    readonly properties: { readonly parcel: number };
    readonly geometry:
      | { readonly type: 'Polygon'; readonly coordinates: readonly Ring[] }
      | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Ring[])[] };
  }[];
}
type Ring = readonly (readonly [number, number])[];

function areasIn(path: string): Map<number, number> {
  const { features } = JSON.parse(readFileSync(path, 'utf8')) as Parcels;
  return new Map(
    features.map(({ properties: { parcel }, geometry: { type, coordinates } }) => {
      const polygons = type === 'Polygon' ? [coordinates] : coordinates;
      return [
        parcel,
        polygons.reduce(
          (sum, [shell, ...holes]) => holes.reduce((left, hole) => left - areaOf(hole), sum + areaOf(shell)),
          0,
        ),
      ];
    }),
  );
}

function areaOf(ring: Ring): number {
  const [[x, y]] = ring;
  const twice = ring
    .slice(1)
    .reduce((sum, [x2, y2], i) => sum + (ring[i][0] - x) * (y2 - y) - (x2 - x) * (ring[i][1] - y), 0);
  return Math.abs(twice) / 2;
}

test('masks of every format and CRS leave what shapely does', { skip }, async () => {
  const { data, masks } = files();
  const asks = masks.flatMap((mask) => ['clip', 'erase'].map((operation) => ({ mask, operation })));
  const judged = spawnSync(PYTHON, [join(import.meta.dirname, 'masks.py')], {
    encoding: 'utf8',
    input: asks
      .map(({ mask: { path, crs, layer = '', where = '' }, operation }) =>
        JSON.stringify({ data, mask: path, layer, where, crs, operation }),
      )
      .join('\n'),
  });
  assert.equal(judged.status, 0, judged.stderr);
  const answers = judged.stdout.trim().split('\n');
  for (const [i, { mask, operation }] of asks.entries()) {
    const what = `${operation} ${JSON.stringify(mask)}`;
    const left = await areasLeft(data, mask, operation);
    const expected = JSON.parse(answers[i]) as Record<string, number>;
    // The edges of a transformed mask are followed to 1 cm, over parcels of 500 m.
    const tolerance = mask.crs === 'EPSG:25832' ? 1e-6 : 0.01 * 2000;
    for (const [id, area] of Object.entries(expected))
      assert.ok(
        Math.abs((left.get(Number(id)) ?? 0) - area) <= tolerance,
        `${what}: ${id} is ${left.get(Number(id))}, not ${area}`,
      );
    for (const area of left.values()) assert.ok(area > 1e-3, `${what}: a sliver of ${area}`);
  }
});

test('coinciding parcels are 60 inside and 40 outside, with the areas of ogr2ogr -clipsrc', {
  skip,
}, async () => {
  const { data, masks } = files();
  const [mask] = masks;
  ogr2ogr(
    pathOf('ogr.geojson'),
    data,
    '-clipsrc',
    mask.path,
    '-nlt',
    'MULTIPOLYGON',
    '-lco',
    'COORDINATE_PRECISION=12',
  );
  const theirs = [...areasIn(pathOf('ogr.geojson'))].filter(([, area]) => area > 1e-6);
  const inside = await areasLeft(data, mask, 'clip');
  const outside = await areasLeft(data, mask, 'erase');
  assert.equal(inside.size, 60);
  assert.equal(outside.size, 40);
  assert.equal(theirs.length, 60);
  for (const [id, area] of theirs) assert.ok(Math.abs((inside.get(id) ?? 0) - area) < 1e-6, `${id}`);
});
