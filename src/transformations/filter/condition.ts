/** Conditions on the fields of a feature, as a tree. From JSON: condition-json.ts, from text: condition-text.ts. */
import { failure, type GeomillError } from '../../errors.ts';
import { field } from '../../message.ts';
import type { RequestTotals } from '../transformation.ts';

/** Integers that a double cannot hold are bigints. */
export type Literal = number | bigint | string | boolean;

export const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type Condition =
  | { readonly kind: 'and'; readonly parts: readonly Condition[] }
  | { readonly kind: 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly op: Comparison;
      readonly value: Literal;
    }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly Literal[] }
  | {
      readonly kind: 'like';
      readonly field: string;
      readonly pattern: string;
      readonly ignoresCase: boolean;
    }
  | { readonly kind: 'null'; readonly field: string };

/** Maximum depth, more than any real condition has: trees are walked by recursion. */
export const MAX_CONDITION_DEPTH = 100;

/** Maximum characters of a condition: its text, or all texts in its JSON together. */
export const MAX_CONDITION_LENGTH = 65_536;
/** Maximum number of tokens of texts, or of values and conditions in JSON, in all conditions of a request together. */
export const MAX_CONDITION_TOKENS = 10_000;

/** Counts the elements of conditions, so that none is too large to parse and evaluate. */
export class ConditionSize {
  readonly #path: string;
  readonly #totals: RequestTotals;
  #length = 0;

  constructor(path: string, totals: RequestTotals) {
    this.#path = path;
    this.#totals = totals;
  }

  /** Throws TRANSFORMATION_INVALID. */
  addToken(): void {
    if (++this.#totals.conditionTokens <= MAX_CONDITION_TOKENS) return;
    const reason = `brings the conditions of the request to more than ${MAX_CONDITION_TOKENS} words and values, the most that all of them may have together; shorten them, or send several requests`;
    throw refuseCondition(this.#path, reason);
  }

  /** Throws TRANSFORMATION_INVALID. */
  addText(text: string): void {
    this.#length += text.length;
    if (this.#length <= MAX_CONDITION_LENGTH) return;
    const reason = `has more than ${MAX_CONDITION_LENGTH} characters, the most a condition may have; shorten it, or filter in several steps`;
    throw refuseCondition(this.#path, reason);
  }
}

/** The fields that a condition names, each once. */
export function fieldsOfCondition(condition: Condition, names: Set<string> = new Set()): ReadonlySet<string> {
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const part of condition.parts) fieldsOfCondition(part, names);
  } else if (condition.kind === 'not') fieldsOfCondition(condition.part, names);
  else names.add(condition.field);
  return names;
}

export function between(field: string, low: Literal, high: Literal): Condition {
  const parts: Condition[] = [
    { kind: 'compare', field, op: '>=', value: low },
    { kind: 'compare', field, op: '<=', value: high },
  ];
  return { kind: 'and', parts };
}

export function refuseCondition(path: string, reason: string): GeomillError {
  return failure('TRANSFORMATION_INVALID', { path: field(path), reason });
}
