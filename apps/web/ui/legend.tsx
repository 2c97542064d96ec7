/** The layers of the map: what their symbols mean, how many features are drawn, and switches for each. */
import type { JSX } from 'preact';
import type { GeometryKind, KindCounts } from '../map/geometry.ts';
import {
  hiddenKeys,
  type LayerPart,
  type MapLayer,
  mapLayers,
  toggleVisibility,
  visibilityKey,
  zoomToLayer,
} from '../model/map-layers.ts';
import { selection } from '../model/selection.ts';
import { countText } from './controls.tsx';
import { DrawnNote } from './drawn-note.tsx';
import { PlacesLegend } from './findings.tsx';

/** On the map, or in narrow windows with the files. */
export function Legend(): JSX.Element {
  const rows = mapLayers.value;
  return (
    <ul class="legend" aria-label="Layers of the map" hidden={rows.length === 0}>
      {rows.map((row) => (
        <li key={row.id}>
          <div class="legend-row">
            <VisibilityBox id={visibilityKey(row.id, null)} text={row.title} />
            <DrawnNote layer={row} />
            <span class="legend-actions">
              {' '}
              <button type="button" class="link" onClick={() => zoomToLayer(row)}>
                Zoom<span class="visually-hidden"> to {row.title}</span>
              </button>
              {row.drawn > 0 && (
                <button type="button" class="link" onClick={() => stepThrough(row)}>
                  Features<span class="visually-hidden"> of {row.title}, one by one</span>
                </button>
              )}
            </span>
          </div>
          <Parts row={row} />
        </li>
      ))}
      <PlacesLegend />
    </ul>
  );
}

/** Selects the first feature of the layer, or the selected one again, so that the card gets the focus. */
function stepThrough({ id }: MapLayer): void {
  const now = selection.peek();
  selection.value = { layerId: id, index: now?.layerId === id ? now.index : 0, from: 'list' };
}

function VisibilityBox({ id, text }: { readonly id: string; readonly text: string }): JSX.Element {
  return (
    <label>
      <input type="checkbox" checked={!hiddenKeys.value.has(id)} onChange={() => toggleVisibility(id)} />
      <span dir="auto">{text}</span>
    </label>
  );
}

function Parts({ row }: { readonly row: MapLayer }): JSX.Element | null {
  const { parts, id } = row;
  if (row.layerField === null) return parts.length === 0 ? null : <Kinds part={parts[0]} />;
  return (
    <ul class="legend-parts" aria-label={`Layers of ${row.title}`}>
      {parts.map((part) => (
        <li key={part.name}>
          <VisibilityBox id={visibilityKey(id, part.name)} text={part.name ?? ''} />
          <Kinds part={part} />
        </li>
      ))}
    </ul>
  );
}

const KINDS = Object.entries({
  point: ['point', 'points'],
  line: ['line', 'lines'],
  polygon: ['polygon', 'polygons'],
  collection: ['collection', 'collections'],
  none: ['without geometry', 'without geometry'],
}) as [GeometryKind, readonly [one: string, several: string]][];

/** "10 points, 2 lines". */
export function kindsText(counts: KindCounts): string {
  const texts = KINDS.flatMap(([kind, [one, several]]) =>
    counts[kind] === 0 ? [] : [`${countText(counts[kind])} ${counts[kind] === 1 ? one : several}`],
  );
  return texts.join(', ');
}

function Kinds({ part }: { readonly part: LayerPart }): JSX.Element {
  return (
    <span class="legend-kinds">
      {KINDS.filter(([kind]) => part.counts[kind] > 0).map(([kind, [one, several]]) => (
        <span key={kind}>
          <KindSymbol kind={kind} colour={part.colour} />
          {countText(part.counts[kind])} {part.counts[kind] === 1 ? one : several}
        </span>
      ))}
    </span>
  );
}

const POLYGON = <path d="M2 12 5 3h8l1 9-7 2z" />;
const LINE = <path class="open" d="M2 13 6 5l5 5 3-7" />;

function KindSymbol({ kind, colour }: { readonly kind: GeometryKind; readonly colour: number }): JSX.Element {
  return (
    <svg class={`symbol layer${colour}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {kind === 'point' && <circle cx="8" cy="8" r="4" />}
      {kind === 'line' && LINE}
      {kind === 'polygon' && POLYGON}
      {kind === 'collection' && (
        <>
          {POLYGON}
          <circle cx="8" cy="8" r="2" />
        </>
      )}
      {kind === 'none' && <path class="open" d="M4 4 12 12M12 4 4 12" />}
    </svg>
  );
}
