/** The headers of a zip archive: one before each member, the directory at the end. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { crc32 } from '@geomill/platform/compression.ts';
import type { ByteSink } from './byte-sink.ts';
import { combineCrc32, LOCAL_HEADER_BYTES, type ZipMember } from './zip-member.ts';

const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;
/** Members are smaller. */
export const MAX_MEMBER_BYTES = MAX_UINT32;
const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = 3 << 8;
const FILE_MODE = 0o100644;
const FLAG_UTF8 = 0x800;
/** The first time that an archive can state. */
export const FIRST_TIME = new Date(Date.UTC(1980, 0, 1));

export interface DirectoryEntry {
  readonly member: ZipMember;
  readonly crc: number;
  readonly packedBytes: number;
  readonly offset: number;
  readonly dosTime: number;
}

/** Members are smaller than 4 GiB (shapefiles cannot be larger); only their offsets may need zip64. */
export function writeMember(sink: ByteSink, member: ZipMember, dosTime: number): DirectoryEntry {
  const { packedBytes } = member;
  if (packedBytes >= MAX_UINT32 || member.byteLength >= MAX_UINT32)
    throw failure(generalErrors.INTERNAL, { reason: 'a zip member of 4 GiB or more' });
  const crc = combineCrc32(crc32(member.head), member.bodyCrc, member.bodyBytes);
  const offset = member.offset ?? sink.byteLength;
  const entry = { member, crc, packedBytes, offset, dosTime };
  const header = new DataView(new ArrayBuffer(LOCAL_HEADER_BYTES));
  header.setUint32(0, 0x04034b50, true);
  header.setUint16(4, VERSION_DEFLATE, true);
  writeCommonFields(header, 6, entry);
  member.writeTo(sink, new Uint8Array(header.buffer));
  return entry;
}

/** Writes the 22 bytes that local and central headers share: flags to extra length. */
function writeCommonFields(view: DataView, at: number, entry: DirectoryEntry): void {
  view.setUint16(at, entry.member.isAsciiName ? 0 : FLAG_UTF8, true);
  view.setUint16(at + 2, entry.member.method, true);
  view.setUint32(at + 4, entry.dosTime, true);
  view.setUint32(at + 8, entry.crc, true);
  view.setUint32(at + 12, entry.packedBytes, true);
  view.setUint32(at + 16, entry.member.byteLength, true);
  view.setUint16(at + 20, entry.member.name.length, true);
}

export function writeDirectory(sink: ByteSink, entries: readonly DirectoryEntry[]): void {
  const start = sink.byteLength;
  for (const entry of entries) {
    const isFar = entry.offset >= MAX_UINT32;
    const header = new DataView(new ArrayBuffer(46));
    header.setUint32(0, 0x02014b50, true);
    header.setUint16(4, MADE_BY_UNIX | VERSION_ZIP64, true);
    header.setUint16(6, isFar ? VERSION_ZIP64 : VERSION_DEFLATE, true);
    writeCommonFields(header, 8, entry);
    header.setUint16(30, isFar ? 12 : 0, true);
    header.setUint32(38, FILE_MODE * 0x10000, true);
    header.setUint32(42, isFar ? MAX_UINT32 : entry.offset, true);
    sink.append(new Uint8Array(header.buffer));
    sink.append(entry.member.name);
    if (!isFar) continue;
    const extra = new DataView(new ArrayBuffer(12));
    extra.setUint16(0, 1, true);
    extra.setUint16(2, 8, true);
    extra.setBigUint64(4, BigInt(entry.offset), true);
    sink.append(new Uint8Array(extra.buffer));
  }
  writeEnd(sink, entries.length, start);
}

/** Ends a directory of so many entries that begins at `start`. */
export function writeEnd(sink: ByteSink, count: number, start: number): void {
  const end = sink.byteLength;
  const byteLength = end - start;
  const needsZip64 = start >= MAX_UINT32 || count >= MAX_UINT16;
  if (needsZip64) {
    const record = new DataView(new ArrayBuffer(56 + 20));
    record.setUint32(0, 0x06064b50, true);
    record.setBigUint64(4, 44n, true);
    record.setUint16(12, MADE_BY_UNIX | VERSION_ZIP64, true);
    record.setUint16(14, VERSION_ZIP64, true);
    record.setBigUint64(24, BigInt(count), true);
    record.setBigUint64(32, BigInt(count), true);
    record.setBigUint64(40, BigInt(byteLength), true);
    record.setBigUint64(48, BigInt(start), true);
    record.setUint32(56, 0x07064b50, true);
    record.setBigUint64(64, BigInt(end), true);
    record.setUint32(72, 1, true);
    sink.append(new Uint8Array(record.buffer));
  }
  const record = new DataView(new ArrayBuffer(22));
  record.setUint32(0, 0x06054b50, true);
  record.setUint16(8, Math.min(count, MAX_UINT16), true);
  record.setUint16(10, Math.min(count, MAX_UINT16), true);
  record.setUint32(12, byteLength, true);
  record.setUint32(16, needsZip64 ? MAX_UINT32 : start, true);
  sink.append(new Uint8Array(record.buffer));
}

/** Date in the high and time in the low 16 bits, in steps of two seconds, as in DOS. */
export function dosTime(given: Date): number {
  const now = given < FIRST_TIME ? FIRST_TIME : given;
  const date = ((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate();
  const time = (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}
