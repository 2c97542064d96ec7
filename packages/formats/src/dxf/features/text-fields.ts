/** The fields Text, TextHeight and TextRotation of entities with text. */
import type { AffineMap, EntityTags } from '../contract.ts';
import { ownEnd, realOf } from '../shapes/tag-values.ts';
import { textHeight, textOf, textRotationDegrees } from '../shapes/text.ts';
import { dimensionText } from './dimension.ts';
import type { DrawingColumns } from './drawing-columns.ts';
import { isDimension } from './insert.ts';

/** Appends the fields as values of `row`, or nothing if the entity has no text. `map` is that of the entity's block. */
export function appendTextFields(
  columns: DrawingColumns,
  row: number,
  tags: EntityTags,
  map: AffineMap,
): void {
  if (tags.type === 'HATCH') {
    // The name of the pattern, as in GDAL.
    const at = tags.find(2);
    if (at >= 0) columns.appendText(row, 'Text', tags.text(at));
    return;
  }
  const text = isDimension(tags.type) ? dimensionText(tags) : textOf(tags);
  if (text === null) return;
  columns.appendText(row, 'Text', text);
  const height = textHeight(tags);
  if (height !== null) columns.appendNumber(row, 'TextHeight', height * heightScale(tags, map));
  const rotation = textRotationDegrees(tags, map);
  if (rotation !== null) columns.appendNumber(row, 'TextRotation', rotation);
}

/** The factor by which the map lengthens directions perpendicular to the text's base line. */
function heightScale(tags: EntityTags, map: AffineMap): number {
  if (map[0] === 1 && map[1] === 0 && map[4] === 0 && map[5] === 1) return 1;
  const radians = (realOf(tags, 50, 0, 0, ownEnd(tags)) * Math.PI) / 180;
  const x = -Math.sin(radians);
  const y = Math.cos(radians);
  return Math.hypot(map[0] * x + map[1] * y, map[4] * x + map[5] * y, map[8] * x + map[9] * y);
}
