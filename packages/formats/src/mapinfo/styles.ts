/** Pens, brushes and symbols as fields. Widths, patterns and shapes are MapInfo's numbers; colours are #rrggbb. */
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { Field } from '@geomill/core/columns/schema.ts';

export interface ObjectStyle {
  pen: { readonly width: number; readonly pattern: number; readonly color: number } | null;
  brush: { readonly pattern: number; readonly color: number; readonly background: number | null } | null;
  symbol: { readonly shape: number; readonly color: number; readonly size: number } | null;
}

export const noStyle = (): ObjectStyle => ({ pen: null, brush: null, symbol: null });

const COLORS = 1 << 24;
const colorText = (color: number): string =>
  `#${((Math.trunc(color) % COLORS) + COLORS).toString(16).slice(-6)}`;

/** Fields with the value that a style has for each. */
const STYLE_FIELDS: readonly (Field & { readonly of: (style: ObjectStyle) => number | string | null })[] = [
  { name: 'pen_width', type: 'int32', of: ({ pen }) => pen?.width ?? null },
  { name: 'pen_pattern', type: 'int32', of: ({ pen }) => pen?.pattern ?? null },
  { name: 'pen_color', type: 'string', of: ({ pen }) => (pen === null ? null : colorText(pen.color)) },
  { name: 'brush_pattern', type: 'int32', of: ({ brush }) => brush?.pattern ?? null },
  {
    name: 'brush_color',
    type: 'string',
    of: ({ brush }) => (brush === null ? null : colorText(brush.color)),
  },
  {
    name: 'brush_background',
    type: 'string',
    of: ({ brush }) => (brush === null || brush.background === null ? null : colorText(brush.background)),
  },
  { name: 'symbol', type: 'int32', of: ({ symbol }) => symbol?.shape ?? null },
  {
    name: 'symbol_color',
    type: 'string',
    of: ({ symbol }) => (symbol === null ? null : colorText(symbol.color)),
  },
  { name: 'symbol_size', type: 'int32', of: ({ symbol }) => symbol?.size ?? null },
];

export const styleFields: readonly Field[] = STYLE_FIELDS.map(({ name, type }) => ({ name, type }));

/** Collects the styles of rows. */
export class StyleColumns {
  readonly #builders = STYLE_FIELDS.map(({ type }) => new ColumnBuilder(type));

  add(style: ObjectStyle | null): void {
    for (const [i, { of }] of STYLE_FIELDS.entries()) {
      const value = style === null ? null : of(style);
      if (value === null) this.#builders[i].appendNull();
      else if (typeof value === 'number') this.#builders[i].appendNumber(value);
      else this.#builders[i].appendText(value);
    }
  }

  finish(): AttributeColumn[] {
    return this.#builders.map((builder) => builder.finish());
  }
}

/** The numbers of a style clause of a .mif, such as `2,2,16711680` or `"file.bmp",255,12,0`, without its texts. */
export function styleNumbers(clause: string): number[] {
  return clause
    .replace(/"[^"]*"/g, '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(Number)
    .filter((value) => Number.isInteger(value));
}
