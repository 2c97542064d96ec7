/** What steps make of features across 180 degrees, judged by shapely in longitudes of 0 to 360, and by pyproj on the ellipsoid. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { transformations } from '../../packages/operations/src/registry.ts';
import { checkedStep } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const PYTHON = '/usr/bin/python3';
const hasShapely = spawnSync(PYTHON, ['-c', 'import shapely, pyproj']).status === 0;
const options = { skip: hasShapely ? false : 'python3 with shapely and pyproj is not installed' };

const JUDGE = `
import json, sys
import shapely
from shapely.geometry import shape
from shapely.ops import transform, unary_union
from pyproj import Geod

def far(x, y, z=None):
    return (tuple(v % 360 for v in x), y)

def plane(geometry):
    # Parts one by one: shapely moves positions, and a part that ends at 0 is not here.
    return unary_union([transform(lambda x, y: ([v % 360 for v in x], y), one) for one in getattr(shape(geometry), 'geoms', [shape(geometry)])])

before = [f['geometry'] for f in json.load(open(sys.argv[1]))['features']]
after = [f for f in json.load(open(sys.argv[2]))['features']]
step = sys.argv[3]
own = [plane(g) for g in before]
made = [plane(f['geometry']) for f in after]
errors = []
def same(name, a, b, tolerance=1e-6):
    if a.symmetric_difference(b).area > tolerance or a.hausdorff_distance(b) > tolerance:
        errors.append((name, a.wkt[:300], b.wkt[:300]))
if step == 'segmentize':
    geod = Geod(ellps='WGS84')
    for one in made:
        for line in getattr(one, 'geoms', [one]):
            c = list(line.coords)
            for (x1, y1), (x2, y2) in zip(c, c[1:]):
                length = geod.inv(x1, y1, x2, y2)[2]
                if length > 100000.001: errors.append(('length', length))
    for a, b in zip(own, made): same('line', a, b)
elif step in ('union',):
    same('union', unary_union(own), unary_union(made))
    if len(made) != 1: errors.append(('count', len(made)))
else:
    for a, b in zip(own, made):
        want = {'centroid': lambda g: g.centroid, 'convex_hull': lambda g: g.convex_hull, 'envelope': lambda g: g.envelope}.get(step)
        if want is not None: same(step, want(a), b)
        elif not a.buffer(1e-9).contains(b): errors.append((step, a.wkt, b.wkt))
print(json.dumps(errors))
`;

const AREAS = [
  {
    type: 'Polygon',
    coordinates: [
      [
        [-179.37, 60.37],
        [173.1, 60.19],
        [172.07, 63.5],
        [-179.27, 63.72],
        [-179.37, 60.37],
      ],
    ],
  },
  {
    type: 'Polygon',
    coordinates: [
      [
        [-185, 55],
        [-170, 55],
        [-171, 62],
        [-183, 61.5],
        [-185, 55],
      ],
    ],
  },
  {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [165, 58],
          [180, 57],
          [180, 61],
          [166, 62],
          [165, 58],
        ],
      ],
      [
        [
          [-180, 57],
          [-172, 56],
          [-174, 61.5],
          [-180, 61],
          [-180, 57],
        ],
      ],
    ],
  },
];
const LINES = [
  {
    type: 'LineString',
    coordinates: [
      [170, 10],
      [-170, 10],
    ],
  },
  {
    type: 'MultiLineString',
    coordinates: [
      [
        [140, 35],
        [180, 40],
      ],
      [
        [-180, 40],
        [-118, 34],
      ],
    ],
  },
];

for (const [type, params, geometries] of [
  ['centroid', {}, AREAS],
  ['convex_hull', {}, [...AREAS, ...LINES.slice(1)]],
  ['envelope', {}, AREAS],
  ['point_on_surface', {}, AREAS],
  ['segmentize', { max_length: 100, units: 'kilometers' }, LINES],
  ['union', {}, AREAS],
] as const)
  test(`${type} of features across 180 degrees is that of shapely`, options, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.geojson');
    const features = geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry }));
    writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
    const record = transformations.find(({ id }) => id === type);
    assert.ok(record);
    const { outputPath } = await convertFile(input, workspace.path, {
      from: 'geojson',
      to: 'geojson',
      threads: 1,
      transformations: [checkedStep(record, { ...params }, 'step', transformations)],
    });
    assert.ok(readFileSync(outputPath, 'utf8').length > 0);
    const judged = spawnSync(PYTHON, ['-c', JUDGE, input, outputPath, type], { encoding: 'utf8' });
    assert.equal(judged.status, 0, judged.stderr);
    assert.deepEqual(JSON.parse(judged.stdout), []);
  });
