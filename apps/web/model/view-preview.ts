/**
 * The features of what the map shows, of sources whose preview has only some features, or outlines that are simplified for the
 * whole. After each move that zooms in, the service is asked for them; a further move cancels that.
 */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { batch, effect, untracked } from '@preact/signals';
import { extentOf, type LonLatBox } from '../map/extent.ts';
import { messageOf } from '../service.ts';
import { contains, intersects, shareInView, widened, wrapped } from './boxes.ts';
import type { InputChoice } from './document.ts';
import { viewBox } from './overlays.ts';
import { type BoundedPreview, boundedPreview, MAP_PIXELS } from './preview.ts';
import { MAX_PREVIEW_FEATURES, type Preview } from './preview-facts.ts';
import { countPerLayer } from './preview-limits.ts';
import { selection } from './selection.ts';
import { type Source, sources } from './sources.ts';
import { NO_VIEW, type ViewPreview, type ViewState, views } from './views.ts';
import { workspace } from './workspace.ts';

/** After the last move of the map. */
const PAUSE_MS = 400;
/** A view that took longer, because the whole file has to be read for it, is not made again unasked. */
const SLOW_MS = 4000;
const LIMIT_MS = 30_000;
/** Share of the view that is loaded beyond each of its sides. */
const MARGIN = 0.25;
/** A view with more than this share of the width and of the height shows as much as the whole. */
const WHOLE_SHARE = 0.7;
/** A view that is this many times narrower than the box of a sample gets one of its own. */
const FINER = 2;
export const METRES_PER_DEGREE = 111_320;

interface Following {
  /** The preview that the views refine. */
  readonly base: Preview;
  readonly extent: LonLatBox | null;
  /** The last view that was looked at. */
  view: LonLatBox | null;
  /** Of the view that is being made. */
  abort: AbortController | null;
  isSlow: boolean;
}

const following = new Map<string, Following>();

/** Refines the previews of the sources after each move of the map. Returns what ends that. */
export function followView(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    void viewBox.value;
    const { inputs } = workspace.current.value;
    const known = sources.value;
    untracked(() => {
      forget(inputs.flatMap(({ path }) => known.get(path) ?? []));
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const input of inputs) lookAt(input, false);
      }, PAUSE_MS);
    });
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** Makes the view of a source that `views` offers. */
export function loadView(path: string): void {
  const input = workspace.current.peek().inputs.find((one) => one.path === path);
  if (input !== undefined) lookAt(input, true);
}

/** Ends the views of sources that were removed or drawn anew. */
function forget(present: readonly Source[]): void {
  const bases = new Map(
    present.flatMap(({ path, preview }) => (preview?.state === 'ready' ? [[path, preview.value]] : [])),
  );
  for (const [path, { base, abort }] of following) {
    // The total comes later than the features.
    if (bases.get(path)?.features === base.features) continue;
    abort?.abort();
    following.delete(path);
    const next = new Map(views.peek());
    if (next.delete(path)) views.value = next;
  }
}

function lookAt(input: InputChoice, isAsked: boolean): void {
  const { path } = input;
  const source = sources.peek().get(path);
  const view = viewBox.peek();
  // Of an address the service would fetch the file again for each view.
  if (source?.preview?.state !== 'ready' || source.upload === null || view === null) return;
  const base = source.preview.value;
  if (!base.isSimplified && base.total !== null && base.drawn >= base.total) return;
  let own = following.get(path);
  if (own === undefined) {
    own = { base, extent: extentOf([base.features]), view: null, abort: null, isSlow: false };
    following.set(path, own);
  }
  // Something else of the sources has changed.
  if (own.view === view && !isAsked) return;
  own.view = view;
  const state = views.peek().get(path) ?? NO_VIEW;
  own.abort?.abort();
  own.abort = null;
  if (own.extent === null || shareInView(own.extent, view) > WHOLE_SHARE) change(path, NO_VIEW);
  else if (!intersects(own.extent, view) || (state.shown !== null && isShownBy(state.shown, view)))
    change(path, { ...state, next: 'none', message: null });
  else if (own.isSlow && !isAsked) change(path, { ...state, next: 'offered', message: null });
  else void load(input, source, own, view);
}

