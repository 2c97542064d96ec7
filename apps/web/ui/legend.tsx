/** The layers of the map: what their symbols mean, how many features are drawn, and switches for each. */
import type { JSX } from 'preact';
import type { GeometryKind, KindCounts } from '../map/geometry.ts';
import type { DataRole } from '../map/map-view.ts';
import {
  hiddenKeys,
  type LayerPart,
  type MapLayer,
  mapLayers,
  toggleVisibility,
  visibilityKey,
} from '../model/map-layers.ts';
import { countText } from './controls.tsx';
import { DrawnNote } from './drawn-note.tsx';
import { PlacesLegend } from './findings.tsx';

export function Legend(props: {
  readonly onZoom: (layer: MapLayer) => void;
  readonly onStep: (layer: MapLayer) => void;
}): JSX.Element {
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
              <button type="button" class="link" onClick={() => props.onZoom(row)}>
                Zoom<span class="visually-hidden"> to {row.title}</span>
              </button>
              {row.drawn > 0 && (
                <button type="button" class="link" onClick={() => props.onStep(row)}>
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

function VisibilityBox({ id, text }: { readonly id: string; readonly text: string }): JSX.Element {
  return (
    <label>
      <input type="checkbox" checked={!hiddenKeys.value.has(id)} onChange={() => toggleVisibility(id)} />
      <span dir="auto">{text}</span>
    </label>
  );
}

function Parts({ row }: { readonly row: MapLayer }): JSX.Element | null {
  const { parts, role, id } = row;
  if (row.layerField === null) return parts.length === 0 ? null : <Kinds role={role} part={parts[0]} />;
  return (
    <ul class="legend-parts" aria-label={`Layers of ${row.title}`}>
      {parts.map((part) => (
        <li key={part.name}>
          <VisibilityBox id={visibilityKey(id, part.name)} text={part.name ?? ''} />
          <Kinds role={role} part={part} />
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

function Kinds({ role, part }: { readonly role: DataRole; readonly part: LayerPart }): JSX.Element {
  return (
    <span class="legend-kinds">
      {KINDS.filter(([kind]) => part.counts[kind] > 0).map(([kind, [one, several]]) => (
        <span key={kind}>
          <KindSymbol kind={kind} role={role} />
          {countText(part.counts[kind])} {part.counts[kind] === 1 ? one : several}
        </span>
      ))}
    </span>
  );
}

const POLYGON = <path d="M2 12 5 3h8l1 9-7 2z" />;
const LINE = <path class="open" d="M2 13 6 5l5 5 3-7" />;

function KindSymbol({ kind, role }: { readonly kind: GeometryKind; readonly role: DataRole }): JSX.Element {
  return (
    <svg class={`symbol ${role}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
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
