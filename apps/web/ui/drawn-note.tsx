/** How many features of a layer the map draws, and of how many. */
import type { JSX } from 'preact';
import type { MapLayer } from '../model/map-layers.ts';
import { loadView } from '../model/view-preview.ts';
import { countText } from './controls.tsx';
import { type Shares, viewText } from './drawn-words.ts';

/** In the legend, beside the name of the layer. */
export function DrawnNote({ layer }: { readonly layer: MapLayer }): JSX.Element {
  const { view, title } = layer;
  return (
    <span class="soft">
      {view?.shown == null ? shareText(layer) : viewText(view.shown)}
      {view !== null && (
        <span role="status">
          {view.next === 'loading' && ' Loading this view…'}
          {view.message !== null && ` This view could not be loaded: ${view.message}`}
        </span>
      )}
      {view?.next === 'offered' && (
        <>
          {' '}
          <button type="button" class="link" onClick={() => loadView(title)}>
            Load this view<span class="visually-hidden"> of {title}</span>
          </button>
        </>
      )}
    </span>
  );
}

function shareText({ drawn, total, isSimplified }: Shares): string {
  const simplified = isSimplified ? ', simplified' : '';
  if (total === null) return `${countText(drawn)} of more, counting…${simplified}`;
  return `${drawn === total ? '' : `${countText(drawn)} of `}${countText(total)}${simplified}`;
}
