/** What a function of the expression language is, and the shapes that most functions have. */
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  isValid,
} from '@geomill/core/columns/attribute-column.ts';
import { finiteRows, numbersOf } from './arithmetic.ts';
import type { Literal, Place } from './expression.ts';
import {
  commonValidity,
  constantNode,
  type Evaluation,
  FIELD_TYPES,
  isNumeric,
  isTemporal,
  KIND_NAME,
  type Kind,
  type Node,
  type ValueKind,
} from './node.ts';
import type { ExpressionSetting } from './setting.ts';

/**
 * What an argument may be. `temporal`: a date, or a date with a time. `value`: what a field can hold. `any`: the function checks
 * its kind. A null as a `value` or `any` does not make the result null.
 */
export type ArgumentKind = 'text' | 'number' | 'temporal' | 'geometry' | 'value' | 'any';

export interface Parameter {
  readonly name: string;
  readonly kind: ArgumentKind;
  readonly isOptional?: true;
  /** Only of the last: one or more. */
  readonly isRepeated?: true;
}

/** A call of the function. */
export interface FunctionCall {
  readonly place: Place;
  /** Null: only kinds are checked. */
  readonly setting: ExpressionSetting | null;
  /** An error about an argument, by its index, or about the call. */
  readonly refuse: (argument: number | null, reason: string) => Error;
}

export interface ExpressionFunction {
  readonly name: string;
  readonly group: 'number' | 'text' | 'date' | 'interval' | 'choice' | 'array' | 'geometry';
  readonly parameters: readonly Parameter[];
  /** For the documentation: one sentence. */
  readonly description: string;
  /** Arguments have been checked against the parameters; none of them is null for all features unless a parameter is of any kind. */
  readonly compile: (args: readonly Node[], call: FunctionCall) => Node;
}

export function signatureOf({ name, parameters }: ExpressionFunction): string {
  const list = parameters.map((one, i) => {
    const shown = `${i === 0 ? '' : ', '}${one.name}${one.isRepeated ? ', …' : ''}`;
    return one.isOptional ? `[${shown}]` : shown;
  });
  return `${name}(${list.join('')})`;
}

/** Compiles a call: checks the arguments; one that is null for all features makes the result null. Throws what `refuse` gives. */
export function compileCall(found: ExpressionFunction, args: readonly Node[], call: FunctionCall): Node {
  const { parameters } = found;
  const least = parameters.filter(({ isOptional }) => !isOptional).length;
  const most = parameters.at(-1)?.isRepeated ? Number.POSITIVE_INFINITY : parameters.length;
  if (args.length < least || args.length > most) {
    const wanted =
      least === most
        ? String(least)
        : most === Number.POSITIVE_INFINITY
          ? `at least ${least}`
          : `${least} to ${most}`;
    throw call.refuse(
      null,
      `needs ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, not ${args.length}`,
    );
  }
  let isNull = false;
  args.forEach((arg, i) => {
    const { kind, name } = parameters[Math.min(i, parameters.length - 1)];
    if (kind === 'any' || kind === 'value') {
      if (kind === 'value' && arg.kind === 'geometry')
        throw call.refuse(i, `${name} must not be a geometry; 'wkt()' gives its text`);
      if (kind === 'value' && arg.kind === 'interval')
        throw call.refuse(i, `${name} must not be an interval, which only functions such as t_during take`);
      return;
    }
    if (arg.kind === 'null') isNull = true;
    else if (arg.kind !== 'unknown' && !fits(arg.kind, kind))
      throw call.refuse(i, `${name} must be ${ARGUMENT_NAMES[kind]}, not ${KIND_NAME[arg.kind]}`);
  });
  return isNull ? constantNode(null, call.place) : found.compile(args, call);
}

const ARGUMENT_NAMES: Readonly<Record<Exclude<ArgumentKind, 'any' | 'value'>, string>> = {
  text: 'a text',
  number: 'a number',
  temporal: 'a date',
  geometry: 'a geometry',
};

