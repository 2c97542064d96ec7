/**
 * On seeded features every transformation gives as many results of the same areas as shapely does with its GEOS. Left
 * out: simplify and point on surface, which newer versions of GEOS do otherwise.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { seededRandom } from '../../bench/data.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { buffer } from '../../packages/operations/src/buffer/record.ts';
import { centroid } from '../../packages/operations/src/centroid/record.ts';
import { clip } from '../../packages/operations/src/clip/record.ts';
import { convexHull } from '../../packages/operations/src/convex_hull/record.ts';
import { dissolve } from '../../packages/operations/src/dissolve/record.ts';
import { envelope } from '../../packages/operations/src/envelope/record.ts';
import { erase } from '../../packages/operations/src/erase/record.ts';
import type { Transformation } from '../../packages/operations/src/transformation.ts';
import { union } from '../../packages/operations/src/union/record.ts';
import { collectWith, layerOf, type Row, rowsOf } from '../support/collecting.ts';
import { runStep } from '../support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../support/wkt-column.ts';

const PYTHON = '/usr/bin/python3';
const hasShapely = spawnSync(PYTHON, ['-c', 'import shapely']).status === 0;
const skip = hasShapely ? false : 'python3-shapely is not installed';

const RELATIVE = 1e-9;

type Ask = readonly [operation: string, layer: string, parameters: object];
interface Answer {
  readonly areas?: readonly (number | null)[];
  readonly lengths?: readonly number[];
  readonly points?: readonly (readonly [number, number])[];
}

const layers: Record<string, readonly string[]> = {
  buildings: seeded(1, 600, (random) => ring(random, 60, 0.4)),
  dense: seeded(2, 400, (random) => ring(random, 20, 1.5)),
  spread: seeded(3, 400, (random) => ring(random, 60, 0.8)),
  roads: seeded(4, 200, walk),
};
const MASK = star(seededRandom(5), 1000);
const KEYS = Array.from({ length: 400 }, (_, i) => i % 7);

const bufferAsk = (layer: string, distance: number, join = 'round', cap = 'round', segments = 16): Ask => [
  'buffer',
  layer,
  { distance, join, cap, segments },
];
const maskText = `POLYGON ((${MASK.map((position) => position.join(' ')).join(', ')}))`;

const asks: readonly Ask[] = [
  bufferAsk('buildings', 0.3),
  bufferAsk('buildings', -0.1),
  bufferAsk('buildings', 0.5, 'mitre'),
  bufferAsk('buildings', 0.5, 'bevel', 'round', 4),
  bufferAsk('roads', 0.7),
  bufferAsk('roads', 0.7, 'round', 'flat'),
  bufferAsk('roads', 0.7, 'mitre', 'square', 2),
  ['clip', 'buildings', { mask: maskText }],
  ['erase', 'buildings', { mask: maskText }],
  ['clip', 'roads', { mask: maskText }],
  ['erase', 'roads', { mask: maskText }],
  ['union', 'dense', {}],
  ['union', 'spread', {}],
  ['dissolve', 'dense', { keys: KEYS }],
  ['dissolve', 'spread', { keys: KEYS }],
  ['centroid', 'buildings', {}],
  ['centroid', 'roads', {}],
  ['convex_hull', 'spread', {}],
  ['envelope', 'spread', {}],
];

const answers = hasShapely ? askShapely() : [];
const geos = await Geos.load();

asks.forEach(([operation, layer, parameters], i) => {
  const details = operation === 'buffer' ? ` ${JSON.stringify(parameters).replaceAll('"', '')}` : '';
  test(`${operation} of ${layer}${details}: same result as shapely`, {
    skip,
  }, async () => {
    const texts = layers[layer];
    const given = parameters as Record<string, unknown>;
    const answer = answers[i];
    if (operation === 'union' || operation === 'dissolve') await compareMerged(operation, texts, answer);
    else if (answer.points !== undefined) await comparePoints(texts, answer.points);
    else await compareEach(...stepOf(operation, given), texts, answer);
  });
});

/** The same step as a transformation. */
function stepOf(
  operation: string,
  given: Record<string, unknown>,
): [Transformation, Record<string, unknown>] {
  const maskGeojson = { type: 'Polygon', coordinates: [MASK] };
  switch (operation) {
    case 'buffer': {
      const { distance, join: joinStyle, cap, segments } = given;
      const styles = { join: joinStyle, end_cap: cap, quadrant_segments: segments };
      return [buffer, { distance, units: 'meters', ...styles }];
    }
    case 'clip':
      return [clip, { clipping_geojson: maskGeojson }];
    case 'erase':
      return [erase, { erasing_geojson: maskGeojson }];
    case 'convex_hull':
      return [convexHull, {}];
    default:
      return [envelope, {}];
  }
}

