/**
 * Properties of every entity type that the reader registers. A type without a sample fails the first test, so a new
 * entity reader is covered by all of them.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { entity, type Tag } from '../../../test/support/dxf-entity.ts';
import { type Read, readSketch, type SketchFeature } from '../../../test/support/dxf-features.ts';
import { DXF_SAMPLES } from '../../../test/support/dxf-samples.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import type { Entity } from '../src/dxf/contract.ts';
import { UNFOLDING_TYPES } from '../src/dxf/features/insert.ts';
import { SHAPES } from '../src/dxf/shapes/shapes.ts';

const TYPES = [...SHAPES.keys(), ...UNFOLDING_TYPES];
/** Positions per tag that an entity may produce: a full turn in steps of 4 degrees takes 91, a spline more. */
const MAX_POSITIONS_PER_TAG = 512;
const MAX_FEATURES = 1000;

function tagsOf(type: string): Tag[] {
  return DXF_SAMPLES[type].split(',').map((line): Tag => {
    const [code] = line.trim().split(' ', 1);
    return [Number(code), line.trim().slice(code.length + 1)];
  });
}

const BLOCKS = Object.fromEntries(
  ['BLOCK', '*D1', '*T1'].map((name) => [
    name,
    { entities: [entity('LINE', DXF_SAMPLES.LINE), entity('TEXT', DXF_SAMPLES.TEXT)] },
  ]),
);

/** Null: rejected with a code of the user's fault. Other errors are rethrown. */
function readOne(one: Entity, blocks = BLOCKS): Read | null {
  try {
    return readSketch({ entities: [one], blocks, limits: { features: MAX_FEATURES } });
  } catch (error) {
    if (error instanceof GeomillError && error.fault === 'user') return null;
    throw error;
  }
}

const shapesOf = (read: Read | null): unknown =>
  read?.features.map(({ type, parts }: SketchFeature) => ({
    type,
    parts: parts.map((rings) => rings.map((ring) => ring.map(([x, y]) => [x, y]))),
  }));

/** Checks any result: whole features or a finding, and not more positions than the tags can define. */
function assertBounded(read: Read | null, tags: readonly Tag[]): void {
  if (read === null) return;
  const { batch, findings } = read;
  assert.ok(batch.rowCount > 0 || findings.length > 0, 'neither a feature nor a finding');
  const { coordinates } = batch.geometry;
  assert.ok(coordinates.length <= (tags.length + 10) * (batch.rowCount + 1) * MAX_POSITIONS_PER_TAG);
  for (const { parts } of read.features)
    for (const rings of parts)
      for (const ring of rings)
        for (const position of ring) assert.ok(position.length >= 2 && position.every(Number.isFinite));
}

test('every registered type has a sample that becomes features without a finding about it', () => {
  assert.deepEqual(Object.keys(DXF_SAMPLES).sort(), [...new Set(TYPES)].sort());
  for (const type of TYPES) {
    const read = readOne(entity(type, tagsOf(type)));
    assert.ok((read?.features.length ?? 0) > 0, type);
    const told = read?.findings.map(({ code }) => code).filter((code) => code.endsWith('_SKIPPED'));
    assert.deepEqual(told, [], type);
  }
});

/** Codes of x, y and z of positions: 10 to 18, 20 to 28, 30 to 38 (LWPOLYLINE: 38 is its elevation). */
const isY = (code: number): boolean => code >= 20 && code <= 28;
const isZ = (code: number): boolean => code >= 30 && code <= 37;

for (const type of TYPES) {
  test(`${type}: reads positions with two ordinates like those with z 0`, () => {
    const tags = tagsOf(type);
    const flat = tags.filter(([code]) => !isZ(code));
    assert.deepEqual(shapesOf(readOne(entity(type, flat))), shapesOf(readOne(entity(type, tags))));
  });

  test(`${type}: skips an entity with one-dimensional positions and notes it`, () => {
    const tags = tagsOf(type).filter(([code]) => !isY(code) && !isZ(code));
    const read = readOne(entity(type, tags), {});
    assert.deepEqual(read?.features, []);
    assert.ok(read.findings.length > 0);
  });

  test(`${type}: does not crash on a fourth ordinate`, () => {
    const tags = tagsOf(type).flatMap(([code, value]): Tag[] =>
      isZ(code)
        ? [
            [code, value],
            [code + 10, '7'],
          ]
        : [[code, value]],
    );
    assertBounded(readOne(entity(type, tags)), tags);
  });

  test(`${type}: truncates fractions of integers`, () => {
    const isInteger = (code: number): boolean =>
      (code >= 60 && code <= 79) || (code >= 90 && code <= 99) || (code >= 270 && code <= 299);
    const tags = tagsOf(type);
    const fractional = tags.map(([code, value]): Tag => {
      if (!isInteger(code)) return [code, value];
      return [code, Number(value) < 0 ? `${value}.9` : `${value}.999`];
    });
    const read = readOne(entity(type, fractional));
    assert.deepEqual(read?.features, readOne(entity(type, tags))?.features);
  });
}

const grid = (side: number): [x: number, y: number][] =>
  Array.from({ length: side * side }, (_, i) => [i % side, Math.floor(i / side)]);

