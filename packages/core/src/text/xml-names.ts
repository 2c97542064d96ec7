/** Names of elements that a reader knows. */
import type { XmlScanner } from './xml-scanner.ts';

/** Finds the name of an element among a fixed set without creating a string. */
export class NameTable<Name extends string> {
  readonly #slots: { readonly bytes: Uint8Array; readonly name: Name }[][] = Array.from(
    { length: 256 },
    () => [],
  );

  constructor(names: readonly Name[]) {
    for (const name of names) {
      const bytes = new TextEncoder().encode(name);
      this.#slots[slotOf(bytes, 0, bytes.length)].push({ bytes, name });
    }
  }

  /** The name of the scanner's last tag, without its prefix; null: it is not in the table. */
  find({ bytes, nameStart, nameEnd }: XmlScanner): Name | null {
    const slot = this.#slots[slotOf(bytes, nameStart, nameEnd)];
    for (let k = 0; k < slot.length; k++) {
      const wanted = slot[k].bytes;
      if (wanted.length !== nameEnd - nameStart) continue;
      let i = 0;
      while (i < wanted.length && bytes[nameStart + i] === wanted[i]) i++;
      if (i === wanted.length) return slot[k].name;
    }
    return null;
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return (bytes[start] * 7 + bytes[end - 1] * 31 + (end - start) * 13) & 255;
}