function fits(kind: Kind, wanted: Exclude<ArgumentKind, 'any' | 'value'>): boolean {
  switch (wanted) {
    // Dates are kept as texts.
    case 'text':
      return kind === 'text' || isTemporal(kind);
    case 'number':
      return isNumeric(kind);
    case 'temporal':
      return isTemporal(kind);
    case 'geometry':
      return kind === 'geometry';
  }
}

/** Floats from floats. Results that are not finite are null, and noted. */
export function numeric(
  name: string,
  compute: (a: number, b: number) => number,
  args: readonly Node[],
  place: Place,
): Node {
  const column = (evaluation: Evaluation): AttributeColumn => {
    const { rowCount } = evaluation.batch;
    const columns = args.map((arg) => arg.column(evaluation));
    const [a, b = a] = columns.map((one) => numbersOf(one, rowCount));
    const values = new Float64Array(rowCount);
    for (let row = 0; row < rowCount; row++) values[row] = compute(a[row], b[row]);
    const validity = finiteRows(values, commonValidity(columns), (row) => {
      if (Number.isFinite(a[row]) && Number.isFinite(b[row]))
        evaluation.note(`${name} of a number that has none`, row);
    });
    return { type: 'float64', values, validity };
  };
  return { kind: 'number', place, column };
}

/** The values of arguments, which are in memory together. */
export function argumentColumn(arg: Node, evaluation: Evaluation): AttributeColumn {
  if (arg.field === undefined) evaluation.reserve(evaluation.batch.rowCount * BYTES_PER_VALUE);
  return arg.column(evaluation);
}

const BYTES_PER_VALUE = 8;
const decoder = new TextDecoder();

/** Reads a value of a row; rows without a value are not read. */
type ReadValue = (row: number) => Literal;

function readerOf(column: AttributeColumn): ReadValue {
  if ('offsets' in column) return (row) => textAt(column, row);
  if (column.type === 'boolean') return (row) => column.values[row] !== 0;
  return (row) => column.values[row];
}

function textAt({ bytes, offsets }: BytesColumn, row: number): string {
  return decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));
}

/**
 * A value from the values of a row; null: none, which is noted if `noteNull` gives a reason. Null if an argument is null. For
 * functions on texts, which are made for each row anyway.
 */
export function rowByRow<Values extends readonly Literal[]>(
  kind: Exclude<ValueKind, 'null'>,
  args: readonly Node[],
  place: Place,
  compute: (...values: Values) => Literal | null,
  noteNull?: string,
): Node {
  const column = (evaluation: Evaluation): AttributeColumn => {
    const { rowCount } = evaluation.batch;
    const columns: AttributeColumn[] = [];
    const readers = args.map((arg): ReadValue => {
      const { constant } = arg;
      if (constant !== undefined && constant !== null) return () => constant;
      const column = argumentColumn(arg, evaluation);
      columns.push(column);
      return readerOf(column);
    });
    const validity = commonValidity(columns);
    const values: Literal[] = readers.map(() => 0);
    const builder = new ColumnBuilder(FIELD_TYPES[kind], rowCount);
    for (let row = 0; row < rowCount; row++) {
      if (!isValid(validity, row)) {
        builder.appendNull();
        continue;
      }
      for (let i = 0; i < readers.length; i++) values[i] = readers[i](row);
      const value = compute(...(values as unknown as Values));
      if (value === null) {
        if (noteNull !== undefined) evaluation.note(noteNull, row);
        builder.appendNull();
      } else if (typeof value === 'string') {
        evaluation.reserve(value.length);
        builder.appendText(value);
      } else if (builder.type === 'int64') builder.appendBigInt(BigInt(value));
      else builder.appendNumber(Number(value));
    }
    return builder.finish();
  };
  return { kind, place, column };
}
