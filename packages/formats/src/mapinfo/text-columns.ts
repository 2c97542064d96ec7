/** Texts on the map as fields: objects of the kind Text become points, and what they say a field. */
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { Field } from '@geomill/core/columns/schema.ts';

export interface MapText {
  readonly text: string;
  readonly height: number;
  readonly angleDegrees: number;
}

/** Degrees are counter-clockwise from east, heights in units of the coordinates. */
export const textFields: readonly Field[] = [
  { name: 'text', type: 'string' },
  { name: 'text_height', type: 'float64' },
  { name: 'text_angle', type: 'float64' },
];

export class TextColumns {
  readonly #texts = new ColumnBuilder('string');
  readonly #heights = new ColumnBuilder('float64');
  readonly #angles = new ColumnBuilder('float64');

  add(text: MapText | null): void {
    if (text === null) {
      this.#texts.appendNull();
      this.#heights.appendNull();
      this.#angles.appendNull();
      return;
    }
    this.#texts.appendText(text.text);
    this.#heights.appendNumber(text.height);
    this.#angles.appendNumber(text.angleDegrees);
  }

  finish(): AttributeColumn[] {
    return [this.#texts.finish(), this.#heights.finish(), this.#angles.finish()];
  }
}

/** Where a text begins, the lower left corner before it is turned, by the box around the turned text. */
export function textPlace(
  box: readonly [x1: number, y1: number, x2: number, y2: number],
  height: number,
  angleDegrees: number,
): [x: number, y: number] {
  const [x1, y1, x2, y2] = box;
  const [minX, minY, maxX, maxY] = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
  const angle = (angleDegrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  if (sin > 0) return cos > 0 ? [minX + height * sin, minY] : [maxX, minY - height * cos];
  return cos < 0 ? [maxX + height * sin, maxY] : [minX, maxY - height * cos];
}
