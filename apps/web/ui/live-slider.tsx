/** The length of a step by a slider, with its effect on the features in view while it is moved. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { metresText } from '../map/rulers.ts';
import { changeStep, type StepChoice } from '../model/document.ts';
import {
  canPreviewLive,
  endLive,
  type LiveState,
  liveState,
  metresPerPixel,
  startLive,
} from '../model/live-preview.ts';
import {
  liveStepOf,
  metresOf,
  SLIDER_STEPS,
  sliderMetres,
  sliderPosition,
  withMetres,
} from '../model/live-steps.ts';
import { workspace } from '../model/workspace.ts';
import { countOf, countText } from './controls.tsx';

export function LiveSlider(props: { readonly step: StepChoice; readonly title: string }): JSX.Element | null {
  const { step, title } = props;
  const id = useId();
  const live = liveStepOf(step);
  const pixel = metresPerPixel();
  if (live === null || pixel === null || !canPreviewLive(step)) return null;
  const metres = metresOf(step);
  const isNegative = metres !== null && metres < 0;
  const own = liveState.value?.key === step.key ? liveState.value : null;
  const move = (position: number) => {
    const length = sliderMetres(live.kind, position, pixel) * (isNegative ? -1 : 1);
    const params = withMetres(step, length);
    workspace.edit(
      (document) => changeStep(document, step.key, { params }),
      `step ${step.key} ${live.parameter}`,
    );
    startLive(step, title);
  };
  return (
    <div class="field live">
      <label for={id}>Try on the map</label>
      <input
        id={id}
        type="range"
        min={0}
        max={SLIDER_STEPS}
        value={metres === null ? 0 : sliderPosition(live.kind, Math.abs(metres), pixel)}
        aria-valuetext={metres === null ? 'no length yet' : lengthText(metres)}
        onInput={({ currentTarget }) => move(currentTarget.valueAsNumber)}
      />
      <p class="soft" role="status">
        {own !== null && liveText(own)}
      </p>
      {own !== null && (
        <button type="button" class="link" onClick={endLive}>
          End the preview
        </button>
      )}
    </div>
  );
}

function lengthText(metres: number): string {
  return metres < 0 ? `−${metresText(-metres)}` : metresText(metres);
}

/** "25 m: 1,204 of 9,410 vertices in view are left (13 %)." */
function liveText({ metres, features, before, after, message }: LiveState): string {
  if (message !== null) return message;
  const length = lengthText(metres);
  if (before === null || after === null)
    return `${length} ${metres < 0 ? 'inside' : 'around'} ${countOf(features, 'feature')} in view. Convert for the exact result.`;
  const share = before === 0 ? 100 : (100 * after) / before;
  const percent = share > 0 && share < 1 ? '<1' : Math.round(share);
  return `${length}: ${countText(after)} of ${countText(before)} vertices in view are left (${percent} %). Convert for the exact result.`;
}
