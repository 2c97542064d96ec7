/** Steps make no more positions of a layer than MAX_OUTPUT_FACTOR allows. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS as LIMITS } from '../../../test/support/limits.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { GeometryBuilder, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import type { Transformation, TransformationCode } from '../../operations/src/transformation.ts';
import { checkGrowth, FREE_POSITIONS, LayerGrowth } from '../src/growth.ts';

const step = { type: 'grow', path: 'transformations[0]' };
const refused = { code: 'OUTPUT_FACTOR_EXCEEDED', message: /MAX_OUTPUT_FACTOR/ };
const PLANE: ConvertOptions = {
  from: 'csv',
  to: 'csv',
  fromCrs: 'EPSG:3857',
  toCrs: 'EPSG:3857',
  threads: 1,
};

function csvOf(directory: string, rows: readonly string[]): string {
  const path = join(directory, 'in.csv');
  writeFileSync(path, `name,geom_wkt\n${rows.join('\n')}\n`);
  return path;
}

test('allows a number of positions whatever they are made of, and a factor beyond', () => {
  checkGrowth(step, 0, FREE_POSITIONS, 1);
  checkGrowth(step, FREE_POSITIONS, FREE_POSITIONS * 10, 10);
  assert.throws(() => checkGrowth(step, 1, FREE_POSITIONS + 1, 10), {
    ...refused,
    message: /^step grow \('transformations\[0\]'\) creates 5000001 positions from 1, more than 10 for each/,
  });
});

test('counts the batches of a layer together', () => {
  const growth = new LayerGrowth(2);
  const counts = { positionsIn: 1000, positionsOut: 1_000_000 };
  for (let i = 0; i < 5; i++) growth.add(0, step, counts);
  growth.add(1, step, counts);
  assert.throws(() => growth.add(0, step, counts), refused);
});

test('refuses a segment length that is much too short before it fills the memory', async () => {
  using workspace = makeWorkspace();
  const path = csvOf(workspace.path, ['a,"LINESTRING (0 0, 10000000 0)"']);
  const transformations = [{ type: 'segmentize', params: { max_length: 0.001, units: 'meters' } }];
  await assert.rejects(convertFile(path, workspace.path, { ...PLANE, transformations }), refused);
});

test('refuses steps that share the growth among them', async () => {
  using workspace = makeWorkspace();
  const path = csvOf(workspace.path, ['a,"LINESTRING (0 0, 10000000 0)"']);
  const transformations = [100_000, 1000, 10, 0.1].map((max_length) => ({
    type: 'segmentize',
    params: { max_length, units: 'meters' },
  }));
  await assert.rejects(convertFile(path, workspace.path, { ...PLANE, transformations }), {
    ...refused,
    message: /transformations\[3\]/,
  });
});

test('refuses batches that are too many together', async () => {
  using workspace = makeWorkspace();
  const padding = 'x'.repeat(300_000);
  const path = csvOf(
    workspace.path,
    Array.from({ length: 8 }, () => `${padding},"LINESTRING (0 0, 10000000 0)"`),
  );
  const transformations = [{ type: 'segmentize', params: { max_length: 10, units: 'meters' } }];
  await assert.rejects(convertFile(path, workspace.path, { ...PLANE, transformations }), refused);
});

test('refuses circles of too many vertices', async () => {
  using workspace = makeWorkspace();
  const path = csvOf(workspace.path, Array.from({ length: 3000 }, (_, i) => `a,POINT (${i * 100} 0)`)); // biome-ignore format: one line
  const params = { distance: 1, units: 'meters', quadrant_segments: 1000 };
  const options = { ...PLANE, transformations: [{ type: 'buffer', params }] };
  await assert.rejects(convertFile(path, workspace.path, options), refused);
});

/** A batch with one line of so many positions. */
function longLine(count: number): FeatureBatch {
  const builder = new GeometryBuilder('XY', 1, count);
  builder.reserve(count * 2);
  builder.coordinateLength = count * 2;
  builder.endRing();
  builder.endPart(PART_KIND.line);
  builder.endFeature(2);
  return { rowCount: 1, geometry: builder.finish(), fields: [], columns: [], ids: null };
}

function growing(code: TransformationCode): Transformation {
  return {
    id: 'grow',
    title: 'Grow',
    group: 'shape',
    summary: 'An example.',
    description: '',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    guarantees: [],
    longitudes: 'as written',
    usesGeometries: 'never',
    commandLine: null,
    load: async () => code,
  };
}

const KINDS: Readonly<Record<string, TransformationCode>> = {
  streaming: { kind: 'streaming', prepare: async () => () => longLine(FREE_POSITIONS + 1) },
  collecting: {
    kind: 'collecting',
    collect: async () => [longLine(FREE_POSITIONS + 1)],
    prepare: async () => () => ({ result: null, transfer: [] }),
  },
};

for (const [kind, code] of Object.entries(KINDS))
  test(`holds every ${kind} step to the factor, whatever it is`, async () => {
    using workspace = makeWorkspace();
    const path = csvOf(workspace.path, ['a,POINT (0 0)']);
    const options: ConvertOptions = {
      ...PLANE,
      transformations: [{ type: 'grow', params: {} }],
      registry: [growing(code)],
    };
    await assert.rejects(convertFile(path, workspace.path, options), refused);
    await assert.rejects(
      convertFile(path, workspace.path, { ...options, limits: { ...LIMITS, outputFactor: FREE_POSITIONS } }),
      refused,
    );
    const limits = { ...LIMITS, outputFactor: FREE_POSITIONS + 1 };
    await convertFile(path, workspace.path, { ...options, to: 'shp', limits });
  });
