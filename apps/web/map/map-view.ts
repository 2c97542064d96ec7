/**
 * The map: base map, sources and results. Loaded when there is something to draw, because MapLibre is most of what this page
 * loads. Labels are pictures that the page draws, so no fonts are fetched.
 */
import type { FeatureCollection } from '@geomill/client/client.ts';
import {
  GeoJSONSource,
  LngLatBounds,
  type MapGeoJSONFeature,
  Map as MapLibre,
  setWorkerUrl,
} from 'maplibre-gl';
import type { DrawnTiles } from '../model/open-tiles.ts';
import type { Overlay } from '../model/overlays.ts';
import type { Places } from '../model/place-names.ts';
import { isUnanswered, pause } from '../model/reconnect.ts';
import type { FeatureKey } from '../model/selection.ts';
import { BASE_COLOURS, NAMES_LAYER, namesOf, styleOf } from './base-style.ts';
import {
  colourOf,
  coloursText,
  type DataLayer,
  drawnData,
  filterOf,
  hiddenNames,
  KINDS,
  layersOf,
  OVERLAY_KINDS,
  overlayLayers,
} from './data-style.ts';
import { boundsOf, type LonLatBox } from './extent.ts';
import { drawIcon, paletteOf } from './icons.ts';
import type { Plane } from './plane.ts';
import { REACH, type Reach, reachColours, reachProperties } from './reach.ts';
import { RulersView } from './rulers-view.ts';
import { smallLayers } from './small-layers.ts';
import type { TilesView } from './tiles-view.ts';

declare const BASE_MAP_FILE: string;
declare const DETAILED_BASE_MAP_FILE: string;
declare const MAP_WORKER_FILE: string;

export interface MapEvents {
  readonly onMove: (longitude: number, latitude: number) => void;
  /** Each feature once, the uppermost first. */
  readonly onPick: (features: readonly FeatureKey[]) => void;
  /** Longitude may exceed 180 degrees. True: the page has used it, and the map does nothing with it. */
  readonly onPointer: (kind: 'click' | 'double' | 'move', longitude: number, latitude: number) => boolean;
  /** After each move. */
  readonly onView: (box: LonLatBox) => void;
  /** Pixels at the sides of the map that are covered. */
  readonly covered: () => { readonly left: number; readonly right: number };
}

const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] };
/** Pixels around what the map moves to. */
const PADDING = 40;
/** From this level on the detailed base map is drawn: 1:50,000,000. */
const DETAILED_ZOOM = 4;
/** Of the map's sources, so that an overlay cannot have the id of a data layer. */
const OVERLAY_PREFIX = 'overlay ';

export class MapView {
  readonly #map: MapLibre;
  readonly #ready: Promise<void>;
  readonly #shown = new Map<string, DataLayer>();
  readonly #overlays = new Map<string, Overlay>();
  readonly #closing = new AbortController();
  readonly #resized: ResizeObserver;
  readonly #covered: MapEvents['covered'];
  readonly #rulers: RulersView;
  readonly #hasTiles: boolean;
  #tiles: Promise<TilesView> | null = null;
  #reachFeatures: FeatureCollection = NOTHING;
  #plane: Plane | null = null;
  /** Address of the base map. */
  #base = new URL(BASE_MAP_FILE, import.meta.url).href;
  /** How often in a row the base map could not be loaded. */
  #baseFailures = 0;

