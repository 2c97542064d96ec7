/** The layers of the map: what their symbols mean, how many features are drawn, and switches for each. */
import type { JSX } from 'preact';
import type { GeometryKind, KindCounts } from '../map/geometry.ts';
import { colourBy, colourFields, countedClasses, fieldsOf } from '../model/data-layers.ts';
import {
  hiddenKeys,
  type LayerPart,
  type MapLayer,
  mapLayers,
  toggleVisibility,
  visibilityKey,
  zoomToLayer,
} from '../model/map-layers.ts';
import { colourOfTiles, openTiles } from '../model/open-tiles.ts';
import { requestFit } from '../model/overlays.ts';
import { selection } from '../model/selection.ts';
import { removeTileFile, type TileLayer } from '../model/tile-files.ts';
import { tileLayers } from '../model/tile-layers.ts';
import { countText } from './controls.tsx';
import { DrawnNote } from './drawn-note.tsx';
import { PlacesLegend } from './findings.tsx';

/** On the map, or in narrow windows with the files. */
export function Legend(): JSX.Element {
  const rows = mapLayers.value;
  return (
    <ul class="legend" aria-label="Layers of the map" hidden={rows.length + tileLayers.value.length === 0}>
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
          <ColourChoice row={row} />
        </li>
      ))}
      {tileLayers.value.map((layer) => (
        <TilesRow key={layer.id} layer={layer} />
      ))}
      <PlacesLegend />
    </ul>
  );
}

/** An archive of tiles: its layers, for which zoom levels it is, or why it is not drawn. */
function TilesRow({ layer: { id, title, role } }: { readonly layer: TileLayer }): JSX.Element {
  const opened = openTiles.value.get(id);
  const tiles = opened?.state === 'ready' ? opened.value : null;
  return (
    <li>
      <div class="legend-row">
        <VisibilityBox id={visibilityKey(id, null)} text={title} />
        <span class="soft" role="status">
          {opened?.state === 'failed'
            ? `Not drawn: ${opened.message}`
            : tiles === null
              ? 'Loading…'
              : `${tiles.layers === null ? 'pictures' : 'tiles'}, zoom levels ${tiles.minZoom} to ${tiles.maxZoom}`}
        </span>
        <span class="legend-actions">
          {tiles !== null && (
            <button type="button" class="link" onClick={() => requestFit(tiles.box)}>
              Zoom<span class="visually-hidden"> to {title}</span>
            </button>
          )}
          {role === 'source' && (
            <button type="button" class="link" onClick={() => removeTileFile(id)}>
              Remove<span class="visually-hidden"> {title} from the map</span>
            </button>
          )}
        </span>
      </div>
      {tiles?.layers != null && tiles.layers.length > 0 && (
        <ul class="legend-parts" aria-label={`Layers of ${title}`}>
          {tiles.layers.map((name) => (
            <li key={name}>
              <VisibilityBox id={visibilityKey(id, name)} text={name} />
              <KindSymbol kind="polygon" colour={`map-layer-${colourOfTiles(id, name)}`} />
            </li>
          ))}
        </ul>
      )}
    </li>
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
  // Their colours are those of the classes then.
  const isPlain = countedClasses(row) !== null;
  if (row.layerField === null) return parts.length === 0 ? null : <Kinds part={parts[0]} isPlain={isPlain} />;
  return (
    <ul class="legend-parts" aria-label={`Layers of ${row.title}`}>
      {parts.map((part) => (
        <li key={part.name}>
          <VisibilityBox id={visibilityKey(id, part.name)} text={part.name ?? ''} />
          <Kinds part={part} isPlain={isPlain} />
        </li>
      ))}
    </ul>
  );
}

/** The field by whose values the layer is coloured, and the classes that it makes. */
function ColourChoice({ row }: { readonly row: MapLayer }): JSX.Element | null {
  const fields = fieldsOf(row);
  if (fields.length === 0) return null;
  const classes = countedClasses(row);
  const chosen = classes === null ? '' : (colourFields.value.get(row.id) ?? '');
  return (
    <>
      <label class="legend-colour">
        <span>
          Colour<span class="visually-hidden"> of {row.title}</span>
        </span>
        <select
          value={chosen}
          onChange={({ currentTarget }) => colourBy(row.id, currentTarget.value || null)}
        >
          <option value="">{row.layerField === null ? 'one for all' : 'one for each layer'}</option>
          <optgroup label="By the values of">
            {fields.map((name) => (
              <option key={name} value={name} dir="auto">
                {name}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      {classes !== null && (
        <ul class={`legend-classes ${classes[0]?.kind}s`} aria-label={`Colours of ${row.title} by ${chosen}`}>
          {classes.map(({ kind, text, colour, count }) => (
            <li key={`${kind} ${text}`}>
              <svg
                class="symbol"
                style={{ color: `var(--map-${colour})` }}
                viewBox="0 0 16 16"
                width="16"
                height="16"
                aria-hidden="true"
              >
                <circle cx="8" cy="8" r="6" />
              </svg>
              {text === null ? (
                <em>{kind === 'other' ? 'other values' : 'no value'}</em>
              ) : (
                <bdi title={text}>{text === '' ? '(empty text)' : text}</bdi>
              )}
              <span class="soft">{countText(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
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

function Kinds({ part, isPlain }: { readonly part: LayerPart; readonly isPlain: boolean }): JSX.Element {
  return (
    <span class="legend-kinds">
      {KINDS.filter(([kind]) => part.counts[kind] > 0).map(([kind, [one, several]]) => (
        <span key={kind}>
          <KindSymbol kind={kind} colour={isPlain ? 'soft' : `map-layer-${part.colour}`} />
          {countText(part.counts[kind])} {part.counts[kind] === 1 ? one : several}
        </span>
      ))}
    </span>
  );
}

const POLYGON = <path d="M2 12 5 3h8l1 9-7 2z" />;
const LINE = <path class="open" d="M2 13 6 5l5 5 3-7" />;

function KindSymbol({
  kind,
  colour,
}: {
  readonly kind: GeometryKind;
  /** Name of a variable of the style sheet. */
  readonly colour: string;
}): JSX.Element {
  return (
    <svg
      class="symbol"
      style={{ color: `var(--${colour})` }}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
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
