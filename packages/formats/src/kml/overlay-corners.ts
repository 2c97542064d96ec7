/** Corners of ground overlays. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { elementText } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { kmlName } from './names.ts';

const SIDES: readonly string[] = ['north', 'south', 'east', 'west'];

export interface OverlayCorners {
  /** Longitude and latitude, counter-clockwise from the south-west; null: the element is empty. */
  readonly corners: readonly (readonly number[])[] | null;
  /** Offset after the end tag. */
  readonly end: number;
}

/** Of the LatLonBox whose start tag was read last. `readRotation` reads its rotation, and returns the offset after that. */
export function latLonBox(
  scanner: XmlScanner,
  at: number,
  rootPrefix: Uint8Array,
  scratch: ByteWriter,
  readRotation: (at: number) => number,
): OverlayCorners {
  const sides: Record<string, number> = {};
  const start = scanner.tagStart;
  if (!scanner.isEmpty)
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const child = kmlName(scanner, rootPrefix);
      if (child === 'rotation') at = readRotation(at);
      else if (child !== null && SIDES.includes(child)) {
        const read = elementText(scanner, at, scratch);
        at = read.at;
        sides[child] = read.text.trim() === '' ? Number.NaN : Number(read.text);
      } else at = scanner.skip(at);
    }
  const { north, south, east, west } = sides;
  if (Object.keys(sides).length === 0) return { corners: null, end: at };
  if (![north, south, east, west].every(Number.isFinite))
    throw new XmlFault(start, 'a LatLonBox needs numbers for north, south, east and west');
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
  return { corners, end: at };
}

/** Of the gx:LatLonQuad whose start tag was read last. */
export function latLonQuad(scanner: XmlScanner, at: number, scratch: ByteWriter): OverlayCorners {
  const start = scanner.tagStart;
  let text = '';
  if (!scanner.isEmpty)
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const read = elementText(scanner, at, scratch);
      at = read.at;
      text = read.text;
    }
  if (text.trim() === '') return { corners: null, end: at };
  const corners = text
    .trim()
    .split(/\s+/)
    .map((position) => position.split(',').map(Number));
  if (corners.length !== 4 || !corners.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y)))
    throw new XmlFault(start, 'a gx:LatLonQuad needs four positions');
  return { corners, end: at };
}
