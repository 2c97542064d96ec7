/** What the map draws of sources and results, which of it is shown, and the comparison of before and after. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { computed, signal } from '@preact/signals';
import type { DataRole } from '../map/data-style.ts';
import { type Box, plainExtentOf } from '../map/extent.ts';
import { countKinds, type KindCounts, type MapFeature, mapPositions } from '../map/geometry.ts';
import { outlineOf } from '../map/outline.ts';
import { type Plane, planeOf } from '../map/plane.ts';
import { drawing } from './drawing-state.ts';
import { assignColours } from './layer-colours.ts';
import { overlays } from './overlays.ts';
import type { Preview } from './preview-facts.ts';
import { runs } from './run.ts';
import { sources } from './sources.ts';
import { liveView, stepView, type ViewState, views } from './views.ts';
import { workspace } from './workspace.ts';

/** The background: data without a position on the Earth is drawn on plain paper, in its own units. */
export type Ground = 'earth' | 'paper';

/** A source or a result on the map. */
export interface MapLayer {
  readonly id: string;
  readonly role: DataRole;
  readonly title: string;
  /** As the map draws it: longitude and latitude, or where the paper has them. */
  readonly features: FeatureCollection;
  /** The features of the whole, where `features` has those of the view. */
  readonly base: FeatureCollection;
  readonly ground: Ground;
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
  /** Number of its colour. */
  readonly colour: number;
  /** Name of the layer in the file; null: the file has one layer. */
  readonly name: string | null;
  readonly counts: KindCounts;
}

interface Drawable extends Pick<MapLayer, 'id' | 'role' | 'title' | 'view'> {
  readonly preview: Preview;
}

/** Id of what a step leaves of the view. */
export const STEP_LAYER = 'step';
/** Id of what this tab makes of the view. */
export const LIVE_LAYER = 'live';

/** In the order in which they are drawn: sources, then results, then a step. */
export const drawables = computed((): readonly Drawable[] => {
  const inputs = workspace.current.value.inputs.flatMap(({ path }): Drawable[] => {
    const preview = sources.value.get(path)?.preview;
    if (preview?.state !== 'ready') return [];
    const view = views.value.get(path) ?? null;
    return [{ id: `source ${path}`, role: 'source', title: path, preview: preview.value, view }];
  });
  const results = runs.value.flatMap(({ key, title, preview }): Drawable[] => {
    if (preview?.state !== 'ready') return [];
    const named = { id: `result ${key}`, title: `${title}, converted` };
    return [{ ...named, role: 'result', preview: preview.value, view: null }];
  });
  return [...inputs, ...results, ...previewedStep(), ...liveStep()];
});

function previewedStep(): Drawable[] {
  const step = stepView.value;
  if (step === null || step.state.shown === null) return [];
  const { features, drawn, isSimplified } = step.state.shown;
  const preview = { features, drawn, total: drawn, isSimplified, layerField: step.layerField };
  return [{ id: STEP_LAYER, role: 'result', title: `${step.title}, preview`, preview, view: step.state }];
}

function liveStep(): Drawable[] {
  const live = liveView.value;
  if (live === null) return [];
  const drawn = live.features.features.length;
  const preview = { features: live.features, drawn, total: drawn, isSimplified: false, layerField: null };
  const title = `${live.title}, preview in this tab`;
  return [{ id: LIVE_LAYER, role: 'result', title, preview, view: null }];
}

/** Of all data that is on paper; null: none is. The same object while the box is the same. */
export const plane = computed((): Plane | null => {
  const onPaper = drawables.value.filter(({ preview }) => preview.isOnPaper);
  const boxes = onPaper.map(({ preview }) => boxOf(preview.features)).filter((box) => box !== null);
  if (onPaper.length === 0) return null;
  const at = (i: number) => boxes.map((box) => box[i]);
  const box: Box =
    boxes.length === 0
      ? [0, 0, 0, 0]
      : [Math.min(...at(0)), Math.min(...at(1)), Math.max(...at(2)), Math.max(...at(3))];
  if (lastPlane?.box.every((value, i) => value === box[i])) return lastPlane.plane;
  lastPlane = { box, plane: planeOf(box) };
  return lastPlane.plane;
});
let lastPlane: { readonly box: Box; readonly plane: Plane } | null = null;

