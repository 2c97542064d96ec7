/** What the map draws of sources and results, which of it is shown, and the comparison of before and after. */
import { computed, signal } from '@preact/signals';
import type { FeatureCollection } from '../../src/client/client.ts';
import { countKinds, type KindCounts, type MapFeature } from '../map/geometry.ts';
import type { DataLayer, DataRole } from '../map/map-view.ts';
import type { Preview } from './preview-facts.ts';
import { runs } from './run.ts';
import { sources } from './sources.ts';
import { type ViewState, views } from './views.ts';
import { workspace } from './workspace.ts';

/** A source or a result on the map. */
export interface MapLayer {
  readonly id: string;
  readonly role: DataRole;
  readonly title: string;
  readonly features: FeatureCollection;
  /** Number of features that are drawn, and in all layers of the file; null: not counted yet. */
  readonly drawn: number;
  readonly total: number | null;
  readonly isSimplified: boolean;
  /** Of a source of which only some features, or simplified outlines, are drawn. */
  readonly view: ViewState | null;
  /** Property that names the layer of the file; null: the file has one layer. */
  readonly layerField: string | null;
  /** A part for each layer of the file, in the order of the preview; one if the file has one layer. */
  readonly parts: readonly LayerPart[];
}

export interface LayerPart {
  /** Name of the layer in the file; null: the file has one layer. */
  readonly name: string | null;
  readonly counts: KindCounts;
}

/** In the order in which they are drawn: sources, then results. */
export const mapLayers = computed((): readonly MapLayer[] => {
  const inputs = workspace.current.value.inputs.flatMap(({ path }) => {
    const preview = sources.value.get(path)?.preview;
    const view = views.value.get(path) ?? null;
    return preview?.state === 'ready' ? [layerOf(`source ${path}`, 'source', path, preview.value, view)] : [];
  });
  const results = runs.value.flatMap(({ key, title, preview }) =>
    preview?.state === 'ready'
      ? [layerOf(`result ${key}`, 'result', `${title}, converted`, preview.value)]
      : [],
  );
  return [...inputs, ...results];
});

function layerOf(
  id: string,
  role: DataRole,
  title: string,
  preview: Preview,
  view: ViewState | null = null,
): MapLayer {
  const { total, isSimplified, layerField } = preview;
  const features = view?.shown?.features ?? preview.features;
  const parts = partsOf({ features, layerField });
  const drawn = features.features.length;
  return { id, role, title, features, drawn, total, isSimplified, view, layerField, parts };
}

/** By collection: it is counted once, not after each change of the document. */
const knownParts = new WeakMap<FeatureCollection, readonly LayerPart[]>();

function partsOf({
  features: collection,
  layerField,
}: Pick<Preview, 'features' | 'layerField'>): readonly LayerPart[] {
  const known = knownParts.get(collection);
  if (known !== undefined) return known;
  const byName = new Map<string | null, MapFeature[]>();
  for (const feature of collection.features) {
    const name = layerField === null ? null : String(feature.properties?.[layerField]);
    const members = byName.get(name);
    if (members === undefined) byName.set(name, [feature]);
    else members.push(feature);
  }
  const parts = [...byName].map(([name, members]) => ({ name, counts: countKinds(members) }));
  knownParts.set(collection, parts);
  return parts;
}

/** Keys of layers and of parts of layers that the user switched off. */
export const hiddenKeys = signal<ReadonlySet<string>>(new Set());

/** `part`: null for the layer as a whole. */
export function visibilityKey(layerId: string, part: string | null): string {
  return JSON.stringify(part === null ? [layerId] : [layerId, part]);
}

export function toggleVisibility(key: string): void {
  const next = new Set(hiddenKeys.peek());
  if (!next.delete(key)) next.add(key);
  hiddenKeys.value = next;
}

export type Side = 'both' | 'before' | 'after';

/** Which side the user chose. */
export const chosenSide = signal<Side>('both');
/** While the key of the comparison is held. */
export const isComparing = signal(false);
/** Whether there is a before and an after. */
export const isComparable = computed(() => new Set(mapLayers.value.map(({ role }) => role)).size === 2);
/** What is shown now: the key shows the sources, or the results if only the sources are shown. */
export const shownSide = computed((): Side => {
  if (!isComparable.value) return 'both';
  if (!isComparing.value) return chosenSide.value;
  return chosenSide.value === 'before' ? 'after' : 'before';
});

/** The layers for the map. */
export const dataLayers = computed((): readonly DataLayer[] => {
  const [hidden, side] = [hiddenKeys.value, shownSide.value];
  const excluded = side === 'both' ? null : side === 'before' ? 'result' : 'source';
  return mapLayers.value.map(({ id, role, features, layerField, parts }) => ({
    id,
    role,
    features,
    isVisible: role !== excluded && !hidden.has(visibilityKey(id, null)),
    hiddenParts:
      layerField === null
        ? null
        : {
            property: layerField,
            values: parts.flatMap(({ name }) =>
              name !== null && hidden.has(visibilityKey(id, name)) ? [name] : [],
            ),
          },
  }));
});

/** Sum of the parts. */
export function countsOf({ parts }: MapLayer): KindCounts {
  const sum = { point: 0, line: 0, polygon: 0, collection: 0, none: 0 };
  for (const { counts } of parts)
    for (const kind of Object.keys(sum) as (keyof KindCounts)[]) sum[kind] += counts[kind];
  return sum;
}
