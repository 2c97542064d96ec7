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
 * Memory: 50 bytes for each polygon and list, and `host.width` calls of `SIZES.positions`, or of the outline of the largest
 * cluster. Coordinates of the layer and of results are where `host.keep` leaves them.
 */
import {
  type Dimensions,
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import Flatbush from 'flatbush';
import type { CollectingHost } from '../../transformation.ts';
import { callEach, POLYGON_STATE, type PolygonsAnswer, type PolygonsCall } from './calls.ts';
import { type Groups, groupsFrom } from './groups.ts';
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
      (done, answer) => {
        answer.merged = host.keep(answer.merged);
        progress(doneBefore + (share * done) / chunks.length);
      },
    );
    doneBefore += share;
    const open = new PartList(merge.columns, level.length);
    const openOrigins: number[] = [];
    chunks.forEach(({ members, isFinal }, i) => {
      const target = isFinal ? settled : open;
      takeAnswer(answers[i], members, level, merge, holes, target);
      if (!isFinal) while (openOrigins.length < open.length) openOrigins.push(i);
    });
    const found = bordersOf(open, Uint32Array.from(openOrigins));
    ({ list, origins } = found);
    chunks = nextChunks(open, found, merge.classOf, holes, settled, sizes);
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

/** Polygons that meet the bounds of another chunk than their own. */
interface Borders {
  readonly list: PartList;
  readonly origins: Uint32Array;
  /** By polygon of the level, 1: is in the list. */
  readonly isBorder: Uint8Array;
}

/** Most polygons are in the middle of their chunk: the others alone are compared with each other. */
function bordersOf(open: PartList, origins: Uint32Array): Borders {
  const { length, bounds } = open;
  const isBorder = new Uint8Array(length);
  const list = new PartList(open.columns);
  if (length === 0) return { list, origins, isBorder };
  const boxes = new Float64Array((origins[length - 1] + 1) * 4);
  for (let at = 0; at < boxes.length; at += 4) boxes.set([Infinity, Infinity, -Infinity, -Infinity], at);
  for (let i = 0; i < length; i++) {
    const at = origins[i] * 4;
    boxes[at] = Math.min(boxes[at], bounds[i * 4]);
    boxes[at + 1] = Math.min(boxes[at + 1], bounds[i * 4 + 1]);
    boxes[at + 2] = Math.max(boxes[at + 2], bounds[i * 4 + 2]);
    boxes[at + 3] = Math.max(boxes[at + 3], bounds[i * 4 + 3]);
  }
  const tree = new Flatbush(boxes.length / 4);
  for (let at = 0; at < boxes.length; at += 4)
    tree.add(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
  tree.finish();
  const own: number[] = [];
  for (let i = 0; i < length; i++) {
    const isOther = (origin: number): boolean => origin !== origins[i];
    if (!tree.collides(bounds[i * 4], bounds[i * 4 + 1], bounds[i * 4 + 2], bounds[i * 4 + 3], isOther))
      continue;
    isBorder[i] = 1;
    list.pushFrom(open, i);
    own.push(origins[i]);
  }
  return { list, origins: Uint32Array.from(own), isBorder };
}

/** Completes the polygons that no other chunk can reach, and divides the rest, of `borders.list`, into the calls of the next level. */
function nextChunks(
  open: PartList,
  { list: border, origins, isBorder }: Borders,
  classOf: Uint32Array | null,
  holes: SealedHoles,
  settled: PartList,
  sizes: ChunkSizes,
): Chunk[] {
  const reach = border.length === 0 ? null : new Reach(border, origins, classOf);
  const clusters = reach === null ? groupsFrom(0, () => 0) : clustersOf(border, reach);
  const { offsets, rows: members } = clusters;
  const chunks: Chunk[] = [];
  let small: number[] = [];
  let smallPositions = 0;
  // In the order of the polygons: clusters are numbered by their first one.
  for (let index = 0, at = 0, next = 0; index < open.length; index++) {
    if (isBorder[index] === 0) {
      settled.pushFrom(open, index);
      continue;
    }
    if (next === clusters.count || at++ !== members[offsets[next]]) continue;
    const cluster = members.subarray(offsets[next], offsets[++next]);
    if (cluster.length === 1) {
      settled.pushFrom(border, cluster[0]);
      continue;
    }
    let positions = 0;
    for (const member of cluster) positions += border.positionCount(member);
    if (positions > sizes.clusterPositions) {
      holes.seal(border, cluster, reach!);
      for (const chunk of neighbouringChunks(cluster, origins, sizes.fanIn)) chunks.push(chunk);
      continue;
    }
    for (const member of cluster) small.push(member);
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
function clustersOf(open: PartList, reach: Reach): Groups {
  const { length } = open;
  const sets = new DisjointSets(length);
  for (let i = 0; i < length; i++) reach.each(i, (other) => sets.unite(i, other));
  return groupsFrom(length, (i) => sets.find(i));
}

/** A cluster too large for one call: a few chunks at a time, neighbours by the way they were divided. */
function neighbouringChunks(cluster: Uint32Array, origins: Uint32Array, fanIn: number): Chunk[] {
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
