/** Conditions on the fields of a feature, as a tree. From JSON: condition-json.ts, from text: condition-text.ts. */
import { failure, type GeomillError } from '../../errors.ts';

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

/** Nested deeper than anybody writes; the trees are walked by recursion. */
export const MAX_CONDITION_DEPTH = 100;

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
  return failure('TRANSFORMATION_INVALID', { path, reason });
}
