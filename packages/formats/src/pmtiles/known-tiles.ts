/** Finds equal tiles by their digests, in tables of integers: an archive has many small tiles, and objects for them need several times the memory. */

/** Bytes of a digest (SHA-1). */
export const DIGEST_BYTES = 20;
const DIGEST_WORDS = DIGEST_BYTES / 4;

export class KnownTiles {
  /** Tiles that can be added; further ones are not. */
  readonly #most: number;
  /** For each tile; digests one after another. */
  #digests = new Int32Array(DIGEST_WORDS * 512);
  #offsets = new Float64Array(512);
  /** Tile + 1, at the first free slot from that of its digest on; 0: free. */
  #slots = new Int32Array(1024);
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The offset of the tile with the digest that begins at word `at` of `digests`; -1: it is not known. */
  offsetOf(digests: Int32Array, at: number): number {
    const tile = this.#slots[this.#slotOf(digests, at)] - 1;
    return tile < 0 ? -1 : this.#offsets[tile];
  }

  /** Adds a tile that is not known. */
  add(digests: Int32Array, at: number, offset: number): void {
    if (this.#count === this.#most) return;
    if (this.#count === this.#offsets.length) this.#grow();
    this.#digests.set(digests.subarray(at, at + DIGEST_WORDS), this.#count * DIGEST_WORDS);
    this.#offsets[this.#count] = offset;
    this.#slots[this.#slotOf(digests, at)] = ++this.#count;
  }

  /** The slot of the tile with the digest, or the free one where it belongs. */
  #slotOf(digests: Int32Array, at: number): number {
    const slots = this.#slots;
    for (let slot = digests[at] & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const tile = slots[slot] - 1;
      if (tile < 0) return slot;
      let word = 0;
      while (word < DIGEST_WORDS && this.#digests[tile * DIGEST_WORDS + word] === digests[at + word]) word++;
      if (word === DIGEST_WORDS) return slot;
    }
  }

  #grow(): void {
    const [digests, offsets] = [this.#digests, this.#offsets];
    this.#digests = new Int32Array(digests.length * 2);
    this.#digests.set(digests);
    this.#offsets = new Float64Array(offsets.length * 2);
    this.#offsets.set(offsets);
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let tile = 0; tile < this.#count; tile++)
      this.#slots[this.#slotOf(digests, tile * DIGEST_WORDS)] = tile + 1;
  }
}
