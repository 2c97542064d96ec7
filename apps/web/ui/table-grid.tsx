/** The grid of the table: only the cells in view exist, and the one with the focus. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  type Cell,
  type Column,
  cellAfterKey,
  cellText,
  type Row,
  type Sorting,
  scrollFor,
  spanInView,
  withFocused,
} from '../model/table.ts';
import type { MenuTarget } from './column-menu.tsx';

/** Pixels; fixed, so that positions follow from indices. table.css has the same. */
const ROW_HEIGHT = 28;
const HEADER_HEIGHT = 44;
const COLUMN_WIDTH = 168;

export interface GridProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Indices of rows in the order of the screen. */
  readonly order: Uint32Array;
  readonly sorting: Sorting | null;
  /** Index of the selected row. */
  readonly selected: number | null;
  /** Set when a row was selected elsewhere: scrolls to it without taking the focus. */
  readonly revealed: number | null;
  readonly onChoose: (index: number) => void;
  readonly onMenu: (target: MenuTarget) => void;
}

export function TableGrid(props: GridProps): JSX.Element {
  const { columns, rows, order, sorting, selected, revealed } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 0, width: 0 });
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const takesFocus = useRef(false);

  const measure = () => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth: width } = element;
    setView((now) =>
      now.top === top && now.left === left && now.height === height && now.width === width
        ? now
        : { top, left, height, width },
    );
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    if (scroller.current !== null) observer.observe(scroller.current);
    measure();
    return () => observer.disconnect();
  }, []);

  const bodyHeight = Math.max(0, view.height - HEADER_HEIGHT);
  const show = ({ row, column }: Cell) => {
    const element = scroller.current;
    if (element === null) return;
    if (row >= 0) element.scrollTop = scrollFor(row, ROW_HEIGHT, element.scrollTop, bodyHeight);
    element.scrollLeft = scrollFor(column, COLUMN_WIDTH, element.scrollLeft, view.width);
    measure();
  };
  const at: Cell = {
    row: Math.min(active.row, order.length - 1),
    column: Math.max(0, Math.min(active.column, columns.length - 1)),
  };
  const cellId = `${at.row} ${at.column}`;
  useLayoutEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, [cellId, view]);
  useEffect(() => {
    const row = revealed === null ? -1 : order.indexOf(revealed);
    if (row < 0) return;
    setActive((now) => ({ ...now, row }));
    show({ row, column: at.column });
  }, [revealed, order]);

  const rowValue = (cell: Cell) => rows[order[cell.row]]?.[columns[cell.column].name];
  const openMenu = (cell: Cell) => {
    const { name } = columns[cell.column];
    props.onMenu({ name, cell: cell.row < 0 ? undefined : { value: rowValue(cell) } });
  };
  const choose = (cell: Cell) => {
    setActive(cell);
    if (cell.row < 0) openMenu(cell);
    else props.onChoose(order[cell.row]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(bodyHeight / ROW_HEIGHT) - 1);
    const next = cellAfterKey(at, event, { rows: order.length, columns: columns.length, page });
    if (next !== null) {
      takesFocus.current = true;
      setActive(next);
      show(next);
    } else if (event.key === 'Enter' && !event.ctrlKey) choose(at);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) openMenu(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const rowSpan = spanInView(order.length, ROW_HEIGHT, view.top, bodyHeight, 4);
  const columnSpan = spanInView(columns.length, COLUMN_WIDTH, view.left, view.width, 1);
  const shownRows = withFocused(rowSpan, at.row, order.length);
  const shownColumns = withFocused(columnSpan, at.column, columns.length);
  const cellProps = (cell: Cell) => ({
    'aria-colindex': cell.column + 1,
    style: { left: `${cell.column * COLUMN_WIDTH}px` },
    onClick: () => choose(cell),
    onFocus: () => setActive(cell),
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault();
      openMenu(cell);
    },
  });
  const tabIndexOf = ({ row, column }: Cell) => (row === at.row && column === at.column ? 0 : -1);
  const width = `${columns.length * COLUMN_WIDTH}px`;
  return (
    <div ref={scroller} class="grid-scroller" onScroll={measure}>
      <div
        class="grid"
        role="grid"
        aria-label={props.label}
        aria-rowcount={order.length + 1}
        aria-colcount={columns.length}
        style={{ width, height: `${HEADER_HEIGHT + order.length * ROW_HEIGHT}px` }}
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus */}
        <div class="grid-row grid-head" role="row" aria-rowindex={1} style={{ width }}>
          {shownColumns.map((column) => {
            const { name, type, nullShare } = columns[column];
            const direction = sorting?.column === name ? sorting.direction : 'none';
            return (
              <div
                key={column}
                role="columnheader"
                tabIndex={tabIndexOf({ row: -1, column })}
                aria-sort={direction}
                aria-haspopup="dialog"
                {...cellProps({ row: -1, column })}
              >
                <strong dir="auto" title={name}>
                  {name}
                </strong>
                <span aria-hidden="true">
                  {direction === 'ascending' ? ' ▲' : direction === 'descending' ? ' ▼' : ''}
                </span>
                <small>
                  {type}
                  {nullShare > 0 && `, ${percentText(nullShare)} empty`}
                </small>
              </div>
            );
          })}
        </div>
        {shownRows.map((row) => {
          const index = order[row];
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus
            <div
              key={row}
              class="grid-row"
              role="row"
              aria-rowindex={row + 2}
              aria-selected={index === selected}
              style={{ top: `${HEADER_HEIGHT + row * ROW_HEIGHT}px`, width }}
            >
              {shownColumns.map((column) => {
                const text = cellText(rows[index][columns[column].name]);
                return (
                  <div
                    key={column}
                    role="gridcell"
                    tabIndex={tabIndexOf({ row, column })}
                    dir="auto"
                    {...cellProps({ row, column })}
                  >
                    {text === null ? <em>no value</em> : text.slice(0, MAX_CELL_TEXT)}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Characters; the attributes of a selected feature are shown whole beside the map. */
const MAX_CELL_TEXT = 300;

/** Shares above 0 are at least 1 %, those below 1 at most 99 %: "0 %" would say that there are none. */
function percentText(share: number): string {
  const percent = Math.round(share * 100);
  return `${share < 1 ? Math.min(99, Math.max(1, percent)) : 100} %`;
}
