/** Where the map is: it is loaded when there is something to draw. */
import type { JSX } from 'preact';
import { drawing } from '../model/drawing-state.ts';
import { isNarrow } from '../model/layout.ts';
import { mapLayers } from '../model/map-layers.ts';
import { overlays } from '../model/overlays.ts';
import { tileLayers } from '../model/tile-layers.ts';
import { workspace } from '../model/workspace.ts';
import { lazy } from './lazy.tsx';
import { Welcome } from './welcome.tsx';

const LiveMap = lazy(async () => (await import('./live-map.tsx')).LiveMap);
const DrawingBar = lazy(async () => (await import('./drawing-bar.tsx')).DrawingBar);

export function MapPanel(): JSX.Element {
  const isNeeded = mapLayers.value.length > 0 || overlays.value.size > 0 || tileLayers.value.length > 0;
  return (
    <section class={drawing.value === null ? 'map-panel' : 'map-panel drawing'} aria-label="Map and layers">
      {isNeeded ? (
        <LiveMap />
      ) : (
        <div class="map-empty">
          {workspace.current.value.inputs.length > 0 ? (
            <p>Your data appears here once its coordinate system is known.</p>
          ) : (
            !isNarrow.value && <Welcome />
          )}
        </div>
      )}
      {drawing.value !== null && <DrawingBar now={drawing.value} />}
    </section>
  );
}
