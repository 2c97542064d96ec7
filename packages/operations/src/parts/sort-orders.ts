/** Orders as a request writes them: "pop desc", "upper(name) asc nulls first". */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { type Expression, MAX_EXPRESSION_LENGTH } from '@geomill/expressions/expression.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import type { RequestTotals } from '../transformation.ts';

const MAX_ORDERS = 100;
const DIRECTION = /\s+(asc|desc)(?:ending)?\s*$/i;
const NULLS = /\s+nulls\s+(first|last)\s*$/i;

export interface SortOrder {
  readonly expression: Expression;
  /** For messages. */
  readonly path: string;
  readonly isDescending: boolean;
  readonly hasNullsFirst: boolean;
}

export const sortOrders = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: MAX_EXPRESSION_LENGTH },
  minItems: 1,
  maxItems: MAX_ORDERS,
} as const;

/** Throws TRANSFORMATION_INVALID with the path of the order, `path[1]`. */
export function parseOrders(
  orders: readonly string[],
  path: string,
  totals?: RequestTotals,
): readonly SortOrder[] {
  return orders.map((order, i) => {
    const own = `${path}[${i}]`;
    const [, nulls] = NULLS.exec(order) ?? [];
    const directed = order.replace(NULLS, '');
    const [, direction] = DIRECTION.exec(directed) ?? [];
    const source = directed.replace(DIRECTION, '');
    if (source.trim() === '')
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(own),
        reason: phrase`has no field or expression, only ${order}`,
      });
    return {
      expression: parseExpression(source, own, totals),
      path: own,
      isDescending: direction?.toLowerCase() === 'desc',
      hasNullsFirst: nulls?.toLowerCase() === 'first',
    };
  });
}

/** The parts of a text between commas that are in no quotes and no parentheses. */
export function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let quote = '';
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (quote !== '') {
      if (sign === quote) quote = '';
    } else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (sign === ',' && depth <= 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
