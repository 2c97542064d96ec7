/** The union of polygons by their edges is that of GEOS, and what it does not decide is left out as a whole. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '../../../../bench/data.ts';
import { GeometryBuilder, type GeometryColumn } from '../../../core/src/geometry/geometry-column.ts';
import { Outline } from '../../planar/src/outline.ts';
import { Geos } from '../src/geos.ts';

const geos = await Geos.load();
const ROUNDS = Number(process.env.OUTLINE_ROUNDS ?? 60);

type Ring = readonly (readonly [number, number])[];
type Polygon = readonly Ring[];
type Random = () => number;

const whole = (random: Random, most: number): number => Math.floor(random() * most);

function rectangle(x: number, y: number, width: number, height: number): Ring {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ];
}

const shapes: Readonly<Record<string, (random: Random) => Polygon>> = {
  rectangle: (random) => [
    rectangle(whole(random, 16), whole(random, 16), 1 + whole(random, 5), 1 + whole(random, 5)),
  ],
  cell: (random) => [rectangle(whole(random, 8) * 2, whole(random, 8) * 2, 2, 2)],
  frame: (random) => {
    const [x, y, size] = [whole(random, 12), whole(random, 12), 3 + whole(random, 6)];
    return [rectangle(x, y, size, size), rectangle(x + 1, y + 1, size - 2, size - 2)];
  },
  triangle: (random) => {
    for (;;) {
      const [a, b, c] = Array.from({ length: 3 }, (): [number, number] => [
        whole(random, 18),
        whole(random, 18),
      ]);
      if ((b[0] - a[0]) * (c[1] - a[1]) !== (b[1] - a[1]) * (c[0] - a[0])) return [[a, b, c, a]];
    }
  },
  circle: (random) => [circle(random, 0)],
  // Coordinates of a projection: crossings are rounded to 1e-9.
  'far circle': (random) => [circle(random, 5_400_000)],
};

function circle(random: Random, origin: number): Ring {
  const [x, y, radius] = [origin + random() * 18, origin + random() * 18, 0.2 + random() * 3];
  const count = 5 + whole(random, 40);
  const ring = Array.from({ length: count }, (_, i): [number, number] => [
    x + radius * Math.cos((i / count) * 2 * Math.PI),
    y + radius * Math.sin((i / count) * 2 * Math.PI),
  ]);
  return [...ring, ring[0]];
}

function columnOf(polygons: readonly Polygon[]): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  for (const rings of polygons) {
    for (const ring of rings) {
      for (const [x, y] of ring) builder.position(x, y);
      builder.endRing();
    }
    builder.endPart(3);
    builder.endFeature(3);
  }
  return builder.finish();
}

/** Compares a case with GEOS; returns how many polygons were decided. */
function compare(outline: Outline, polygons: readonly Polygon[], kind: string): number {
  const column = columnOf(polygons);
  const count = polygons.length;
  const edges = outline.begin(false);
  for (let i = 0; i < count; i++) edges.addPolygon(column, i, i, 0);
  if (!outline.unite(count, null, false)) return 0;
  const clear = polygons.map((_, i) => outline.isClear(i));
  const rings = outline.ringsBySet();
  const sets = new Set(polygons.map((_, i) => outline.setOf(i)).filter((set) => clear[set]));
  for (const set of sets) {
    const members = polygons.map((_, i) => i).filter((i) => outline.setOf(i) === set);
    const others = polygons.map((_, i) => i).filter((i) => outline.setOf(i) !== set);
    const builder = new GeometryBuilder('XY');
    outline.appendPart(rings.get(set)!, builder);
    builder.endFeature(3);
    const result = builder.finish();
    using actual = geos.read(result, 0);
    using parts = geos.readParts(column, Uint32Array.from(members));
    using expected = parts.unaryUnion();
    const text = `${kind}: ${JSON.stringify(polygons)}`;
    assert.ok(actual.isValid, `${actual.validityReason} ${text}`);
    assert.equal(expected.partCount, 1, text);
    using difference = actual.symmetricDifference(expected);
    const tolerance = kind === 'far circle' ? 1e-7 : 1e-11;
    assert.ok(difference.area <= tolerance * expected.area, `${difference.area} ${text}`);
    for (const other of others) {
      using one = geos.read(column, other);
      if (!one.intersects(actual)) continue;
      // Dimension of what both have in common: points only.
      assert.match(one.relate(actual), /^F...[F0]/, text);
    }
  }
  return clear.filter((isClear) => isClear).length;
}

for (const kinds of [
  ['circle'],
  ['far circle'],
  ['cell'],
  ['cell', 'frame'],
  ['rectangle'],
  ['triangle'],
  ['rectangle', 'triangle', 'circle'],
  ['cell', 'circle', 'frame'],
]) {
  test(`unions of ${kinds.join('s, ')}s are those of GEOS`, () => {
    const random = seededRandom(kinds.join().length);
    const outline = new Outline();
    let all = 0;
    let decided = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const polygons = Array.from({ length: 1 + whole(random, 30) }, () =>
        shapes[kinds[whole(random, kinds.length)]](random),
      );
      all += polygons.length;
      decided += compare(outline, polygons, kinds.join());
    }
    if (kinds[0].endsWith('circle')) assert.equal(decided, all);
  });
}
