/** A set of digests of 128 bits in a table of integers, without an object for each. */

const WORDS = 4;

export class DigestSet {
  /** Slots of four words; all zero: free. A digest of zeros is stored with its last bit set. */
  #table = new Uint32Array(1024 * WORDS);
  #count = 0;

  /** `digest`: at least four words. False: it was there already. */
  add(digest: Uint32Array): boolean {
    if (this.#count * 2 >= this.#table.length / WORDS) this.#grow();
    const at = slotOf(this.#table, digest, 0);
    if (!isFree(this.#table, at)) return false;
    copy(digest, 0, this.#table, at);
    this.#count++;
    return true;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS)
      if (!isFree(old, at)) copy(old, at, this.#table, slotOf(this.#table, old, at));
  }
}

function isFree(table: Uint32Array, at: number): boolean {
  return (table[at] | table[at + 1] | table[at + 2] | table[at + 3]) === 0;
}

/** The slot of the digest, or the free one where it belongs. */
function slotOf(table: Uint32Array, digest: Uint32Array, from: number): number {
  const mask = table.length / WORDS - 1;
  const last = lastWord(digest, from);
  for (let slot = digest[from] & mask; ; slot = (slot + 1) & mask) {
    const at = slot * WORDS;
    if (isFree(table, at)) return at;
    if (
      table[at] === digest[from] &&
      table[at + 1] === digest[from + 1] &&
      table[at + 2] === digest[from + 2] &&
      table[at + 3] === last
    )
      return at;
  }
}

function lastWord(digest: Uint32Array, from: number): number {
  return isFree(digest, from) ? 1 : digest[from + 3];
}

function copy(source: Uint32Array, from: number, target: Uint32Array, at: number): void {
  for (let i = 0; i < WORDS - 1; i++) target[at + i] = source[from + i];
  target[at + WORDS - 1] = lastWord(source, from);
}
