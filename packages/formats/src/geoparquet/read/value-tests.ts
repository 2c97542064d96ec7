/** Checks by the statistics of a column whether a row group may have one of the values that a filter keeps. */

import type { WantedValue, WantedValues } from '@geomill/core/columns/wanted-values.ts';
import { compareBytes } from '@geomill/platform/bytes.ts';
import type { FieldPlan } from './columns.ts';
import { isPlain } from './convert.ts';
import type { TimeUnit } from './logical.ts';
import { PHYSICAL } from './metadata.ts';
import type { ColumnStatistics } from './row-groups.ts';
import type { SchemaNode } from './schema.ts';

export interface ValueTest {
  /** Number of the leaf. */
  readonly leaf: number;
  /** False only if no row of the row group has a wanted value. */
  mayHave(statistics: ColumnStatistics): boolean;
}

/** How the values of a column are compared: as numbers, of times as milliseconds since 1970 in UTC, or as bytes. */
type Order =
  | { readonly kind: 'numbers'; readonly read: (bytes: Uint8Array) => number | bigint | null }
  | { readonly kind: 'times'; readonly read: (bytes: Uint8Array) => number | null }
  | { readonly kind: 'texts' };

type Ordered = number | bigint;
type Range = readonly [least: Ordered, most: Ordered];

const PER_MS: Readonly<Record<TimeUnit, number>> = { ms: 1, us: 1e3, ns: 1e6 };
const DAY_MS = 86_400_000;
/** Values have up to nanoseconds, which neither a filter nor a number of milliseconds has all of. */
const TIME_TOLERANCE_MS = 1;
/** The whole of a date, or of a date and a time. The beginning of a date is compared as text. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Tests of the fields whose values have an order in statistics that is that of the filter. */
export function valueTestsFor(fields: readonly FieldPlan[], wanted: readonly WantedValues[]): ValueTest[] {
  return wanted.flatMap((condition) => {
    const plan = fields.find(({ field }) => field.name === condition.field);
    if (plan?.kind !== 'scalar') return [];
    const order = orderOf(plan.leaf);
    const mayHave = order === null ? null : testFor(order, condition);
    return mayHave === null
      ? []
      : [{ leaf: plan.leaf.firstLeaf, mayHave: (own) => !isOfNulls(own) && mayHave(own) }];
  });
}

/** No comparison with null is true. */
function isOfNulls({ nullCount, valueCount }: ColumnStatistics): boolean {
  return nullCount === valueCount;
}

/** Null: the order of the statistics is another one, or not known. */
function orderOf(leaf: SchemaNode): Order | null {
  const { type, logical } = leaf;
  if (logical?.kind === 'date' && type === PHYSICAL.int32)
    return { kind: 'times', read: (bytes) => scaled(int32(bytes), DAY_MS) };
  if (logical?.kind === 'timestamp' && type === PHYSICAL.int64) {
    const perMs = PER_MS[logical.unit];
    return { kind: 'times', read: (bytes) => scaled(int64(bytes), 1 / perMs) };
  }
  if (!isPlain(leaf)) return null;
  switch (type) {
    case PHYSICAL.int32:
      return { kind: 'numbers', read: int32 };
    case PHYSICAL.int64:
      return { kind: 'numbers', read: int64 };
    case PHYSICAL.float:
      return {
        kind: 'numbers',
        read: (bytes) => (bytes.length === 4 ? viewOf(bytes).getFloat32(0, true) : null),
      };
    case PHYSICAL.double:
      return {
        kind: 'numbers',
        read: (bytes) => (bytes.length === 8 ? viewOf(bytes).getFloat64(0, true) : null),
      };
    case PHYSICAL.bytes:
      return logical?.kind === 'string' || logical?.kind === 'enum' ? { kind: 'texts' } : null;
    default:
      return null;
  }
}

/** Null: a wanted value cannot be compared with the statistics. */
function testFor(order: Order, wanted: WantedValues): ((statistics: ColumnStatistics) => boolean) | null {
  if (order.kind === 'texts') return 'values' in wanted ? textTest(wanted.values) : null;
  const toOrdered = order.kind === 'times' ? timeOf : numberOf;
  const tolerance = order.kind === 'times' ? TIME_TOLERANCE_MS : 0;
  const ranges: Range[] = [];
  for (const [least, most] of 'values' in wanted
    ? wanted.values.map((value) => [value, value])
    : [wanted.range]) {
    const [low, high] = [toOrdered(least, -Infinity), toOrdered(most, Infinity)];
    if (low === null || high === null) return null;
    ranges.push(tolerance === 0 ? [low, high] : [Number(low) - tolerance, Number(high) + tolerance]);
  }
  return ({ min, max }) => {
    if (min === null || max === null) return true;
    const [least, most] = [order.read(min), order.read(max)];
    if (least === null || most === null) return true;
    // Comparisons with NaN are false: such statistics show nothing. JavaScript compares numbers with bigints exactly.
    return ranges.some(([low, high]) => !(most < low || least > high));
  };
}

/** `end`: instead of null, where the range has no end. Null: it is no number. */
function numberOf(value: WantedValue | null, end: number): Ordered | null {
  if (value === null) return end;
  return typeof value === 'number' || typeof value === 'bigint' ? value : null;
}

function timeOf(value: WantedValue | null, end: number): number | null {
  if (value === null) return end;
  const found = typeof value === 'string' ? TIME.exec(value) : null;
  if (found === null) return null;
  const [, date, time = '00:00', zone = 'Z'] = found;
  const ms = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(ms) ? null : ms;
}

const encoder = new TextEncoder();

/** Statistics of long texts can be cut: their bounds then contain those of the texts, as all that are compared here. */
function textTest(values: readonly WantedValue[]): ((statistics: ColumnStatistics) => boolean) | null {
  // U+FFFD replaces bytes that are not UTF-8.
  const isPlainText = (value: WantedValue): value is string =>
    typeof value === 'string' && value.isWellFormed() && !value.includes('\uFFFD');
  if (!values.every(isPlainText)) return null;
  const texts = values.map((text) => encoder.encode(text));
  return ({ min, max }) =>
    min === null ||
    max === null ||
    texts.some((text) => compareBytes(min, text) <= 0 && compareBytes(text, max) <= 0);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function int32(bytes: Uint8Array): number | null {
  return bytes.length === 4 ? viewOf(bytes).getInt32(0, true) : null;
}

function int64(bytes: Uint8Array): bigint | null {
  return bytes.length === 8 ? viewOf(bytes).getBigInt64(0, true) : null;
}

function scaled(value: number | bigint | null, factor: number): number | null {
  return value === null ? null : Number(value) * factor;
}
