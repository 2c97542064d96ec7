/**
 * Union of many polygons in parallel, level by level.
 *
 *   level 0   polygons divided by space into chunks; a worker merges what belongs together within a chunk
 *   level n   results that could still merge across chunks (their bounds meet) form clusters. Small clusters go to a
 *             worker whole and are done with it; of a large one a few neighbouring chunks at a time become one
 *
 * What meets no other chunk is settled and travels no more, and neither do holes that nothing can fill any more (see
 * sealed-holes.ts), so the work is near linear in the number of polygons. Tiles with cut polygons would need fewer levels,
 * but cuts leave positions that were not in the input.
 *
 * Memory: beside the layer itself, the results of all levels and `host.width` calls of `SIZES.positions`, or of the
 * outline of the largest cluster.
 */
import {
  type Dimensions,
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '../../../batch/geometry-column.ts';
import type { CollectingHost } from '../../transformation.ts';
import { callEach, POLYGON_STATE, type PolygonsAnswer, type PolygonsCall } from './calls.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { PartList } from './part-list.ts';
import { Reach } from './reach.ts';
import { SealedHoles } from './sealed-holes.ts';
import { spatialChunks } from './spatial-chunks.ts';

export interface ChunkSizes {
  /** Small enough for many calls and steady progress, large enough that few polygons meet another chunk. */
  readonly positions: number;
  readonly polygons: number;
  /** Clusters up to this size are done in one call. */
  readonly clusterPositions: number;
  /** Neighbouring chunks of a large cluster that become one. */
  readonly fanIn: number;
}

const SIZES: ChunkSizes = { positions: 150_000, polygons: 8192, clusterPositions: 300_000, fanIn: 4 };

/** Some polygons of a list, for one call. */
interface Chunk {
  readonly members: ArrayLike<number>;
  /** Nothing outside can merge with the result. */
  readonly isFinal: boolean;
}

export interface PolygonMerge {
  /** Grows by the columns of the results. */
  readonly columns: GeometryColumn[];
  readonly dimensions: Dimensions;
  /** Class by row; only polygons of one class merge. Null: all rows are of one. */
  readonly classOf: Uint32Array | null;
  /** Polygons of the two rows are one now. */
  readonly onLink: (rowA: number, rowB: number) => void;
  /** The row's geometry has changed. */
  readonly onChange: (row: number, wasRepaired: boolean) => void;
}

/** The remaining polygons; each represents all rows that were linked with its own. */
export async function mergePolygons(
  polygons: PartList,
  merge: PolygonMerge,
  host: CollectingHost,
  progress: (fraction: number) => void,
  sizes: ChunkSizes = SIZES,
): Promise<PartList> {
  const holes = new SealedHoles(merge.columns, polygons.length);
  for (let i = 0; i < polygons.length; i++) polygons.seed[i] = i;
  const settled = new PartList(merge.columns, Math.max(polygons.length, 8));
  let list = polygons;
  let origins: Uint32Array | null = null;
  let chunks = firstChunks(polygons, sizes);
  let doneBefore = 0;
  while (chunks.length > 0) {
    const share = (1 - doneBefore) * (chunks.length === 1 ? 1 : 0.7);
    const level: PartList = list;
    const levelOrigins: Uint32Array | null = origins;
    const answers = await callEach<Chunk, PolygonsAnswer>(
      host,
      chunks,
      ({ members }) => callOf(members, level, levelOrigins, merge),
      (done) => progress(doneBefore + (share * done) / chunks.length),
    );
    doneBefore += share;
    const open = new PartList(merge.columns);
    const openOrigins: number[] = [];
    chunks.forEach(({ members, isFinal }, i) => {
      const target = isFinal ? settled : open;
      takeAnswer(answers[i], members, level, merge, holes, target);
      if (!isFinal) while (openOrigins.length < open.length) openOrigins.push(i);
    });
    list = open;
    origins = Uint32Array.from(openOrigins);
    chunks = nextChunks(open, origins, merge.classOf, holes, settled, sizes);
  }
  holes.attach(settled);
  return settled;
}

function firstChunks(polygons: PartList, sizes: ChunkSizes): Chunk[] {
  const chunks = spatialChunks(polygons, { positions: sizes.positions, parts: sizes.polygons });
  return chunks.map((members) => ({ members, isFinal: chunks.length === 1 }));
}

function callOf(
  members: ArrayLike<number>,
  list: PartList,
  origins: Uint32Array | null,
  { dimensions, classOf }: PolygonMerge,
): PolygonsCall {
  let positions = 0;
  for (let i = 0; i < members.length; i++) positions += list.positionCount(members[i]);
  const builder = new GeometryBuilder(
    dimensions === 'XYZ' || dimensions === 'XYZM' ? 'XYZ' : 'XY',
    members.length,
    positions,
  );
  for (let i = 0; i < members.length; i++) {
    list.appendRings(members[i], builder);
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
  }
  return {
    kind: 'polygons',
    geometry: builder.finish(),
    classes: classOf === null ? null : Uint32Array.from(members, (index) => classOf[list.row[index]]),
    origins: origins === null ? null : Uint32Array.from(members, (index) => origins[index]),
  };
}

function takeAnswer(
  { states, merged, owners, links }: PolygonsAnswer,
  members: ArrayLike<number>,
  list: PartList,
  { columns, onLink, onChange }: PolygonMerge,
  holes: SealedHoles,
  target: PartList,
): void {
  for (let i = 0; i < members.length; i++) {
    if (states[i] === POLYGON_STATE.kept) target.pushFrom(list, members[i]);
    else onChange(list.row[members[i]], states[i] === POLYGON_STATE.repaired);
  }
  for (let i = 0; i < links.length; i += 2) {
    const a = members[links[i]];
    const b = members[links[i + 1]];
    onLink(list.row[a], list.row[b]);
    holes.link(list.seed[a], list.seed[b]);
  }
  if (owners.length === 0) return;
  const column = columns.push(merged) - 1;
  for (let part = 0; part < owners.length; part++) {
    const owner = members[owners[part]];
    target.push(column, part, list.row[owner], list.seed[owner]);
  }
}

/** Completes the polygons that no other chunk can reach, and divides the rest into the calls of the next level. */
function nextChunks(
  open: PartList,
  origins: Uint32Array,
  classOf: Uint32Array | null,
  holes: SealedHoles,
  settled: PartList,
  sizes: ChunkSizes,
): Chunk[] {
  if (open.length === 0) return [];
  const reach = new Reach(open, origins, classOf);
  const clusters = clustersOf(open, reach);
  const chunks: Chunk[] = [];
  let small: number[] = [];
  let smallPositions = 0;
  for (const cluster of clusters) {
    if (cluster.length === 1) {
      settled.pushFrom(open, cluster[0]);
      continue;
    }
    let positions = 0;
    for (const index of cluster) positions += open.positionCount(index);
    if (positions > sizes.clusterPositions) {
      holes.seal(open, cluster, reach);
      for (const chunk of neighbouringChunks(cluster, origins, sizes.fanIn)) chunks.push(chunk);
      continue;
    }
    for (const index of cluster) small.push(index);
    smallPositions += positions;
    if (smallPositions < sizes.positions) continue;
    chunks.push({ members: small, isFinal: true });
    small = [];
    smallPositions = 0;
  }
  if (small.length > 0) chunks.push({ members: small, isFinal: true });
  return chunks;
}

/** Polygons of different origin and the same class whose bounds meet, and what meets these, and so on; by first member. */
function clustersOf(open: PartList, reach: Reach): number[][] {
  const { length } = open;
  const sets = new DisjointSets(length);
  for (let i = 0; i < length; i++) reach.each(i, (other) => sets.unite(i, other));
  const clusters = new Map<number, number[]>();
  for (let i = 0; i < length; i++) {
    const root = sets.find(i);
    const cluster = clusters.get(root);
    if (cluster === undefined) clusters.set(root, [i]);
    else cluster.push(i);
  }
  return [...clusters.values()];
}

/** A cluster too large for one call: a few chunks at a time, neighbours by the way they were divided. */
function neighbouringChunks(cluster: readonly number[], origins: Uint32Array, fanIn: number): Chunk[] {
  const byOrigin = new Map<number, number[]>();
  for (const index of cluster) {
    const members = byOrigin.get(origins[index]);
    if (members === undefined) byOrigin.set(origins[index], [index]);
    else members.push(index);
  }
  // The list is in the order of origins, so the map is too.
  const groups = [...byOrigin.values()];
  const chunks: Chunk[] = [];
  for (let from = 0; from < groups.length; from += fanIn) {
    const members = groups.slice(from, from + fanIn).flat();
    chunks.push({ members, isFinal: groups.length <= fanIn });
  }
  return chunks;
}