test('reads meshes with more vertices than initially allocated', () => {
  const side = 12;
  const vertices = grid(side);
  const faces = vertices
    .map((_, i) => i)
    .filter((i) => i % side < side - 1 && i < side * (side - 1))
    .map((i) => [i, i + 1, i + side + 1, i + side]);
  const inTwo = vertices.map(([x, y]) => `10 ${x}, 20 ${y}`).join(', ');
  const mesh = `92 ${vertices.length}, ${inTwo}, 93 ${faces.length * 5}, ${faces
    .map((face) => `90 4, ${face.map((i) => `90 ${i}`).join(', ')}`)
    .join(', ')}`;
  const meshVertices = vertices.map(([x, y]) => `0 VERTEX, 10 ${x}, 20 ${y}, 70 64`).join(', ');
  const polyVertices = vertices.map(([x, y]) => `0 VERTEX, 10 ${x}, 20 ${y}, 70 192`).join(', ');
  const polyFaces = faces
    .map((face) => `0 VERTEX, 70 128, ${face.map((i, k) => `${71 + k} ${i + 1}`).join(', ')}`)
    .join(', ');
  const all = [
    entity('MESH', mesh),
    entity('POLYLINE', `70 16, 71 ${side}, 72 ${side}, ${meshVertices}`),
    entity('POLYLINE', `70 64, 71 ${vertices.length}, 72 ${faces.length}, ${polyVertices}, ${polyFaces}`),
  ];
  const { features, findings } = readSketch({ entities: all });
  assert.deepEqual(
    features.map(({ type, parts }) => `${type} ${parts.length}`),
    Array(3).fill(`MultiPolygon ${faces.length}`),
  );
  assert.ok(!findings.some(({ code }) => code === 'ENTITY_SKIPPED'));
  for (const { parts } of features)
    assert.deepEqual(
      parts.map(([ring]) => ring.length),
      faces.map(() => 5),
    );
});

test('skips an entity whose vertices lack x or y; y may be apart from x', () => {
  for (const vertices of [
    '10 0, 20 0, 10 1, 10 2, 20 2',
    '10 0, 20 0, 20 1, 10 2, 20 2',
    '20 0, 10 0, 20 1, 10 1',
  ]) {
    for (const one of [
      entity('LWPOLYLINE', vertices),
      entity('HATCH', `91 1, 92 2, 72 0, 73 1, ${vertices}, 97 0, 75 0`),
      entity('HATCH', `30 1, 91 1, 92 2, 72 0, 73 1, ${vertices}, 97 0, 75 0`),
    ]) {
      const { features, findings } = readSketch({ entities: [one] });
      assert.deepEqual(features, [], vertices);
      assert.equal(findings[0].code, 'ENTITY_SKIPPED');
    }
  }
  const apart = readSketch({ entities: [entity('LINE', '10 1, 11 3, 20 2, 21 4')] });
  assert.deepEqual(apart.features[0].parts, [
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ]);
});

type Damage = readonly [kind: number, at: number, to: number, value: string];
const COUNT_CODES = new Set([66, 70, 71, 72, 73, 74, 75, 90, 91, 92, 93, 94, 95, 96, 97, 98]);
const BAD_VALUES = [
  '0', '-1', '-2147483648', '2147483647', '99999999999', '1e308', '-1e-320', '1e999', '0.5', '-90.1', '3', '65535',
  'x', '', 'nan', '{', '*D1', 'BLOCK',
] as const; // biome-ignore format: a list
const damage: fc.Arbitrary<Damage> = fc.tuple(
  fc.integer({ min: 0, max: 6 }),
  fc.nat(10_000),
  fc.nat(10_000),
  fc.constantFrom(...BAD_VALUES),
);

/** Drops, repeats, moves, swaps, overwrites or truncates tags, or overwrites a count. */
function damaged(tags: readonly Tag[], damages: readonly Damage[]): Tag[] {
  const list = [...tags];
  for (const [kind, where, to, value] of damages) {
    if (list.length === 0) break;
    const at = where % list.length;
    const other = to % list.length;
    const counts = list.flatMap(([code], i) => (COUNT_CODES.has(code) ? [i] : []));
    if (kind === 0) list.splice(at, 1);
    else if (kind === 1) list.splice(other, 0, list[at]);
    else if (kind === 2) list.splice(other, 0, ...list.splice(at, 1));
    else if (kind === 3) [list[at], list[other]] = [list[other], list[at]];
    else if (kind === 4) list[at] = [list[at][0], value];
    else if (kind === 5 && counts.length > 0) {
      const count = counts[where % counts.length];
      list[count] = [list[count][0], value];
    } else if (kind === 6) list.length = Math.max(1, at);
  }
  return list.length > 0 && list[0][0] === 0 ? list.slice(1) : list;
}

for (const type of TYPES)
  test(`${type}: damaged tags give whole features, a finding or a coded failure`, () => {
    const tags = tagsOf(type);
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 5 }), (damages) => {
        const broken = damaged(tags, damages);
        const one = entity(type, broken);
        assertBounded(readOne(one), broken);
        // Blocks do not draw variable ATTDEFs, so the block has another entity.
        const beside = type === 'ATTDEF' ? [entity('LINE', DXF_SAMPLES.LINE)] : [];
        const blocks = { HOLDER: { entities: [one, ...beside] }, ...BLOCKS };
        assertBounded(readOne(entity('INSERT', '2 HOLDER, 10 0, 20 0, 41 2, 42 3, 50 45'), blocks), broken);
      }),
      { numRuns: 150 },
    );
  });
