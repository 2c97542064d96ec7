/**
 * What a step makes of the features in view, while its slider is moved: an approximation that this tab computes, from what the map
 * shows of the sources. The run computes the result from the whole files.
 */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { extentOf } from '../map/extent.ts';
import { eachPath } from '../map/geometry.ts';
import type { Reach } from '../map/reach.ts';
import type { SimplifyRequest } from '../simplify-worker.ts';
import { intersects } from './boxes.ts';
import type { StepChoice } from './document.ts';
import { type LiveKind, liveStepOf, metresOf } from './live-steps.ts';
import { type MapLayer, mapLayers } from './map-layers.ts';
import { viewBox } from './overlays.ts';
import { MAP_PIXELS } from './preview.ts';
import { runs } from './run.ts';
import type { Simplified } from './simplify-features.ts';
import { endPreview } from './step-preview.ts';
import { liveReach, liveView, stepView } from './views.ts';
import { workspace } from './workspace.ts';

declare const SIMPLIFY_WORKER_FILE: string;

const METRES_PER_DEGREE = 111_320;
/** Of lines and polygons. More would not be simplified while a slider is moved. */
const MAX_POSITIONS = 300_000;

export interface LiveState {
  /** Of the step. */
  readonly key: number;
  readonly kind: LiveKind;
  readonly metres: number;
  readonly features: number;
  /** Vertices; null: not counted. */
  readonly before: number | null;
  readonly after: number | null;
  /** Why there is none. */
  readonly message: string | null;
}

/** Null: no step is previewed in this tab. */
export const liveState = signal<LiveState | null>(null);

/** Of the map at the middle of the view; null: there is no view of the Earth. */
export function metresPerPixel(): number | null {
  const view = viewBox.value;
  return view === null
    ? null
    : ((view[2] - view[0]) * METRES_PER_DEGREE * Math.cos((latitudeOf(view) * Math.PI) / 180)) / MAP_PIXELS;
}

function latitudeOf(view: readonly number[]): number {
  return (view[1] + view[3]) / 2;
}

export function canPreviewLive(step: StepChoice): boolean {
  return (
    step.enabled && liveStepOf(step) !== null && viewBox.value !== null && mapLayers.value.some(isPreviewed)
  );
}

function isPreviewed({ role, ground }: MapLayer): boolean {
  return role === 'source' && ground === 'earth';
}

let stop: (() => void) | null = null;

/** Begins the preview of a step, in place of another one, unless it is there already. */
export function startLive(step: StepChoice, title: string): void {
  if (liveState.peek()?.key === step.key) return;
  endLive();
  endPreview();
  stop = follow(step.key, title);
}

export function endLive(): void {
  stop?.();
  stop = null;
  batch(() => {
    liveState.value = null;
    liveView.value = null;
    liveReach.value = null;
  });
}

/** Shows the step anew after each change of its parameters, of the view and of the sources. */
function follow(key: number, title: string): () => void {
  const simplifier = new Simplifier((message) => show({ message }));
  const runCount = runs.peek().length;
  let isStopped = false;
  let base = { metres: 0, features: 0, kind: 'simplify' as LiveKind };
  const show = (made: { readonly result?: Simplified; readonly reach?: Reach; readonly message?: string }) =>
    batch(() => {
      const { result, reach = null, message = null } = made;
      liveView.value = result === undefined ? null : { title, features: result.features };
      liveReach.value = reach;
      liveState.value = {
        key,
        ...base,
        before: result?.before ?? null,
        after: result?.after ?? null,
        message,
      };
    });
  const finish = effect(() => {
    const step = workspace.current.value.steps.find((one) => one.key === key);
    const view = viewBox.value;
    const metres = step === undefined ? null : metresOf(step);
    const live = step === undefined ? null : liveStepOf(step);
    // The result is there, the step is gone, the map does not show the Earth, or another preview has begun.
    if (
      runs.value.length > runCount ||
      step === undefined ||
      !step.enabled ||
      live === null ||
      view === null ||
      stepView.value !== null
    ) {
      // Not within the effect that reads what this changes.
      setTimeout(() => {
        if (!isStopped) endLive();
      });
      return;
    }
    const features = featuresOf(step.params.layer);
    untracked(() => {
      if (metres === null) {
        show({ message: 'Enter a length.' });
        return;
      }
      base = { metres, features: features.features.length, kind: live.kind };
      if (live.kind === 'reach') {
        const { end_cap: cap, join } = step.params;
        const latitude = latitudeOf(view);
        show({ reach: { features, metres, latitude, cap: String(cap ?? ''), join: String(join ?? '') } });
      } else if (positionCount(features) > MAX_POSITIONS)
        show({ message: 'Too many vertices are in view for a preview in this tab. Zoom in, or convert.' });
      else
        simplifier.simplify(
          features,
          {
            toleranceMetres: metres,
            keepsTopology: step.params.preserve_topology !== false,
            latitude: latitudeOf(view),
          },
          (result) => show({ result }),
        );
    });
  });
  return () => {
    isStopped = true;
    finish();
    simplifier.close();
  };
}

