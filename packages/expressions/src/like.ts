/** Matches rows of a column with a pattern of SQL's LIKE. */
import type { BytesColumn } from '@geomill/core/columns/attribute-column.ts';
import { mixedValue } from './compare.ts';
import { LikePattern } from './like-pattern.ts';
import { FALSE, markNulls, TRUE, UNKNOWN, type Verdicts } from './verdict.ts';

const encoder = new TextEncoder();

/** Matches rows of a text column with a pattern; rows of a json column that are not text do not match. */
export function columnIsLike(column: BytesColumn, rowCount: number, pattern: string): Verdicts {
  const compiled = new LikePattern(pattern);
  const verdicts = new Uint8Array(rowCount);
  const { bytes, offsets, type } = column;
  for (let row = 0; row < rowCount; row++) {
    if (type !== 'json') {
      verdicts[row] = compiled.matches(bytes, offsets[row], offsets[row + 1]) ? TRUE : FALSE;
      continue;
    }
    const value = mixedValue(column, row);
    if (value === null) verdicts[row] = UNKNOWN;
    else if (typeof value !== 'string') verdicts[row] = FALSE;
    else {
      const text = encoder.encode(value);
      verdicts[row] = compiled.matches(text, 0, text.length) ? TRUE : FALSE;
    }
  }
  return markNulls(verdicts, column.validity);
}
