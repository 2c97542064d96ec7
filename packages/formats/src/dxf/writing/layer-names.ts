/** AutoCAD colour index of the layers that every output has; 7 is black or white, in contrast to the background. */
export const FIXED_LAYERS = [
  { name: 'annotation', color: 7 },
  { name: 'point', color: 1 },
  { name: 'polyline', color: 5 },
  { name: 'polygon', color: 3 },
  { name: 'multipatch', color: 6 },
] as const;

export type FixedLayer = (typeof FIXED_LAYERS)[number]['name'];

/** Colour of layers named by a field. */
export const FIELD_LAYER_COLOR = 7;

const MAX_NAME_LENGTH = 255;
/** Characters that AutoCAD rejects in names, and control characters, which no line of a DXF file can contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
const FORBIDDEN = /[<>/\\":;?*|=`,\u0000-\u001f\u007f]/g;

/** The valid layer name closest to `text`; null if no valid character is left. */
export function legalLayerName(text: string): string | null {
  let name = text.replace(FORBIDDEN, '_').trim();
  if (name.length > MAX_NAME_LENGTH) {
    name = name.slice(0, MAX_NAME_LENGTH);
    // An unpaired surrogate is not a character.
    if (/[\ud800-\udbff]$/.test(name)) name = name.slice(0, -1);
    name = name.trimEnd();
  }
  return name === '' ? null : name;
}

/** AutoCAD ignores letter case in names. */
export function layerKey(name: string): string {
  return name.toLowerCase();
}
