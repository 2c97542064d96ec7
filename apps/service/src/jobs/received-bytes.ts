/** Bytes of each owner that are on the disk and not yet in a row: the limit of storage includes them. */
export class ReceivedBytes {
  readonly #bytes = new Map<string, number>();

  of(owner: string): number {
    return this.#bytes.get(owner) ?? 0;
  }

  add(owner: string, bytes: number): void {
    const sum = this.of(owner) + bytes;
    if (sum > 0) this.#bytes.set(owner, sum);
    else this.#bytes.delete(owner);
  }
}
