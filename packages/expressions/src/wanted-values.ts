/** The part of a condition that readers can check before they decode whole features: fields equal to values, or in ranges. */
import type { WantedValue, WantedValues } from '@geomill/core/columns/wanted-values.ts';
import type { Call, Expression, Literal } from './expression.ts';

/** The condition is true only for features that have one of the values, or one in the range, in each of these fields. */
export function wantedValuesOf(condition: Expression): readonly WantedValues[] {
  if (condition.kind !== 'call') return [];
  if (condition.name === 'and') return condition.args.flatMap(wantedValuesOf);
  const wanted = equalityOf(condition) ?? rangeOf(condition);
  return wanted === null ? [] : [wanted];
}

/** The comparison with both sides exchanged. */
const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** Null if the call does not compare a field with values in an order. The ends count to the range, whatever the comparison. */
function rangeOf(call: Call): WantedValues | null {
  const { name, args } = call;
  if (name === 'between') {
    const [least, most] = args.slice(1).map(literalOf);
    return args[0].kind !== 'field' || least == null || most == null
      ? null
      : { field: args[0].name, range: [least, most] };
  }
  const flipped = FLIPPED[name];
  if (flipped === undefined || args.length !== 2) return null;
  const [left, right] = args;
  if (right.kind === 'field')
    return left.kind === 'field' ? null : rangeOf({ ...call, name: flipped, args: [right, left] });
  const value = literalOf(right);
  if (left.kind !== 'field' || value === null) return null;
  return { field: left.name, range: name.startsWith('<') ? [null, value] : [value, null] };
}

function literalOf(expression: Expression): WantedValue | null {
  return expression.kind === 'literal' ? expression.value : null;
}

/** Null if the call is no comparison of a field with values. */
function equalityOf({ name, args }: Call): WantedValues | null {
  if (name === '=' && args.length === 2) {
    const [left, right] = args;
    return left.kind === 'field' ? memberOf(left, [right]) : memberOf(right, [left]);
  }
  return name === 'in' && args.length > 1 ? memberOf(args[0], args.slice(1)) : null;
}

function memberOf(field: Expression, members: readonly Expression[]): WantedValues | null {
  if (field.kind !== 'field') return null;
  const values: Literal[] = [];
  for (const member of members) {
    if (member.kind !== 'literal') return null;
    // Nothing equals null.
    if (member.value !== null) values.push(member.value);
  }
  return { field: field.name, values };
}
