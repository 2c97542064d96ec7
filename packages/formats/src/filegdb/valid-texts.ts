/** Replaces bytes of texts that are not UTF-8, which a damaged or wrongly converted table can have. */
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { type AttributeColumn, ColumnBuilder, isValid } from '@geomill/core/columns/attribute-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../findings.ts';

const decoder = new TextDecoder();

export function withValidTexts(
  column: AttributeColumn,
  field: string,
  rowCount: number,
  findings: Findings,
): AttributeColumn {
  if (column.type !== 'string') return column;
  const { bytes, offsets, validity } = column;
  if (invalidUtf8At(bytes, 0, bytes.length) < 0 && !splitsCharacter(bytes, offsets, rowCount)) return column;
  const repaired = new ColumnBuilder('string', rowCount, bytes.length);
  const replaced = new RowTally();
  for (let row = 0; row < rowCount; row++) {
    const [start, end] = [offsets[row], offsets[row + 1]];
    if (!isValid(validity, row)) repaired.appendNull();
    else if (invalidUtf8At(bytes, start, end) < 0) repaired.appendBytes(bytes, start, end);
    else {
      replaced.add(row);
      repaired.appendText(decoder.decode(bytes.subarray(start, end)));
    }
  }
  findings.noteTally(formatFindings.TEXT_REPLACED, { field, encoding: UTF8 }, replaced);
  return repaired.finish();
}

/** Whether a text begins within a character, so that only all texts together are UTF-8. */
function splitsCharacter(bytes: Uint8Array, offsets: Uint32Array, rowCount: number): boolean {
  for (let row = 1; row < rowCount; row++) if ((bytes[offsets[row]] & 0xc0) === 0x80) return true;
  return false;
}
