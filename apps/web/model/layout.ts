/** What of the page is in view: in narrow windows one of four parts in a sheet over the map; the table; a dialog. */
import { effect, signal } from '@preact/signals';
import type { CopyKind } from '../copy/kinds.ts';

/** layout.css has the same width. */
const NARROW = matchMedia('(max-width: 56rem)');

export const PARTS = ['files', 'steps', 'output', 'result'] as const;
export type Part = (typeof PARTS)[number];
export const PART_TITLES: Readonly<Record<Part, string>> = {
  files: 'Files',
  steps: 'Steps',
  output: 'Output',
  result: 'Result',
};

/** From the lowest: only its tabs, about half of the window, all of it. */
export const SHEET_HEIGHTS = ['low', 'half', 'full'] as const;
export type SheetHeight = (typeof SHEET_HEIGHTS)[number];

export type DialogName = 'palette' | 'shortcuts' | 'jobs' | 'copy';

export const isNarrow = signal(NARROW.matches);
NARROW.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});

/** The part in front, if the window is narrow. */
export const part = signal<Part>('files');
export const sheetHeight = signal<SheetHeight>('full');
export const isTableOpen = signal(false);
/** Key of a step whose first control gets the focus when it is there; null: none. */
export const stepToFocus = signal<number | null>(null);
/** Null: none is open. */
export const dialog = signal<DialogName | null>(null);
/** What the dialog for copying shows. */
export const copyKind = signal<CopyKind | 'link'>('curl');

/** What is typed into the field for URLs. */
export const typedUrl = signal('');

/** Elements that commands act on. */
export const elementIds = {
  files: 'files-to-convert',
  paste: 'text-to-paste',
  url: 'address-to-fetch',
  source: (index: number) => `source-${index}`,
} as const;

export function partId(one: Part): string {
  return `part-${one}`;
}

/** Brings a part into view. */
export function showPart(one: Part): void {
  part.value = one;
  if (sheetHeight.peek() === 'low') sheetHeight.value = 'half';
  if (!isNarrow.peek()) document.getElementById(partId(one))?.scrollIntoView({ block: 'start' });
}

/** Brings a part into view and moves the focus there. */
export function goTo(one: Part): void {
  showPart(one);
  // In a narrow window it becomes visible with the next rendering.
  requestAnimationFrame(() => document.getElementById(partId(one))?.focus());
}

/** A narrow window has no height for both a table and a raised sheet: the one that opens later lowers the other. */
export function shareHeight(): () => void {
  const stops = [
    effect(() => {
      if (isTableOpen.value && isNarrow.value) sheetHeight.value = 'low';
    }),
    effect(() => {
      if (sheetHeight.value !== 'low' && isNarrow.value) isTableOpen.value = false;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
