/** What to do while an area is drawn, above the map, with buttons and keys for those who have no pointer. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LonLatBox } from '../map/extent.ts';
import {
  addCorner,
  cancelDrawing,
  canFinish,
  finishDrawing,
  middleOf,
  removeCorner,
} from '../model/drawing.ts';
import { type Drawing, drawing } from '../model/drawing-state.ts';
import { isNarrow, sheetHeight } from '../model/layout.ts';
import { viewBox } from '../model/overlays.ts';

export function DrawingBar({ now }: { readonly now: Drawing }): JSX.Element {
  const bar = useRef<HTMLDivElement>(null);
  const hasMap = viewBox.value !== null;
  useEffect(() => {
    const before = document.activeElement;
    const height = sheetHeight.peek();
    // In a narrow window the map needs the room.
    if (isNarrow.peek()) sheetHeight.value = 'low';
    return () => {
      if (isNarrow.peek()) sheetHeight.value = height;
      // When the sheet is there again.
      if (before instanceof HTMLElement) requestAnimationFrame(() => before.focus());
    };
  }, []);
  useEffect(() => {
    const panel = bar.current?.closest('.map-panel');
    // The arrow keys of the canvas move the map under the crosshair.
    if (hasMap) panel?.querySelector('canvas')?.focus();
  }, [hasMap]);
  useEffect(() => {
    // Before the shortcuts of the page.
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, []);
  return (
    <>
      <span class="crosshair" aria-hidden="true" />
      <div ref={bar} class="drawing-bar" role="group" aria-label={`Draw a ${now.kind}`}>
        <p role="status">{instruction(now)}</p>
        <div class="actions">
          <button type="button" disabled={!hasMap} onClick={addAtCrosshair}>
            Corner at the crosshair
          </button>
          <button type="button" disabled={now.corners.length === 0} onClick={removeCorner}>
            Remove the last
          </button>
          {now.kind === 'polygon' && (
            <button type="button" class="primary" disabled={!canFinish(now)} onClick={finishDrawing}>
              Finish
            </button>
          )}
          <button type="button" onClick={cancelDrawing}>
            Cancel
          </button>
        </div>
      </div>
    </>
  );
}

function instruction({ kind, corners }: Drawing): string {
  if (kind === 'rectangle')
    return corners.length === 0 ? 'Click a corner of the rectangle.' : 'Click the opposite corner.';
  const count = `${corners.length} ${corners.length === 1 ? 'corner' : 'corners'}.`;
  if (corners.length === 0) return 'Click the first corner of the polygon.';
  return corners.length < 3 ? `${count} Click the next one.` : `${count} A double click ends the polygon.`;
}

/** A second time at the same place ends a polygon, as a double click does. */
function addAtCrosshair(): void {
  const now = drawing.peek();
  if (now === null || viewBox.peek() === null) return;
  const [longitude, latitude] = middleOf(viewBox.peek() as LonLatBox);
  const last = now.corners.at(-1);
  if (last?.[0] === longitude && last[1] === latitude) finishDrawing();
  else addCorner(longitude, latitude);
}

/** On the map: Enter or Space sets a corner at the crosshair, Backspace removes one. Escape cancels from everywhere. */
function onKey(event: KeyboardEvent): void {
  const isOnMap = event.target instanceof HTMLCanvasElement;
  if (event.key === 'Escape') cancelDrawing();
  else if (!isOnMap) return;
  else if ((event.key === 'Enter' && !event.ctrlKey && !event.metaKey) || event.key === ' ') addAtCrosshair();
  else if (event.key === 'Backspace' || event.key === 'Delete') removeCorner();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
