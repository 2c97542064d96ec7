/** Unites polygons by their edges, without GEOS: see Outline. */
import { GEOMETRY_TYPE, type GeometryBuilder, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { Outline } from '@geomill/planar/outline.ts';
import { POLYGON_STATE, type PolygonsCall } from './calls.ts';
import type { NearPolygons } from './near-polygons.ts';

/** With more, all polygons of the call are left to GEOS: each is compared with those near it. */
const MOST_REPAIRED = 1024;

/** Parts of an answer. */
export interface Answer {
  readonly states: Uint8Array<ArrayBuffer>;
  readonly builder: GeometryBuilder;
  readonly owners: number[];
  readonly links: number[];
}

/** Calls come one after another; its tables are used again. */
const outline = new Outline();

/** Returns the polygons that GEOS must unite; they meet none of the others but in points. */
export function uniteByEdges(call: PolygonsCall, near: NearPolygons, answer: Answer): number[] {
  const { geometry, classes } = call;
  const { states, links } = answer;
  const count = states.length;
  const repaired: number[] = [];
  const candidates: number[] = [];
  for (let i = 0; i < count; i++) {
    if (states[i] !== POLYGON_STATE.kept) repaired.push(i);
    else if (near.hasOthers(i)) candidates.push(i);
  }
  const all = [...repaired, ...candidates].sort((a, b) => a - b);
  if (candidates.length === 0 || repaired.length > MOST_REPAIRED) return all;
  const edges = outline.begin(hasZ(geometry.dimensions));
  for (const i of candidates) edges.addPolygon(geometry, i, i, classes === null ? 0 : classes[i]);
  if (!outline.unite(count, classes, false)) return all;
  for (const one of repaired) near.each(one, (other) => outline.reject(other));
  const rest = repaired;
  for (const i of candidates) {
    if (!outline.isClear(i)) rest.push(i);
    else if (outline.setOf(i) !== i) {
      states[i] = POLYGON_STATE.merged;
      states[outline.setOf(i)] = POLYGON_STATE.merged;
      links.push(outline.setOf(i), i);
    }
  }
  writeOutlines(candidates, answer);
  return rest.sort((a, b) => a - b);
}

function writeOutlines(candidates: readonly number[], { states, builder, owners }: Answer): void {
  const rings = outline.ringsBySet();
  for (const i of candidates) {
    if (states[i] !== POLYGON_STATE.merged || outline.setOf(i) !== i) continue;
    outline.appendPart(rings.get(i)!, builder);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    owners.push(i);
  }
}
