/** The times of the positions of a line, as a JSON list; of a track, a list for each segment. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { writeJsonString } from '@geomill/core/text/json-text.ts';

const MAX_KEPT_BYTES = 1 << 20;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

export class TimeList {
  json = new ByteWriter(256);
  /** The point has one. */
  hasTime = false;
  /** Some point of the line has one. */
  hasAny = false;
  #hadAny = false;
  #start = 0;

  /** Begins a line. Memory of a long one is released: its list is as large as all that was read of it. */
  reset(): void {
    if (this.json.bytes.length > MAX_KEPT_BYTES) {
      this.json.bytes.buffer.transfer(0);
      this.json = new ByteWriter(256);
    } else this.json.reset();
    this.hasAny = false;
  }

  open(): void {
    this.#separate();
    this.json.uint8(OPEN);
  }

  close(): void {
    this.json.uint8(CLOSE);
  }

  beginPoint(): void {
    this.#start = this.json.length;
    this.#hadAny = this.hasAny;
    this.hasTime = false;
    this.#separate();
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    this.hasTime = true;
    this.hasAny = true;
    writeJsonString(this.json, bytes, start, end);
  }

  endPoint(): void {
    if (!this.hasTime) this.json.ascii('null');
  }

  /** Removes the point, or the segment, that was begun at `start`. */
  dropPoint(): void {
    this.json.length = this.#start;
    this.hasAny = this.#hadAny;
  }

  #separate(): void {
    const { json } = this;
    if (json.length > 0 && json.bytes[json.length - 1] !== OPEN) json.uint8(COMMA);
  }
}
