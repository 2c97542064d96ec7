/** Functions on dates and times, which are ISO 8601 texts; those without a zone are in UTC. */
import { type ExpressionFunction, type Parameter, rowByRow } from '../function.ts';
import { instantOf } from '../instant.ts';
import { constantNode, type Node } from '../node.ts';
import { converted } from './numbers.ts';

const date: Parameter = { name: 'date', kind: 'temporal' };
const MS_PER_DAY = 86_400_000;
const encoder = new TextEncoder();

/** A number in the text of a date, as it is written there, whatever its zone. */
function part(name: string, description: string, start: number, end: number): ExpressionFunction {
  return {
    name,
    group: 'date',
    parameters: [date],
    description,
    compile: (args, { place }) =>
      rowByRow<[string]>('integer', args, place, (text) =>
        text.length < end ? 0 : Number(text.slice(start, end)),
      ),
  };
}

/** From a text, in the form of ISO 8601; a text that is the same for all features is checked at once. */
function temporal(
  name: 'date' | 'timestamp',
  type: 'date' | 'datetime',
  example: string,
): ExpressionFunction {
  return {
    name,
    group: 'date',
    parameters: [{ name: 'text', kind: 'text' }],
    description: `A text such as \`'${example}'\` as a ${name === 'date' ? 'date; of a date with a time, its date' : 'date with a time'}.`,
    compile: ([arg], call) => {
      if (typeof arg.constant !== 'string')
        return { kind: type, place: call.place, column: dates(arg, type) };
      const bytes = encoder.encode(arg.constant);
      if (Number.isNaN(instantOf(bytes, 0, bytes.length)) || (type === 'date' && bytes.length !== 10))
        throw call.refuse(
          0,
          `'${arg.constant.slice(0, 40)}' is not a ${name === 'date' ? 'date' : 'date with a time'} such as '${example}'`,
        );
      return constantNode(arg.constant, call.place, type);
    },
  };
}

function dates(arg: Node, type: 'date' | 'datetime'): Node['column'] {
  if (type === 'datetime' || arg.kind === 'text')
    return converted(arg, type, `a text that is not a ${type === 'date' ? 'date' : 'date with a time'}`);
  return rowByRow<[string]>('date', [arg], arg.place, (text) => text.slice(0, 10)).column;
}

function instantMs(text: string): number {
  const bytes = encoder.encode(text);
  return instantOf(bytes, 0, bytes.length) * 1000;
}

export const timeFunctions: readonly ExpressionFunction[] = [
  temporal('date', 'date', '2020-01-31'),
  temporal('timestamp', 'datetime', '2020-01-31T12:00:00Z'),
  part('year', 'The year of a date.', 0, 4),
  part('month', 'The month of a date, 1 to 12.', 5, 7),
  part('day', 'The day of the month of a date.', 8, 10),
  part('hour', 'The hour of a date with a time; of a date, 0.', 11, 13),
  part('minute', 'The minute of a date with a time; of a date, 0.', 14, 16),
  {
    name: 'weekday',
    group: 'date',
    parameters: [date],
    description: 'The day of the week of a date: 1 is Monday, 7 is Sunday.',
    compile: (args, { place }) =>
      rowByRow<[string]>('integer', args, place, (text) => {
        const days = Math.floor(instantMs(text.slice(0, 10)) / MS_PER_DAY);
        // 1970-01-01 was a Thursday.
        return ((((days + 3) % 7) + 7) % 7) + 1;
      }),
  },
  {
    name: 'days_between',
    group: 'date',
    parameters: [
      { name: 'from', kind: 'temporal' },
      { name: 'to', kind: 'temporal' },
    ],
    description: 'The number of days from one date to another, with decimals if they have times.',
    compile: (args, { place }) =>
      rowByRow<[string, string]>(
        'number',
        args,
        place,
        (from, to) => (instantMs(to) - instantMs(from)) / MS_PER_DAY,
      ),
  },
  {
    name: 'add_days',
    group: 'date',
    parameters: [date, { name: 'days', kind: 'number' }],
    description: 'A number of whole days after a date, or before it; the result is a date.',
    compile: (args, { place }) =>
      rowByRow<[string, number]>(
        'date',
        args,
        place,
        (text, days) => dateOf(instantMs(text.slice(0, 10)) + Math.trunc(Number(days)) * MS_PER_DAY),
        'a date outside the years 0 to 9999',
      ),
  },
];

function dateOf(ms: number): string | null {
  const made = new Date(ms);
  return Number.isNaN(made.getTime()) || made.getUTCFullYear() < 0 || made.getUTCFullYear() > 9999
    ? null
    : made.toISOString().slice(0, 10);
}
