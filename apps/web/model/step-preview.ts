/**
 * What the map shows after one step: the service runs the steps up to this one on the features in and around the view. It is made
 * again after each edit of these steps and each move of the map, until the user ends it.
 */
import { batch, effect, untracked } from '@preact/signals';
import { messageOf } from '../service.ts';
import { widened, wrapped } from './boxes.ts';
import { convertedInputs, type InputChoice, type StepChoice, stepConfigs } from './document.ts';
import { STEP_LAYER } from './map-layers.ts';
import { viewBox } from './overlays.ts';
import { boundedPreview, MAP_PIXELS } from './preview.ts';
import { MAX_PREVIEW_FEATURES, type Preview } from './preview-facts.ts';
import { selection } from './selection.ts';
import { type Source, sources } from './sources.ts';
import { areStepFilesFetched, areStepFilesHere, stepFileReference } from './step-files.ts';
import { METRES_PER_DEGREE } from './view-preview.ts';
import { NO_VIEW, stepView, type ViewState } from './views.ts';
import { workspace } from './workspace.ts';

/** After the last edit or move. */
const PAUSE_MS = 400;
/** A preview that took longer does not follow the map: the service has to read the whole file for each. */
const SLOW_MS = 4000;
const LIMIT_MS = 30_000;
/** Share of the view beyond each of its sides, whose features may reach into the view after the step. */
const MARGIN = 0.25;

interface Previewed {
  readonly input: InputChoice;
  readonly source: Source;
  readonly preview: Preview;
}

/** The first input, if the map shows it and the service has it; else null. */
function previewed(): Previewed | null {
  const [input] = convertedInputs(workspace.current.value);
  const source = input === undefined ? undefined : sources.value.get(input.path);
  if (input === undefined || source?.upload == null || source.preview?.state !== 'ready') return null;
  const preview = source.preview.value;
  return preview.isOnPaper === true ? null : { input, source, preview };
}

export function canPreview({ enabled }: StepChoice): boolean {
  const document = workspace.current.value;
  const isHere = areStepFilesHere(document) && !areStepFilesFetched(document);
  return enabled && viewBox.value !== null && isHere && previewed() !== null;
}

let stop: (() => void) | null = null;

/** Begins the preview of a step, in place of that of another one, or ends it. */
export function togglePreview(step: StepChoice, title: string): void {
  const isShown = stepView.peek()?.key === step.key;
  endPreview();
  if (isShown) return;
  stepView.value = { key: step.key, title, layerField: null, state: { ...NO_VIEW, next: 'loading' } };
  stop = follow(step.key);
}

/** Ends the preview, of whichever step it is. */
export function endPreview(): void {
  stop?.();
  stop = null;
  end();
}

function end(): void {
  batch(() => {
    stepView.value = null;
    forgetSelection();
  });
}

/** The features of the layer are other ones now. */
function forgetSelection(): void {
  if (selection.peek()?.layerId === STEP_LAYER) selection.value = null;
}

function follow(key: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = new AbortController();
  let made = { steps: '', view: '', isSlow: false };
  const finish = effect(() => {
    const document = workspace.current.value;
    const { steps } = document;
    const at = steps.findIndex((step) => step.key === key);
    const isGone = at < 0 || !canPreview(steps[at]);
    const wanted = {
      // As a config, which also says how the files of steps are read.
      steps: JSON.stringify([
        previewed()?.input,
        stepConfigs({ ...document, steps: steps.slice(0, at + 1) }),
        previewed()?.preview.drawn,
      ]),
      view: JSON.stringify(viewBox.value),
    };
    untracked(() => {
      clearTimeout(timer);
      if (isGone) {
        abort.abort();
        // Not within the effect that reads what this changes.
        timer = setTimeout(() => {
          stop?.();
          stop = null;
          end();
        });
        return;
      }
      const isEdited = wanted.steps !== made.steps;
      if (!isEdited && (wanted.view === made.view || made.isSlow)) return;
      timer = setTimeout(async () => {
        abort.abort();
        abort = new AbortController();
        made = { ...wanted, isSlow: false };
        const own = made;
        const startedAt = performance.now();
        await load(key, at, abort);
        if (own === made) made.isSlow = performance.now() - startedAt > SLOW_MS;
      }, PAUSE_MS);
    });
  });
  return () => {
    finish();
    clearTimeout(timer);
    abort.abort();
  };
}

async function load(key: number, at: number, abort: AbortController): Promise<void> {
  const { signal } = abort;
  const show = (state: ViewState, layerField: string | null = null) => {
    const known = stepView.peek();
    if (known?.key !== key || signal.aborted) return;
    batch(() => {
      stepView.value = { ...known, layerField: state.shown === null ? known.layerField : layerField, state };
      if (state.next === 'none') forgetSelection();
    });
  };
  const before = stepView.peek()?.state.shown ?? null;
  show({ shown: before, next: 'loading', message: null }, stepView.peek()?.layerField);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort.abort();
  }, LIMIT_MS);
  try {
    const document = workspace.current.peek();
    const source = previewed();
    const view = viewBox.peek();
    const file = await source?.source.upload?.file();
    if (source === null || view === null || file === undefined) return;
    const box = widened(view, MARGIN);
    const { total } = source.preview;
    const isSampled = total === null || total > MAX_PREVIEW_FEATURES;
    const prepared = [
      { type: 'filter', params: { bbox: wrapped(box) } },
      ...(isSampled ? [{ type: 'sample', params: { count: MAX_PREVIEW_FEATURES } }] : []),
    ];
    const upTo = { ...document, steps: document.steps.slice(0, at + 1) };
    const steps = [...prepared, ...stepConfigs(upTo, await stepFileReference(upTo))];
    const metres =
      (view[2] - view[0]) * METRES_PER_DEGREE * Math.cos(((view[1] + view[3]) / 2) * (Math.PI / 180));
    const { features, drawn, isSimplified, layerField, report } = await boundedPreview(
      file,
      source.input,
      steps,
      { count: MAX_PREVIEW_FEATURES, tolerance: metres / MAP_PIXELS, isSimplified: false, signal },
    );
    const found = isSampled ? null : (report?.steps[steps.length - 1]?.features_out ?? null);
    show({ shown: { box, features, drawn, found, isSimplified }, next: 'none', message: null }, layerField);
  } catch (error) {
    const message = isLate ? 'It took longer than 30 seconds. Zoom in, or convert.' : messageOf(error);
    const known = stepView.peek();
    // A further edit or move has taken over.
    if (known?.key !== key || (signal.aborted && !isLate)) return;
    stepView.value = { ...known, state: { shown: before, next: 'none', message } };
  } finally {
    clearTimeout(timer);
  }
}
