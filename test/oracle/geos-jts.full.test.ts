/** The engine, and the transformations made of it, give what the test cases of JTS expect. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GEOMETRY_TYPE, GeometryBuilder } from '../../packages/core/src/geometry/geometry-column.ts';
import type { GeosGeometry } from '../../packages/engines/geos/src/geometry.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { buffer } from '../../packages/operations/src/buffer/record.ts';
import { clip } from '../../packages/operations/src/clip/record.ts';
import { erase } from '../../packages/operations/src/erase/record.ts';
import { union } from '../../packages/operations/src/union/record.ts';
import { collectWith, layerOf, rowsOf } from '../support/collecting.ts';
import { runStep } from '../support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../support/wkt-column.ts';

interface OverlayCase {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly intersection?: string;
  readonly union?: string;
  readonly difference?: string;
  readonly reverseDifference?: string;
  readonly symmetricDifference?: string;
}

interface BufferCase {
  readonly name: string;
  readonly a: string;
  readonly buffers: readonly (readonly [number, string])[];
}

const OPERATIONS = [
  'intersection',
  'union',
  'difference',
  'reverseDifference',
  'symmetricDifference',
] as const;

const STRICT = 'JTS asks its strict mode, which leaves out parts of lower dimension';

/** "operation: name" of cases that are not met, each with the reason; the list is to shrink. */
const EXPECTED_FAILURES: ReadonlyMap<string, string> = new Map([
  ['intersection: simple touching in a line and a point', STRICT],
  ['intersection: simple overlapping and touching in a line', STRICT],
  ['intersection: overlapping with adjacent and overlapping holes', STRICT],
  ['unary union: invalid: a part that collapses on whole numbers', 'JTS rounds to whole numbers there'],
]);

function casesOf<Case>(file: string): readonly Case[] {
  const path = join(import.meta.dirname, '..', 'fixtures', 'jts', file);
  return (JSON.parse(readFileSync(path, 'utf8')) as { cases: readonly Case[] }).cases;
}

const areas = casesOf<OverlayCase>('overlay-areas.json');
const linesAndAreas = casesOf<OverlayCase>('overlay-lines-areas.json');
const unary = casesOf<{ readonly name: string; readonly a: string; readonly union: string }>(
  'unary-union.json',
);
const buffers = casesOf<BufferCase>('buffers.json');

const geos = await Geos.load();

function check(name: string, run: () => void | Promise<void>): void {
  const reason = EXPECTED_FAILURES.get(name);
  test(name, async () => {
    const before = geos.liveCount;
    if (reason === undefined) await run();
    else await assert.rejects(async () => run(), `passes now: take it from the list (${reason})`);
    // A mask lives as long as its step.
    if (!/^(?:clip|erase):/.test(name)) assert.equal(geos.liveCount, before);
  });
}

function read(text: string): GeosGeometry {
  return geos.read(columnOfWkt([text]), 0);
}

/** Parts of one dimension; an empty collection where there are none. */
function partsOf(geometry: GeosGeometry, dimension: 0 | 1 | 2): GeosGeometry {
  const builder = new GeometryBuilder();
  if (geometry.appendTo(builder, dimension) === GEOMETRY_TYPE.none) builder.endFeature(GEOMETRY_TYPE.none);
  return geos.read(builder.finish(), 0);
}

/** The same points of the plane in each dimension; areas also when they differ by rounding alone. */
function assertSame(actual: GeosGeometry, expectedText: string, tolerance = 0): void {
  using expected = read(expectedText);
  for (const dimension of [0, 1, 2] as const) {
    using own = partsOf(actual, dimension);
    using theirs = partsOf(expected, dimension);
    if (own.isEmpty || theirs.isEmpty) {
      assert.equal(own.isEmpty, theirs.isEmpty, `parts of dimension ${dimension}`);
    } else if (dimension === 2 && tolerance > 0) {
      using difference = own.symmetricDifference(theirs);
      assert.ok(difference.area <= tolerance * theirs.area, `areas differ by ${difference.area}`);
    } else assert.ok(own.equals(theirs), `parts of dimension ${dimension} differ`);
  }
}

for (const one of [...areas, ...linesAndAreas]) {
  for (const operation of OPERATIONS) {
    const expected = one[operation];
    if (expected === undefined) continue;
    check(`${operation}: ${one.name}`, () => {
      using a = read(one.a);
      using b = read(one.b);
      using result = operation === 'reverseDifference' ? b.difference(a) : a[operation](b);
      assertSame(result, expected);
    });
  }
}

for (const one of unary) {
  check(`unary union: ${one.name}`, () => {
    using a = read(one.a);
    using result = a.unaryUnion();
    assertSame(result, one.union);
  });
}

for (const one of buffers) {
  for (const [distance, expected] of one.buffers) {
    check(`buffer by ${distance}: ${one.name}`, async () => {
      const parameters = { distance, units: 'meters', quadrant_segments: 8 };
      const { texts } = await runStep(buffer, parameters, batchOfWkt([one.a]));
      using result = read(texts[0] ?? 'POLYGON EMPTY');
      assertSame(result, expected, 1e-6);
    });
  }
}

// A mask is in longitude and latitude, so only cases within their range can be one; the plane takes it as it is.
for (const one of areas.filter(({ a, b }) => Math.max(...numbersIn(a + b)) <= 90)) {
  const mask = geojsonOf(one.b);
  check(`clip: ${one.name}`, async () => {
    const { texts } = await runStep(clip, { clipping_geojson: mask }, batchOfWkt([one.a]));
    using whole = read(one.intersection as string);
    using result = read(texts[0] ?? 'POLYGON EMPTY');
    using kept = partsOf(whole, 2);
    assert.equal(result.isEmpty, kept.isEmpty);
    assert.ok(result.isEmpty || result.equals(kept));
  });
  check(`erase: ${one.name}`, async () => {
    const { texts } = await runStep(erase, { erasing_geojson: mask }, batchOfWkt([one.a]));
    using result = read(texts[0] ?? 'POLYGON EMPTY');
    assertSame(result, one.difference as string);
  });
}

for (const one of areas) {
  check(`union of features: ${one.name}`, async () => {
    const { batches } = await collectWith(union, layerOf([{ wkt: one.a }, { wkt: one.b }]), {});
    const texts = rowsOf(batches).map(({ wkt }) => wkt as string);
    const parts = texts.map(read);
    using all = geos.collection(parts);
    using united = all.unaryUnion();
    assertSame(united, one.union as string);
    using expected = read(one.union as string);
    assert.ok(texts.length <= expected.partCount, 'connected ones are one feature');
  });
}

function numbersIn(text: string): number[] {
  return (text.match(/-?[\d.]+/g) ?? []).map(Number);
}

function geojsonOf(text: string): object {
  const json = text
    .replace(/^[A-Z]+ /, '')
    .replace(/-?[\d.]+ -?[\d.]+/g, (position) => `[${position.replace(' ', ',')}]`)
    .replaceAll('(', '[')
    .replaceAll(')', ']');
  const type = text.startsWith('MULTIPOLYGON') ? 'MultiPolygon' : 'Polygon';
  return { type, coordinates: JSON.parse(json) };
}
