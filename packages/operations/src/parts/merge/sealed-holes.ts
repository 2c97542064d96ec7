/**
 * Holes that nothing can fill any more. The union of many overlapping polygons is one polygon with holes by the thousand,
 * and GEOS would node all of them again at every level, though what is added lies elsewhere.
 *
 * A hole is sealed once its bounds meet no polygon of another chunk. Polygons of its own chunk that lie in it meet none
 * either: they are settled at the same time and are never united with the filled polygon. Sealed holes are taken out, and
 * put back where all is done.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import { copyRing, type PartList, ringBounds } from './part-list.ts';
import type { Reach } from './reach.ts';

interface SealedHole {
  readonly column: number;
  readonly ring: number;
}

export class SealedHoles {
  readonly #columns: GeometryColumn[];
  /** Polygons of the first list that are one now. */
  readonly #seeds: DisjointSets;
  readonly #holes: SealedHole[] = [];
  readonly #seedOf: number[] = [];

  /** `columns` gets the polygons with fewer and with more holes. */
  constructor(columns: GeometryColumn[], seedCount: number) {
    this.#columns = columns;
    this.#seeds = new DisjointSets(seedCount);
  }

  link(seedA: number, seedB: number): void {
    this.#seeds.unite(seedA, seedB);
  }

  /** Takes the holes that nothing reaches out of the polygons. */
  seal(list: PartList, polygons: Uint32Array, reach: Reach): void {
    const bounds = new Float64Array(4);
    let builder: GeometryBuilder | null = null;
    const stripped: number[] = [];
    for (const index of polygons) {
      const column = this.#columns[list.column[index]];
      const shell = column.ringOffsets[list.part[index]];
      const end = column.ringOffsets[list.part[index] + 1];
      const kept: number[] = [];
      for (let ring = shell + 1; ring < end; ring++) {
        ringBounds(column, ring, ring + 1, bounds, 0);
        if (reach.meets(index, bounds, 0)) {
          kept.push(ring);
          continue;
        }
        this.#holes.push({ column: list.column[index], ring });
        this.#seedOf.push(list.seed[index]);
      }
      if (kept.length === end - shell - 1) continue;
      builder ??= new GeometryBuilder(column.dimensions);
      builder.widen(column.dimensions);
      copyRing(column, shell, builder);
      for (const ring of kept) copyRing(column, ring, builder);
      builder.endPart(PART_KIND.polygon);
      builder.endFeature(GEOMETRY_TYPE.polygon);
      stripped.push(index);
    }
    if (builder === null) return;
    const column = this.#columns.push(builder.finish()) - 1;
    for (let part = 0; part < stripped.length; part++) list.replace(stripped[part], column, part);
  }

  /** Puts every hole back into the polygon that it was of, or that this became part of. */
  attach(settled: PartList): void {
    if (this.#holes.length === 0) return;
    const holesByRoot = new Map<number, SealedHole[]>();
    this.#holes.forEach((hole, i) => {
      const root = this.#seeds.find(this.#seedOf[i]);
      const holes = holesByRoot.get(root);
      if (holes === undefined) holesByRoot.set(root, [hole]);
      else holes.push(hole);
    });
    const polygonsByRoot = new Map<number, number[]>();
    for (let i = 0; i < settled.length; i++) {
      const root = this.#seeds.find(settled.seed[i]);
      if (!holesByRoot.has(root)) continue;
      const polygons = polygonsByRoot.get(root);
      if (polygons === undefined) polygonsByRoot.set(root, [i]);
      else polygons.push(i);
    }
    for (const [root, holes] of holesByRoot) this.#attachTo(settled, polygonsByRoot.get(root) ?? [], holes);
  }

  #attachTo(settled: PartList, polygons: readonly number[], holes: readonly SealedHole[]): void {
    const byPolygon = new Map<number, SealedHole[]>();
    for (const hole of holes) {
      const polygon = polygons.length === 1 ? polygons[0] : this.#hostOf(settled, polygons, hole);
      const own = byPolygon.get(polygon);
      if (own === undefined) byPolygon.set(polygon, [hole]);
      else own.push(hole);
    }
    for (const [polygon, own] of byPolygon) {
      const column = this.#columns[settled.column[polygon]];
      const builder = new GeometryBuilder(column.dimensions, 1, settled.positionCount(polygon));
      settled.appendRings(polygon, builder);
      for (const hole of own) copyRing(this.#columns[hole.column], hole.ring, builder);
      builder.endPart(PART_KIND.polygon);
      builder.endFeature(GEOMETRY_TYPE.polygon);
      settled.replace(polygon, this.#columns.push(builder.finish()) - 1, 0);
    }
  }

  /** A repaired polygon can be of several parts, which share a seed: the hole is in the smallest shell around it. */
  #hostOf(settled: PartList, polygons: readonly number[], { column, ring }: SealedHole): number {
    const bounds = new Float64Array(4);
    const hole = this.#columns[column];
    ringBounds(hole, ring, ring + 1, bounds, 0);
    const at = hole.coordOffsets[ring] * strideOf(hole.dimensions);
    let host = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const polygon of polygons) {
      const [minX, minY, maxX, maxY] = settled.bounds.subarray(polygon * 4, polygon * 4 + 4);
      if (minX > bounds[0] || minY > bounds[1] || maxX < bounds[2] || maxY < bounds[3]) continue;
      const size = (maxX - minX) * (maxY - minY);
      const shell = this.#columns[settled.column[polygon]];
      const shellRing = shell.ringOffsets[settled.part[polygon]];
      if (size >= least || !isInRing(shell, shellRing, hole.coordinates[at], hole.coordinates[at + 1]))
        continue;
      host = polygon;
      least = size;
    }
    if (host < 0) throw new Error('a hole was taken out of a polygon that is not there any more');
    return host;
  }
}

/** Even-odd rule; positions on the ring may be either. */
function isInRing(column: GeometryColumn, ring: number, x: number, y: number): boolean {
  const { coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  let isInside = false;
  const end = coordOffsets[ring + 1] * stride;
  for (let at = (coordOffsets[ring] + 1) * stride; at < end; at += stride) {
    const y1 = coordinates[at - stride + 1];
    const y2 = coordinates[at + 1];
    if (y1 > y === y2 > y) continue;
    const x1 = coordinates[at - stride];
    if (x < x1 + ((coordinates[at] - x1) * (y - y1)) / (y2 - y1)) isInside = !isInside;
  }
  return isInside;
}
