/** The map and the cards above it: legend, comparison, zoom, position of the cursor, selected feature. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { useSignalEffect } from '@preact/signals';
import { GPUInitializationError } from 'maplibre-gl';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { extentOf } from '../map/extent.ts';
import type { MapFeature } from '../map/geometry.ts';
import { MapView } from '../map/map-view.ts';
import { latitudeText, longitudeText, unitsText } from '../map/rulers.ts';
import { dataLayers } from '../model/data-layers.ts';
import { drawing } from '../model/drawing-state.ts';
import { layerSentences } from '../model/layer-sentences.ts';
import { isNarrow } from '../model/layout.ts';
import {
  chosenGround,
  ground,
  hasBothGrounds,
  LIVE_LAYER,
  mapLayers,
  plane,
  requestedLayer,
  STEP_LAYER,
} from '../model/map-layers.ts';
import { viewSentence } from '../model/map-summary.ts';
import { drawnTiles, followTiles, tileSentences } from '../model/open-tiles.ts';
import { overlays, requestedView, viewBox } from '../model/overlays.ts';
import { loadPlaces, placePhrase, places } from '../model/place-names.ts';
import { type FeatureKey, selection } from '../model/selection.ts';
import { followView } from '../model/view-preview.ts';
import { liveReach } from '../model/views.ts';
import { catalogue } from '../service.ts';
import { Compare, comparisonSentence } from './compare.tsx';
import { FeatureCard } from './feature-card.tsx';
import { GroundChoice } from './ground-choice.tsx';
import { Legend } from './legend.tsx';
import { tilesHost } from './service-words.ts';

const PREVIEWS: ReadonlySet<string> = new Set([STEP_LAYER, LIVE_LAYER]);

export function LiveMap(): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<MapView>(null);
  const cursor = useRef<HTMLSpanElement>(null);
  const loaded = catalogue.value;
  const tiles = loaded.state === 'ready' ? (loaded.value.service?.map_tiles ?? null) : null;

  const [isDrawable, setDrawable] = useState(true);

  // Before the effects that draw.
  useEffect(() => {
    const element = container.current as HTMLDivElement;
    const map = openMap(element, tiles?.url ?? null, {
      onMove: (longitude, latitude) => {
        if (cursor.current !== null) cursor.current.textContent = positionText(longitude, latitude);
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
        // Paper is no place on the Earth.
        viewBox.value = ground.peek() === 'paper' ? null : box;
      },
      covered: () => coveredSides(element),
    });
    if (map === null) {
      setDrawable(false);
      return;
    }
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
  useEffect(() => void loadPlaces(), []);
  useEffect(followTiles, []);
  useSignalEffect(() => {
    void view.current?.showReach(liveReach.value);
  });
  useSignalEffect(() => {
    void view.current?.showTiles(drawnTiles.value);
  });
  useSignalEffect(() => {
    if (places.value !== null) void view.current?.name(places.value);
  });
  const fitted = useRef('');
  useSignalEffect(() => {
    void view.current?.setPlane(ground.value === 'paper' ? plane.value : null);
  });
  useSignalEffect(() => {
    const layers = dataLayers.value;
    void view.current?.show(layers);
    // Previews of steps are of what the map shows already.
    const shown = mapLayers.value.filter((layer) => layer.ground === ground.value && !PREVIEWS.has(layer.id));
    const key = [ground.value, ...shown.map(({ id }) => id)].join('\n');
    if (key === fitted.current) return;
    fitted.current = key;
    const box = extentOf(shown.map(({ features }) => features));
    if (box !== null) void view.current?.fit(box);
  });
  // The data that was added or asked for last is shown.
  const added = useRef('');
  useSignalEffect(() => {
    const key = mapLayers.value.map(({ id }) => id).join('\n');
    if (key !== added.current) chosenGround.value = null;
    added.current = key;
  });
  useSignalEffect(() => {
    void view.current?.overlay(overlays.value);
  });
  const answered = useRef<object | null>(
    mapLayers.peek().some((layer) => layer.ground === 'earth') ? requestedView.peek() : null,
  );
  useSignalEffect(() => {
    const { value: asked } = requestedView;
    // A view that was asked for before the map was ready is shown if there is no data to show instead.
    if (asked === null || asked === answered.current) return;
    answered.current = asked;
    if (chosenGround.peek() === 'paper') chosenGround.value = 'earth';
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
  const answeredLayer = useRef<object | null>(requestedLayer.peek());
  useSignalEffect(() => {
    const { value: asked } = requestedLayer;
    if (asked === null || asked === answeredLayer.current) return;
    answeredLayer.current = asked;
    chosenGround.value = asked.layer.ground;
    zoomTo(asked.layer.features);
  });
  return (
    <>
      {isDrawable ? (
        <div ref={container} class="map" />
      ) : (
        <div class="map-empty">
          <p>
            This browser cannot draw the map, because WebGL 2 is missing or turned off. All else works without
            it.
          </p>
        </div>
      )}
      <div class="map-controls">
        {!isNarrow.value && <Legend />}
        <Compare />
        {hasBothGrounds.value && <GroundChoice />}
        <InWords />
      </div>
      <p class="visually-hidden" role="status">
        {[comparisonSentence(), ...layerSentences.value, ...tileSentences.value].join(' ')}
      </p>
      {isDrawable && <ZoomButtons zoomBy={(levels) => view.current?.zoomBy(levels)} />}
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

/** Null: the browser cannot draw maps. */
function openMap(...options: ConstructorParameters<typeof MapView>): MapView | null {
  try {
    return new MapView(...options);
  } catch (error) {
    if (error instanceof GPUInitializationError) return null;
    throw error;
  }
}

function ZoomButtons({ zoomBy }: { readonly zoomBy: (levels: number) => void }): JSX.Element {
  return (
    <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom in" onClick={() => zoomBy(1)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => zoomBy(-1)}>
        −
      </button>
    </div>
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

/** The map as text, on demand. */
function InWords(): JSX.Element {
  const box = viewBox.value;
  return (
    <details class="in-words">
      <summary>In words</summary>
      <ul>
        {[...layerSentences.value, ...tileSentences.value].map((sentence, i) => (
          <li key={i}>{sentence}</li>
        ))}
      </ul>
      {box !== null && <p>{viewSentence(box, placePhrase(box, places.value))}</p>}
    </details>
  );
}

/** Of the cursor. */
function positionText(longitude: number, latitude: number): string {
  const paper = ground.peek() === 'paper' ? plane.peek() : null;
  if (paper === null) return `${longitudeText(longitude, 5)}, ${latitudeText(latitude, 5)}`;
  const [x, y] = paper.fromLonLat(longitude, latitude);
  return `x ${unitsText(x, 3)}, y ${unitsText(y, 3)}`;
}
