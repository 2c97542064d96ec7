/** Trees of expressions without places, to compare two ways of writing one. */
import type { Expression, Literal } from '../../packages/expressions/src/expression.ts';

/** A field is `@name`, a call a list that begins with its name, a literal an object. */
export type Shape =
  | string
  | readonly Shape[]
  | { readonly value: Literal | null }
  | { readonly geometry: string };

export function shapeOf(expression: Expression): Shape {
  switch (expression.kind) {
    case 'literal':
      return { value: expression.value };
    case 'field':
      return `@${expression.name}`;
    case 'geometry':
      return { geometry: expression.source };
    default:
      return [expression.name, ...expression.args.map(shapeOf)];
  }
}