type Shown = Pick<MapLayer, 'features' | 'layerField'>;

/** The sources on the map; the same list while they are the same, because the preview is a layer of the map, too. */
const shownSources = computed((): readonly Shown[] => {
  const next = mapLayers.value.filter(isPreviewed);
  const isSame =
    next.length === lastSources.length &&
    next.every(({ features }, i) => features === lastSources[i].features);
  if (!isSame) lastSources = next.map(({ features, layerField }) => ({ features, layerField }));
  return lastSources;
});
let lastSources: readonly Shown[] = [];

const boxes = new WeakMap<object, ReturnType<typeof extentOf>>();

/** Geometries of the sources in view, with the name of the layer of each. */
const inView = computed(() => {
  const view = viewBox.value;
  if (view === null) return [];
  return shownSources.value.flatMap(({ features, layerField }) =>
    features.features.flatMap((feature) => {
      let box = boxes.get(feature);
      if (box === undefined) {
        box = extentOf([{ type: 'FeatureCollection', features: [feature] }]);
        boxes.set(feature, box);
      }
      if (box === null || !intersects(view, box)) return [];
      const layer = layerField === null ? null : String(feature.properties?.[layerField]);
      return [{ layer, feature: { type: 'Feature', properties: {}, geometry: feature.geometry } }];
    }),
  );
});

/** The features that a step is applied to: those of some layers of a file, or all. The same object for the same features. */
function featuresOf(layers: unknown): FeatureCollection {
  const found = inView.value;
  const key = JSON.stringify(layers ?? null);
  if (lastFeatures?.found === found && lastFeatures.key === key) return lastFeatures.features;
  const wanted = layers === undefined ? null : new Set([layers].flat());
  const chosen = found.filter(({ layer }) => wanted === null || layer === null || wanted.has(layer));
  const features: FeatureCollection = {
    type: 'FeatureCollection',
    features: chosen.map(({ feature }) => feature) as never,
  };
  lastFeatures = { found, key, features };
  return features;
}
let lastFeatures: {
  readonly found: unknown;
  readonly key: string;
  readonly features: FeatureCollection;
} | null = null;

function positionCount({ features }: FeatureCollection): number {
  let count = 0;
  for (const { geometry } of features)
    eachPath(geometry, (path) => {
      count += path.length;
    });
  return count;
}

type Options = Extract<SimplifyRequest, { kind: 'simplify' }>['options'];

/** The worker; of requests that come while it works, only the last is answered. */
class Simplifier {
  readonly #worker = new Worker(new URL(SIMPLIFY_WORKER_FILE, import.meta.url), { type: 'module' });
  #sent: FeatureCollection | null = null;
  #isBusy = false;
  #next: (() => void) | null = null;
  #onResult: (result: Simplified) => void = () => {};

  constructor(onError: (message: string) => void) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Simplified>) => {
      this.#isBusy = false;
      this.#onResult(data);
      const next = this.#next;
      this.#next = null;
      next?.();
    });
    this.#worker.addEventListener('error', ({ message }) => onError(`No preview: ${message}`));
  }

  simplify(features: FeatureCollection, options: Options, onResult: (result: Simplified) => void): void {
    if (this.#isBusy) {
      this.#next = () => this.simplify(features, options, onResult);
      return;
    }
    this.#isBusy = true;
    this.#onResult = onResult;
    if (this.#sent !== features) this.#send({ kind: 'features', features });
    this.#sent = features;
    this.#send({ kind: 'simplify', options });
  }

  #send(request: SimplifyRequest): void {
    this.#worker.postMessage(request);
  }

  close(): void {
    this.#worker.terminate();
  }
}
