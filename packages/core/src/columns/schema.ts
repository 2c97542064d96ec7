/** Fields of a layer: names, types and how types widen when two sources of the same field disagree. */
import type { FieldFacts } from './field-facts.ts';

export type FieldType =
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'string'
  | 'binary'
  /** ISO 8601 calendar date, kept as text: YYYY-MM-DD. */
  | 'date'
  /** ISO 8601 date and time with optional fraction and zone, kept as text so that no detail is lost. */
  | 'datetime'
  /** One JSON value per row, kept as JSON text; also the type of fields with values of several kinds. */
  | 'json';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /**
   * What the schema says besides. Only in fields that steps map from those before to those after; the fields of batches
   * have none, which would cross to the threads with each batch. Default: nothing.
   */
  readonly facts?: FieldFacts;
}

/**
 * The type of a field with scalars of several kinds: self-describing formats keep each value's kind, text formats only
 * have text.
 */
export type MixedType = 'json' | 'string';

/** All values so far are null: widens to any type. */
export type OpenType = FieldType | 'null';

/**
 * The narrowest type that holds every value of both. int64 with float64 is 'float64' only if all integers are exact as
 * doubles (`integersExact`); otherwise the mixed type, so that no digit is lost.
 */
export function widenType(a: OpenType, b: OpenType, mixed: MixedType, integersExact = true): OpenType {
  if (a === b || b === 'null') return a;
  if (a === 'null') return b;
  if (isInteger(a) && isInteger(b)) return 'int64';
  if (isNumber(a) && isNumber(b))
    return integersExact || (a !== 'int64' && b !== 'int64') ? 'float64' : mixed;
  if (isPlainText(a) && isPlainText(b)) return 'string';
  return mixed;
}

export function isInteger(type: OpenType): boolean {
  return type === 'int32' || type === 'int64';
}

export function isNumber(type: OpenType): boolean {
  return isInteger(type) || type === 'float64';
}

/** Types whose rows are stored as UTF-8 text. */
export function isText(type: OpenType): type is 'string' | 'date' | 'datetime' | 'json' {
  return isPlainText(type) || type === 'json';
}

function isPlainText(type: OpenType): boolean {
  return type === 'string' || type === 'date' || type === 'datetime';
}
