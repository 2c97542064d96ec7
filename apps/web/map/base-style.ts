/** The style of the map without data: base map, names of places, grid, and empty sources for what the map marks. */
import type { FilterSpecification, StyleSpecification } from 'maplibre-gl';
import type { Places } from '../model/place-names.ts';
import { layersOf } from './data-style.ts';
import { CITY_PREFIX, NAME_DOT, TOWN_PREFIX } from './icons.ts';
import type { Palette } from './palette.ts';
import { REACH, reachLayers } from './reach.ts';

/** Deeper, tiles of this level are enlarged: most services end there. */
const MAX_TILE_ZOOM = 19;

export const BASE_COLOURS = [
  ['water', 'background-color', 'water'],
  ['land', 'fill-color', 'land'],
  ['lakes', 'fill-color', 'water'],
  ['grid', 'line-color', 'grid'],
  ['borders', 'line-color', 'border'],
] as const;

/** Id of the source and of the layer with the names of places. */
export const NAMES_LAYER = 'names';

/** From which level on the places up to each rank are named: the most populous has rank 0. Names that would overlap are left out. */
const NAME_ZOOMS: readonly (readonly [ranks: number, zoom: number])[] = [
  [40, 1],
  [160, 2.5],
  [500, 3.5],
  [1500, 4.5],
  [3500, 5.5],
  [Number.POSITIVE_INFINITY, 6.5],
];
/** Ranks of places whose names are larger. */
const CITY_RANKS = 500;

/** GeoJSON for the source of names. */
export function namesOf({ names, longitudes, latitudes }: Places): never {
  const features = names.map((name, rank) => ({
    type: 'Feature',
    properties: {
      rank,
      zoom: NAME_ZOOMS.find(([ranks]) => rank < ranks)?.[1],
      image: `${rank < CITY_RANKS ? CITY_PREFIX : TOWN_PREFIX}${name}`,
    },
    geometry: { type: 'Point', coordinates: [longitudes[rank], latitudes[rank]] },
  }));
  return { type: 'FeatureCollection', features } as never;
}

const ofBase = (kind: 'land' | 'borders' | 'lakes'): FilterSpecification => ['==', ['get', 'kind'], kind];

const EMPTY = { type: 'FeatureCollection', features: [] } as const;

export function styleOf(palette: Palette, base: string, tilesUrl: string | null): StyleSpecification {
  return {
    version: 8,
    sources: {
      ...(tilesUrl === null
        ? {}
        : { tiles: { type: 'raster', tiles: [tilesUrl], tileSize: 256, maxzoom: MAX_TILE_ZOOM } as const }),
      // Land, borders and lakes are one file; the filters tell them apart.
      base: { type: 'geojson', data: base, tolerance: 0.2 },
      [NAMES_LAYER]: { type: 'geojson', data: EMPTY as never },
      grid: { type: 'geojson', data: EMPTY as never },
      [REACH]: { type: 'geojson', data: EMPTY as never },
      selected: { type: 'geojson', data: EMPTY as never },
      markers: { type: 'geojson', data: EMPTY as never },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      {
        id: 'land',
        type: 'fill',
        source: 'base',
        filter: ofBase('land'),
        paint: { 'fill-color': palette.land },
      },
      {
        id: 'lakes',
        type: 'fill',
        source: 'base',
        filter: ofBase('lakes'),
        paint: { 'fill-color': palette.water },
      },
      // Land shows until the tiles have come, and where the tile server has none.
      ...(tilesUrl === null ? [] : [{ id: 'tiles', type: 'raster', source: 'tiles' } as const]),
      { id: 'grid', type: 'line', source: 'grid', paint: { 'line-color': palette.grid, 'line-width': 0.5 } },
      {
        id: 'borders',
        type: 'line',
        layout: { visibility: tilesUrl === null ? 'visible' : 'none' },
        source: 'base',
        filter: ofBase('borders'),
        paint: { 'line-color': palette.border, 'line-width': 0.7 },
      },
      {
        id: NAMES_LAYER,
        type: 'symbol',
        source: NAMES_LAYER,
        filter: ['<=', ['get', 'zoom'], ['zoom']],
        layout: {
          'icon-image': ['get', 'image'],
          'icon-anchor': 'left',
          // The dot, not the edge of the picture, is at the place.
          'icon-offset': [-NAME_DOT, 0],
          'icon-padding': 4,
          'symbol-sort-key': ['get', 'rank'],
          visibility: tilesUrl === null ? 'visible' : 'none',
        },
      },
      ...reachLayers(palette),
      ...layersOf('selected', palette.selected, palette, true),
      {
        id: 'markers',
        type: 'circle',
        source: 'markers',
        paint: {
          'circle-color': ['get', 'colour'],
          'circle-opacity': 0.2,
          'circle-radius': 9,
          'circle-stroke-width': 2.5,
          'circle-stroke-color': ['get', 'colour'],
        },
      },
    ],
  };
}