/** Whether nothing new would be seen in the view. */
function isShownBy({ box, drawn, found, isSimplified }: ViewPreview, view: LonLatBox): boolean {
  if (!contains(box, view)) return false;
  const isComplete = drawn === found && !isSimplified;
  return isComplete || (view[2] - view[0]) * (1 + 2 * MARGIN) * FINER > box[2] - box[0];
}

async function load(input: InputChoice, source: Source, own: Following, view: LonLatBox): Promise<void> {
  const { path } = input;
  const before = views.peek().get(path) ?? NO_VIEW;
  const abort = new AbortController();
  own.abort = abort;
  change(path, { ...before, next: 'loading', message: null });
  const startedAt = performance.now();
  const timer = setTimeout(() => abort.abort(new Error('It took too long.')), LIMIT_MS);
  try {
    const file = await source.upload?.file();
    if (file === undefined) return;
    const box = widened(view, MARGIN);
    const counts =
      source.inspection.state === 'ready'
        ? source.inspection.value.layers.map(({ features }) => features)
        : [];
    const filter = { type: 'filter', params: { bbox: wrapped(box) } };
    const metres =
      (view[2] - view[0]) * METRES_PER_DEGREE * Math.cos(((view[1] + view[3]) / 2) * (Math.PI / 180));
    const made = await boundedPreview(file, { ...input, layers: null }, [filter], {
      count: countPerLayer(counts, MAX_PREVIEW_FEATURES),
      tolerance: metres / MAP_PIXELS,
      isSimplified: own.base.isSimplified,
      signal: abort.signal,
    });
    own.isSlow = performance.now() - startedAt > SLOW_MS;
    if (following.get(path) !== own || own.abort !== abort) return;
    const shown = viewPreviewOf(made, box, own.base.features);
    batch(() => {
      keepSelection(path, shown.features);
      change(path, { shown, next: 'none', message: null });
    });
  } catch (error) {
    // A further move, or a new preview, has taken over.
    if (following.get(path) !== own || own.abort !== abort) return;
    own.isSlow = true;
    change(path, { ...before, next: 'offered', message: messageOf(error) });
  } finally {
    clearTimeout(timer);
    if (own.abort === abort) own.abort = null;
  }
}

function viewPreviewOf(
  { features, drawn, isSimplified, report }: BoundedPreview,
  box: LonLatBox,
  base: FeatureCollection,
): ViewPreview {
  const isFromParts = report?.warnings.some(({ code }) => code === 'SAMPLED_FROM_PARTS') ?? true;
  const outside = base.features.filter((feature) => {
    const extent = extentOf([{ type: 'FeatureCollection', features: [feature] }]);
    return extent !== null && !intersects(box, extent);
  });
  return {
    box,
    features: { ...features, features: [...features.features, ...outside] },
    drawn,
    found: isFromParts ? null : (report?.steps[0]?.features_out ?? null),
    isSimplified,
  };
}

/** The selected feature has another index among the features of the view, or is not among them. */
function keepSelection(path: string, features: FeatureCollection): void {
  const layerId = `source ${path}`;
  const { value: selected } = selection;
  if (selected?.layerId !== layerId) return;
  const feature = (views.peek().get(path)?.shown?.features ?? previewFeatures(path))?.features[
    selected.index
  ];
  const wanted = JSON.stringify(feature?.properties);
  const index = features.features.findIndex(({ properties }) => JSON.stringify(properties) === wanted);
  // As if it was chosen on the map, which then does not move to it again.
  selection.value = index < 0 ? null : { layerId, index, from: 'map' };
}

function previewFeatures(path: string): FeatureCollection | null {
  const preview = sources.peek().get(path)?.preview;
  return preview?.state === 'ready' ? preview.value.features : null;
}

function change(path: string, state: ViewState): void {
  const known = views.peek().get(path);
  if (known === undefined && state === NO_VIEW) return;
  if (state === NO_VIEW && known?.shown != null) {
    const base = previewFeatures(path);
    if (base !== null) keepSelection(path, base);
  }
  views.value = new Map(views.peek()).set(path, state);
}
