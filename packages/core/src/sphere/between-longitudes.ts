/**
 * Rows from longitudes and latitudes to those of another prime meridian, unit or datum: opened where they were cut at the old
 * antimeridian and closed along poles, and cut and closed at the new one.
 */
import type { FlatPolygon } from '../geometry/split-polygon.ts';
import { unwrapRing, windingOf, withInteriorLeft, withShortEdges } from './loose-rings.ts';
import { GLOBE, openCuts } from './open-cuts.ts';
import type { SpecialPart, SpecialRow } from './special-rows.ts';
import { rowsToLongitudes, type ToLongitudes } from './to-longitudes.ts';

export interface BetweenLongitudes extends Omit<ToLongitudes, 'opened'> {
  /** A whole turn in the unit of the source; `turn` is that of the target. */
  readonly turnFrom: number;
}

/** Sets the pieces of the parts. */
export function rowsBetweenLongitudes(rows: readonly SpecialRow[], to: BetweenLongitudes): void {
  const { stride, turnFrom } = to;
  const opened = new Set<SpecialPart>();
  const globes: (readonly SpecialPart[])[] = [];
  const counts = new Map<SpecialRow, number>();
  for (const row of rows) {
    counts.set(row, row.parts.length);
    for (const part of row.parts)
      part.rings = part.rings.map((ring, i) => {
        const loose = unwrapRing(ring, stride, turnFrom);
        return part.isLine ? loose : withInteriorLeft(loose, stride, i === 0, turnFrom);
      });
    const polygons = row.parts.filter(({ isLine }) => !isLine);
    for (const group of row.isCollection ? polygons.map((part) => [part]) : [polygons]) {
      const rings = openedRings(group, stride, turnFrom);
      if (rings === GLOBE) globes.push(group);
      if (rings === null) continue;
      for (const [i, part] of group.entries()) {
        part.rings = i === 0 && rings !== GLOBE ? rings : [];
        opened.add(part);
      }
    }
  }
  for (const { parts } of rows)
    for (const part of parts) part.rings = part.rings.map((ring) => withShortEdges(ring, stride, turnFrom));
  rowsToLongitudes(rows, { ...to, opened });
  for (const row of rows) {
    const pieces = row.parts.reduce((sum, part) => sum + (part.pieces?.length ?? 1), 0);
    row.isCut &&= pieces > (counts.get(row) ?? 0);
  }
  for (const parts of globes) setGlobe(parts, to);
}

/** Null: nothing is to be opened. */
function openedRings(
  parts: readonly SpecialPart[],
  stride: number,
  turn: number,
): number[][] | typeof GLOBE | null {
  const rings = parts.flatMap((part) => part.rings);
  const opened = openCuts(rings, stride, turn);
  if (opened !== null) return opened;
  // Rings around a pole that were never closed.
  return rings.some((ring) => Math.abs(windingOf(ring, stride, turn) ?? 0) === 1) ? rings : null;
}

/** The whole Earth has the same corners in all systems; Z and M are not known. */
function setGlobe(parts: readonly SpecialPart[], { stride, turn }: BetweenLongitudes): void {
  const [east, north] = [turn / 2, turn / 4];
  const corners = [
    [-east, -north],
    [east, -north],
    [east, north],
    [-east, north],
    [-east, -north],
  ];
  const unknown = new Array<number>(stride - 2).fill(Number.NaN);
  const globe: FlatPolygon = [corners.flatMap((corner) => [...corner, ...unknown])];
  for (const [i, part] of parts.entries()) part.pieces = i === 0 ? [globe] : [];
}
