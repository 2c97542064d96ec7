/**
 * Reads flatbuffers (flatbuffers.dev, "FlatBuffer Internals") without generated code. All integers are little-endian:
 *
 *     buffer   u32 offset of the root table
 *     table    i32 distance back to its vtable, then the values of its fields
 *     vtable   u16 bytes of the vtable, u16 bytes of the table, u16 for each field: its offset in the table, or 0
 *     vector   u32 number of elements, then these; a string is a vector of bytes
 *     a field that is a table, vector or string is a u32: its distance from there
 *
 * Every offset and length is checked against the buffer before it is used. Writers never refer twice to the same table or
 * vector, so a buffer of which more bytes are read than it has is rejected: nested tables that share their members would take
 * exponential time.
 */

/** A buffer that is damaged, or that the specification does not allow. The callers know its place in the file. */
export class FlatFault extends Error {}

export class FlatTables {
  view: DataView = new DataView(new ArrayBuffer(0));
  bytes: Uint8Array = new Uint8Array(0);
  /** Number of elements of the last vector. */
  count = 0;
  #end = 0;
  #left = 0;
  #table = 0;
  #tableBytes = 0;
  #vtable = 0;
  #vtableBytes = 0;

  /** Replaces the bytes that contain the buffers. */
  load(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Enters the root table of the buffer `bytes[start, end)`; returns its position. `reads`: how many times all bytes of the
   * buffer may be read. Throws FlatFault.
   */
  open(start: number, end: number, reads = 1): number {
    this.#end = end;
    this.#left = (end - start) * reads;
    if (start + 4 > end) throw new FlatFault('it ends before its first table');
    const root = this.#target(start);
    this.enter(root);
    return root;
  }

  /** Makes a table the one whose fields are read. */
  enter(table: number): void {
    const { view } = this;
    if (table + 4 > this.#end) throw new FlatFault('a table begins beyond its end');
    const vtable = table - view.getInt32(table, true);
    if (vtable < 0 || vtable + 4 > this.#end) throw new FlatFault('the layout of a table is not within it');
    const vtableBytes = view.getUint16(vtable, true);
    const tableBytes = view.getUint16(vtable + 2, true);
    if (vtable + vtableBytes > this.#end || table + tableBytes > this.#end || tableBytes < 4)
      throw new FlatFault('a table ends beyond its end');
    this.#spend(tableBytes);
    this.#table = table;
    this.#tableBytes = tableBytes;
    this.#vtable = vtable;
    this.#vtableBytes = vtableBytes;
  }

  /** Position of the value of a field of `byteLength` bytes of the entered table; 0: it is not set. */
  slot(field: number, byteLength: number): number {
    const entry = 4 + 2 * field;
    if (entry + 2 > this.#vtableBytes) return 0;
    const offset = this.view.getUint16(this.#vtable + entry, true);
    if (offset === 0) return 0;
    if (offset < 4 || offset + byteLength > this.#tableBytes)
      throw new FlatFault(`field ${field} of a table is not within the table`);
    return this.#table + offset;
  }

  /** Position of the table to which a slot or an element of a vector refers. */
  tableAt(slot: number): number {
    return this.#target(slot);
  }

  /** Position of the first element of the vector to which a slot refers; sets `count`. */
  vectorAt(slot: number, elementBytes: number): number {
    const start = this.#target(slot) + 4;
    this.count = this.view.getUint32(start - 4, true);
    const byteLength = this.count * elementBytes;
    if (byteLength > this.#end - start)
      throw new FlatFault(
        `${this.count} elements of a list do not fit into the ${this.#end - start} bytes left`,
      );
    this.#spend(byteLength + 4);
    return start;
  }

  /** The text to which a field refers; null: it is not set. */
  text(field: number): string | null {
    const slot = this.slot(field, 4);
    if (slot === 0) return null;
    const start = this.vectorAt(slot, 1);
    return decoder.decode(this.bytes.subarray(start, start + this.count));
  }

  uint8(field: number): number {
    const slot = this.slot(field, 1);
    return slot === 0 ? 0 : this.view.getUint8(slot);
  }

  uint16(field: number, otherwise: number): number {
    const slot = this.slot(field, 2);
    return slot === 0 ? otherwise : this.view.getUint16(slot, true);
  }

  int32(field: number): number {
    const slot = this.slot(field, 4);
    return slot === 0 ? 0 : this.view.getInt32(slot, true);
  }

  uint64(field: number): bigint {
    const slot = this.slot(field, 8);
    return slot === 0 ? 0n : this.view.getBigUint64(slot, true);
  }

  #target(slot: number): number {
    const target = slot + this.view.getUint32(slot, true);
    if (target === slot || target + 4 > this.#end) throw new FlatFault('an offset points beyond its end');
    return target;
  }

  #spend(byteLength: number): void {
    this.#left -= byteLength;
    if (this.#left < 0) throw new FlatFault('its tables and lists overlap');
  }
}

const decoder = new TextDecoder();
