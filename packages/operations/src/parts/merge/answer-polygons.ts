/**
 * Merges polygons that overlap or share a border: most by their edges, the others by GEOS: candidates by their bounds, an exact test,
 * one union per group.
 *
 * Polygons that only touch in a point pass the exact test as well. Asking GEOS for the dimension of every meeting would
 * cost more than the unions do; instead the union itself shows it: polygons that meet in points only come out of it as several
 * polygons, and each input belongs to the one that contains it.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { GeosPrepared } from '@geomill/geos/prepared.ts';
import { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import { areValidRings, SimpleRings } from '@geomill/planar/simple-rings.ts';
import { POLYGON_STATE, type PolygonsAnswer, type PolygonsCall } from './calls.ts';
import { NearPolygons } from './near-polygons.ts';
import { type Answer, uniteByEdges } from './unite-by-edges.ts';

export function answerPolygons(geos: Geos, call: PolygonsCall): PolygonsAnswer {
  using stack = new DisposableStack();
  const { geometry, origins } = call;
  const near = new NearPolygons(call);
  const count = geometry.types.length;
  const states = new Uint8Array(count);
  const polygons = stack.use(new LazyPolygons(geos, geometry));
  const rings = new SimpleRings();
  for (let i = 0; i < count && origins === null; i++) {
    if (areValidRings(rings, geometry, i) || polygons.get(i).isValid) continue;
    polygons.repair(i);
    states[i] = POLYGON_STATE.repaired;
  }
  const builder = new GeometryBuilder(geometry.dimensions);
  const owners: number[] = [];
  const links: number[] = [];
  const answer: Answer = { states, builder, owners, links };
  const rest = uniteByEdges(call, near, answer);
  const sets = groupsOf(polygons, count, near, rest);
  for (const group of membersByRoot(sets, rest)) {
    if (group.length === 1) {
      const only = group[0];
      if (states[only] === POLYGON_STATE.kept) continue;
      const before = builder.partCount;
      polygons.get(only).appendTo(builder, 2);
      for (let part = before; part < builder.partCount; part++) owners.push(only);
      continue;
    }
    const members = group.map((member) => polygons.get(member));
    using union = unionOf(geos, members);
    if (union.partCount > 1) {
      takePieces(union, polygons, group, answer);
      continue;
    }
    for (const member of group)
      if (states[member] === POLYGON_STATE.kept) states[member] = POLYGON_STATE.merged;
    if (union.appendTo(builder, 2) === GEOMETRY_TYPE.none) continue;
    owners.push(group[0]);
    for (let i = 1; i < group.length; i++) links.push(group[0], group[i]);
  }
  return {
    states,
    merged: builder.finish(),
    owners: Uint32Array.from(owners),
    links: Uint32Array.from(links),
  };
}

/** Polygons that are read when they are needed: most meet no other. */
class LazyPolygons {
  readonly #geos: Geos;
  readonly #column: GeometryColumn;
  readonly #polygons: (GeosGeometry | undefined)[] = [];

  constructor(geos: Geos, column: GeometryColumn) {
    this.#geos = geos;
    this.#column = column;
    this.#polygons.length = column.types.length;
  }

  get(row: number): GeosGeometry {
    this.#polygons[row] ??= this.#geos.read(this.#column, row);
    return this.#polygons[row];
  }

  repair(row: number): void {
    using broken = this.get(row);
    this.#polygons[row] = broken.makeValid();
  }

  [Symbol.dispose](): void {
    for (const polygon of this.#polygons) polygon?.[Symbol.dispose]();
  }
}

/** Sets of polygons of `rest` that meet, if only through others. */
function groupsOf(
  polygons: LazyPolygons,
  count: number,
  near: NearPolygons,
  rest: readonly number[],
): DisjointSets {
  const sets = new DisjointSets(count);
  if (rest.length < 2) return sets;
  const isRest = new Uint8Array(count);
  for (const polygon of rest) isRest[polygon] = 1;
  for (const at of rest) {
    const candidates: number[] = [];
    const size = near.positionCount(at);
    near.each(at, (other) => {
      // Each pair once, and the larger of the two is the one that is prepared.
      const otherSize = near.positionCount(other);
      if (isRest[other] === 0 || otherSize > size || (otherSize === size && other > at)) return;
      if (sets.find(other) !== sets.find(at)) candidates.push(other);
    });
    if (candidates.length > 0) uniteMeeting(polygons, at, candidates, sets);
  }
  return sets;
}

function uniteMeeting(
  polygons: LazyPolygons,
  at: number,
  candidates: readonly number[],
  sets: DisjointSets,
): void {
  let prepared: GeosPrepared | null = null;
  try {
    for (const other of candidates) {
      if (sets.find(other) === sets.find(at)) continue;
      prepared ??= polygons.get(at).prepare();
      if (!prepared.intersects(polygons.get(other))) continue;
      sets.unite(at, other);
    }
  } finally {
    prepared?.[Symbol.dispose]();
  }
}

function membersByRoot(sets: DisjointSets, members: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const i of members) {
    const root = sets.find(i);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [i]);
    else group.push(i);
  }
  return [...groups.values()];
}

function unionOf(geos: Geos, members: readonly GeosGeometry[]): GeosGeometry {
  if (members.length === 2) return members[0].union(members[1]);
  // The collection takes ownership of its members, and the polygons are needed afterwards to assign parts.
  using collection = geos.collection(members.map((member) => member.clone()));
  return collection.unaryUnion();
}

/**
 * A union of several parts: finds the part that each polygon of the group lies in. Polygons that have a part for
 * themselves are kept as they are.
 */
function takePieces(
  union: GeosGeometry,
  polygons: LazyPolygons,
  group: readonly number[],
  { states, builder, owners, links }: Answer,
): void {
  using stack = new DisposableStack();
  const partCount = union.partCount;
  const parts = Array.from({ length: partCount }, (_, i) => stack.use(union.part(i)));
  const prepared = parts.map((part) => stack.use(part.prepare()));
  const firstOf = new Int32Array(partCount).fill(-1);
  const isShared = new Uint8Array(partCount);
  for (const member of group) {
    const { partCount: pieceCount } = polygons.get(member);
    for (let piece = 0; piece < pieceCount; piece++) {
      using polygon = polygons.get(member).part(piece);
      using inside = polygon.pointOnSurface();
      let part = prepared.findIndex((candidate) => candidate.intersects(inside));
      // A sliver's point can fall beside the snapped union.
      if (part < 0) part = nearest(parts, inside);
      if (firstOf[part] < 0) firstOf[part] = member;
      else if (firstOf[part] !== member) {
        links.push(firstOf[part], member);
        isShared[part] = 1;
        for (const one of [firstOf[part], member])
          if (states[one] === POLYGON_STATE.kept) states[one] = POLYGON_STATE.merged;
      }
    }
  }
  for (let part = 0; part < partCount; part++) {
    const owner = firstOf[part];
    if (owner >= 0 && isShared[part] === 0 && states[owner] === POLYGON_STATE.kept) continue;
    if (parts[part].appendTo(builder, 2) === GEOMETRY_TYPE.none) continue;
    // A part that no polygon's point fell into is a sliver that snapping split off.
    owners.push(owner < 0 ? group[0] : owner);
  }
}

function nearest(parts: readonly GeosGeometry[], point: GeosGeometry): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  parts.forEach((part, i) => {
    const distance = part.distance(point);
    if (distance >= least) return;
    least = distance;
    best = i;
  });
  return best;
}
