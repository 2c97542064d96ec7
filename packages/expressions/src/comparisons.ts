/** Comparisons of compiled parts: `=`, `<`, ..., `in`, `like`, `is null`. */

import {
  type AttributeColumn,
  type BytesColumn,
  isValid,
  nullColumn,
} from '@geomill/core/columns/attribute-column.ts';
import { numbersOf } from './arithmetic.ts';
import { columnIsIn, compareColumn, mixedValue, orderOfBytes } from './compare.ts';
import type { Literal } from './expression.ts';
import { instantOf } from './instant.ts';
import { LikePattern } from './like-pattern.ts';
import {
  condition,
  type Evaluation,
  FIELD_TYPES,
  isNumeric,
  isTemporal,
  isValueKind,
  type Kind,
  type Node,
  noColumn,
  type ValueKind,
} from './node.ts';
import {
  type Comparison,
  EQUAL,
  FALSE,
  GREATER,
  LESS,
  markNulls,
  TRUE,
  UNKNOWN,
  UNORDERED,
  type Verdicts,
  type VerdictTable,
  verdictTable,
} from './verdict.ts';

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** Null: values of these kinds cannot be compared. */
export function comparison(op: Comparison, a: Node, b: Node): Node | null {
  const { place } = b;
  if (a.kind === 'unknown' || b.kind === 'unknown') return condition(place, noColumn);
  if (!isValueKind(a.kind) || !isValueKind(b.kind)) return null;
  if (a.constant === null || b.constant === null || a.kind === 'null' || b.kind === 'null')
    return condition(place, ({ batch }) => new Uint8Array(batch.rowCount).fill(UNKNOWN));
  const [left, right] = [literalOf(a), literalOf(b)];
  if (right !== undefined && left === undefined) return withConstant(op, a, right);
  if (left !== undefined && right === undefined) return withConstant(FLIPPED[op], b, left);
  const order = orderOf(a.kind, b.kind);
  if (order === null) return null;
  const table = verdictTable(op);
  return condition(place, (evaluation) => {
    const [first, second] = [a.column(evaluation), b.column(evaluation)];
    const verdicts = new Uint8Array(evaluation.batch.rowCount);
    order(first, second, table, verdicts);
    return markNulls(markNulls(verdicts, first.validity), second.validity);
  });
}

/** The value of a part that is the same for all features; undefined for others, and for arrays, whose value is their JSON. */
function literalOf({ kind, constant }: Node): Literal | undefined {
  return kind === 'mixed' || constant === null ? undefined : constant;
}

function withConstant(op: Comparison, node: Node, value: Literal): Node | null {
  const table = verdictTable(op);
  if (!isValueKind(node.kind) || compareColumn(emptyColumn(node.kind), 0, value, table) === null) return null;
  return condition(node.place, (evaluation) => {
    const { rowCount } = evaluation.batch;
    return compareColumn(node.column(evaluation), rowCount, value, table) as Verdicts;
  });
}

function emptyColumn(kind: ValueKind): AttributeColumn {
  return nullColumn(FIELD_TYPES[kind], 0);
}

type Order = (a: AttributeColumn, b: AttributeColumn, table: VerdictTable, verdicts: Verdicts) => void;

function orderOf(a: Kind, b: Kind): Order | null {
  if (isNumeric(a) && isNumeric(b)) return orderNumbers;
  if (a === 'boolean' && b === 'boolean') return orderNumbers;
  if (isTemporal(a) && isTemporal(b)) return orderInstants;
  if (a === 'text' && b === 'text') return orderTexts;
  if ((a === 'mixed' && b !== 'geometry') || (b === 'mixed' && a !== 'geometry')) return orderMixed;
  return null;
}

function orderNumbers(a: AttributeColumn, b: AttributeColumn, table: VerdictTable, verdicts: Verdicts): void {
  const isExact = a.type !== 'int64' && b.type !== 'int64';
  const values = (column: AttributeColumn) =>
    column.type === 'boolean' ? column.values : numbersOf(column, verdicts.length);
  const [left, right] = isExact
    ? [values(a), values(b)]
    : // JavaScript compares bigints with numbers exactly.
      [(a as { values: BigInt64Array }).values, (b as { values: BigInt64Array }).values];
  for (let row = 0; row < verdicts.length; row++) {
    const [x, y] = [left[row], right[row]];
    verdicts[row] =
      table[x < y ? LESS : x > y ? GREATER : Number.isNaN(x) || Number.isNaN(y) ? UNORDERED : EQUAL];
  }
}

function orderTexts(a: AttributeColumn, b: AttributeColumn, table: VerdictTable, verdicts: Verdicts): void {
  const [left, right] = [a as BytesColumn, b as BytesColumn];
  for (let row = 0; row < verdicts.length; row++) {
    const other = right.bytes.subarray(right.offsets[row], right.offsets[row + 1]);
    verdicts[row] = table[orderOfBytes(left.bytes, left.offsets[row], left.offsets[row + 1], other)];
  }
}

function orderInstants(
  a: AttributeColumn,
  b: AttributeColumn,
  table: VerdictTable,
  verdicts: Verdicts,
): void {
  const [left, right] = [a as BytesColumn, b as BytesColumn];
  for (let row = 0; row < verdicts.length; row++) {
    const x = instantOf(left.bytes, left.offsets[row], left.offsets[row + 1]);
    const y = instantOf(right.bytes, right.offsets[row], right.offsets[row + 1]);
    verdicts[row] = table[x < y ? LESS : x > y ? GREATER : x === y ? EQUAL : UNORDERED];
  }
}

