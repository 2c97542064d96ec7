/** The map with its legend, and the attributes of the feature that was clicked. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { extentOf } from '../map/extent.ts';
import type { DataLayer, MapView, PickedFeature } from '../map/map-view.ts';
import { drawing } from '../model/drawing-state.ts';
import { isNarrow } from '../model/layout.ts';
import { overlays, requestedView, viewBox } from '../model/overlays.ts';
import { runs } from '../model/run.ts';
import { selection } from '../model/selection.ts';
import { sources } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue, messageOf } from '../service.ts';
import { countText, Problem } from './controls.tsx';
import { lazy } from './lazy.tsx';
import { tilesHost } from './service-words.ts';
import { Welcome } from './welcome.tsx';

const DrawingBar = lazy(async () => (await import('./drawing-bar.tsx')).DrawingBar);

export interface LegendRow extends DataLayer {
  readonly title: string;
  readonly drawn: number;
  readonly total: number;
}

export function MapPanel(): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<MapView>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [picked, setPicked] = useState<readonly PickedFeature[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const cursor = useRef<HTMLSpanElement>(null);
  const rows = legendRows();
  const isNeeded = rows.length > 0 || overlays.value.size > 0;
  const loaded = catalogue.value;
  const tiles = loaded.state === 'ready' ? loaded.value.service.map_tiles : null;
  const tilesUrl = tiles?.url ?? null;

  useEffect(() => {
    if (!isNeeded || container.current === null) return;
    const element = container.current;
    let isGone = false;
    import('../map/map-view.ts').then(
      ({ MapView }) => {
        if (isGone) return;
        view.current = new MapView(element, tilesUrl, {
          onMove: (longitude, latitude) => {
            if (cursor.current !== null) cursor.current.textContent = degreesText(longitude, latitude);
          },
          onPick: (features) => {
            setPicked(features);
            const [first] = features;
            selection.value =
              first === undefined ? null : { layerId: first.layerId, index: first.index, from: 'map' };
          },
          onPointer: (kind, longitude, latitude) => {
            const { value } = drawing;
            value?.onPointer(kind, longitude, latitude);
            return value !== null;
          },
          onView: (box) => {
            viewBox.value = box;
          },
        });
        drawAll();
        void view.current.overlay(overlays.peek());
        // Asked for before the map was there, which has no data to show instead.
        const asked = requestedView.peek();
        if (asked !== null && legendRows().length === 0) void view.current.fit(asked.box);
      },
      (error) => setFailure(messageOf(error)),
    );
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => void view.current?.recolour();
    scheme.addEventListener('change', recolour);
    return () => {
      isGone = true;
      scheme.removeEventListener('change', recolour);
      view.current?.close();
      view.current = null;
      viewBox.value = null;
    };
  }, [isNeeded]);

  const fitted = useRef('');
  const drawAll = () => {
    const layers = legendRows().map((row) => ({ ...row, isVisible: !hidden.has(row.id) }));
    void view.current?.show(layers);
    const key = layers.map(({ id }) => id).join('\n');
    if (view.current === null || key === fitted.current) return;
    fitted.current = key;
    const box = extentOf(layers.map(({ features }) => features));
    if (box !== null) void view.current.fit(box);
  };
  useSignalEffect(() => {
    void sources.value;
    void runs.value;
    void workspace.current.value;
    drawAll();
  });
  useEffect(drawAll, [hidden]);
  useSignalEffect(() => {
    // Read first: also while there is no map, or this would not run again.
    const { value: drawn } = overlays;
    void view.current?.overlay(drawn);
  });
  useSignalEffect(() => {
    if (requestedView.value !== null) void view.current?.fit(requestedView.value.box);
  });
  const markSelected = () => {
    const { value } = selection;
    const row = legendRows().find(({ id }) => id === value?.layerId);
    const feature = row?.features.features[value?.index ?? -1] ?? null;
    void view.current?.mark(feature);
    if (feature === null || value?.from !== 'table') return;
    setPicked([{ layerId: value.layerId, index: value.index, properties: feature.properties ?? {} }]);
    const box = extentOf([{ type: 'FeatureCollection', features: [feature] }]);
    if (box !== null) void view.current?.fit(box);
  };
  useSignalEffect(markSelected);

  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  const zoomTo = (row: LegendRow) => {
    const box = extentOf([row.features]);
    if (box !== null) void view.current?.fit(box);
  };
  return (
    <section class={drawing.value === null ? 'map-panel' : 'map-panel drawing'} aria-label="Map and layers">
      <div ref={container} class="map" />
      {!isNeeded && (
        <div class="map-empty">
          {workspace.current.value.inputs.length > 0 ? (
            <p>Files appear here when their place on the Earth is known.</p>
          ) : (
            !isNarrow.value && <Welcome />
          )}
        </div>
      )}
      {drawing.value !== null && <DrawingBar now={drawing.value} />}
      {failure !== null && <Problem message={`The map could not be loaded. ${failure}`} />}
      {isNeeded && (
        <>
          <ul class="legend" aria-label="Layers of the map" hidden={rows.length === 0}>
            {rows.map((row) => (
              <li key={row.id}>
                <label>
                  <input type="checkbox" checked={!hidden.has(row.id)} onChange={() => toggle(row.id)} />
                  <span class={`swatch ${row.role}`} aria-hidden="true" />
                  <span dir="auto">{row.title}</span>
                </label>{' '}
                <span class="soft">
                  {row.drawn === row.total
                    ? countText(row.total)
                    : `${countText(row.drawn)} of ${countText(row.total)}`}
                </span>
                <button type="button" class="link" onClick={() => zoomTo(row)}>
                  Zoom<span class="visually-hidden"> to {row.title}</span>
                </button>
              </li>
            ))}
          </ul>
          <div class="zoom" role="group" aria-label="Zoom">
            <button type="button" aria-label="Zoom in" onClick={() => view.current?.zoomBy(1)}>
              +
            </button>
            <button type="button" aria-label="Zoom out" onClick={() => view.current?.zoomBy(-1)}>
              −
            </button>
          </div>
          {tiles !== null && (
            <p class="tiles">
              Map tiles from {tilesHost(tiles.url)}
              {tiles.attribution !== null && `: ${tiles.attribution}`}
            </p>
          )}
          <span ref={cursor} class="cursor" aria-hidden="true" />
          {picked.length > 0 && <Picked features={picked} onClose={() => setPicked([])} />}
        </>
      )}
    </section>
  );
}

export function legendRows(): LegendRow[] {
  const inputs = workspace.current.value.inputs.flatMap(({ path }) => {
    const preview = sources.value.get(path)?.preview;
    if (preview?.state !== 'ready') return [];
    const { features, drawn, total } = preview.value;
    return [
      { id: `source ${path}`, role: 'source' as const, features, title: path, drawn, total, isVisible: true },
    ];
  });
  const results = runs.value.flatMap(({ key, title, preview }) => {
    if (preview?.state !== 'ready') return [];
    const { features, drawn, total } = preview.value;
    return [
      {
        id: `result ${key}`,
        role: 'result' as const,
        features,
        title: `${title}, converted`,
        drawn,
        total,
        isVisible: true,
      },
    ];
  });
  return [...inputs, ...results];
}

const MAX_PICKED = 5;

function Picked(props: {
  readonly features: readonly PickedFeature[];
  readonly onClose: () => void;
}): JSX.Element {
  const shown = props.features.slice(0, MAX_PICKED);
  return (
    <div class="picked" role="region" aria-label="Attributes">
      <button type="button" aria-label="Close the attributes" onClick={props.onClose}>
        ✕
      </button>
      {shown.map((feature, i) => (
        <dl key={i}>
          {Object.entries(feature.properties).map(([name, value]) => (
            <div key={name}>
              <dt dir="auto">{name}</dt>
              <dd dir="auto">{value === null ? <em>no value</em> : String(value)}</dd>
            </div>
          ))}
        </dl>
      ))}
      {props.features.length > MAX_PICKED && (
        <p class="soft">and {countText(props.features.length - MAX_PICKED)} more features here</p>
      )}
    </div>
  );
}

function degreesText(longitude: number, latitude: number): string {
  const east = `${Math.abs(longitude).toFixed(5)}° ${longitude < 0 ? 'W' : 'E'}`;
  const north = `${Math.abs(latitude).toFixed(5)}° ${latitude < 0 ? 'S' : 'N'}`;
  return `${east}, ${north}`;
}
