/** Drawing a rectangle or a polygon on the map, corner by corner. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import type { LonLatBox } from '../map/extent.ts';
import { type Area, rectangle, roundDegrees } from './area.ts';
import { type Corner, type Drawing, drawing } from './drawing-state.ts';
import { hideOverlay, showOverlay } from './overlays.ts';

const OVERLAY = 'drawing';

export function startDrawing(kind: Drawing['kind'], onEnd: Drawing['onEnd']): void {
  set({ kind, corners: [], pointer: null, onPointer, onEnd });
}

export function cancelDrawing(): void {
  drawing.value = null;
  hideOverlay(OVERLAY);
}

/** The second corner of a rectangle ends it. */
export function addCorner(longitude: number, latitude: number): void {
  const now = drawing.peek();
  if (now === null) return;
  const corner = [longitude, Math.min(90, Math.max(-90, latitude))] as const;
  const last = now.corners.at(-1);
  if (last?.[0] === corner[0] && last[1] === corner[1]) return;
  const corners = [...now.corners, corner];
  if (now.kind === 'rectangle' && corners.length === 2) {
    const area = areaOf(now.kind, corners);
    // Both corners on one line: the second one is asked for again.
    if (area !== null) end(now, area);
  } else set({ ...now, corners });
}

export function removeCorner(): void {
  const now = drawing.peek();
  if (now !== null) set({ ...now, corners: now.corners.slice(0, -1) });
}

export function canFinish({ kind, corners }: Drawing): boolean {
  return kind === 'polygon' && corners.length >= 3;
}

export function finishDrawing(): void {
  const now = drawing.peek();
  const area = now !== null && canFinish(now) ? areaOf(now.kind, now.corners) : null;
  if (now !== null && area !== null) end(now, area);
}

const onPointer: Drawing['onPointer'] = (kind, longitude, latitude) => {
  const now = drawing.peek();
  if (now === null) return;
  if (kind === 'move') set({ ...now, pointer: [longitude, latitude] });
  else if (kind === 'click') addCorner(longitude, latitude);
  else {
    // Its second click has added a corner.
    if (now.corners.length > 3) removeCorner();
    finishDrawing();
  }
};

/** The middle of a box as the map shows it, in Mercator. */
export function middleOf([west, south, east, north]: LonLatBox): Corner {
  const up = (latitude: number) =>
    Math.asinh(Math.tan((Math.min(85.05, Math.max(-85.05, latitude)) * Math.PI) / 180));
  const latitude = (Math.atan(Math.sinh((up(south) + up(north)) / 2)) * 180) / Math.PI;
  return [(west + east) / 2, latitude];
}

function end({ onEnd }: Drawing, area: Area): void {
  cancelDrawing();
  onEnd(area);
}

/** Null: it has no area. The first corner is between -180 and 180 degrees, the others follow without a jump. */
function areaOf(kind: Drawing['kind'], corners: readonly Corner[]): Area | null {
  const turns = Math.floor((corners[0][0] + 180) / 360) * 360;
  const ring = corners.map(([x, y]) => [roundDegrees(x - turns), roundDegrees(y)] as const);
  if (kind === 'polygon') return { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
  const [[x1, y1], [x2, y2]] = ring;
  if (x1 === x2 || y1 === y2) return null;
  return rectangle([Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]);
}

function set(next: Drawing): void {
  drawing.value = next;
  showOverlay({ id: OVERLAY, role: 'mask', features: draftOf(next) });
}

/** The corners, and the outline up to the pointer. */
function draftOf({ kind, corners, pointer }: Drawing): FeatureCollection {
  const all = pointer === null ? corners : [...corners, pointer];
  const outline =
    kind === 'rectangle' && all.length === 2
      ? [all[0], [all[1][0], all[0][1]], all[1], [all[0][0], all[1][1]], all[0]]
      : all.length > 2
        ? [...all, all[0]]
        : all;
  const geometries = [
    ...(outline.length > 1 ? [{ type: 'LineString', coordinates: outline }] : []),
    ...corners.map((coordinates) => ({ type: 'Point', coordinates })),
  ];
  const features = geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry }));
  return { type: 'FeatureCollection', features } as never;
}