const knownBoxes = new WeakMap<FeatureCollection, Box | null>();
export function boxOf(features: FeatureCollection): Box | null {
  const known = knownBoxes.get(features);
  if (known !== undefined) return known;
  const box = plainExtentOf([features]);
  knownBoxes.set(features, box);
  return box;
}

/** On the paper: made once for each collection and paper. */
const onPaper = new WeakMap<
  FeatureCollection,
  { readonly plane: Plane; readonly moved: FeatureCollection }
>();
function movedTo(paper: Plane, features: FeatureCollection): FeatureCollection {
  const known = onPaper.get(features);
  if (known?.plane === paper) return known.moved;
  const moved = mapPositions(features, paper.toLonLat);
  onPaper.set(features, { plane: paper, moved });
  return moved;
}

let lastColours: ReadonlyMap<string, number> = new Map();

export const mapLayers = computed((): readonly MapLayer[] => {
  const layers = drawables.value.map(layerOf);
  const keys = layers.flatMap(({ id, parts }) => parts.map(({ name }) => visibilityKey(id, name)));
  lastColours = assignColours(lastColours, keys);
  const colourOf = (id: string, name: string | null) => lastColours.get(visibilityKey(id, name)) ?? 1;
  return layers.map((layer) => ({
    ...layer,
    parts: layer.parts.map((part) => ({ ...part, colour: colourOf(layer.id, part.name) })),
  }));
});

type Uncoloured = Omit<MapLayer, 'parts'> & { readonly parts: readonly Omit<LayerPart, 'colour'>[] };

function layerOf({ id, role, title, preview, view }: Drawable): Uncoloured {
  const { total, isSimplified, layerField, isOnPaper } = preview;
  const paper = isOnPaper ? plane.value : null;
  const own = view?.shown?.features ?? preview.features;
  const features = paper === null ? own : movedTo(paper, own);
  const ground = paper === null ? 'earth' : 'paper';
  const parts = partsOf({ features: own, layerField });
  const drawn = own.features.length;
  const base = preview.features;
  return {
    id,
    role,
    title,
    features,
    base,
    ground,
    drawn,
    total,
    isSimplified,
    view,
    layerField,
    parts,
  };
}

/** A layer that the map moves to; each request is an object of its own. */
export const requestedLayer = signal<{ readonly layer: MapLayer } | null>(null);

export function zoomToLayer(layer: MapLayer): void {
  requestedLayer.value = { layer };
}

/** The ground (map or plain paper) that the user chose to see; null: the ground of the data that was added last. */
export const chosenGround = signal<Ground | null>(null);
/** Whether there is something to see on both. */
export const hasBothGrounds = computed(
  () =>
    plane.value !== null &&
    (overlays.value.size > 0 || mapLayers.value.some(({ ground }) => ground === 'earth')),
);
export const ground = computed((): Ground => {
  if (plane.value === null || drawing.value !== null) return 'earth';
  if (!hasBothGrounds.value) return 'paper';
  if (chosenGround.value !== null) return chosenGround.value;
  return overlays.value.size > 0 ? 'earth' : (mapLayers.value.at(-1)?.ground ?? 'earth');
});

/** By collection: it is counted once, not after each change of the document. */
const knownParts = new WeakMap<FeatureCollection, Uncoloured['parts']>();

function partsOf({
  features: collection,
  layerField,
}: Pick<Preview, 'features' | 'layerField'>): Uncoloured['parts'] {
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

/** Pictures of the data on paper, for while the map shows the Earth. */
export const paperOutlines = computed((): readonly { readonly title: string; readonly path: string }[] => {
  if (ground.value === 'paper' || lastPlane === null) return [];
  return drawables.value.flatMap(({ title, role, preview }) => {
    const box = boxOf(preview.features);
    if (!preview.isOnPaper || box === null || role === 'result') return [];
    return [{ title, path: outlineOf(preview.features, box, OUTLINE_SIZE) }];
  });
});
/** Units of the path. */
export const OUTLINE_SIZE = 400;
