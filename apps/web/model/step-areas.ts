/** The areas of steps on the map: polygons in the document, or those of another source as the service places them. */
import type { FeatureCollection, TransformationRecord } from '@geomill/client/client.ts';
import { effect, signal, untracked } from '@preact/signals';
import { engine } from '../engines/current.ts';
import { catalogue, type Loading, messageOf } from '../service.ts';
import { featuresOf } from './area.ts';
import { fileReading, type Options, type StepChoice, type WorkspaceDocument } from './document.ts';
import { hideOverlay, overlays, showOverlay } from './overlays.ts';
import { MAX_PREVIEW_FEATURES, previewJobs } from './preview-facts.ts';
import { DRAWN_FORMAT } from './preview-format.ts';
import { sources } from './sources.ts';
import { workspace } from './workspace.ts';

export type FileParameter = NonNullable<TransformationRecord['file_parameter']>;

/** What a step can take from a file; null: nothing, or the step is not known. */
export function fileParameterOf(type: string): FileParameter | null {
  const { value: loaded } = catalogue;
  if (loaded.state !== 'ready') return null;
  return loaded.value.transformations.find(({ id }) => id === type)?.file_parameter ?? null;
}

/** Polygons of sources for steps, by what they depend on. */
const drawn = signal<ReadonlyMap<string, Loading<FeatureCollection>>>(new Map());
const aborts = new Map<string, AbortController>();

/** Polygons that a step has from a source; null: it has none from there, or not yet. */
export function fileAreaOf(document: WorkspaceDocument, step: StepChoice): Loading<FeatureCollection> | null {
  const request = requestOf(document, step);
  return request === null ? null : (drawn.value.get(request.key) ?? null);
}

const PREFIX = 'area of step ';

export function overlayId({ key }: StepChoice): string {
  return PREFIX + key;
}

/** Draws the areas of all steps that are switched on. Returns what ends that. */
export function followAreas(): () => void {
  return effect(() => {
    const document = workspace.current.value;
    const shown = new Map<string, FeatureCollection>();
    const wanted = new Set<string>();
    for (const step of document.steps) {
      const features = step.enabled ? featuresOfStep(document, step, wanted) : null;
      if (features !== null) shown.set(overlayId(step), features);
    }
    untracked(() => {
      for (const [key, abort] of aborts)
        if (!wanted.has(key)) {
          abort.abort();
          aborts.delete(key);
        }
      for (const id of overlays.value.keys()) if (id.startsWith(PREFIX) && !shown.has(id)) hideOverlay(id);
      for (const [id, features] of shown)
        if (overlays.value.get(id)?.features !== features) showOverlay({ id, role: 'mask', features });
    });
  });
}

/** Asks the service for polygons of a source that are not here yet. `wanted`: gets the keys of those that the document needs. */
function featuresOfStep(
  document: WorkspaceDocument,
  step: StepChoice,
  wanted: Set<string>,
): FeatureCollection | null {
  const parameter = fileParameterOf(step.type);
  if (parameter === null || parameter.uses === 'attributes') return null;
  const request = requestOf(document, step);
  if (request === null) return parameter.name === null ? null : inlineFeatures(step.params[parameter.name]);
  wanted.add(request.key);
  const now = drawn.value.get(request.key);
  if (now === undefined || (now.state === 'loading' && !aborts.has(request.key)))
    untracked(() => void fetchArea(request));
  return now?.state === 'ready' ? now.value : null;
}

/** The same object for the same value, so that the map draws it once. */
const inline = new WeakMap<object, FeatureCollection>();

function inlineFeatures(value: unknown): FeatureCollection | null {
  if (typeof value !== 'object' || value === null) return null;
  const features = inline.get(value) ?? featuresOf(value);
  if (features !== null) inline.set(value, features);
  return features;
}

interface AreaRequest {
  readonly key: string;
  readonly path: string;
  readonly input: Options;
  readonly steps: readonly object[];
}

function requestOf(document: WorkspaceDocument, { file, params }: StepChoice): AreaRequest | null {
  if (file === undefined || sources.value.get(file.path)?.upload == null) return null;
  const { part, path } = file;
  const input = document.inputs.find((one) => one.path === path);
  const all: Options = { ...(input === undefined ? {} : fileReading(part, input)), ...params };
  const value = (name: string) => all[`${part}_${name}`];
  if (value('format') === undefined) return null;
  const config = {
    format: value('format'),
    ...(value('crs') === undefined ? {} : { epsg: value('crs') }),
    ...(value('layer') === undefined ? {} : { layer: value('layer') }),
    ...(value('options') as Options | undefined),
  };
  const where = value('filter');
  const steps = [
    ...(where === undefined ? [] : [{ type: 'filter', params: { where } }]),
    { type: 'sample', params: { count: MAX_PREVIEW_FEATURES } },
  ];
  return { key: JSON.stringify([path, config, steps]), path, input: config, steps };
}

async function fetchArea({ key, path, input, steps }: AreaRequest): Promise<void> {
  const abort = new AbortController();
  aborts.set(key, abort);
  const { signal } = abort;
  const show = (result: Loading<FeatureCollection>) => {
    const next = new Map(drawn.peek());
    if (signal.aborted) next.delete(key);
    else next.set(key, result);
    drawn.value = next;
  };
  show({ state: 'loading' });
  try {
    const file = await sources.peek().get(path)?.upload?.file();
    signal.throwIfAborted();
    const config = { input, transformations: steps, output: { format: DRAWN_FORMAT } };
    const request = { operation: 'transform', format: String(input.format), config } as const;
    const files = file === undefined ? [] : [file];
    const job = await engine.peek().submit({ ...request, files }, { signal, idempotencyKey: null });
    previewJobs.add(job.id);
    await job.wait({ signal });
    const { features } = await (await job.download({ signal })).json<FeatureCollection>();
    show({
      state: 'ready',
      value: { type: 'FeatureCollection', features: features.filter(({ geometry }) => isArea(geometry)) },
    });
  } catch (error) {
    show({ state: 'failed', message: messageOf(error) });
  }
}

function isArea(geometry: unknown): boolean {
  const { type } = (geometry ?? {}) as { readonly type?: string };
  return type === 'Polygon' || type === 'MultiPolygon';
}
