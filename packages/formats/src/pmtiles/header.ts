/** The header of a PMTiles 3 archive. */
import { HEADER_BYTES } from './directory.ts';

const GZIP = 2;
const MVT = 1;

/** A part of the file. */
interface Section {
  readonly offset: number;
  readonly byteLength: number;
}

export interface Header {
  readonly root: Section;
  readonly metadata: Section;
  readonly leaves: Section;
  readonly tiles: Section;
  /** Tiles that have a content, entries of directories, different contents. */
  readonly addressed: number;
  readonly entries: number;
  readonly contents: number;
  readonly minZoom: number;
  readonly maxZoom: number;
  /** minX, minY, maxX, maxY in degrees. */
  readonly bounds: readonly [number, number, number, number];
}

export function encodeHeader(header: Header): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('PMTiles'));
  bytes[7] = 3;
  const { root, metadata, leaves, tiles, addressed, entries, contents } = header;
  const numbers = [root, metadata, leaves, tiles].flatMap(({ offset, byteLength }) => [offset, byteLength]);
  for (const [i, number] of [...numbers, addressed, entries, contents].entries())
    view.setBigUint64(8 + i * 8, BigInt(number), true);
  bytes.set([1, GZIP, GZIP, MVT, header.minZoom, header.maxZoom], 96);
  const [west, south, east, north] = header.bounds;
  const degrees = (at: number, value: number): void => view.setInt32(at, Math.round(value * 1e7), true);
  for (const [i, value] of header.bounds.entries()) degrees(102 + i * 4, value);
  bytes[118] = centreZoom(header);
  degrees(119, (west + east) / 2);
  degrees(123, (south + north) / 2);
  return bytes;
}

/** The largest zoom at which all data are on about one tile. */
function centreZoom({ bounds: [west, south, east, north], minZoom, maxZoom }: Header): number {
  const span = Math.max(east - west, (north - south) * 2, 1e-9);
  return Math.min(maxZoom, Math.max(minZoom, Math.floor(Math.log2(360 / span))));
}
