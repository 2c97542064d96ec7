/**
 * The header of a .dbf: 32 bytes, then one descriptor per field, then 0x0D.
 *
 *     0  uint8      version and flags          8  uint16 LE  bytes of the header
 *     4  uint32 LE  row count                 10  uint16 LE  bytes per row, including the deletion mark
 *    29  uint8      language driver id
 *
 * A descriptor has 32 bytes: name (11, ended by 0), type letter at 11, width at 16, decimals at 17. dBASE 7 has 68
 * bytes and descriptors of 48: name (32), type at 32, width at 33, decimals at 34.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { shpErrors } from './messages.ts';

export interface DbfField {
  /** The bytes of the name without blanks, in the encoding of the table. */
  readonly nameBytes: Uint8Array;
  /** Type letter: C, N, F, L, D, ... */
  readonly type: string;
  /** Offset in the row; byte 0 is the deletion mark. */
  readonly offset: number;
  readonly width: number;
  readonly decimals: number;
}

export interface DbfHeader {
  readonly rowCount: number;
  readonly headerBytes: number;
  readonly rowBytes: number;
  readonly languageId: number;
  /** dBASE 7 stores integers big-endian with the sign bit flipped. */
  readonly isLevel7: boolean;
  readonly fields: readonly DbfField[];
}

const FIELD_END = 0x0d;

/** Number of bytes that `readDbfHeader` needs. Throws DBF_HEADER. */
export function dbfHeadBytes(firstBytes: Uint8Array, fileBytes: number, file: string): number {
  if (firstBytes.length < 32)
    throw failure(shpErrors.DBF_HEADER, {
      file,
      reason: `a .dbf begins with a head of at least 33 bytes, but the file has only ${fileBytes}`,
    });
  const headBytes = firstBytes[8] | (firstBytes[9] << 8);
  if (headBytes < 33 || headBytes > fileBytes)
    throw failure(shpErrors.DBF_HEADER, {
      file,
      reason: `it declares a head of ${headBytes} bytes in a file of ${fileBytes}: it is no .dbf or was cut off`,
    });
  return headBytes;
}

/** Parses and checks the header. Throws DBF_HEADER, also if the file is too short for its rows. */
export function readDbfHeader(head: Uint8Array, fileBytes: number, file: string): DbfHeader {
  const refuse = (reason: string): never => {
    throw failure(shpErrors.DBF_HEADER, { file, reason });
  };
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const headerBytes = view.getUint16(8, true);
  const rowBytes = view.getUint16(10, true);
  const rowCount = view.getUint32(4, true);
  const isLevel7 = (head[0] & 7) === 4;
  const fields = isLevel7 ? readDescriptors(head, 68, 48, 32) : readDescriptors(head, 32, 32, 11);
  if (rowBytes < 1) refuse('it declares rows of 0 bytes');
  let used = 1 + fields.reduce((sum, field) => sum + field.width, 0);
  let placed = fields;
  if (used !== rowBytes) {
    // Clipper and FoxPro store the high byte of a long text's width in the byte for decimals.
    const long = widenTexts(fields);
    const longUsed = 1 + long.reduce((sum, field) => sum + field.width, 0);
    if (longUsed === rowBytes) {
      placed = long;
      used = longUsed;
    }
  }
  if (used > rowBytes)
    refuse(`its fields need ${used} bytes per row, but a row is declared to have ${rowBytes}`);
  const needed = headerBytes + rowCount * rowBytes;
  if (needed > fileBytes)
    refuse(
      `it declares ${rowCount} rows of ${rowBytes} bytes, which need ${needed} bytes, but the file has ${fileBytes}: it was cut off`,
    );
  return { rowCount, headerBytes, rowBytes, languageId: head[29], isLevel7, fields: placed };
}

function readDescriptors(head: Uint8Array, first: number, size: number, nameBytes: number): DbfField[] {
  const fields: DbfField[] = [];
  const typeAt = nameBytes;
  const widthAt = size === 32 ? 16 : 33;
  let offset = 1;
  for (let at = first; at + size <= head.length && head[at] !== FIELD_END; at += size) {
    const width = head[at + widthAt];
    fields.push({
      nameBytes: trimmedName(head.subarray(at, at + nameBytes)),
      type: String.fromCharCode(head[at + typeAt]),
      offset,
      width,
      decimals: head[at + widthAt + 1],
    });
    offset += width;
  }
  return fields;
}

function widenTexts(fields: readonly DbfField[]): DbfField[] {
  let offset = 1;
  return fields.map((field) => {
    const width = field.type === 'C' ? field.width + field.decimals * 256 : field.width;
    const placed = { ...field, offset, width };
    offset += width;
    return placed;
  });
}

function trimmedName(bytes: Uint8Array): Uint8Array {
  let end = bytes.indexOf(0);
  if (end < 0) end = bytes.length;
  let start = 0;
  while (start < end && bytes[start] === 0x20) start++;
  while (end > start && bytes[end - 1] === 0x20) end--;
  return bytes.slice(start, end);
}

export interface DbfFieldSpec {
  /** At most 10 bytes of UTF-8. */
  readonly name: string;
  readonly type: 'C' | 'N' | 'L' | 'D';
  readonly width: number;
  readonly decimals: number;
}

/** The header of a UTF-8 table (language driver id 0: the .cpg states the encoding). */
export function makeDbfHeader(
  fields: readonly DbfFieldSpec[],
  rowCount: number,
  date: Date,
): Uint8Array<ArrayBuffer> {
  const headerBytes = 33 + fields.length * 32;
  const bytes = new Uint8Array(headerBytes);
  const view = new DataView(bytes.buffer);
  bytes[0] = 3;
  bytes[1] = date.getUTCFullYear() - 1900;
  bytes[2] = date.getUTCMonth() + 1;
  bytes[3] = date.getUTCDate();
  view.setUint32(4, rowCount, true);
  view.setUint16(8, headerBytes, true);
  view.setUint16(10, rowBytesOf(fields), true);
  const encoder = new TextEncoder();
  fields.forEach((field, i) => {
    const at = 32 + i * 32;
    bytes.set(encoder.encode(field.name), at);
    bytes[at + 11] = field.type.charCodeAt(0);
    bytes[at + 16] = field.width;
    bytes[at + 17] = field.decimals;
  });
  bytes[headerBytes - 1] = FIELD_END;
  return bytes;
}

export function rowBytesOf(fields: readonly { readonly width: number }[]): number {
  return 1 + fields.reduce((sum, field) => sum + field.width, 0);
}
