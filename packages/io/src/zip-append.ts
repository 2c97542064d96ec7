/** Adds a member to a finished archive of ZipWriter, whose directory is at its end and has no comment. */
import { failure } from '@geomill/core/messages/errors.ts';
import { concatBytes } from '@geomill/platform/bytes.ts';
import { crc32, deflatedRun } from '@geomill/platform/compression.ts';
import { renameFile } from '@geomill/platform/file-state.ts';
import { removeFile } from '@geomill/platform/files.ts';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { type ByteSource, openFileSource } from './byte-source.ts';
import { ioErrors } from './errors.ts';
import { dosTime, FIRST_TIME, writeEnd } from './zip-directory.ts';
import { DEFLATE } from './zip-pack.ts';

const COPIED_BYTES = 4 << 20;
const END_BYTES = 22;
/** Of the end record of an archive with zip64, before the two records after it. */
const ZIP64_BYTES = 56 + 20;
const MAX_UINT32 = 0xffffffff;
const MAX_UINT16 = 0xffff;
const FLAG_UTF8 = 0x800;
/** The last block of a deflate stream, empty. */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);

/** Throws ZIP_INVALID; the archive is replaced only when the new one is complete. */
export function addZipMember(path: string, name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const partial = `${path}.sidecar.part`;
  const sink = createFileSink(partial, true);
  try {
    using archive = openFileSource(path);
    const { start, end, count } = directoryOf(archive, path);
    copy(archive, sink, 0, start);
    const entry = writeEntry(sink, name, bytes);
    const directoryStart = sink.byteLength;
    copy(archive, sink, start, end);
    sink.append(entry);
    writeEnd(sink, count + 1, directoryStart);
    sink.close();
  } catch (error) {
    sink.close();
    removeFile(partial);
    throw error;
  }
  renameFile(partial, path);
}

function copy(from: ByteSource, to: ByteSink, start: number, end: number): void {
  for (let at = start; at < end; at += COPIED_BYTES)
    to.append(from.slice(at, Math.min(end, at + COPIED_BYTES)));
}

function directoryOf(
  archive: ByteSource,
  source: string,
): { readonly start: number; readonly end: number; readonly count: number } {
  const at = archive.byteLength - END_BYTES;
  const view = new DataView(archive.slice(Math.max(0, at), archive.byteLength).buffer);
  if (at < 0 || view.getUint32(0, true) !== 0x06054b50)
    throw failure(ioErrors.ZIP_INVALID, { source, reason: 'its directory is not at its end' });
  const count = view.getUint16(10, true);
  const start = view.getUint32(16, true);
  if (count !== MAX_UINT16 && start !== MAX_UINT32)
    return { start, end: start + view.getUint32(12, true), count };
  const large = new DataView(archive.slice(at - ZIP64_BYTES, at).buffer);
  const largeStart = Number(large.getBigUint64(48, true));
  return {
    start: largeStart,
    end: largeStart + Number(large.getBigUint64(40, true)),
    count: Number(large.getBigUint64(32, true)),
  };
}

/** Writes the member and returns its entry of the directory. */
function writeEntry(sink: ByteSink, name: string, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const packed = concatBytes([deflatedRun(bytes, DEFLATE), LAST_BLOCK]);
  const nameBytes = new TextEncoder().encode(name);
  const offset = sink.byteLength;
  const isFar = offset >= MAX_UINT32;
  const common = new DataView(new ArrayBuffer(26));
  common.setUint16(0, isFar ? 45 : 20, true);
  common.setUint16(2, nameBytes.length === name.length ? 0 : FLAG_UTF8, true);
  common.setUint16(4, 8, true);
  common.setUint32(6, dosTime(FIRST_TIME), true);
  common.setUint32(10, crc32(bytes), true);
  common.setUint32(14, packed.length, true);
  common.setUint32(18, bytes.length, true);
  common.setUint16(22, nameBytes.length, true);
  sink.append(Uint8Array.of(0x50, 0x4b, 3, 4));
  sink.append(new Uint8Array(common.buffer));
  sink.append(nameBytes);
  sink.append(packed);
  common.setUint16(24, isFar ? 12 : 0, true);
  const rest = new DataView(new ArrayBuffer(14));
  rest.setUint32(6, 0o100644 * 0x10000, true);
  rest.setUint32(10, isFar ? MAX_UINT32 : offset, true);
  const extra = new DataView(new ArrayBuffer(isFar ? 12 : 0));
  if (isFar) {
    extra.setUint16(0, 1, true);
    extra.setUint16(2, 8, true);
    extra.setBigUint64(4, BigInt(offset), true);
  }
  return concatBytes([
    // Made by Unix, as the other members.
    Uint8Array.of(0x50, 0x4b, 1, 2, 45, 3),
    new Uint8Array(common.buffer),
    new Uint8Array(rest.buffer),
    nameBytes,
    new Uint8Array(extra.buffer),
  ]);
}
