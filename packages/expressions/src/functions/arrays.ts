/** Arrays, which are JSON values, and the array predicates of CQL2. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { convertColumn } from '@geomill/core/columns/convert-column.ts';
import { argumentColumn, type ExpressionFunction, type FunctionCall } from '../function.ts';
import { condition, type Evaluation, KIND_NAMES, type Node } from '../node.ts';
import { FALSE, TRUE, UNKNOWN, type Verdicts } from '../verdict.ts';

/** The elements of an array, each once, as texts that are equal if the elements are. */
type Elements = ReadonlySet<string>;

interface Predicate {
  readonly description: string;
  readonly holds: (a: Elements, b: Elements) => boolean;
}

const PREDICATES: Readonly<Record<string, Predicate>> = {
  a_equals: {
    description: "Whether two arrays have the same elements, in any order: `a_equals(tags, ('new', 'red'))`.",
    holds: (a, b) => a.size === b.size && isSubset(a, b),
  },
  a_contains: {
    description: 'Whether the first array has all elements of the second one.',
    holds: (a, b) => isSubset(b, a),
  },
  a_containedby: {
    description: 'Whether the second array has all elements of the first one.',
    holds: (a, b) => isSubset(a, b),
  },
  a_overlaps: {
    description: 'Whether two arrays have an element in common.',
    holds: (a, b) => [...a].some((element) => b.has(element)),
  },
};

function isSubset(a: Elements, b: Elements): boolean {
  return [...a].every((element) => b.has(element));
}

function predicate(name: string, { description, holds }: Predicate): ExpressionFunction {
  return {
    name,
    group: 'array',
    parameters: [
      { name: 'a', kind: 'any' },
      { name: 'b', kind: 'any' },
    ],
    description,
    compile: (args, call) => {
      args.forEach((arg, i) => {
        checkArray(arg, i, call);
      });
      return condition(call.place, (evaluation) => {
        const [a, b] = args.map((arg) => elementsOf(arg, evaluation));
        const verdicts: Verdicts = new Uint8Array(evaluation.batch.rowCount);
        for (let row = 0; row < verdicts.length; row++) {
          const [first, second] = [a(row), b(row)];
          if (first === null || second === null) verdicts[row] = UNKNOWN;
          else verdicts[row] = holds(first, second) ? TRUE : FALSE;
        }
        return verdicts;
      });
    },
  };
}

/** Throws what `call.refuse` returns. */
function checkArray({ kind }: Node, index: number, call: FunctionCall): void {
  if (kind === 'mixed' || kind === 'unknown' || kind === 'null') return;
  throw call.refuse(
    index,
    `needs arrays: a list such as ('a', 'b'), or a field of JSON values, not ${KIND_NAMES[kind]}`,
  );
}

/** The elements of a row; null: it has no array. */
function elementsOf(arg: Node, evaluation: Evaluation): (row: number) => Elements | null {
  if (arg.kind === 'null') return () => null;
  if (typeof arg.constant === 'string') {
    const elements = elementsIn(arg.constant);
    return () => elements;
  }
  const { bytes, offsets, validity } = arg.column(evaluation) as BytesColumn;
  return (row) =>
    isValid(validity, row)
      ? elementsIn(decoder.decode(bytes.subarray(offsets[row], offsets[row + 1])))
      : null;
}

const decoder = new TextDecoder();

function elementsIn(json: string): Elements | null {
  const value: unknown = JSON.parse(json, exactInteger);
  return Array.isArray(value) ? new Set(value.map(keyOf)) : null;
}

/** Integers that a double cannot hold are bigints. */
function exactInteger(_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isInexact && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Arrays in arrays are compared as sets, too. */
function keyOf(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${[...new Set(value.map(keyOf))].sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member)}`);
  return `{${members.sort().join()}}`;
}

/** A JSON array of the values of each row. */
function arrayColumn(args: readonly Node[], evaluation: Evaluation): AttributeColumn {
  const { rowCount } = evaluation.batch;
  const columns = args.map(
    (arg) => convertColumn(argumentColumn(arg, evaluation), 'json', rowCount).column as BytesColumn,
  );
  const writer = new ByteWriter(rowCount * (2 + columns.length * 8));
  const offsets = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) {
    writer.ascii('[');
    for (const [i, { bytes, offsets: from, validity }] of columns.entries()) {
      if (i > 0) writer.ascii(',');
      if (isValid(validity, row)) writer.copy(bytes, from[row], from[row + 1]);
      else writer.ascii('null');
    }
    writer.ascii(']');
    offsets[row + 1] = writer.length;
    evaluation.reserve(offsets[row + 1] - offsets[row]);
  }
  return { type: 'json', bytes: writer.take(), offsets, validity: null };
}

export const arrayFunctions: readonly ExpressionFunction[] = [
  {
    name: 'array',
    group: 'array',
    parameters: [{ name: 'value', kind: 'value', isOptional: true, isRepeated: true }],
    description: 'The values as an array (JSON). In the functions below, `(1, 2)` is an array, too.',
    compile: (args, { place }) => ({
      kind: 'mixed',
      place,
      column: (evaluation) => arrayColumn(args, evaluation),
    }),
  },
  ...Object.entries(PREDICATES).map(([name, one]) => predicate(name, one)),
];
