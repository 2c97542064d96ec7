/** Pens, brushes and symbols of a .map: objects have their numbers, from 1. */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { MapHeader } from './map-file.ts';
import type { ObjectStyle } from './styles.ts';

const FIRST_TOOL_BLOCK = 0x138;
const TOOL_BLOCK = 5;
const HEAD = 8;
const KIND = { pen: 1, brush: 2, font: 3, symbol: 4 } as const;
/** Bytes of a record with its kind and count of uses. */
const RECORD_BYTES: Readonly<Record<number, number>> = {
  [KIND.pen]: 11,
  [KIND.brush]: 13,
  [KIND.font]: 37,
  [KIND.symbol]: 13,
};
/** Widths of pens in points begin there; smaller numbers are pixels. */
const POINTS = 10;
const LARGEST_PIXELS = 7;

export class MapTools {
  readonly #pens: ObjectStyle['pen'][] = [null];
  readonly #brushes: ObjectStyle['brush'][] = [null];
  readonly #symbols: ObjectStyle['symbol'][] = [null];

  /** Reads what can be read: styles that are damaged are none. */
  constructor(source: ByteSource, { blockBytes }: MapHeader) {
    const head = new DataView(source.slice(0, FIRST_TOOL_BLOCK + 4).buffer);
    let block = head.getInt32(FIRST_TOOL_BLOCK, true);
    let blocksLeft = Math.ceil(source.byteLength / blockBytes);
    while (block > 0 && block + HEAD <= source.byteLength && blocksLeft-- > 0) {
      const bytes = source.slice(block, block + blockBytes);
      const view = new DataView(bytes.buffer);
      if (bytes[0] !== TOOL_BLOCK) return;
      this.#readRecords(view, Math.min(bytes.length, HEAD + view.getUint16(2, true)));
      block = view.getInt32(4, true);
    }
  }

  #readRecords(view: DataView, end: number): void {
    const color = (at: number): number =>
      view.getUint8(at) * 0x10000 + view.getUint8(at + 1) * 0x100 + view.getUint8(at + 2);
    for (let at = HEAD; at < end; ) {
      const kind = view.getUint8(at);
      const length = RECORD_BYTES[kind];
      if (length === undefined || at + length > end) return;
      const first = at + 5;
      if (kind === KIND.pen) {
        const [pixels, pattern, points] = [0, 1, 2].map((i) => view.getUint8(first + i));
        const tenths = pixels > LARGEST_PIXELS ? points + (pixels - 8) * 256 : points;
        const width = tenths > 0 ? POINTS + tenths : pixels;
        this.#pens.push({ width, pattern, color: color(first + 3) });
      } else if (kind === KIND.brush) {
        const isTransparent = view.getUint8(first + 1) !== 0;
        const background = isTransparent ? null : color(first + 5);
        this.#brushes.push({ pattern: view.getUint8(first), color: color(first + 2), background });
      } else if (kind === KIND.symbol)
        this.#symbols.push({
          shape: view.getInt16(first, true),
          size: view.getInt16(first + 2, true),
          color: color(first + 5),
        });
      at += length;
    }
  }

  pen(number: number): ObjectStyle['pen'] {
    return this.#pens[number] ?? null;
  }

  brush(number: number): ObjectStyle['brush'] {
    return this.#brushes[number] ?? null;
  }

  symbol(number: number): ObjectStyle['symbol'] {
    return this.#symbols[number] ?? null;
  }
}
