/** The four parts of the page: sections below each other, or in a narrow window tabs of a sheet over the map. */
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import {
  isNarrow,
  PART_TITLES,
  PARTS,
  type Part,
  part,
  partId,
  SHEET_HEIGHTS,
  type SheetHeight,
  sheetHeight,
  showPart,
} from '../model/layout.ts';
import { workspace } from '../model/workspace.ts';

const tabId = (one: Part) => `tab-${one}`;

/** A tab panel in narrow windows. Its elements stay the same when the window becomes wider, so that nothing typed is lost. */
export function PartPane(props: { readonly name: Part; readonly children: ComponentChildren }): JSX.Element {
  const { name, children } = props;
  const tab = { role: 'tabpanel', 'aria-labelledby': tabId(name), hidden: part.value !== name } as const;
  return (
    <div id={partId(name)} class="part" tabIndex={-1} {...(isNarrow.value ? tab : {})}>
      {children}
    </div>
  );
}

/** Tabs, and buttons for the height. Null in wide windows. */
export function SheetBar(): JSX.Element | null {
  if (!isNarrow.value) return null;
  const height = sheetHeight.value;
  return (
    <div class="sheet-bar">
      <Tabs />
      <HeightButton label="Lower the panel" height={height} by={-1} />
      <HeightButton label="Raise the panel" height={height} by={1} />
    </div>
  );
}

function HeightButton(props: {
  readonly label: string;
  readonly height: SheetHeight;
  readonly by: 1 | -1;
}): JSX.Element {
  const next = SHEET_HEIGHTS[SHEET_HEIGHTS.indexOf(props.height) + props.by] as SheetHeight | undefined;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={props.label}
      disabled={next === undefined}
      onClick={() => {
        if (next !== undefined) sheetHeight.value = next;
      }}
    >
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={props.by < 0 ? 'M3 6l5 5 5-5' : 'M3 10l5-5 5 5'} />
      </svg>
    </button>
  );
}

function Tabs(): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const { inputs, steps } = workspace.current.value;
  const counts: Readonly<Record<Part, number>> = {
    files: inputs.length,
    steps: steps.length,
    output: 0,
    result: 0,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = PARTS.indexOf(part.value);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: PARTS.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const name = PARTS[(next + PARTS.length) % PARTS.length];
    showPart(name);
    list.current?.querySelector<HTMLElement>(`#${tabId(name)}`)?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label="Parts of the page" onKeyDown={onKeyDown}>
      {PARTS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={tabId(name)}
          aria-selected={part.value === name}
          aria-controls={partId(name)}
          tabIndex={part.value === name ? 0 : -1}
          onClick={() => showPart(name)}
        >
          {PART_TITLES[name]}
          {counts[name] > 0 && <span class="tab-count"> {counts[name]}</span>}
        </button>
      ))}
    </div>
  );
}
