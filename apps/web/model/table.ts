/** Rows and columns of the table: sorting and searching the sample, and which part of it is on the screen. Pure. */

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** Of the values in the sample: "integer", "number", "text", "true/false", "list", "object", "mixed"; "empty": all are null. */
  readonly type: string;
  /** Share of rows of the sample without a value, 0 to 1. */
  readonly nullShare: number;
}

export type Direction = 'ascending' | 'descending';

export interface Sorting {
  readonly column: string;
  readonly direction: Direction;
}

/** Columns in the order in which the rows bring them. */
export function columnsOf(rows: readonly Row[]): Column[] {
  const found = new Map<string, { type: string; values: number }>();
  for (const row of rows)
    for (const name of Object.keys(row)) {
      let column = found.get(name);
      if (column === undefined) {
        column = { type: 'empty', values: 0 };
        found.set(name, column);
      }
      const value = row[name];
      if (value === null || value === undefined) continue;
      column.values += 1;
      column.type = commonType(column.type, typeOf(value));
    }
  return [...found].map(([name, { type, values }]) => ({ name, type, nullShare: 1 - values / rows.length }));
}

function typeOf(value: unknown): string {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'boolean':
      return 'true/false';
    case 'string':
      return 'text';
    default:
      return Array.isArray(value) ? 'list' : 'object';
  }
}

function commonType(one: string, other: string): string {
  if (one === other || one === 'empty') return other;
  const isNumeric = (type: string) => type === 'integer' || type === 'number';
  return isNumeric(one) && isNumeric(other) ? 'number' : 'mixed';
}

/** As a cell shows it; null: no value. */
export function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Indices of the rows that have the text in any field, in any letter case; of all rows without a text. */
export function searchRows(rows: readonly Row[], query: string): Uint32Array {
  const wanted = query.trim().toLowerCase();
  const found = new Uint32Array(rows.length);
  let count = 0;
  for (const [i, row] of rows.entries())
    if (wanted === '' || hasText(row, wanted)) {
      found[count] = i;
      count += 1;
    }
  return found.slice(0, count);
}

function hasText(row: Row, wanted: string): boolean {
  for (const name in row) if (cellText(row[name])?.toLowerCase().includes(wanted)) return true;
  return false;
}

/** Sorted copy. Numbers come before texts, rows without a value last in both directions; equal rows keep their order. */
export function sortRows(indices: Uint32Array, rows: readonly Row[], sorting: Sorting | null): Uint32Array {
  if (sorting === null) return indices;
  const { column, direction } = sorting;
  const sign = direction === 'ascending' ? 1 : -1;
  const collator = new Intl.Collator('en', { numeric: true });
  const compare = (one: unknown, other: unknown): number => {
    const [isNumber, isOtherNumber] = [typeof one === 'number', typeof other === 'number'];
    if (isNumber && isOtherNumber) return (one as number) - (other as number);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return collator.compare(cellText(one) ?? '', cellText(other) ?? '');
  };
  const order = [...indices].sort((a, b) => {
    const [one, other] = [rows[a][column] ?? null, rows[b][column] ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null) || a - b;
    return sign * compare(one, other) || a - b;
  });
  return Uint32Array.from(order);
}

export interface Span {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** Items of a fixed size that are in view, with `margin` more on each side. Lengths in pixels. */
export function spanInView(
  count: number,
  size: number,
  scroll: number,
  viewLength: number,
  margin: number,
): Span {
  const first = Math.max(0, Math.min(count, Math.floor(scroll / size) - margin));
  const end = Math.max(first, Math.min(count, Math.ceil((scroll + viewLength) / size) + margin));
  return { first, end };
}

/** Items of the span, and the one that has the focus, so that it is not removed when it is scrolled out of view. */
export function withFocused({ first, end }: Span, focused: number, count: number): number[] {
  const items = Array.from({ length: end - first }, (_, i) => first + i);
  if (focused < 0 || focused >= count || (focused >= first && focused < end)) return items;
  return focused < first ? [focused, ...items] : [...items, focused];
}

/** Scroll position, in pixels, that shows the whole item and moves as little as possible. */
export function scrollFor(index: number, size: number, scroll: number, viewLength: number): number {
  if (index * size < scroll) return index * size;
  return Math.max(scroll, (index + 1) * size - viewLength);
}

/** Row -1 is the header. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The cell after a key; null: the key moves nothing. `page`: rows of a page. */
export function cellAfterKey(
  { row, column }: Cell,
  { key, ctrlKey }: { readonly key: string; readonly ctrlKey: boolean },
  { rows, columns, page }: { readonly rows: number; readonly columns: number; readonly page: number },
): Cell | null {
  const at = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.max(-1, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  switch (key) {
    case 'ArrowUp':
      return at(row - 1, column);
    case 'ArrowDown':
      return at(row + 1, column);
    case 'ArrowLeft':
      return at(row, column - 1);
    case 'ArrowRight':
      return at(row, column + 1);
    case 'PageUp':
      return at(Math.max(0, row - page), column);
    case 'PageDown':
      return at(row + page, column);
    case 'Home':
      return at(ctrlKey ? 0 : row, 0);
    case 'End':
      return at(ctrlKey ? rows - 1 : row, columns - 1);
    default:
      return null;
  }
}
