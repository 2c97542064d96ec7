/** The fields Text, TextHeight and TextRotation of entities that show a text. */
import type { AffineMap, EntityTags } from './contract.ts';
import type { DrawingColumns } from './drawing-columns.ts';

/** Appends them as values of `row`; nothing where the entity shows no text. */
export function appendText(columns: DrawingColumns, row: number, tags: EntityTags, _map: AffineMap): void {
  if (tags.type === 'HATCH') {
    // The name of the pattern, as GDAL has it.
    const at = tags.find(2);
    if (at >= 0) columns.appendText(row, 'Text', tags.text(at));
  }
}
