/** Intervals of time, and the temporal predicates of CQL2. A date is its midnight in UTC, as in comparisons. */
import type { BytesColumn } from '@geomill/core/columns/attribute-column.ts';
import type { ExpressionFunction, FunctionCall } from '../function.ts';
import { instantOf } from '../instant.ts';
import {
  condition,
  type Evaluation,
  type Intervals,
  isTemporal,
  KIND_NAMES,
  type Node,
  noColumn,
} from '../node.ts';
import { FALSE, TRUE, UNKNOWN, type Verdicts } from '../verdict.ts';

/** Whether a relation holds between the interval from `a` to `b` and the one from `c` to `d`. */
type Relation = (a: number, b: number, c: number, d: number) => boolean;

interface Predicate {
  readonly description: string;
  readonly holds: Relation;
  /** Dates can be arguments too: intervals of one instant. */
  readonly takesInstants?: true;
}

const PREDICATES: Readonly<Record<string, Predicate>> = {
  t_after: {
    description: 'Whether the first date or interval begins after the second one ends.',
    holds: (a, _, __, d) => a > d,
    takesInstants: true,
  },
  t_before: {
    description: 'Whether the first date or interval ends before the second one begins.',
    holds: (_, b, c) => b < c,
    takesInstants: true,
  },
  t_disjoint: {
    description: 'Whether two dates or intervals have no instant in common.',
    holds: (a, b, c, d) => a > d || b < c,
    takesInstants: true,
  },
  t_equals: {
    description: 'Whether two dates or intervals begin and end at the same instants.',
    holds: (a, b, c, d) => a === c && b === d,
    takesInstants: true,
  },
  t_intersects: {
    description:
      "Whether two dates or intervals have an instant in common: `t_intersects(built, interval('2020-01-01', '..'))`.",
    holds: (a, b, c, d) => a <= d && b >= c,
    takesInstants: true,
  },
  t_contains: {
    description: 'Whether the first interval begins before the second one and ends after it.',
    holds: (a, b, c, d) => a < c && b > d,
  },
  t_during: {
    description: 'Whether the first interval begins after the second one begins, and ends before it ends.',
    holds: (a, b, c, d) => a > c && b < d,
  },
  t_finishedby: {
    description: 'Whether both intervals end at the same instant, and the first one begins earlier.',
    holds: (a, b, c, d) => a < c && b === d,
  },
  t_finishes: {
    description: 'Whether both intervals end at the same instant, and the first one begins later.',
    holds: (a, b, c, d) => a > c && b === d,
  },
  t_meets: {
    description: 'Whether the first interval ends at the instant at which the second one begins.',
    holds: (_, b, c) => b === c,
  },
  t_metby: {
    description: 'Whether the first interval begins at the instant at which the second one ends.',
    holds: (a, _, __, d) => a === d,
  },
  t_overlappedby: {
    description: 'Whether the first interval begins within the second one, and ends after it.',
    holds: (a, b, c, d) => a > c && a < d && b > d,
  },
  t_overlaps: {
    description: 'Whether the first interval begins before the second one, and ends within it.',
    holds: (a, b, c, d) => a < c && b > c && b < d,
  },
  t_startedby: {
    description: 'Whether both intervals begin at the same instant, and the first one ends later.',
    holds: (a, b, c, d) => a === c && b > d,
  },
  t_starts: {
    description: 'Whether both intervals begin at the same instant, and the first one ends earlier.',
    holds: (a, b, c, d) => a === c && b < d,
  },
};

const UNBOUNDED = '..';
const encoder = new TextEncoder();

function predicate(name: string, { description, holds, takesInstants }: Predicate): ExpressionFunction {
  return {
    name,
    group: 'interval',
    parameters: [
      { name: 'a', kind: 'any' },
      { name: 'b', kind: 'any' },
    ],
    description,
    compile: (args, call) => {
      const [first, second] = args.map((arg, i) => intervalsOf(arg, i, takesInstants === true, call));
      return condition(call.place, (evaluation) => related(first(evaluation), second(evaluation), holds));
    },
  };
}

