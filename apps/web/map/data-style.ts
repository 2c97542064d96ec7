/** How the map draws data and overlays: layers of MapLibre for each kind of geometry. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import type { FilterSpecification, LayerSpecification } from 'maplibre-gl';
import type { ClassColour } from '../model/colour-classes.ts';
import type { OverlayRole } from '../model/overlays.ts';
import { LABEL_PREFIX } from './icons.ts';
import type { Palette } from './palette.ts';

/** Before or after a conversion. */
export type DataRole = 'source' | 'result';

export interface DataLayer {
  readonly id: string;
  readonly role: DataRole;
  readonly features: FeatureCollection;
  readonly isVisible: boolean;
  /** Numbers of colours, by the values of the property of `hiddenParts`; without that property only one. */
  readonly colours: ReadonlyMap<string | null, number>;
  /** Classes of the features, by which they are coloured instead; null: none. */
  readonly classes: { readonly of: Uint8Array; readonly colours: readonly ClassColour[] } | null;
  /** Features whose property has one of these values are not drawn. */
  readonly hiddenParts: { readonly property: string; readonly values: readonly string[] } | null;
}

const FILL_OPACITY = 0.25;
export const KINDS = ['fill', 'line', 'circle'] as const;
export const OVERLAY_KINDS = ['fill', 'line', 'symbol'] as const;

const KIND_FILTERS = {
  fill: ['==', ['geometry-type'], 'Polygon'],
  line: ['!=', ['geometry-type'], 'Point'],
  circle: ['==', ['geometry-type'], 'Point'],
} as const;

/**
 * The features with the properties that decide whether and how they are drawn: MapLibre copies the others to its worker, and
 * cannot copy some names, such as `constructor`.
 */
export function drawnData({ features, hiddenParts, classes }: DataLayer): never {
  return {
    type: 'FeatureCollection',
    features: features.features.map(({ geometry, properties }, i) => ({
      type: 'Feature',
      geometry,
      properties: {
        ...(hiddenParts === null ? {} : { part: properties?.[hiddenParts.property] }),
        ...(classes === null ? {} : { class: classes.of[i] }),
      },
    })),
  } as never;
}

/** The features that a layer of MapLibre draws. */
export function filterOf(
  kind: (typeof KINDS)[number],
  hidden: DataLayer['hiddenParts'],
): FilterSpecification {
  const ofKind = KIND_FILTERS[kind];
  const filter =
    hidden === null || hidden.values.length === 0
      ? ofKind
      : ['all', ofKind, ['!', ['in', ['get', 'part'], ['literal', [...hidden.values]]]]];
  return filter as FilterSpecification;
}

export function hiddenNames(layer: DataLayer | undefined): string {
  return JSON.stringify(layer?.hiddenParts?.values ?? []);
}

export function overlayLayers(source: string, role: OverlayRole, palette: Palette): LayerSpecification[] {
  const colour = palette[role];
  const emphasised = (strong: number, plain: number) =>
    ['case', ['boolean', ['feature-state', 'emphasised'], false], strong, plain] as never;
  return [
    {
      id: `${source} fill`,
      type: 'fill',
      source,
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': colour, 'fill-opacity': emphasised(0.3, 0.08) },
    },
    {
      id: `${source} line`,
      type: 'line',
      source,
      filter: ['!=', ['geometry-type'], 'Point'],
      paint: { 'line-color': colour, 'line-width': emphasised(4, 2), 'line-dasharray': [2, 1] },
    },
    {
      id: `${source} symbol`,
      type: 'symbol',
      source,
      filter: ['==', ['geometry-type'], 'Point'],
      layout: {
        'icon-image': ['case', ['has', 'label'], ['concat', LABEL_PREFIX, ['get', 'label']], `icon ${role}`],
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
      },
    },
  ];
}

/** One colour, one for each class, or one for each part. */
export function colourOf({ colours, classes }: DataLayer, palette: Palette): string {
  const { layers } = palette;
  const [property, cases] =
    classes === null
      ? ['part', [...colours].map(([part, number]) => [part, layers[number - 1]] as const)]
      : ['class', classes.colours.map((name, i) => [i, palette.classes[name]] as const)];
  if (cases.length < 2) return cases[0]?.[1] ?? layers[0];
  // Expressions of MapLibre are not in the types of colours.
  return ['match', ['get', property], ...cases.flat(), layers[0]] as never;
}

/** Changes with what colours a layer. */
export function coloursText({ colours, classes }: DataLayer): string {
  return JSON.stringify([[...colours], classes?.colours ?? null]);
}

export function layersOf(
  id: string,
  colour: string,
  palette: Palette,
  isSelected: boolean,
): LayerSpecification[] {
  return [
    {
      id: `${id} fill`,
      type: 'fill',
      source: id,
      filter: filterOf('fill', null),
      paint: { 'fill-color': colour, 'fill-opacity': FILL_OPACITY },
    },
    {
      id: `${id} line`,
      type: 'line',
      source: id,
      filter: filterOf('line', null),
      paint: { 'line-color': colour, 'line-width': isSelected ? 3 : 1.4 },
    },
    {
      id: `${id} circle`,
      type: 'circle',
      source: id,
      filter: filterOf('circle', null),
      paint: {
        'circle-color': colour,
        'circle-radius': isSelected ? 7 : 4,
        'circle-stroke-width': 1,
        'circle-stroke-color': palette.land,
      },
    },
  ];
}
