/** The levels of a parallel union give what one union of everything gives. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { GeometryBuilder, type GeometryColumn } from '../../core/src/geometry/geometry-column.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { prepareMerge } from '../src/parts/merge/answer-merge.ts';
import { type ChunkSizes, mergePolygons } from '../src/parts/merge/merge-polygons.ts';
import { PartList } from '../src/parts/merge/part-list.ts';
import { spatialChunks } from '../src/parts/merge/spatial-chunks.ts';

const geos = await Geos.load();
const answer = await prepareMerge();

/** Small enough that a hundred polygons take several levels and clusters are large. */
const SIZES: ChunkSizes = { positions: 40, polygons: 8, clusterPositions: 60, fanIn: 2 };

type Rectangle = readonly [x: number, y: number, width: number, height: number];

/** Whole coordinates, so that borders are shared and corners touch often. */
const rectangles = fc.array(
  fc.tuple(fc.nat(40), fc.nat(40), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
  { minLength: 1, maxLength: 120 },
);

function columnOf(list: readonly Rectangle[]): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  for (const [x, y, width, height] of list) {
    builder.position(x, y);
    builder.position(x + width, y);
    builder.position(x + width, y + height);
    builder.position(x, y + height);
    builder.position(x, y);
    builder.endRing();
    builder.endPart(3);
    builder.endFeature(3);
  }
  return builder.finish();
}

async function merged(
  column: GeometryColumn,
  sizes?: ChunkSizes,
  classOf: Uint32Array | null = null,
): Promise<{ parts: PartList; links: [number, number][]; calls: number }> {
  const columns = [column];
  const polygons = new PartList(columns);
  for (let i = 0; i < column.types.length; i++) polygons.push(0, i, i);
  const links: [number, number][] = [];
  let calls = 0;
  const host = {
    width: 2,
    findings: new Findings(),
    keep: <T>(column: T): T => column,
    progress: () => {},
    call: async (payload: unknown, transfer: readonly ArrayBuffer[] = []) => {
      calls++;
      return answer(structuredClone(payload, { transfer: [...transfer] })).result;
    },
  };
  const merge = {
    columns,
    dimensions: 'XY' as const,
    classOf,
    onLink: (a: number, b: number) => void links.push([a, b]),
    onChange: () => {},
  };
  const parts = await mergePolygons(polygons, merge, host, () => {}, sizes);
  return { parts, links, calls };
}

function asMultiPolygon(parts: PartList): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  for (let i = 0; i < parts.length; i++) parts.appendPart(i, builder);
  builder.endFeature(6);
  return builder.finish();
}

test('many levels give the union that one call gives, and the parts of it', async () => {
  await fc.assert(
    fc.asyncProperty(rectangles, async (list) => {
      const column = columnOf(list);
      const { parts } = await merged(column, SIZES);
      using whole = geos.readParts(column, Uint32Array.from(list.keys()));
      using expected = whole.unaryUnion();
      using actual = geos.read(asMultiPolygon(parts), 0);
      assert.ok(actual.isValid, actual.validityReason);
      assert.equal(parts.length, expected.partCount);
      using difference = actual.symmetricDifference(expected);
      assert.equal(difference.area, 0);
    }),
    { numRuns: 150, seed: 7 },
  );
});

test('rows are linked exactly where their polygons came into one part', async () => {
  await fc.assert(
    fc.asyncProperty(rectangles, async (list) => {
      const column = columnOf(list);
      const levels = await merged(column, SIZES);
      const once = await merged(column);
      assert.deepEqual(classes(levels.links, list.length), classes(once.links, list.length));
    }),
    { numRuns: 100, seed: 11 },
  );
});

test('a lattice of one group keeps its holes through the levels, with an island in one', async () => {
  const list: Rectangle[] = [];
  for (let i = 0; i <= 12; i++) list.push([0, i * 10, 121, 1], [i * 10, 0, 1, 121]);
  list.push([44, 44, 2, 2]);
  const { parts, calls } = await merged(columnOf(list), { ...SIZES, clusterPositions: 20 });
  assert.ok(calls > 5);
  assert.equal(parts.length, 2);
  using lattice = geos.read(asMultiPolygon(parts), 0);
  assert.ok(lattice.isValid, lattice.validityReason);
  assert.equal(lattice.area, 13 * 121 * 2 - 13 * 13 + 4);
  const { columns, column, part } = parts;
  const ringCounts = [0, 1].map(
    (i) => columns[column[i]].ringOffsets[part[i] + 1] - columns[column[i]].ringOffsets[part[i]],
  );
  assert.deepEqual(
    ringCounts.sort((a, b) => a - b),
    [1, 145],
  );
});

test('polygons of different classes never merge', async () => {
  const list: Rectangle[] = Array.from({ length: 60 }, (_, i) => [i % 10, Math.floor(i / 10), 2, 2]);
  const { parts } = await merged(
    columnOf(list),
    SIZES,
    Uint32Array.from(list, (_, i) => i % 2),
  );
  assert.equal(parts.length, 2);
});

test('chunks hold every part once, within the limits', () => {
  fc.assert(
    fc.property(rectangles, (list) => {
      const parts = new PartList([columnOf(list)]);
      for (let i = 0; i < list.length; i++) parts.push(0, i, i);
      const chunks = spatialChunks(parts, { positions: 40, parts: 6 });
      assert.deepEqual(
        chunks.flatMap((chunk) => [...chunk]).sort((a, b) => a - b),
        [...list.keys()],
      );
      for (const chunk of chunks) assert.ok(chunk.length <= 6);
    }),
  );
});

/** Smallest linked number by number. */
function classes(links: readonly [number, number][], count: number): number[] {
  const label = Array.from({ length: count }, (_, i) => i);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, b] of links) {
      const least = Math.min(label[a], label[b]);
      if (label[a] !== least || label[b] !== least) changed = true;
      label[a] = least;
      label[b] = least;
    }
  }
  return label;
}

test('parcels that adjoin, that overlap and that lie on one another give the same union', async () => {
  const parcels = (changed: Rectangle[]): Rectangle[] => [
    ...Array.from({ length: 64 }, (_, i): Rectangle => [(i % 8) * 2, Math.floor(i / 8) * 2, 2, 2]),
    ...changed,
  ];
  for (const list of [
    parcels([]),
    parcels([[3, 3, 2, 2]]),
    parcels([[4, 4, 2, 2]]),
    parcels([[16, 1, 2, 2]]),
  ]) {
    const column = columnOf(list);
    using whole = geos.readParts(column, Uint32Array.from(list.keys()));
    using expected = whole.unaryUnion();
    for (const sizes of [undefined, { ...SIZES, polygons: 16, positions: 80 }]) {
      const { parts } = await merged(column, sizes);
      using actual = geos.read(asMultiPolygon(parts), 0);
      assert.equal(parts.length, 1);
      assert.ok(actual.isValid && actual.equals(expected));
    }
  }
});
