/** Says why a result has no features, and shows a mask that is elsewhere. */
import type { FeatureCollection, Report } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LonLatBox } from '../map/extent.ts';
import { extentOf } from '../map/extent.ts';
import { distanceText, explainEmpty, type MaskDistance, maskDistance } from '../model/empty-result.ts';
import { hideOverlay, requestFit, showOverlay } from '../model/overlays.ts';
import type { Run } from '../model/run.ts';
import { sources } from '../model/sources.ts';

export function EmptyResult(props: { readonly run: Run; readonly report: Report }): JSX.Element | null {
  const { run, report } = props;
  const empty = explainEmpty(report, run.document);
  const mask = empty?.mask ?? (empty?.maskPath == null ? null : wholePreview(empty.maskPath));
  const data = run.paths.length === 1 ? wholePreview(run.paths[0]) : null;
  const distance = mask === null || data === null ? null : maskDistance(mask, data);
  const key = JSON.stringify(distance);
  useEffect(() => {
    if (distance === null) return;
    // The page draws the areas of steps itself.
    const id = `data ${run.key}`;
    showOverlay({ id, role: 'extent', features: boxFeature(distance.data) as never });
    showBoth(distance);
    return () => hideOverlay(id);
  }, [key]);
  if (empty === null) return null;
  return (
    <div class="empty-result" role="note">
      <p>
        <strong>{empty.sentence}</strong>
      </p>
      {distance !== null && (
        <p>
          {distance.metres >= 1
            ? `The mask is at least ${distanceText(distance.metres)} away from the input. `
            : 'The mask is in the extent of the input, but no feature is inside it. '}
          <button type="button" class="link" onClick={() => showBoth(distance)}>
            Show both
          </button>
        </p>
      )}
    </div>
  );
}

/** Null: the map has no features of the input, or a sample, whose extent may be smaller. */
function wholePreview(path: string): FeatureCollection | null {
  const preview = sources.value.get(path)?.preview;
  if (preview?.state !== 'ready' || preview.value.drawn !== preview.value.total) return null;
  return preview.value.features;
}

function showBoth({ mask, data }: MaskDistance): void {
  const box = extentOf([boxFeature(mask) as never, boxFeature(data) as never]);
  if (box !== null) requestFit(box);
}

function boxFeature([west, south, east, north]: LonLatBox): object {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const geometry = { type: 'Polygon', coordinates: [ring] };
  return { type: 'FeatureCollection', features: [{ type: 'Feature', properties: {}, geometry }] };
}
