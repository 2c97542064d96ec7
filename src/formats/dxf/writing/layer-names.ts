/** Layers of a drawing: the five that the specification names, and those that a field of the data names. */

/** AutoCAD colour index of the layers that every output has; 7 is black or white, whatever the background is not. */
export const FIXED_LAYERS = [
  { name: 'annotation', color: 7 },
  { name: 'point', color: 1 },
  { name: 'polyline', color: 5 },
  { name: 'polygon', color: 3 },
  { name: 'multipatch', color: 6 },
] as const;

export type FixedLayer = (typeof FIXED_LAYERS)[number]['name'];

/** Colour of layers that a field names. */
export const FIELD_LAYER_COLOR = 7;

const MAX_NAME_LENGTH = 255;
/** What AutoCAD refuses in names, and control characters, which no line of a DXF file can hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
const FORBIDDEN = /[<>/\\":;?*|=`,\u0000-\u001f\u007f]/g;

/** The name of a layer that stands nearest to `text`; null where nothing is left that could be a name. */
export function legalLayerName(text: string): string | null {
  let name = text.replace(FORBIDDEN, '_').trim();
  if (name.length > MAX_NAME_LENGTH) {
    name = name.slice(0, MAX_NAME_LENGTH);
    // Half a surrogate pair is no character.
    if (/[\ud800-\udbff]$/.test(name)) name = name.slice(0, -1);
    name = name.trimEnd();
  }
  return name === '' ? null : name;
}

/** AutoCAD takes names that differ only in the case of letters for the same. */
export function layerKey(name: string): string {
  return name.toLowerCase();
}
