/** Lines: which of them are one, and the union of each group. */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  hasZ,
  PART_KIND,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import { PositionIndex } from '@geomill/planar/position-index.ts';
import Flatbush from 'flatbush';
import type { CollectingHost } from '../../transformation.ts';
import {
  callEach,
  type LinePairsAnswer,
  type LinePairsCall,
  type UnionsAnswer,
  type UnionsCall,
} from './calls.ts';
import { sortedByGroup } from './groups.ts';
import type { PolygonMerge } from './merge-polygons.ts';
import type { PartList } from './part-list.ts';
import { spatialChunks } from './spatial-chunks.ts';

/** Each of them can meet the bounds of thousands of others. */
const LINES_PER_CHUNK = 1024;
const POSITIONS_PER_CALL = 150_000;

/** A line of one place: GEOS calls it invalid, and nothing of it can be drawn. */
export function isDegenerateLine(parts: PartList, index: number): boolean {
  const { bounds } = parts;
  return bounds[index * 4] === bounds[index * 4 + 2] && bounds[index * 4 + 1] === bounds[index * 4 + 3];
}

/** Unites the rows of lines that end in the same position. */
export function uniteEnds(lines: PartList, rows: DisjointSets): void {
  const index = new PositionIndex();
  const firstRow: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    const { ringOffsets, coordOffsets, coordinates, dimensions } = lines.columns[lines.column[i]];
    const ring = ringOffsets[lines.part[i]];
    const stride = strideOf(dimensions);
    const first = coordOffsets[ring] * stride;
    const last = (coordOffsets[ring + 1] - 1) * stride;
    // A closed line has no end.
    if (coordinates[first] === coordinates[last] && coordinates[first + 1] === coordinates[last + 1])
      continue;
    for (const at of [first, last]) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      const position = index.add(x, y);
      if (position === firstRow.length) firstRow.push(lines.row[i]);
      else rows.unite(firstRow[position], lines.row[i]);
    }
  }
}

/** Unites the rows of lines that overlap along a stretch; lines that only cross stay apart. */
export async function uniteOverlaps(
  lines: PartList,
  rows: DisjointSets,
  host: CollectingHost,
  progress: (fraction: number) => void,
): Promise<void> {
  const { length, bounds, row } = lines;
  if (length < 2) return;
  const tree = new Flatbush(length);
  for (let i = 0; i < length; i++)
    tree.add(bounds[i * 4], bounds[i * 4 + 1], bounds[i * 4 + 2], bounds[i * 4 + 3]);
  tree.finish();
  const limits = { positions: POSITIONS_PER_CALL, parts: LINES_PER_CHUNK };
  const tasks = spatialChunks(lines, limits).map((chunk) => ({ chunk, members: [] as number[] }));
  // Pairs are looked for when a call is made: of long lines there can be more than memory holds at once.
  await callEach<(typeof tasks)[number], LinePairsAnswer>(
    host,
    tasks,
    (task) => {
      const { pairs, members } = pairsOf(task.chunk, lines, rows, tree);
      task.members = members;
      return pairsCall(lines, members, pairs);
    },
    (done, { links }, task) => {
      const { members } = task;
      for (let k = 0; k < links.length; k += 2)
        rows.unite(row[members[links[k]]], row[members[links[k + 1]]]);
      task.members = [];
      progress(done / tasks.length);
    },
  );
}

/** Pairs of lines, the first of the chunk, whose bounds meet and that are not one yet; as places among the members. */
function pairsOf(
  chunk: Uint32Array,
  { bounds, row }: PartList,
  rows: DisjointSets,
  tree: Flatbush,
): { readonly pairs: Uint32Array<ArrayBuffer>; readonly members: number[] } {
  const members: number[] = [];
  const places = new Map<number, number>();
  const placeOf = (index: number): number => {
    let place = places.get(index);
    if (place === undefined) {
      place = members.length;
      places.set(index, place);
      members.push(index);
    }
    return place;
  };
  const pairs: number[] = [];
  let at = 0;
  const takePair = (other: number): boolean => {
    if (other > at && rows.find(row[other]) !== rows.find(row[at])) pairs.push(placeOf(at), placeOf(other));
    return false;
  };
  for (const index of chunk) {
    at = index;
    tree.search(bounds[at * 4], bounds[at * 4 + 1], bounds[at * 4 + 2], bounds[at * 4 + 3], takePair);
  }
  return { pairs: Uint32Array.from(pairs), members };
}

function pairsCall(
  lines: PartList,
  members: readonly number[],
  pairs: Uint32Array<ArrayBuffer>,
): LinePairsCall {
  const builder = new GeometryBuilder('XY', members.length);
  for (const index of members) {
    lines.appendRings(index, builder);
    builder.endPart(PART_KIND.line);
    builder.endFeature(GEOMETRY_TYPE.lineString);
  }
  return { kind: 'linePairs', geometry: builder.finish(), pairs };
}

/**
 * The union of the parts of each group, by the number of the group; `kind` as in UnionsCall. Appends what comes out,
 * with a row of the group, to `target`.
 */
export async function uniteGroups(
  parts: PartList,
  groupOf: Uint32Array,
  groupCount: number,
  kind: UnionsCall['kind'],
  { columns, dimensions }: Pick<PolygonMerge, 'columns' | 'dimensions'>,
  target: PartList,
  host: CollectingHost,
  progress: (fraction: number) => void,
): Promise<void> {
  const { offsets, items } = sortedByGroup(groupOf, groupCount);
  const tasks: { start: number; end: number }[] = [];
  let start = 0;
  let positions = 0;
  for (let group = 0; group < groupCount; group++) {
    for (let i = offsets[group]; i < offsets[group + 1]; i++) positions += parts.positionCount(items[i]);
    if (positions < POSITIONS_PER_CALL && group + 1 < groupCount) continue;
    tasks.push({ start, end: group + 1 });
    start = group + 1;
    positions = 0;
  }
  const answers = await callEach<{ start: number; end: number }, UnionsAnswer>(
    host,
    tasks,
    (task) => {
      const builder = new GeometryBuilder(hasZ(dimensions) ? 'XYZ' : 'XY');
      for (let group = task.start; group < task.end; group++) {
        for (let i = offsets[group]; i < offsets[group + 1]; i++) parts.appendPart(items[i], builder);
        builder.endFeature(GEOMETRY_TYPE.geometryCollection);
      }
      return { kind, geometry: builder.finish() };
    },
    (done, answer) => {
      answer.unions = host.keep(answer.unions);
      progress(done / tasks.length);
    },
  );
  answers.forEach(({ unions }, i) => {
    const column = columns.push(unions) - 1;
    for (let row = 0; row < unions.types.length; row++) {
      const group = tasks[i].start + row;
      if (offsets[group] === offsets[group + 1]) continue;
      const ownRow = parts.row[items[offsets[group]]];
      for (let part = unions.partOffsets[row]; part < unions.partOffsets[row + 1]; part++)
        target.push(column, part, ownRow);
    }
  });
}
