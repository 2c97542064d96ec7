/**
 * Law: each output geometry of a step is valid and has no part without an extent, or it is an input geometry that the step did not
 * change. A feature that the step reports as repaired is valid; a feature of which the repair leaves nothing is dropped and counted.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { readFileLayers } from '../support/read-layers.ts';
import { stepWithSource } from '../support/second-source.ts';
import { columnOfWkt } from '../support/wkt-column.ts';

const SQUARE = 'POLYGON ((0 0,10 0,10 10,0 10,0 0))';

/** Polygons of which a repair leaves nothing. */
const FLAT: Readonly<Record<string, string>> = {
  'a spike': 'POLYGON ((0 0,10 10,10 20,10 10,0 0))',
  'a spike within other features': 'POLYGON ((2 2,3 3,3 4,3 3,2 2))',
  'a ring on a line': 'POLYGON ((1 1,9 1,5 1,1 1))',
  'a ring on a point': 'POLYGON ((3 3,3 3,3 3,3 3))',
  'an edge there and back twice': 'POLYGON ((4 4,6 6,4 4,6 6,4 4))',
  'a multi polygon of spikes': 'MULTIPOLYGON (((1 1,2 2,1 1,1 1)),((5 5,9 9,9 12,9 9,5 5)))',
};
/** Invalid polygons of which a repair leaves something. */
const INVALID: Readonly<Record<string, string>> = {
  'a bow tie': 'POLYGON ((0 0,12 12,12 0,0 12,0 0))',
  'a square with a spike': 'POLYGON ((0 0,12 0,12 19,12 0,12 4,0 4,0 0))',
  'a multi polygon with a spike': 'MULTIPOLYGON (((0 0,14 0,14 4,0 4,0 0)),((6 6,17 17,6 6,6 6)))',
  'a hole outside': 'POLYGON ((0 0,14 0,14 4,0 4,0 0),(6 6,7 6,7 7,6 6))',
  'a hole that is a spike': 'POLYGON ((0 0,19 0,19 9,0 9,0 0),(2 2,3 3,4 4,2 2))',
  'overlapping parts': 'MULTIPOLYGON (((0 0,14 0,14 4,0 4,0 0)),((2 2,16 2,16 6,2 6,2 2)))',
};
/** Polygons that masks and sources have. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'across the features': [SQUARE],
  'around the features': ['POLYGON ((-50 -50,50 -50,50 50,-50 50,-50 -50))'],
  'beside the features, in their boxes': [
    'POLYGON ((19 -1,20 -1,20 0.5,19 -1))',
    'POLYGON ((-1 3,0.5 19,-1 19,-1 3))',
  ],
  'a spike beside a square': [FLAT['a spike'], SQUARE],
};

type Step = Readonly<Record<string, unknown>>;
/** All transformations that repair geometries; those with `on` are run with each of the sources as that parameter. */
const STEPS: Readonly<Record<string, readonly Step[]>> = {
  buffer: [
    { distance: 1, units: 'meters' },
    { distance: -0.1, units: 'meters' },
  ],
  clip: [{ on: 'clipping_geojson' }],
  dissolve: [{}, { by: ['id'] }],
  erase: [{ on: 'erasing_geojson' }],
  make_valid: [{}, { method: 'linework' }],
  overlay: ['intersection', 'identity', 'union', 'symmetric_difference'].map((how) => ({
    how,
    on: 'source',
  })),
  simplify: [
    { tolerance: 0.5, units: 'meters' },
    { tolerance: 0.5, units: 'meters', preserve_topology: false },
  ],
  simplify_coverage: [{ tolerance: 0.5, units: 'meters' }],
  union: [{}],
};
/** Transformations whose text mentions repairs although their geometries are as in the input. */
const UNCHANGED = ['check', 'point_on_surface', 'snap', 'spatial_join'];

const FEATURES = Object.entries({ ...FLAT, ...INVALID, 'a square': SQUARE });

const csvOf = (geometries: readonly string[]): string =>
  `id,geom_wkt\n${geometries.map((wkt, i) => `${i},"${wkt}"\n`).join('')}`;

interface Output {
  readonly rows: readonly { readonly id: unknown; readonly wkt: string }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly dropped: number;
}

async function run(type: string, step: Step, source: readonly string[]): Promise<Output> {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, csvOf(FEATURES.map(([, wkt]) => wkt)));
  const file = join(workspace.path, 'source.csv');
  writeFileSync(file, csvOf(source).replace('id,', 'other,'));
  const { on, ...params } = step;
  const part = on === 'source' ? 'source' : 'mask';
  const named = on === undefined ? {} : { [part]: file, [`${part}_crs`]: 'EPSG:3857' };
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'csv',
    to: 'csv',
    fromCrs: 'EPSG:3857',
    toCrs: 'EPSG:3857',
    transformations: [stepWithSource(type, { ...params, ...named })],
    stepInputs: { [file]: { path: file, name: 'source.csv' } },
  });
  const reader = await inputFormatById('csv', 'test').loadReader();
  const { layers } = await readFileLayers(reader, outputPath, { options: {} });
  return {
    rows: layers[0].rows.map(({ geometry, properties }) => ({ id: properties.id, wkt: String(geometry) })),
    counts: Object.fromEntries(report.warnings.map(({ code, count }) => [code, count])),
    dropped: report.features.dropped,
  };
}

test('all transformations that repair geometries are tested', () => {
  const repairing = transformations.filter(({ guarantees, description }) =>
    /\brepair/i.test([description, ...guarantees].join(' ')),
  );
  for (const { id } of repairing) assert.ok(Object.hasOwn(STEPS, id) || UNCHANGED.includes(id), id);
});

const plain = (wkt: string): string => wkt.replaceAll(/\s*([(),])\s*/g, '$1');

for (const [type, steps] of Object.entries(STEPS))
  for (const step of steps)
    for (const [what, source] of step.on === undefined ? [['', []] as const] : Object.entries(SOURCES))
      test(`${type} ${JSON.stringify(step)} ${what}: results are valid and have no empty parts`, async () => {
        const geos = await Geos.load();
        const { rows, counts, dropped } = await run(type, step, source);
        const kept = new Set<unknown>();
        const changed = new Set<unknown>();
        for (const { id, wkt } of rows) {
          const column = columnOfWkt([wkt]);
          using geometry = geos.read(column, 0);
          const isInput = FEATURES.some(([, given]) => plain(given) === plain(wkt));
          kept.add(id);
          if (!isInput) changed.add(id);
          const [name] = FEATURES[Number(id)] ?? ['a feature of the source'];
          assert.ok(geometry.isValid || (isInput && type !== 'make_valid'), `${name} became ${wkt}`);
          assert.ok(!/EMPTY/.test(wkt), `${name} became ${wkt}`);
        }
        if (type === 'dissolve' || type === 'union') return;
        kept.delete(null);
        assert.equal(dropped, FEATURES.length - kept.size, 'features that are not in the output are counted');
        const repaired = counts.GEOMETRY_REPAIRED ?? 0;
        assert.ok(
          repaired <= changed.size,
          `${repaired} are reported as repaired, ${changed.size} are changed`,
        );
      });
