/** Functions that choose between values. */
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  isValid,
} from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import { comparison } from '../comparisons.ts';
import type { Place } from '../expression.ts';
import { argumentColumn, type ExpressionFunction, type FunctionCall, type Parameter } from '../function.ts';
import {
  computedOnce,
  constantNode,
  type Evaluation,
  FIELD_TYPES,
  isNumeric,
  isValueKind,
  KIND_NAMES,
  type Node,
  noColumn,
  type ValueKind,
  verdictsOf,
} from '../node.ts';
import { TRUE } from '../verdict.ts';

/** No value is chosen: the row is null. */
const NONE = -1;

const value: Parameter = { name: 'value', kind: 'value' };

/** The kind of values that can be any of these. Throws for kinds that do not go together. */
function commonKind(nodes: readonly Node[], call: FunctionCall): ValueKind {
  let common: ValueKind = 'null';
  for (const [i, { kind }] of nodes.entries()) {
    if (kind === 'null' || kind === common || !isValueKind(kind)) continue;
    if (common === 'null') common = kind;
    else if (isNumeric(kind) && isNumeric(common)) common = 'number';
    else
      throw call.refuse(
        i,
        `the values must be of one kind; one is ${KIND_NAMES[common]}, another ${KIND_NAMES[kind]} (to_text and to_number convert them)`,
      );
  }
  return common;
}

/**
 * `choose` gives, for each row, the index of the chosen node, or NONE. Columns of constants have one row, unless it `needsRows`;
 * that of null has no valid row.
 */
function chosen(
  nodes: readonly Node[],
  call: FunctionCall,
  choose: (columns: readonly AttributeColumn[], evaluation: Evaluation) => Int32Array,
  needsRows = false,
): Node {
  const kind = commonKind(nodes, call);
  if (kind === 'null')
    return nodes.some((node) => node.kind === 'unknown')
      ? { kind: 'unknown', place: call.place, column: noColumn }
      : constantNode(null, call.place);
  const type = FIELD_TYPES[kind];
  const column = (evaluation: Evaluation): AttributeColumn => {
    const { rowCount } = evaluation.batch;
    const columns = nodes.map((node) => {
      // A CASE can have hundreds of constants, whose columns would need much memory.
      if (node.constant === undefined || needsRows)
        return castColumn(argumentColumn(node, evaluation), type, rowCount);
      const oneRow = { ...evaluation, batch: { ...evaluation.batch, rowCount: 1 } };
      return castColumn(node.column(oneRow), type, 1);
    });
    const isOneRow = nodes.map(({ constant }) => constant !== undefined && !needsRows);
    return pick(columns, choose(columns, evaluation), isOneRow);
  };
  return { kind, place: call.place, column };
}

function pick(
  columns: readonly AttributeColumn[],
  choices: Int32Array,
  isOneRow: readonly boolean[] = [],
): AttributeColumn {
  const builder = new ColumnBuilder(columns[0].type, choices.length);
  for (let i = 0; i < choices.length; i++) {
    const column = columns[choices[i]] as AttributeColumn | undefined;
    const row = isOneRow[choices[i]] ? 0 : i;
    if (column === undefined || !isValid(column.validity, row)) builder.appendNull();
    else if ('offsets' in column) appendBytes(builder, column, row);
    else if (column.type === 'int64') builder.appendBigInt(column.values[row]);
    else builder.appendNumber(column.values[row]);
  }
  return builder.finish();
}

function appendBytes(builder: ColumnBuilder, { bytes, offsets }: BytesColumn, row: number): void {
  builder.appendBytes(bytes, offsets[row], offsets[row + 1]);
}

