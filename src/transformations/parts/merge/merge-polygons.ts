/**
 * Union of many polygons in parallel, level by level.
 *
 *   level 0   polygons in Hilbert order, cut into chunks; a worker merges what belongs together within a chunk
 *   level n   results that could still merge across chunks (their bounds meet) form clusters. Small clusters go to a
 *             worker whole and are done with it; of a large one a few neighbouring chunks at a time become one
 *
 * What meets no other chunk is settled and travels no more, so the work is near linear in the number of polygons. Tiles
 * with cut polygons would need fewer levels, but cuts leave positions behind that nobody drew.
 *
 * Memory: beside the layer itself, the results of all levels and `host.width` calls of CHUNK_POSITIONS, or of the
 * outline of the largest cluster.
 */
import Flatbush from 'flatbush';
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
import { hilbertOrder } from './hilbert-order.ts';
import { PartList } from './part-list.ts';

/** Small enough for many calls and steady progress, large enough that few polygons meet another chunk. */
const CHUNK_POSITIONS = 150_000;
const CHUNK_POLYGONS = 8192;
/** Clusters up to this size are done in one call. */
const CLUSTER_POSITIONS = 300_000;
/** Neighbouring chunks of a large cluster that become one. */
const FAN_IN = 4;

/** Some polygons of a list, for one call. */
interface Chunk {
  readonly members: readonly number[];
  /** Nothing outside can merge with what comes out. */
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
  /** The row's geometry is no longer what it was. */
  readonly onChange: (row: number, wasRepaired: boolean) => void;
}

/** The polygons that are left; each stands for all rows that were linked with its own. */
export async function mergePolygons(
  polygons: PartList,
  merge: PolygonMerge,
  host: CollectingHost,
  progress: (fraction: number) => void,
): Promise<PartList> {
  const settled = new PartList(merge.columns, Math.max(polygons.length, 8));
  let list = polygons;
  let origins: Uint32Array | null = null;
  let chunks = firstChunks(polygons);
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
      takeAnswer(answers[i], members, level, merge, target);
      if (!isFinal) while (openOrigins.length < open.length) openOrigins.push(i);
    });
    list = open;
    origins = Uint32Array.from(openOrigins);
    chunks = nextChunks(open, origins, merge.classOf, settled);
  }
  return settled;
}

function firstChunks(polygons: PartList): Chunk[] {
  const chunks: number[][] = [];
  let members: number[] = [];
  let positions = 0;
  for (const index of hilbertOrder(polygons)) {
    const own = polygons.positionCount(index);
    if (members.length > 0 && (positions + own > CHUNK_POSITIONS || members.length === CHUNK_POLYGONS)) {
      chunks.push(members);
      members = [];
      positions = 0;
    }
    members.push(index);
    positions += own;
  }
  if (members.length > 0) chunks.push(members);
  return chunks.map((chunk) => ({ members: chunk, isFinal: chunks.length === 1 }));
}

function callOf(
  members: readonly number[],
  list: PartList,
  origins: Uint32Array | null,
  { dimensions, classOf }: PolygonMerge,
): PolygonsCall {
  let positions = 0;
  for (const index of members) positions += list.positionCount(index);
  const builder = new GeometryBuilder(
    dimensions === 'XYZ' || dimensions === 'XYZM' ? 'XYZ' : 'XY',
    members.length,
    positions,
  );
  for (const index of members) {
    list.appendRings(index, builder);
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
  members: readonly number[],
  list: PartList,
  { columns, onLink, onChange }: PolygonMerge,
  target: PartList,
): void {
  for (let i = 0; i < members.length; i++) {
    if (states[i] === POLYGON_STATE.kept) target.pushFrom(list, members[i]);
    else onChange(list.row[members[i]], states[i] === POLYGON_STATE.repaired);
  }
  for (let i = 0; i < links.length; i += 2)
    onLink(list.row[members[links[i]]], list.row[members[links[i + 1]]]);
  if (owners.length === 0) return;
  const column = columns.push(merged) - 1;
  for (let part = 0; part < owners.length; part++) target.push(column, part, list.row[members[owners[part]]]);
}

/** Settles what no other chunk can reach, and divides the rest into the calls of the next level. */
function nextChunks(
  open: PartList,
  origins: Uint32Array,
  classOf: Uint32Array | null,
  settled: PartList,
): Chunk[] {
  const clusters = clustersOf(open, origins, classOf);
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
    if (positions > CLUSTER_POSITIONS) {
      chunks.push(...neighbouringChunks(cluster, origins));
      continue;
    }
    small.push(...cluster);
    smallPositions += positions;
    if (smallPositions < CHUNK_POSITIONS) continue;
    chunks.push({ members: small, isFinal: true });
    small = [];
    smallPositions = 0;
  }
  if (small.length > 0) chunks.push({ members: small, isFinal: true });
  return chunks;
}

/** Polygons of different origin and the same class whose bounds meet, and what meets these, and so on; by first member. */
function clustersOf(open: PartList, origins: Uint32Array, classOf: Uint32Array | null): number[][] {
  const { length, bounds, row } = open;
  if (length === 0) return [];
  const tree = new Flatbush(length);
  for (let i = 0; i < length; i++)
    tree.add(bounds[i * 4], bounds[i * 4 + 1], bounds[i * 4 + 2], bounds[i * 4 + 3]);
  tree.finish();
  const sets = new DisjointSets(length);
  let at = 0;
  const reaches = (other: number): boolean => {
    if (origins[other] !== origins[at] && (classOf === null || classOf[row[other]] === classOf[row[at]]))
      sets.unite(at, other);
    return false;
  };
  for (; at < length; at++)
    tree.search(bounds[at * 4], bounds[at * 4 + 1], bounds[at * 4 + 2], bounds[at * 4 + 3], reaches);
  const clusters = new Map<number, number[]>();
  for (let i = 0; i < length; i++) {
    const root = sets.find(i);
    const cluster = clusters.get(root);
    if (cluster === undefined) clusters.set(root, [i]);
    else cluster.push(i);
  }
  return [...clusters.values()];
}

/** A cluster too large for one call: a few chunks at a time, in the order of the curve. */
function neighbouringChunks(cluster: readonly number[], origins: Uint32Array): Chunk[] {
  const byOrigin = new Map<number, number[]>();
  for (const index of cluster) {
    const members = byOrigin.get(origins[index]);
    if (members === undefined) byOrigin.set(origins[index], [index]);
    else members.push(index);
  }
  // The list is in the order of origins, so the map is too.
  const groups = [...byOrigin.values()];
  const chunks: Chunk[] = [];
  for (let from = 0; from < groups.length; from += FAN_IN) {
    const members = groups.slice(from, from + FAN_IN).flat();
    chunks.push({ members, isFinal: groups.length <= FAN_IN });
  }
  return chunks;
}
