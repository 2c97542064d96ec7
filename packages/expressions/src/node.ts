/** Compiled parts of an expression: each computes a column from a batch, without an object per row. */
import {
  type AttributeColumn,
  ColumnBuilder,
  nullColumn,
  type Validity,
} from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { type Literal, type Place, refuseExpression } from './expression.ts';
import { FALSE, TRUE, UNKNOWN, type Verdicts } from './verdict.ts';

/**
 * What the values of a part are. `integer`: of at most 64 bits. `mixed`: JSON values. `unknown`: those of a field that is not
 * known yet; such a part is only checked.
 */
export type Kind = ValueKind | 'geometry' | 'interval' | 'unknown';

/** Kinds of values that a column can hold. */
export type ValueKind =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'text'
  | 'date'
  | 'datetime'
  | 'mixed'
  | 'binary'
  | 'null';

/** Instants of the rows in seconds since 1970, both included; infinite: unbounded. NaN: the row is null. */
export interface Intervals {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

export interface Evaluation {
  readonly batch: FeatureBatch;
  /** Number of features of the layer before the batch; null: not known, as no part of the expression needs it. */
  readonly rowsBefore: number | null;
  /** A row whose value cannot be computed, such as 1 / 0, and is null. */
  readonly note: (reason: string, row: number) => void;
  /** Counts memory of the batch that its size does not bound: texts and arguments of functions. Throws TRANSFORMATION_INVALID. */
  readonly reserve: (bytes: number) => void;
}

/** Maximum memory for texts and arguments of functions of one expression, for one batch. */
const MAX_RESERVED_BYTES = 256 << 20;

/** `path` of the expression, for messages. */
export function evaluationOf(
  batch: FeatureBatch,
  path: string,
  note: Evaluation['note'],
  rowsBefore: number | null = null,
): Evaluation {
  let reserved = 0;
  const reserve = (bytes: number): void => {
    reserved += bytes;
    if (reserved <= MAX_RESERVED_BYTES) return;
    const reason = `makes more than ${MAX_RESERVED_BYTES >> 20} MB of texts and other values for ${batch.rowCount} features; make shorter texts, or use several fields`;
    throw refuseExpression(path, reason);
  };
  return { batch, rowsBefore, note, reserve };
}

export interface Node {
  readonly kind: Kind;
  /** The value if it is the same for all features; undefined: it is not. */
  readonly constant?: Literal | null;
  /** Name of the field, if it is one. */
  readonly field?: string;
  readonly place: Place;
  /** One value per row. The column's type is one of those of the kind. */
  readonly column: (evaluation: Evaluation) => AttributeColumn;
  /** Of kind boolean: the same in three-valued logic, if that is what the part computes. */
  readonly verdicts?: (evaluation: Evaluation) => Verdicts;
  /** Of kind geometry. */
  readonly geometry?: (evaluation: Evaluation) => GeometryColumn;
  /** Of kind interval. */
  readonly intervals?: (evaluation: Evaluation) => Intervals;
}

/** How messages name a value. */
export const KIND_NAME: Readonly<Record<Kind, string>> = {
  boolean: 'true or false',
  integer: 'a number',
  number: 'a number',
  text: 'a text',
  date: 'a date',
  datetime: 'a date with a time',
  mixed: 'a value of several kinds',
  binary: 'bytes',
  null: 'null',
  geometry: 'a geometry',
  interval: 'an interval',
  unknown: 'unknown',
};

/** How messages name the values. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  boolean: 'true or false',
  integer: 'numbers',
  number: 'numbers',
  text: 'texts',
  date: 'dates',
  datetime: 'dates with times',
  mixed: 'of several kinds',
  binary: 'bytes',
  null: 'null',
  geometry: 'geometries',
  interval: 'intervals',
  unknown: 'unknown',
};

const FIELD_KINDS: Readonly<Record<FieldType, Kind>> = {
  boolean: 'boolean',
  int32: 'integer',
  int64: 'integer',
  float64: 'number',
  string: 'text',
  date: 'date',
  datetime: 'datetime',
  json: 'mixed',
  binary: 'binary',
};

export function kindOfField(type: FieldType): Kind {
  return FIELD_KINDS[type];
}

/** The type of a new field for values of a kind. */
export const FIELD_TYPES: Readonly<Record<ValueKind, FieldType>> = {
  boolean: 'boolean',
  integer: 'int64',
  number: 'float64',
  text: 'string',
  date: 'date',
  datetime: 'datetime',
  mixed: 'json',
  binary: 'binary',
  null: 'string',
};

/** Whether values of the kind can be in a column. */
export function isValueKind(kind: Kind): kind is ValueKind {
  return kind !== 'geometry' && kind !== 'interval' && kind !== 'unknown';
}

/** The column of a part that has none: it is no value, or it is only checked. */
export function noColumn(): never {
  throw new TypeError('this part of an expression has no column of values');
}

export function isNumeric(kind: Kind): kind is 'integer' | 'number' {
  return kind === 'integer' || kind === 'number';
}

export function isTemporal(kind: Kind): kind is 'date' | 'datetime' {
  return kind === 'date' || kind === 'datetime';
}

/** `kind`: of a text that is a date. */
export function constantNode(
  value: Literal | null,
  place: Place,
  kind: ValueKind = kindOfLiteral(value),
): Node {
  return { kind, constant: value, place, column: (evaluation) => filled(kind, value, evaluation) };
}

function kindOfLiteral(value: Literal | null): ValueKind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'bigint'
    ? isInt64(value)
      ? 'integer'
      : 'number'
    : Number.isSafeInteger(value)
      ? 'integer'
      : 'number';
}