/** Every feature by itself, found again by its id; `areas` is null where nothing is left. */
async function compareEach(
  step: Transformation,
  parameters: Record<string, unknown>,
  texts: readonly string[],
  { areas = [], lengths }: Answer,
): Promise<void> {
  const { batch, rows } = await runStep(step, parameters, batchOfWkt(texts));
  const rowOf = new Map(rows.map(({ id }, row) => [Number(id) - 1, row]));
  const isLine = texts[0].startsWith('LINESTRING') && lengths !== undefined;
  for (let i = 0; i < texts.length; i++) {
    const row = rowOf.get(i);
    const expected = isLine ? lengths[i] || null : areas[i];
    if (row === undefined) {
      assert.equal(expected, null, `feature ${i + 1} is missing`);
      continue;
    }
    using geometry = geos.read(batch.geometry, row);
    assert.ok(geometry.isValid, `feature ${i + 1} is valid`);
    near(isLine ? geometry.length : geometry.area, expected, `feature ${i + 1}: ${texts[i].slice(0, 60)}`);
  }
}

async function compareMerged(operation: string, texts: readonly string[], { areas = [] }: Answer) {
  const layer = layerOf(
    texts.map((wkt, i): Row => ({ wkt, zone: KEYS[i] })),
    100,
  );
  const parameters = operation === 'union' ? {} : { by: ['zone'] };
  const { batches } = await collectWith(operation === 'union' ? union : dissolve, layer, parameters);
  const column = columnOfWkt(rowsOf(batches).map(({ wkt }) => wkt as string));
  const own = Array.from(column.types, (_, row) => {
    using geometry = geos.read(column, row);
    assert.ok(geometry.isValid);
    return geometry.area;
  });
  if (operation === 'union') own.sort((a, b) => a - b);
  assert.equal(own.length, areas.length);
  for (const [i, area] of own.entries()) near(area, areas[i], `result ${i + 1}`);
}

async function comparePoints(texts: readonly string[], points: readonly (readonly [number, number])[]) {
  const { coordinates } = (await runStep(centroid, {}, batchOfWkt(texts))).batch.geometry;
  for (const [i, [x, y]] of points.entries()) {
    assert.ok(Math.hypot(coordinates[2 * i] - x, coordinates[2 * i + 1] - y) < 1e-9, `feature ${i + 1}`);
  }
}

function near(actual: number, expected: number | null | undefined, what: string): void {
  assert.ok(typeof expected === 'number', `${what}: shapely leaves nothing, we leave ${actual}`);
  assert.ok(Math.abs(actual - expected) <= RELATIVE * expected, `${what}: ${actual} instead of ${expected}`);
}

function askShapely(): readonly Answer[] {
  const done = spawnSync(PYTHON, [join(import.meta.dirname, 'transformations_shapely.py')], {
    input: JSON.stringify({ features: layers, asks }),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Answer[];
}

function seeded(seed: number, count: number, make: (random: () => number) => string): readonly string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => make(random));
}

/** A polygon with 5 to 14 corners within `radius` of a place in the square of `half` around the origin. */
function ring(random: () => number, half: number, radius: number): string {
  const x = (random() * 2 - 1) * half;
  const y = (random() * 2 - 1) * half;
  const corners = 5 + Math.floor(random() * 10);
  const positions: string[] = [];
  for (let i = 0; i < corners; i++) {
    const angle = (i / corners) * 2 * Math.PI;
    const reach = radius * (0.5 + random() / 2);
    positions.push(`${x + reach * Math.cos(angle)} ${y + reach * Math.sin(angle)}`);
  }
  return `POLYGON ((${[...positions, positions[0]].join(', ')}))`;
}

function walk(random: () => number): string {
  let x = (random() * 2 - 1) * 60;
  let y = (random() * 2 - 1) * 60;
  const positions: string[] = [];
  for (let i = 0; i < 12; i++) {
    positions.push(`${x} ${y}`);
    x += (random() - 0.4) * 4;
    y += (random() - 0.4) * 4;
  }
  return `LINESTRING (${positions.join(', ')})`;
}

function star(random: () => number, corners: number): [number, number][] {
  const positions = Array.from({ length: corners }, (_, i): [number, number] => {
    const angle = (i / corners) * 2 * Math.PI;
    const reach = 30 + random() * 20;
    return [reach * Math.cos(angle), reach * Math.sin(angle)];
  });
  return [...positions, positions[0]];
}