function related(first: Intervals, second: Intervals, holds: Relation): Verdicts {
  const verdicts: Verdicts = new Uint8Array(first.starts.length);
  for (let row = 0; row < verdicts.length; row++) {
    const [a, b, c, d] = [first.starts[row], first.ends[row], second.starts[row], second.ends[row]];

    if (Number.isNaN(a) || Number.isNaN(b) || Number.isNaN(c) || Number.isNaN(d)) verdicts[row] = UNKNOWN;
    else verdicts[row] = holds(a, b, c, d) ? TRUE : FALSE;
  }
  return verdicts;
}

/** Throws what `call.refuse` returns. */
function intervalsOf(
  arg: Node,
  index: number,
  takesInstants: boolean,
  call: FunctionCall,
): (evaluation: Evaluation) => Intervals {
  if (arg.intervals !== undefined) return arg.intervals;
  if (!takesInstants && arg.kind !== 'null')
    throw call.refuse(
      index,
      "needs intervals, such as interval(begin, finish) or interval('2020-01-01', '..'); for dates, use t_intersects or comparisons such as <",
    );
  const instants = instantsOf(arg, index, call);
  return (evaluation) => {
    const both = instants(evaluation);
    return { starts: both, ends: both };
  };
}

/** The instants of the rows; NaN: null. Throws what `call.refuse` returns. */
function instantsOf(arg: Node, index: number, call: FunctionCall): (evaluation: Evaluation) => Float64Array {
  const { kind, constant } = arg;
  if (typeof constant === 'string' && (kind === 'text' || isTemporal(kind))) {
    const bytes = encoder.encode(constant);
    const instant = instantOf(bytes, 0, bytes.length);
    if (Number.isNaN(instant))
      throw call.refuse(
        index,
        `'${constant.slice(0, 40)}' is not a date such as '2020-01-31' or '2020-01-31T12:00:00Z'`,
      );
    return ({ batch }) => new Float64Array(batch.rowCount).fill(instant);
  }
  if (kind === 'null') return ({ batch }) => new Float64Array(batch.rowCount).fill(Number.NaN);
  if (kind !== 'unknown' && !isTemporal(kind))
    throw call.refuse(
      index,
      `needs dates or intervals, not ${KIND_NAMES[kind]}${kind === 'text' ? '; date(…) makes dates of texts' : ''}`,
    );
  return (evaluation) => {
    const { bytes, offsets } = arg.column(evaluation) as BytesColumn;
    // A null row has no bytes, which is not a date.
    return Float64Array.from({ length: evaluation.batch.rowCount }, (_, row) =>
      instantOf(bytes, offsets[row], offsets[row + 1]),
    );
  };
}

function boundOf(arg: Node, index: number, call: FunctionCall): (evaluation: Evaluation) => Float64Array {
  if (arg.constant !== UNBOUNDED) return instantsOf(arg, index, call);
  const instant = index === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return ({ batch }) => new Float64Array(batch.rowCount).fill(instant);
}

export const temporalFunctions: readonly ExpressionFunction[] = [
  {
    name: 'interval',
    group: 'interval',
    parameters: [
      { name: 'start', kind: 'any' },
      { name: 'end', kind: 'any' },
    ],
    description:
      "The time from one date to another, both included, for the functions below: `interval('2020-01-01', '2020-12-31')`, `interval(begin, '..')`. `'..'` is no bound.",
    compile: ([start, end], call) => {
      const [from, to] = [boundOf(start, 0, call), boundOf(end, 1, call)];
      const intervals = (evaluation: Evaluation): Intervals => {
        const [starts, ends] = [from(evaluation), to(evaluation).slice()];
        for (let row = 0; row < starts.length; row++) {
          if (!(starts[row] > ends[row])) continue;
          evaluation.note('an interval that ends before it begins', row);
          ends[row] = Number.NaN;
        }
        return { starts, ends };
      };
      return { kind: 'interval', place: call.place, intervals, column: noColumn };
    },
  },
  ...Object.entries(PREDICATES).map(([name, one]) => predicate(name, one)),
];
