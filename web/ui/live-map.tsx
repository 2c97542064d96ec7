/** The map and the cards above it: legend, comparison, zoom, position of the cursor, selected feature. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { FeatureCollection } from '../../src/client/client.ts';
import { extentOf } from '../map/extent.ts';
import type { MapFeature } from '../map/geometry.ts';
import { MapView } from '../map/map-view.ts';
import { drawing } from '../model/drawing-state.ts';
import { dataLayers, type MapLayer, mapLayers } from '../model/map-layers.ts';
import { overlays, requestedView, viewBox } from '../model/overlays.ts';
import { type FeatureKey, selection } from '../model/selection.ts';
import { followView } from '../model/view-preview.ts';
import { catalogue } from '../service.ts';
import { Compare, comparisonSentence } from './compare.tsx';
import { FeatureCard } from './feature-card.tsx';
import { Legend } from './legend.tsx';
import { tilesHost } from './service-words.ts';

export function LiveMap(): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<MapView>(null);
  const cursor = useRef<HTMLSpanElement>(null);
  const loaded = catalogue.value;
  const tiles = loaded.state === 'ready' ? loaded.value.service.map_tiles : null;

  // Before the effects that draw.
  useEffect(() => {
    const element = container.current as HTMLDivElement;
    const map = new MapView(element, tiles?.url ?? null, {
      onMove: (longitude, latitude) => {
        if (cursor.current !== null) cursor.current.textContent = degreesText(longitude, latitude);
      },
      onPick: (here) => {
        selection.value = here.length === 0 ? null : { ...here[0], from: 'map', here };
      },
      onPointer: (kind, longitude, latitude) => {
        const { value } = drawing;
        value?.onPointer(kind, longitude, latitude);
        return value !== null;
      },
      onView: (box) => {
        viewBox.value = box;
      },
      covered: () => coveredSides(element),
    });
    view.current = map;
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => void map.recolour();
    scheme.addEventListener('change', recolour);
    return () => {
      scheme.removeEventListener('change', recolour);
      map.close();
      view.current = null;
      viewBox.value = null;
    };
  }, []);
  useEffect(followView, []);
  const fitted = useRef('');
  useSignalEffect(() => {
    const layers = dataLayers.value;
    void view.current?.show(layers);
    const key = layers.map(({ id }) => id).join('\n');
    if (key === fitted.current) return;
    fitted.current = key;
    const box = extentOf(layers.map(({ features }) => features));
    if (box !== null) void view.current?.fit(box);
  });
  useSignalEffect(() => {
    void view.current?.overlay(overlays.value);
  });
  const answered = useRef<object | null>(mapLayers.peek().length > 0 ? requestedView.peek() : null);
  useSignalEffect(() => {
    const { value: asked } = requestedView;
    // What was asked for before the map was there is shown if there is no data to show instead.
    if (asked === null || asked === answered.current) return;
    answered.current = asked;
    void view.current?.fit(asked.box);
  });
  useSignalEffect(() => {
    const { value } = selection;
    const feature = value === null ? null : featureOf(value);
    void view.current?.mark(feature);
    if (feature === null || value === null || value.from === 'map') return;
    const box = extentOf([{ type: 'FeatureCollection', features: [feature] }]);
    if (box !== null) void (value.from === 'table' ? view.current?.fit(box) : view.current?.reveal(box));
  });
  const zoomTo = (collection: FeatureCollection) => {
    const box = extentOf([collection]);
    if (box !== null) void view.current?.fit(box);
  };
  return (
    <>
      <div ref={container} class="map" />
      <div class="map-controls">
        <Legend onZoom={({ features }) => zoomTo(features)} onStep={stepThrough} />
        <Compare />
      </div>
      <p class="visually-hidden" role="status">
        {comparisonSentence()}
      </p>
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
      <FeatureCard
        onZoom={(key) => {
          const feature = featureOf(key);
          if (feature !== null) zoomTo({ type: 'FeatureCollection', features: [feature] });
        }}
      />
    </>
  );
}

function featureOf({ layerId, index }: FeatureKey): MapFeature | null {
  const layer = mapLayers.peek().find(({ id }) => id === layerId);
  return layer?.features.features[index] ?? null;
}

/** Only where most of the map is left between the cards. */
function coveredSides(map: HTMLElement): { readonly left: number; readonly right: number } {
  const widthOf = (selector: string) =>
    map.parentElement?.querySelector<HTMLElement>(selector)?.offsetWidth ?? 0;
  const [left, right] = [widthOf('.legend'), widthOf('.picked')];
  return left + right < map.clientWidth * 0.7 ? { left, right } : { left: 0, right: 0 };
}

/** Selects the first feature of the layer, or the selected one again, so that the card gets the focus. */
function stepThrough({ id }: MapLayer): void {
  const now = selection.peek();
  selection.value = { layerId: id, index: now?.layerId === id ? now.index : 0, from: 'list' };
}

function degreesText(longitude: number, latitude: number): string {
  const east = `${Math.abs(longitude).toFixed(5)}° ${longitude < 0 ? 'W' : 'E'}`;
  const north = `${Math.abs(latitude).toFixed(5)}° ${latitude < 0 ? 'S' : 'N'}`;
  return `${east}, ${north}`;
}