/** Row by row, each value of one column with the other column. */
function orderMixed(a: AttributeColumn, b: AttributeColumn, table: VerdictTable, verdicts: Verdicts): void {
  const otherKind = table[LESS] === table[GREATER] ? table[LESS] : UNKNOWN;
  for (let row = 0; row < verdicts.length; row++) {
    const [x, y] = [literalAt(a, row), literalAt(b, row)];
    if (x === null || y === null) verdicts[row] = UNKNOWN;
    else if (x === undefined || y === undefined) verdicts[row] = otherKind;
    else if (
      typeof x === typeof y ||
      (typeof x !== 'string' && typeof y !== 'string' && typeof x !== 'boolean' && typeof y !== 'boolean')
    )
      verdicts[row] = table[x < y ? LESS : x > y ? GREATER : EQUAL];
    else verdicts[row] = otherKind;
  }
}

const decoder = new TextDecoder();

function literalAt(column: AttributeColumn, row: number): Literal | null | undefined {
  if (!isValid(column.validity, row)) return null;
  if (column.type === 'json') return mixedValue(column, row);
  if ('values' in column) return column.type === 'boolean' ? column.values[row] !== 0 : column.values[row];
  return decoder.decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1]));
}

/** Whether a value is one of others. The index of the first that it cannot be compared with, where there is one. */
export function membership(node: Node, members: readonly Node[]): Node | number {
  const constants = members.map(literalOf);
  const isConstant = constants.every((value) => value !== undefined);
  if (!isConstant || node.constant !== undefined) return anyEqual(node, members);
  const values = constants as Literal[];
  const table = verdictTable('=');
  if (node.kind === 'unknown') return condition(node.place, noColumn);
  if (!isValueKind(node.kind)) return 0;
  if (node.kind !== 'null') {
    const empty = emptyColumn(node.kind);
    const stranger = values.findIndex((value) => compareColumn(empty, 0, value, table) === null);
    if (stranger >= 0) return stranger;
  }
  return condition(
    node.place,
    (evaluation) => columnIsIn(node.column(evaluation), evaluation.batch.rowCount, values, table) as Verdicts,
  );
}

function anyEqual(node: Node, members: readonly Node[]): Node | number {
  const equalities: Node[] = [];
  for (const [i, member] of members.entries()) {
    const one = comparison('=', node, member);
    if (one === null) return i;
    equalities.push(one);
  }
  return condition(node.place, (evaluation) => anyOf(equalities, evaluation));
}

/** The largest verdict of each row. */
function anyOf(nodes: readonly Node[], evaluation: Evaluation): Verdicts {
  const verdicts = new Uint8Array(evaluation.batch.rowCount).fill(FALSE);
  for (const node of nodes) {
    const other = node.verdicts?.(evaluation) as Verdicts;
    for (let row = 0; row < verdicts.length; row++)
      if (other[row] > verdicts[row]) verdicts[row] = other[row];
  }
  return verdicts;
}

/** `node` is of kind text or mixed. */
export function likeness(node: Node, pattern: string): Node {
  return condition(node.place, (evaluation) =>
    columnIsLike(node.column(evaluation) as BytesColumn, evaluation.batch.rowCount, pattern),
  );
}

export function isNull(node: Node): Node {
  return condition(node.place, (evaluation) => {
    const { rowCount } = evaluation.batch;
    const verdicts = new Uint8Array(rowCount).fill(FALSE);
    if (node.kind === 'geometry') {
      const { types } = node.geometry!(evaluation);
      for (let row = 0; row < rowCount; row++) if (types[row] === 0) verdicts[row] = TRUE;
      return verdicts;
    }
    if (node.kind === 'interval') {
      const { starts, ends } = node.intervals!(evaluation);
      for (let row = 0; row < rowCount; row++)
        if (Number.isNaN(starts[row]) || Number.isNaN(ends[row])) verdicts[row] = TRUE;
      return verdicts;
    }
    const { validity } = node.column(evaluation);
    for (let row = 0; row < rowCount; row++) if (!isValid(validity, row)) verdicts[row] = TRUE;
    return verdicts;
  });
}

const encoder = new TextEncoder();

/** Matches rows of a text column with a pattern; rows of a json column that are not text do not match. */
function columnIsLike(column: BytesColumn, rowCount: number, pattern: string): Verdicts {
  const compiled = new LikePattern(pattern);
  const verdicts = new Uint8Array(rowCount);
  const { bytes, offsets, type } = column;
  for (let row = 0; row < rowCount; row++) {
    if (type !== 'json') {
      verdicts[row] = compiled.matches(bytes, offsets[row], offsets[row + 1]) ? TRUE : FALSE;
      continue;
    }
    const value = mixedValue(column, row);
    if (value === null) verdicts[row] = UNKNOWN;
    else if (typeof value !== 'string') verdicts[row] = FALSE;
    else {
      const text = encoder.encode(value);
      verdicts[row] = compiled.matches(text, 0, text.length) ? TRUE : FALSE;
    }
  }
  return markNulls(verdicts, column.validity);
}