const encoder = new TextEncoder();

function isInt64(value: bigint): boolean {
  return value === BigInt.asIntN(64, value);
}

function filled(
  kind: ValueKind,
  value: Literal | null,
  { batch: { rowCount }, reserve }: Evaluation,
): AttributeColumn {
  const type = FIELD_TYPES[kind];
  if (value === null) return nullColumn(type, rowCount);
  const validity = null;
  if (type === 'boolean')
    return { type, values: new Uint8Array(rowCount).fill(value === true ? 1 : 0), validity };
  if (type === 'float64') return { type, values: new Float64Array(rowCount).fill(Number(value)), validity };
  if (type === 'int64') return { type, values: new BigInt64Array(rowCount).fill(BigInt(value)), validity };
  const bytes = encoder.encode(String(value));
  reserve(bytes.length * rowCount);
  const builder = new ColumnBuilder(type, rowCount, bytes.length * rowCount);
  for (let row = 0; row < rowCount; row++) builder.appendBytes(bytes, 0, bytes.length);
  return builder.finish();
}

export function verdictsOf(node: Node, evaluation: Evaluation): Verdicts {
  if (node.verdicts !== undefined) return node.verdicts(evaluation);
  const { rowCount } = evaluation.batch;
  const column = node.column(evaluation);
  const verdicts = new Uint8Array(rowCount).fill(UNKNOWN);
  if (column.type !== 'boolean') return verdicts;
  const { values, validity } = column;
  for (let row = 0; row < rowCount; row++)
    if (validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0)
      verdicts[row] = values[row] === 0 ? FALSE : TRUE;
  return verdicts;
}

/** The part, computed once for each evaluation: for those that need its values more than once. */
export function computedOnce(node: Node): Node {
  const known = new WeakMap<Evaluation, AttributeColumn>();
  const column = (evaluation: Evaluation): AttributeColumn => {
    let computed = known.get(evaluation);
    if (computed === undefined) {
      computed = node.column(evaluation);
      known.set(evaluation, computed);
    }
    return computed;
  };
  return { ...node, column };
}

/** A part whose values are verdicts. */
export function condition(place: Place, verdicts: (evaluation: Evaluation) => Verdicts): Node {
  return { kind: 'boolean', place, verdicts, column: (evaluation) => booleans(verdicts(evaluation)) };
}

function booleans(verdicts: Verdicts): AttributeColumn {
  const rowCount = verdicts.length;
  const values = new Uint8Array(rowCount);
  let validity: Validity = null;
  for (let row = 0; row < rowCount; row++) {
    if (verdicts[row] === TRUE) values[row] = 1;
    else if (verdicts[row] === UNKNOWN) validity = withNull(validity, row, rowCount);
  }
  return { type: 'boolean', values, validity };
}

/** The bitmap with a null in the row; a bitmap that is not null is changed. */
export function withNull(validity: Validity, row: number, rowCount: number): Uint8Array<ArrayBuffer> {
  const bits = validity ?? allValid(rowCount);
  bits[row >> 3] &= ~(1 << (row & 7));
  return bits;
}

function allValid(rowCount: number): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array((rowCount + 7) >> 3).fill(0xff);
  // Bits after the last row are 0 in all bitmaps.
  if ((rowCount & 7) !== 0) bits[bits.length - 1] = (1 << (rowCount & 7)) - 1;
  return bits;
}

/** A new bitmap of the rows that have a value in all columns; null: all rows. */
export function commonValidity(columns: readonly AttributeColumn[]): Validity {
  let common: Validity = null;
  for (const { validity } of columns) {
    if (validity === null) continue;
    if (common === null) common = validity.slice();
    else for (let i = 0; i < common.length; i++) common[i] &= validity[i];
  }
  return common;
}
