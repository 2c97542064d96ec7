/** Plans the fields of a .dbf from the statistics of all rows: their types and widths. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { type FieldStatistics, MORE_DECIMALS } from '@geomill/core/columns/statistics.ts';
import type { DbfFieldSpec } from './dbf-header.ts';

/** The widest text that every reader accepts, in bytes. */
export const MAX_TEXT_BYTES = 254;
/** The widest number; also the longest shortest text of a double. */
const MAX_NUMBER_BYTES = 24;
/** GDAL's default for doubles of unknown precision. */
const NOMINAL_DECIMALS = 15;
/** Narrower integers are read back as 32-bit ones. */
const INT64_MIN_WIDTH = 10;

/** How a column is written to cells. Plain data. */
export interface DbfWriteField extends DbfFieldSpec {
  /** Name of the field in the batch, for findings. */
  readonly source: string;
  /** Numbers are written with exactly `decimals`; otherwise each as the shortest text that reads back the same. */
  readonly fixed: boolean;
}

/** GDAL's widths for fields with unknown content. */
const NOMINAL_WIDTHS = { int32: 9, int64: 18, text: 80 };

/** For a field of a layer without features; features may be added later. */
function nominalField({ name: source, type }: Field, name: string): DbfWriteField {
  const common = { name, source, decimals: 0, fixed: true };
  switch (type) {
    case 'boolean':
      return { ...common, type: 'L', width: 1 };
    case 'int32':
    case 'int64':
      return { ...common, type: 'N', width: NOMINAL_WIDTHS[type] };
    case 'float64':
      return { ...common, type: 'N', width: MAX_NUMBER_BYTES, decimals: NOMINAL_DECIMALS, fixed: false };
    case 'date':
      return { ...common, type: 'D', width: 8 };
    default:
      return { ...common, type: 'C', width: NOMINAL_WIDTHS.text };
  }
}

/** Type and width of a field. `name` is its name in the .dbf; `isEmpty`: the layer has no features; `least`: the width that its facts state. */
export function planField(
  field: Field,
  name: string,
  statistics: FieldStatistics | null,
  isEmpty: boolean,
  least = 0,
): DbfWriteField {
  const planned = fittingField(field, name, statistics, isEmpty && least === 0);
  const { type, width, decimals } = planned;
  if (least <= width || (type !== 'C' && type !== 'N') || decimals > 0) return planned;
  return { ...planned, width: Math.min(least, type === 'C' ? MAX_TEXT_BYTES : MAX_NUMBER_BYTES) };
}

/** As wide as the values need. */
function fittingField(
  field: Field,
  name: string,
  statistics: FieldStatistics | null,
  isEmpty: boolean,
): DbfWriteField {
  if (isEmpty && (statistics === null || statistics.maxLength === 0)) return nominalField(field, name);
  const length = Math.max(1, statistics?.maxLength ?? 1);
  const common = { name, source: field.name, decimals: 0, fixed: true };
  switch (field.type) {
    case 'boolean':
      return { ...common, type: 'L', width: 1 };
    case 'int32':
      return { ...common, type: 'N', width: length };
    case 'int64':
      return { ...common, type: 'N', width: Math.max(INT64_MIN_WIDTH, length) };
    case 'float64': {
      // Without a decimal the column would be read back as integers.
      const decimals = Math.max(1, statistics?.maxDecimals ?? 1);
      const width = length + 1 + decimals;
      if (decimals < MORE_DECIMALS && width <= MAX_NUMBER_BYTES)
        return { ...common, type: 'N', width, decimals };
      return { ...common, type: 'N', width: MAX_NUMBER_BYTES, decimals: NOMINAL_DECIMALS, fixed: false };
    }
    case 'date':
      // Longer texts have a year that does not fit a D cell.
      if (length <= 10) return { ...common, type: 'D', width: 8 };
      return { ...common, type: 'C', width: Math.min(MAX_TEXT_BYTES, length) };
    default:
      return { ...common, type: 'C', width: Math.min(MAX_TEXT_BYTES, length) };
  }
}
