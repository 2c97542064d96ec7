/** The table below the map: attributes of the features of a layer that are in its preview. */
import { signal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { colourBy } from '../model/data-layers.ts';
import { isTableOpen } from '../model/layout.ts';
import { type MapLayer, mapLayers } from '../model/map-layers.ts';
import { selection } from '../model/selection.ts';
import { columnsOf, type Row, type Sorting, searchRows, sortRows } from '../model/table.ts';
import { ColumnMenu, type MenuTarget } from './column-menu.tsx';
import { countOf, countText } from './controls.tsx';
import { TableGrid } from './table-grid.tsx';

const DRAWER_ID = 'table-drawer';
const MIN_HEIGHT = 140;
const STEP = 24;
/** Between the last key and the search. */
const PAUSE_MS = 150;

/** Pixels. */
const height = signal(280);

export function TableDrawer(): JSX.Element | null {
  const layers = mapLayers.value;
  const [chosen, setChosen] = useState<string | null>(null);
  useSignalEffect(() => {
    const { value } = selection;
    if (value !== null && value.from !== 'table') setChosen(value.layerId);
  });
  const layer = layers.find(({ id }) => id === chosen) ?? layers[0];
  if (layer === undefined) return null;
  return (
    <section
      class={isTableOpen.value ? 'table-drawer open' : 'table-drawer'}
      id={DRAWER_ID}
      aria-label="Table"
      style={isTableOpen.value ? { height: `${height.value}px` } : {}}
    >
      {isTableOpen.value && <Separator />}
      <div class="table-bar">
        <button
          type="button"
          class="quiet"
          aria-expanded={isTableOpen.value}
          onClick={() => {
            isTableOpen.value = !isTableOpen.value;
          }}
        >
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d={isTableOpen.value ? 'M3 6l5 5 5-5' : 'M6 3l5 5-5 5'} />
          </svg>
          Table
        </button>
        {isTableOpen.value && layers.length > 1 && (
          <select
            aria-label="Layer of the table"
            value={layer.id}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {layers.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        )}
        {!isTableOpen.value && <span class="soft">{countOf(layer.features.features.length, 'feature')}</span>}
        {isTableOpen.value && <LayerTable key={layer.id} layer={layer} />}
      </div>
    </section>
  );
}

function LayerTable({ layer }: { readonly layer: MapLayer }): JSX.Element {
  const [query, setQuery] = useState('');
  const [searched, setSearched] = useState('');
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [menu, setMenu] = useState<MenuTarget | null>(null);
  const { features } = layer.features;
  const rows = useMemo(() => features.map(({ properties }) => (properties ?? {}) as Row), [features]);
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const found = useMemo(() => searchRows(rows, searched), [rows, searched]);
  const order = useMemo(() => sortRows(found, rows, sorting), [found, rows, sorting]);
  useEffect(() => {
    const timer = setTimeout(() => setSearched(query), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const { value: now } = selection;
  const selected = now?.layerId === layer.id ? now.index : null;
  const within =
    features.length === layer.total
      ? features.length === 1
        ? 'the only feature'
        : `all ${countText(layer.total)} features`
      : `the ${countText(features.length)} ${layer.total === null ? '' : `of ${countText(layer.total)} `}features shown`;
  return (
    <>
      <input
        type="search"
        aria-label={`Search within ${within}`}
        placeholder="Search"
        value={query}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
      />
      <span class="soft" role="status">
        {searched === '' ? '' : `${countText(order.length)} found within `}
        {within}, {countText(columns.length)} {columns.length === 1 ? 'field' : 'fields'}
      </span>
      {columns.length === 0 ? (
        <p class="soft">These features have no fields.</p>
      ) : (
        <TableGrid
          label={`Attributes of ${layer.title}`}
          columns={columns}
          rows={rows}
          order={order}
          sorting={sorting}
          selected={selected}
          revealed={now?.from === 'table' ? null : selected}
          onChoose={(index) => {
            selection.value = { layerId: layer.id, index, from: 'table' };
          }}
          onMenu={setMenu}
        />
      )}
      {menu !== null && (
        <ColumnMenu
          target={menu}
          onColour={() => colourBy(layer.id, menu.name)}
          onSort={(direction) => setSorting(direction === null ? null : { column: menu.name, direction })}
          onClose={() => setMenu(null)}
        />
      )}
    </>
  );
}

/** Changes the height by mouse, touch and arrow keys; Enter closes the table. */
function Separator(): JSX.Element {
  const drag = useRef<{ readonly y: number; readonly height: number } | null>(null);
  const maximum = Math.max(MIN_HEIGHT, Math.round(innerHeight * 0.8));
  const set = (next: number) => {
    height.value = Math.max(MIN_HEIGHT, Math.min(maximum, Math.round(next)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp') set(height.value + STEP);
    else if (event.key === 'ArrowDown') set(height.value - STEP);
    else if (event.key === 'Home') set(MIN_HEIGHT);
    else if (event.key === 'End') set(maximum);
    else if (event.key === 'Enter') isTableOpen.value = false;
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="table-separator"
      role="separator"
      tabIndex={0}
      aria-label="Height of the table"
      aria-orientation="horizontal"
      aria-controls={DRAWER_ID}
      aria-valuetext={`${height.value} pixels`}
      aria-valuenow={height.value}
      aria-valuemin={MIN_HEIGHT}
      aria-valuemax={maximum}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { y: event.clientY, height: height.value };
      }}
      onPointerMove={({ clientY }) => {
        if (drag.current !== null) set(drag.current.height + drag.current.y - clientY);
      }}
      onLostPointerCapture={() => {
        drag.current = null;
      }}
    />
  );
}
