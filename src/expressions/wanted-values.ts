/** The part of a condition that readers can check before they decode whole features: fields equal to values. */
import type { WantedValues } from '../batch/wanted-values.ts';
import type { Call, Expression, Literal } from './expression.ts';

/** The condition is true only for features that have one of the values in each of these fields. */
export function wantedValuesOf(condition: Expression): readonly WantedValues[] {
  if (condition.kind !== 'call') return [];
  if (condition.name === 'and') return condition.args.flatMap(wantedValuesOf);
  const wanted = equalityOf(condition);
  return wanted === null ? [] : [wanted];
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
