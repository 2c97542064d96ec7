/** Reads the integers of variable length that geometries are made of. */
import type { CoordinateGrid } from './table-header.ts';

/** Integers have at most 64 bits. */
const MAX_FACTOR = 2 ** 70;

export class IntegerReader {
  readonly grid: CoordinateGrid;
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  at = 0;
  end = 0;
  readonly #refuse: (reason: string) => never;

  constructor(grid: CoordinateGrid, refuse: (reason: string) => never) {
    this.grid = grid;
    this.#refuse = refuse;
  }

  open(bytes: Uint8Array<ArrayBuffer>, at: number, end: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  refuse(reason: string): never {
    return this.#refuse(reason);
  }

  /** Seven bits in each byte, the lowest first. */
  unsigned(): number {
    const { bytes, end } = this;
    let at = this.at;
    let value = 0;
    for (let factor = 1; at < end && factor < MAX_FACTOR; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.at = at;
        return value;
      }
    }
    return this.#refuse(
      at >= end ? 'its geometry ends too early' : 'its geometry has an integer of more than 64 bits',
    );
  }

  /** Moves over so many bytes; returns the offset of the first. */
  take(count: number): number {
    if (count > this.left) this.#refuse('its geometry ends too early');
    const at = this.at;
    this.at += count;
    return at;
  }

  /**
   * Reads `count` positions of differences, summed up, as ordinates: `width` per position, of which one after another has
   * the origins `first` and `second`.
   */
  sums(
    count: number,
    width: 1 | 2,
    target: Float64Array,
    { scale, first, second }: { readonly scale: number; readonly first: number; readonly second: number },
  ): void {
    const { bytes, end } = this;
    let at = this.at;
    let sum = 0;
    let other = 0;
    let origin = first;
    let otherOrigin = second;
    for (let i = 0; i < count * width; i++) {
      const lead = bytes[at++];
      let value = lead & 0x3f;
      if (lead >= 0x80) {
        let byte = bytes[at++];
        value |= (byte & 0x7f) << 6;
        if (byte >= 0x80) {
          byte = bytes[at++];
          value |= (byte & 0x7f) << 13;
          if (byte >= 0x80) {
            byte = bytes[at++];
            value |= (byte & 0x7f) << 20;
            for (let factor = 2 ** 27; byte >= 0x80 && factor < MAX_FACTOR; factor *= 128) {
              byte = bytes[at++];
              value += (byte & 0x7f) * factor;
            }
          }
        }
      }
      sum += (lead & 0x40) === 0 ? value : -value;
      target[i] = sum / scale + origin;
      if (width === 2) {
        [sum, other] = [other, sum];
        [origin, otherOrigin] = [otherOrigin, origin];
      }
      if (at > end) this.#refuse('its geometry ends too early');
    }
    this.at = at;
  }
}
