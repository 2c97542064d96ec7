/** The places of a finding as a list: only the rows in view exist, because there can be thousands. */
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { markedPlace, markPlace } from '../model/finding-places.ts';
import { type FindingGroup, type FoundPlace, placeWords } from '../model/found-places.ts';
import { isNarrow, sheetHeight, showPart } from '../model/layout.ts';
import { cellAfterKey, scrollFor, spanInView, withFocused } from '../model/table.ts';
import { countText } from './controls.tsx';

/** Pixels; fixed, so that positions follow from indices. findings.css has the same. */
const ROW_HEIGHT = 30;
const MAX_ROWS_IN_VIEW = 7;

/** "10 places", or how many the service lists if those are not all that the report counts. */
function placeCountText({ count, places }: FindingGroup): string {
  const listed = countText(places.length);
  if (places.length !== count) return `${listed} of ${countText(count)} places shown`;
  return count === 1 ? '1 place' : `${listed} places`;
}

export function PlaceList(props: { readonly run: number; readonly group: FindingGroup }): JSX.Element {
  const { run, group } = props;
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { value: marked } = markedPlace;
  const isMarked = marked?.run === run && marked.code === group.code;
  useEffect(() => {
    if (!isMarked || marked.from !== 'map') return;
    if (isNarrow.peek()) showPart('result');
    // Also the group of its severity.
    for (let at: Element | null = details.current; at !== null; at = at.parentElement)
      if (at instanceof HTMLDetailsElement) at.open = true;
    details.current?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return (
    <details ref={details} class="places" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{placeCountText(group)}</summary>
      {(isOpen || isMarked) && <Rows run={run} group={group} selected={isMarked ? marked.index : null} />}
    </details>
  );
}

function Rows(props: {
  readonly run: number;
  readonly group: FindingGroup;
  readonly selected: number | null;
}): JSX.Element {
  const { run, group, selected } = props;
  const { places, code } = group;
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(selected ?? 0);
  const id = useId();
  const height = Math.min(places.length, MAX_ROWS_IN_VIEW) * ROW_HEIGHT;
  const show = (index: number) => {
    setActive(index);
    if (list.current === null) return;
    list.current.scrollTop = scrollFor(index, ROW_HEIGHT, list.current.scrollTop, height);
    setTop(list.current.scrollTop);
  };
  useLayoutEffect(() => {
    if (selected !== null) show(selected);
  }, [selected]);
  const choose = (index: number) => {
    // The map is behind a sheet of full height.
    if (isNarrow.peek() && sheetHeight.peek() === 'full') sheetHeight.value = 'half';
    markPlace({ run, code, index, from: 'list' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const size = { rows: places.length, columns: 1, page: MAX_ROWS_IN_VIEW - 1 };
    const isEdge = event.key === 'Home' || event.key === 'End';
    const next = cellAfterKey(
      { row: active, column: 0 },
      { key: event.key, ctrlKey: event.ctrlKey || isEdge },
      size,
    );
    if (next !== null) show(Math.max(0, next.row));
    else if ((event.key === 'Enter' && !event.ctrlKey) || event.key === ' ') choose(active);
    else return;
    event.preventDefault();
  };
  const span = spanInView(places.length, ROW_HEIGHT, top, height, 4);
  const withText = { message: group.warnings.length > 1, layer: hasSeveralLayers(places) };
  return (
    <div
      ref={list}
      class="place-list"
      role="listbox"
      tabIndex={0}
      aria-label={`Places: ${group.warnings[0].message}`}
      aria-activedescendant={`${id}-${active}`}
      style={{ height: `${height}px` }}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: `${places.length * ROW_HEIGHT}px` }} role="presentation">
        {withFocused(span, active, places.length).map((index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          <div
            key={index}
            id={`${id}-${index}`}
            class={index === active ? 'active' : undefined}
            role="option"
            aria-selected={index === selected}
            aria-setsize={places.length}
            aria-posinset={index + 1}
            style={{ top: `${index * ROW_HEIGHT}px` }}
            onClick={() => {
              setActive(index);
              choose(index);
            }}
          >
            <PlaceText place={places[index]} {...withText} />
          </div>
        ))}
      </div>
    </div>
  );
}

function hasSeveralLayers(places: readonly FoundPlace[]): boolean {
  const [first] = places;
  return places.some(
    ({ properties: { layer, file } }) => layer !== first.properties.layer || file !== first.properties.file,
  );
}

function PlaceText(props: {
  readonly place: FoundPlace;
  readonly message: boolean;
  readonly layer: boolean;
}): JSX.Element {
  const { properties, box } = props.place;
  const { layer, file, message } = properties;
  const words = placeWords(properties);
  return (
    <>
      {props.layer && <bdi>{[file, layer].filter((name) => name !== undefined).join(', ')}</bdi>}{' '}
      <bdi>{words.length === 0 ? 'A place' : words.join(', ')}</bdi>{' '}
      {props.message && <bdi class="soft">{message}</bdi>}{' '}
      {box === null && <span class="soft">not on the map</span>}
    </>
  );
}
