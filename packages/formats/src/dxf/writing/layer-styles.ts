/** Colours and linetypes that a request gives to layers of the drawing: "roads=#ff0000,dashed; water=5". */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { FIRST_LINETYPE_HANDLE } from './handles.ts';
import { layerKey } from './layer-names.ts';

export interface LayerStyle {
  /** As the request writes it. */
  readonly name: string;
  /** Tags of the colour in the record of the layer; null: as without a style. */
  readonly color: string | null;
  /** Null: Continuous. */
  readonly linetype: LinetypeName | null;
}

/** Lengths of dashes and, negative, of gaps, in millimetres on paper at 1:1000; 0 is a dot. */
export const LINETYPES = {
  dashed: [12, -6],
  hidden: [6, -3],
  dotted: [0, -3],
  dashdot: [12, -3, 0, -3],
  center: [32, -6, 6, -6],
  phantom: [32, -6, 6, -6, 6, -6],
  border: [12, -6, 12, -6, 0, -6],
  divide: [12, -6, 0, -6, 0, -6],
} as const;

export type LinetypeName = keyof typeof LINETYPES;

const NAMES = Object.keys(LINETYPES) as LinetypeName[];
const RGB = /^#([0-9a-f]{6})$/i;
/** Of AutoCAD; a layer cannot have 0 (ByBlock) or 256 (ByLayer). */
const INDEX = /^(?:[1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/;

/** The styles by the keys of the layers. Throws CONFIG_INVALID. */
export function layerStylesOf(text: unknown): ReadonlyMap<string, LayerStyle> {
  const styles = new Map<string, LayerStyle>();
  if (typeof text !== 'string') return styles;
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    const words = part.slice(at + 1).split(',').map((word) => word.trim()); // biome-ignore format: one line
    if (name === '') throw refused(part, 'is not LAYER=COLOUR,LINETYPE');
    let style: LayerStyle = { name, color: null, linetype: null };
    for (const word of words) {
      const color = colorOf(word);
      const linetype = NAMES.find((known) => known === word.toLowerCase());
      if (color !== null) style = { ...style, color };
      else if (linetype !== undefined) style = { ...style, linetype };
      else if (word.toLowerCase() !== 'continuous')
        throw refused(
          part,
          `has '${word}', which is neither a colour (#rrggbb, or an index from 1 to 255) nor a linetype (continuous, ${NAMES.join(', ')})`,
        );
    }
    styles.set(layerKey(name), style);
  }
  return styles;
}

function refused(part: string, reason: string): Error {
  const shown = part.trim().slice(0, 60);
  return failure(generalErrors.CONFIG_INVALID, {
    detail: phrase`'${field('output.layer_styles')}': '${shown}' ${reason}; write such as roads=#ff0000,dashed; water=5`,
  });
}

/** True colours have the index 7 for programs that do not know them. */
function colorOf(word: string): string | null {
  const rgb = RGB.exec(word)?.[1];
  if (rgb !== undefined) return `62 7, 420 ${Number.parseInt(rgb, 16)}`;
  return INDEX.test(word) ? `62 ${word}` : null;
}

/** Name and handle of a linetype in the tables of the drawing. */
export function linetypeRecord(name: LinetypeName): { readonly name: string; readonly handle: string } {
  return {
    name: name.toUpperCase(),
    handle: (FIRST_LINETYPE_HANDLE + NAMES.indexOf(name)).toString(16).toUpperCase(),
  };
}
