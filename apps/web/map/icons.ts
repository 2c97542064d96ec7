/** Colours of the map, which the style sheet has, and symbols that are drawn with them: the map fetches no pictures and no fonts. */
import { LAYER_COLOURS } from '../model/layer-colours.ts';
import type { OverlayRole } from '../model/overlays.ts';
import { CLASS_COLOURS, COLOUR_NAMES, type Palette } from './palette.ts';

/** MapLibre reads plain colours only, so the browser resolves the variables and light-dark() first. */
export function paletteOf(container: HTMLElement): Palette {
  const probe = container.appendChild(document.createElement('span'));
  const colourOf = (name: string): string => {
    probe.style.color = `var(--map-${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = COLOUR_NAMES.map((name) => [name, colourOf(name)] as const);
  const layers = Array.from({ length: LAYER_COLOURS }, (_, i) => colourOf(`layer-${i + 1}`));
  const classes = Object.fromEntries(
    CLASS_COLOURS.map((name) => [name, colourOf(name)]),
  ) as Palette['classes'];
  probe.remove();
  const named = Object.fromEntries(colours) as Readonly<Record<(typeof COLOUR_NAMES)[number], string>>;
  return { ...named, layers, classes };
}

/** Before the text of a label, in the names of images. */
export const LABEL_PREFIX = 'label ';
const ICON_PREFIX = 'icon ';
/** Before the names of places, in the names of images: large and small ones. */
export const CITY_PREFIX = 'city ';
export const TOWN_PREFIX = 'town ';
/** Pixels from the left edge of the picture of a name to the middle of its dot. */
export const NAME_DOT = 5;
const PIXEL_RATIO = 2;
const MAX_LABEL_LENGTH = 20;

const DRAWERS: Readonly<Record<string, (text: string, palette: Palette) => ImageData>> = {
  [LABEL_PREFIX]: (text, palette) => drawLabel(text.slice(0, MAX_LABEL_LENGTH), palette),
  [ICON_PREFIX]: (role, palette) => drawSymbol(role as OverlayRole, palette),
  [CITY_PREFIX]: (name, palette) => drawName(name, '600 13px system-ui, sans-serif', palette),
  [TOWN_PREFIX]: (name, palette) => drawName(name, '12px system-ui, sans-serif', palette),
};

/** The image of a name, such as `label TEXT` or `icon ROLE`. Null: another name. */
export function drawIcon(name: string, palette: Palette): { image: ImageData; pixelRatio: number } | null {
  const prefix = Object.keys(DRAWERS).find((one) => name.startsWith(one));
  if (prefix === undefined) return null;
  return { image: DRAWERS[prefix](name.slice(prefix.length), palette), pixelRatio: PIXEL_RATIO };
}

function canvasOf(width: number, height: number): OffscreenCanvasRenderingContext2D {
  const canvas = new OffscreenCanvas(Math.ceil(width * PIXEL_RATIO), Math.ceil(height * PIXEL_RATIO));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser cannot draw the symbols of the map');
  context.scale(PIXEL_RATIO, PIXEL_RATIO);
  return context;
}

function drawLabel(text: string, palette: Palette): ImageData {
  const font = '600 13px system-ui, sans-serif';
  const [height, padding] = [22, 7];
  const probe = canvasOf(1, 1);
  probe.font = font;
  const width = Math.max(height, Math.ceil(probe.measureText(text).width) + 2 * padding);
  const context = canvasOf(width, height);
  context.fillStyle = palette.land;
  context.strokeStyle = palette.extent;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(1, 1, width - 2, height - 2, height / 2);
  context.fill();
  context.stroke();
  context.font = font;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = palette.extent;
  context.fillText(text, width / 2, height / 2 + 1);
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}

/** The name of a place to the right of its dot. */
function drawName(text: string, font: string, palette: Palette): ImageData {
  const height = 18;
  const left = 2 * NAME_DOT + 1;
  const probe = canvasOf(1, 1);
  probe.font = font;
  const context = canvasOf(left + Math.ceil(probe.measureText(text).width) + 3, height);
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = palette.land;
  context.fillStyle = palette.name;
  context.beginPath();
  context.arc(NAME_DOT, height / 2, 2.5, 0, 2 * Math.PI);
  context.stroke();
  context.fill();
  context.font = font;
  context.textBaseline = 'middle';
  context.strokeText(text, left, height / 2 + 1);
  context.fillText(text, left, height / 2 + 1);
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}

const SIZE = 18;
/** Corners of each symbol in a square from -1 to 1. */
const SHAPES: Readonly<Record<OverlayRole, readonly (readonly [number, number])[]>> = {
  lost: [
    [-1, -0.6],
    [-0.6, -1],
    [0, -0.4],
    [0.6, -1],
    [1, -0.6],
    [0.4, 0],
    [1, 0.6],
    [0.6, 1],
    [0, 0.4],
    [-0.6, 1],
    [-1, 0.6],
    [-0.4, 0],
  ],
  changed: [
    [0, -1],
    [1, 0.8],
    [-1, 0.8],
  ],
  info: [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
  ],
  extent: [
    [-0.8, -0.8],
    [0.8, -0.8],
    [0.8, 0.8],
    [-0.8, 0.8],
  ],
  mask: [
    [-0.6, -0.6],
    [0.6, -0.6],
    [0.6, 0.6],
    [-0.6, 0.6],
  ],
};

function drawSymbol(role: OverlayRole, palette: Palette): ImageData {
  const context = canvasOf(SIZE, SIZE);
  const radius = SIZE / 2 - 2;
  context.translate(SIZE / 2, SIZE / 2);
  context.beginPath();
  for (const [x, y] of SHAPES[role]) context.lineTo(x * radius, y * radius);
  context.closePath();
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = palette.land;
  context.stroke();
  context.fillStyle = palette[role];
  context.fill();
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}