  /** `tilesUrl`: address of tiles under the data, with {z}, {x} and {y}; null: only the built-in outlines. */
  constructor(container: HTMLElement, tilesUrl: string | null, events: MapEvents) {
    setWorkerUrl(new URL(MAP_WORKER_FILE, import.meta.url).href);
    const map = new MapLibre({
      container,
      style: styleOf(paletteOf(container), this.#base, tilesUrl),
      center: [10, 30],
      zoom: 0.8,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      fadeDuration: 0,
      renderWorldCopies: true,
      locale: { 'Map.Title': 'Map: arrow keys move it, plus and minus zoom' },
    });
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    // Where the pointer is after the map has moved under it.
    let pointer: { readonly x: number; readonly y: number } | null = null;
    map.on('move', () => {
      if (pointer === null) return;
      const lngLat = map.unproject([pointer.x, pointer.y]).wrap();
      events.onMove(lngLat.lng, lngLat.lat);
    });
    map.on('mousemove', ({ lngLat, point }) => {
      pointer = point;
      events.onMove(lngLat.wrap().lng, lngLat.lat);
      events.onPointer('move', lngLat.lng, lngLat.lat);
    });
    map.on('dblclick', (event) => {
      if (events.onPointer('double', event.lngLat.lng, event.lngLat.lat)) event.preventDefault();
    });
    map.on('click', ({ point, lngLat }) => {
      if (events.onPointer('click', lngLat.lng, lngLat.lat)) return;
      if (!this.#pickOverlay(point.x, point.y)) events.onPick(this.#pick(point.x, point.y));
    });
    const tellView = () => {
      const bounds = map.getBounds();
      events.onView([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]);
      this.#loadDetails();
      this.#markSmall();
    };
    map.on('moveend', tellView);
    map.once('load', tellView);
    map.on('error', (event) => {
      const isBase = 'sourceId' in event && event.sourceId === 'base';
      if (isBase && isUnanswered(event.error)) this.#loadBaseAgain();
      else console.error(event.error);
    });
    map.setMissingStyleImageResolver((name) => this.#addIcon(name));
    this.#map = map;
    this.#covered = events.covered;
    this.#rulers = new RulersView(map);
    this.#hasTiles = tilesUrl !== null;
    this.#ready = new Promise((resolve) =>
      map.once('load', () => {
        this.#rulers.draw();
        resolve();
      }),
    );
    this.#resized = new ResizeObserver(() => map.resize());
    this.#resized.observe(container);
  }

  /** Until the map can be drawn on; never after it was closed, so that what waited for it does nothing. */
  async #open(): Promise<void> {
    await this.#ready;
    // Preact takes the container out of the page before it closes the map.
    if (this.#closing.signal.aborted || !this.#map.getContainer().isConnected)
      await new Promise<never>(() => {});
  }

  #loadDetails(): void {
    const detailed = new URL(DETAILED_BASE_MAP_FILE, import.meta.url).href;
    if (this.#base === detailed || this.#plane !== null || this.#map.getZoom() < DETAILED_ZOOM) return;
    this.#base = detailed;
    this.#baseFailures = 0;
    this.#loadBase();
  }

  #loadBase(): void {
    const base = this.#map.getSource('base');
    if (base instanceof GeoJSONSource) base.setData(this.#base);
  }

  /** After a pause, until the service answers. */
  #loadBaseAgain(): void {
    pause(this.#baseFailures++, this.#closing.signal).then(
      () => this.#loadBase(),
      // The map was closed.
      () => {},
    );
  }

  /** Draws on this plain paper; null: on the Earth. Overlays are on the Earth. */
  async setPlane(plane: Plane | null): Promise<void> {
    await this.#open();
    if (plane === this.#plane) return;
    this.#plane = plane;
    const map = this.#map;
    const isEarth = plane === null;
    const show = (layer: string, isShown: boolean) =>
      map.setLayoutProperty(layer, 'visibility', isShown ? 'visible' : 'none');
    show('land', isEarth);
    show('lakes', isEarth);
    show('borders', isEarth && !this.#hasTiles);
    // Tiles have names of their own.
    show(NAMES_LAYER, isEarth && !this.#hasTiles);
    if (this.#hasTiles) show('tiles', isEarth);
    for (const id of this.#overlays.keys())
      for (const kind of OVERLAY_KINDS) show(`${OVERLAY_PREFIX}${id} ${kind}`, isEarth);
    map.setPaintProperty('water', 'background-color', paletteOf(map.getContainer())[this.#background]);
    map.setRenderWorldCopies(isEarth);
    this.#rulers.setPlane(plane);
  }

  get #background(): 'water' | 'land' {
    return this.#plane === null ? 'water' : 'land';
  }

  /** Writes the names of these places on the map. */
  async name(places: Places): Promise<void> {
    await this.#open();
    const source = this.#map.getSource(NAMES_LAYER);
    if (source instanceof GeoJSONSource && !this.#hasTiles) source.setData(namesOf(places));
  }

  /** Marks what is within a distance of features, below the data; null: nothing. */
  async showReach(reach: Reach | null): Promise<void> {
    await this.#open();
    const source = this.#map.getSource(REACH);
    if (!(source instanceof GeoJSONSource)) return;
    const features = reach?.features ?? NOTHING;
    if (features !== this.#reachFeatures) source.setData(features as never);
    this.#reachFeatures = features;
    if (reach === null) return;
    const { paint, layout } = reachProperties(reach);
    this.#setPaint(paint);
    for (const [layer, name, value] of layout)
      this.#map.setLayoutProperty(layer, name as never, value as never);
  }

  /** The names are in tables, so the types of the values are not checked here. */
  #setPaint(properties: readonly (readonly [layer: string, name: string, value: unknown])[]): void {
    for (const [layer, name, value] of properties)
      this.#map.setPaintProperty(layer, name as never, value as never);
  }

  /** Draws these archives below the data, and no other archives. */
  async showTiles(wanted: readonly DrawnTiles[]): Promise<void> {
    await this.#open();
    if (wanted.length === 0 && this.#tiles === null) return;
    this.#tiles ??= import('./tiles-view.ts').then(
      (module) => new module.TilesView(this.#map, `selected ${KINDS[0]}`),
    );
    (await this.#tiles).show(wanted);
  }

  /** Draws these layers, the last on top, and nothing else. */
  async show(layers: readonly DataLayer[]): Promise<void> {
    await this.#open();
    const wanted = new Map(layers.map((layer) => [layer.id, layer]));
    for (const id of this.#shown.keys()) if (!wanted.has(id)) this.#remove(id);
    for (const layer of layers) this.#draw(layer);
    this.#markSmall();
    for (const id of this.#overlays.keys())
      for (const kind of OVERLAY_KINDS) this.#map.moveLayer(`${OVERLAY_PREFIX}${id} ${kind}`);
  }

  #draw(layer: DataLayer): void {
    const map = this.#map;
    const shown = this.#shown.get(layer.id);
    if (shown === undefined) {
      map.addSource(layer.id, { type: 'geojson', data: drawnData(layer), generateId: true });
      const palette = paletteOf(map.getContainer());
      for (const spec of layersOf(layer.id, colourOf(layer, palette), palette, false)) map.addLayer(spec);
    } else if (shown.features !== layer.features || shown.classes !== layer.classes) {
      const source = map.getSource(layer.id);
      if (source instanceof GeoJSONSource) source.setData(drawnData(layer));
    }
    if (shown?.isVisible !== layer.isVisible)
      for (const kind of KINDS)
        map.setLayoutProperty(`${layer.id} ${kind}`, 'visibility', layer.isVisible ? 'visible' : 'none');
    if (hiddenNames(shown) !== hiddenNames(layer))
      for (const kind of KINDS) map.setFilter(`${layer.id} ${kind}`, filterOf(kind, layer.hiddenParts));
    if (shown !== undefined && coloursText(shown) !== coloursText(layer)) this.#colour(layer);
    this.#shown.set(layer.id, layer);
    for (const kind of KINDS) map.moveLayer(`selected ${kind}`);
  }

  /** Rings around layers that are too small on the map to be seen. */
  #markSmall(): void {
    const source = this.#map.getSource('markers');
    if (!(source instanceof GeoJSONSource)) return;
    const palette = paletteOf(this.#map.getContainer());
    const features = smallLayers(this.#shown.values(), palette, (position) => this.#map.project(position));
    source.setData({ type: 'FeatureCollection', features });
    this.#map.moveLayer('markers');
  }

  #colour(layer: DataLayer, palette = paletteOf(this.#map.getContainer())): void {
    for (const kind of KINDS)
      this.#map.setPaintProperty(`${layer.id} ${kind}`, `${kind}-color`, colourOf(layer, palette));
  }

  /** Draws these above the data, the last on top, and no other overlays. */
  async overlay(wanted: ReadonlyMap<string, Overlay>): Promise<void> {
    await this.#open();
    const map = this.#map;
    for (const id of this.#overlays.keys()) if (!wanted.has(id)) this.#removeOverlay(id);
    for (const overlay of wanted.values()) {
      const id = OVERLAY_PREFIX + overlay.id;
      const shown = this.#overlays.get(overlay.id);
      if (shown !== undefined && shown.role !== overlay.role) this.#removeOverlay(overlay.id);
      const source = map.getSource(id);
      if (source === undefined) {
        map.addSource(id, { type: 'geojson', data: overlay.features as never, generateId: true });
        for (const spec of overlayLayers(id, overlay.role, paletteOf(map.getContainer()))) map.addLayer(spec);
      } else if (shown?.features !== overlay.features && source instanceof GeoJSONSource)
        source.setData(overlay.features as never);
      if (shown?.emphasised !== overlay.emphasised) {
        map.removeFeatureState({ source: id });
        if (overlay.emphasised !== undefined)
          map.setFeatureState({ source: id, id: overlay.emphasised }, { emphasised: true });
      }
      this.#overlays.set(overlay.id, overlay);
      for (const kind of OVERLAY_KINDS) {
        map.setLayoutProperty(`${id} ${kind}`, 'visibility', this.#plane === null ? 'visible' : 'none');
        map.moveLayer(`${id} ${kind}`);
      }
    }
  }

  #removeOverlay(overlayId: string): void {
    const id = OVERLAY_PREFIX + overlayId;
    for (const kind of OVERLAY_KINDS) this.#map.removeLayer(`${id} ${kind}`);
    this.#map.removeSource(id);
    this.#overlays.delete(overlayId);
  }

  /** Whether an overlay that can be picked is there; if so, it is reported. */
  #pickOverlay(x: number, y: number): boolean {
    const layers = [...this.#overlays.values()]
      .filter(({ onPick }) => onPick !== undefined)
      .flatMap(({ id }) => OVERLAY_KINDS.map((kind) => `${OVERLAY_PREFIX}${id} ${kind}`));
    if (layers.length === 0) return false;
    const [first] = this.#map.queryRenderedFeatures(around(x, y), { layers });
    if (first === undefined) return false;
    this.#overlays.get(first.source.slice(OVERLAY_PREFIX.length))?.onPick?.(Number(first.id));
    return true;
  }

  #addIcon(name: string): void {
    const icon = drawIcon(name, paletteOf(this.#map.getContainer()));
    if (icon !== null && !this.#map.hasImage(name))
      this.#map.addImage(name, icon.image, { pixelRatio: icon.pixelRatio });
  }

  /** Draws a feature above all others; null: none. */
  async mark(feature: FeatureCollection['features'][number] | null): Promise<void> {
    await this.#open();
    const source = this.#map.getSource('selected');
    const features = feature === null ? [] : [{ ...feature, properties: {} }];
    if (source instanceof GeoJSONSource) source.setData({ type: 'FeatureCollection', features } as never);
  }

  #remove(id: string): void {
    for (const kind of KINDS) this.#map.removeLayer(`${id} ${kind}`);
    this.#map.removeSource(id);
    this.#shown.delete(id);
  }

  async fit(box: LonLatBox): Promise<void> {
    await this.#open();
    const [west, south, east, north] = box;
    const options = {
      // The map is never smaller than its window: most of the globe, drawn beside what covers the map, would be cut off.
      padding: east - west > 180 ? PADDING : this.#padding(),
      maxZoom: west === east && south === north ? (this.#plane === null ? 16 : 6) : 21,
      animate: isAnimated(),
      duration: 400,
    };
    this.#map.fitBounds(boundsOf(box), options);
  }

  #padding(): { top: number; bottom: number; left: number; right: number } {
    const { left, right } = this.#covered();
    return { top: PADDING, bottom: PADDING, left: left + PADDING, right: right + PADDING };
  }

  /** Moves only if the box is not in view, and keeps the zoom if the box fits. */
  async reveal(box: LonLatBox): Promise<void> {
    await this.#open();
    const map = this.#map;
    const bounds = LngLatBounds.convert(boundsOf(box));
    const inView = map.getBounds();
    if (inView.contains(bounds.getSouthWest()) && inView.contains(bounds.getNorthEast())) return;
    const wanted = map.cameraForBounds(bounds, { padding: this.#padding() });
    if ((wanted?.zoom ?? 0) < map.getZoom()) await this.fit(box);
    else map.easeTo({ center: bounds.getCenter(), animate: isAnimated(), duration: 400 });
  }

  zoomBy(levels: number): void {
    this.#map.zoomTo(this.#map.getZoom() + levels, { animate: isAnimated() });
  }

  /** After the colour scheme of the page has changed. */
  async recolour(): Promise<void> {
    await this.#open();
    const palette = paletteOf(this.#map.getContainer());
    for (const [layer, property, name] of BASE_COLOURS)
      this.#map.setPaintProperty(layer, property, palette[layer === 'water' ? this.#background : name]);
    for (const kind of KINDS)
      this.#map.setPaintProperty(`selected ${kind}`, `${kind}-color`, palette.selected);
    for (const layer of this.#shown.values()) this.#colour(layer, palette);
    (await this.#tiles)?.recolour(palette);
    this.#setPaint(reachColours(palette));
    this.#markSmall();
    for (const { id, role } of this.#overlays.values())
      for (const kind of ['fill', 'line'] as const)
        this.#map.setPaintProperty(`${OVERLAY_PREFIX}${id} ${kind}`, `${kind}-color`, palette[role]);
    for (const name of this.#map.listImages()) {
      const icon = drawIcon(name, palette);
      if (icon !== null) this.#map.updateImage(name, icon.image);
    }
  }

  close(): void {
    this.#closing.abort();
    this.#resized.disconnect();
    void this.#tiles?.then((tiles) => tiles.close());
    this.#map.remove();
  }

  #pick(x: number, y: number): FeatureKey[] {
    const layers = [...this.#shown.keys()].flatMap((id) => KINDS.map((kind) => `${id} ${kind}`));
    const found: MapGeoJSONFeature[] = this.#map.queryRenderedFeatures(around(x, y), { layers });
    // A polygon is drawn as an area and as a line.
    const keys = new Map(
      found.map(({ source, id }) => [`${id} ${source}`, { layerId: source, index: Number(id) }]),
    );
    return [...keys.values()];
  }
}

function isAnimated(): boolean {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Features within a few pixels count as clicked. */
function around(x: number, y: number): [[number, number], [number, number]] {
  return [
    [x - 4, y - 4],
    [x + 4, y + 4],
  ];
}