/** Conditions and values in turn, and possibly a value for the rest. */
function caseOf(args: readonly Node[], call: FunctionCall): Node {
  const conditions = args.filter((_, i) => i % 2 === 0 && i + 1 < args.length);
  const values = args.filter((_, i) => i % 2 === 1 || i + 1 === args.length);
  for (const [i, one] of conditions.entries())
    if (one.kind !== 'boolean' && one.kind !== 'null' && one.kind !== 'unknown')
      throw call.refuse(2 * i, `a condition is expected, not ${KIND_NAMES[one.kind]}`);
  const rest = values.length > conditions.length ? conditions.length : NONE;
  return chosen(values, call, (_, evaluation) => {
    const choices = new Int32Array(evaluation.batch.rowCount).fill(rest);
    // Backwards, so that the first condition that is true counts.
    for (let i = conditions.length - 1; i >= 0; i--) {
      const verdicts = verdictsOf(conditions[i], evaluation);
      for (let row = 0; row < choices.length; row++) if (verdicts[row] === TRUE) choices[row] = i;
    }
    return choices;
  });
}

/** The least or the greatest value; null values are ignored. */
function extreme(name: 'least' | 'greatest', description: string): ExpressionFunction {
  return {
    name,
    group: 'choice',
    parameters: [{ ...value, isRepeated: true }],
    description,
    compile: (args, call) =>
      chosen(
        args,
        call,
        (columns, evaluation) => {
          const { rowCount } = evaluation.batch;
          const choices = new Int32Array(rowCount).fill(NONE);
          const kind = commonKind(args, call);
          const node = (column: AttributeColumn): Node => ({ kind, place: call.place, column: () => column });
          for (const [i, column] of columns.entries()) {
            // The best values so far.
            const best = node(pick(columns, choices));
            const isBetter = betterVerdicts(node(column), best, name, evaluation, call.place);
            for (let row = 0; row < rowCount; row++)
              if (isValid(column.validity, row) && (choices[row] === NONE || isBetter[row] === TRUE))
                choices[row] = i;
          }
          return choices;
        },
        true,
      ),
  };
}

function betterVerdicts(a: Node, b: Node, name: 'least' | 'greatest', evaluation: Evaluation, place: Place) {
  const made = comparison(name === 'least' ? '<' : '>', a, b) ?? constantNode(null, place);
  return verdictsOf(made, evaluation);
}

export const choiceFunctions: readonly ExpressionFunction[] = [
  {
    name: 'case',
    group: 'choice',
    parameters: [
      { name: 'condition', kind: 'value' },
      { ...value, isRepeated: true },
    ],
    description:
      "The value after the first condition that is true: `case when pop > 1000 then 'town' else 'village' end`. If no condition is true, it is the value after `else`, or null.",
    compile: caseOf,
  },
  {
    name: 'if',
    group: 'choice',
    parameters: [
      { name: 'condition', kind: 'value' },
      { name: 'then', kind: 'value' },
      { name: 'else', kind: 'value', isOptional: true },
    ],
    description: 'The second argument if the condition is true, else the third, or null.',
    compile: caseOf,
  },
  {
    name: 'coalesce',
    group: 'choice',
    parameters: [{ ...value, isRepeated: true }],
    description: 'The first value that is not null.',
    compile: (args, call) =>
      chosen(args, call, (columns, { batch: { rowCount } }) => {
        const choices = new Int32Array(rowCount).fill(NONE);
        for (let row = 0; row < rowCount; row++)
          choices[row] = columns.findIndex(({ validity }) => isValid(validity, row));
        return choices;
      }),
  },
  {
    name: 'nullif',
    group: 'choice',
    parameters: [value, { name: 'other', kind: 'value' }],
    description: 'The value, or null if it equals the other one.',
    compile: ([one, other], call) => {
      const value = computedOnce(one);
      const isEqual = comparison('=', value, other);
      if (isEqual === null) throw call.refuse(1, `other must be comparable with ${KIND_NAMES[one.kind]}`);
      return chosen([value], call, (_, evaluation) =>
        Int32Array.from(verdictsOf(isEqual, evaluation), (verdict) => (verdict === TRUE ? NONE : 0)),
      );
    },
  },
  extreme('least', 'The least of the values; null values are ignored.'),
  extreme('greatest', 'The greatest of the values; null values are ignored.'),
];
