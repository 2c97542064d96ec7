/**
 * Reads untrusted zip archives. All limits are checked while bytes are unpacked, not afterwards. Names are only
 * compared and shown; files are written under generated names.
 *
 * The platform reads the central directory. Unpacking is done here, because a stored member is read in place without a copy.
 */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { inflateParts } from '@geomill/platform/compressed-streams.ts';
import { crc32, inflatedBeside, isTooLong, unpacked } from '@geomill/platform/compression.ts';
import { writeNewFile } from '@geomill/platform/files.ts';
import { type DirectoryEntry, readDirectory } from '@geomill/platform/zip-directory.ts';
import { createFileSink } from './byte-sink.ts';
import { type ByteSource, openFileSource } from './byte-source.ts';
import { ioErrors } from './errors.ts';
import type { FileSegment } from './file-segment.ts';
import type { UnpackBudget } from './unpack-budget.ts';

export interface ZipEntry {
  /** Path in the archive with '/' between folders; ends with '/' for a folder. */
  readonly name: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly crc32: number;
  /** 0 stored, 8 deflated; others cannot be unpacked. */
  readonly method: number;
  /** Why the entry cannot be used, or null. */
  readonly unusable: string | null;
  /** Byte offset of the entry's local header in the archive. */
  readonly headerOffset: number;
}

/** Members up to this size are unpacked in one call, larger ones as a stream. */
const ONE_CALL_BYTES = 16 << 20;
/**
 * Members from this size on are unpacked beside this thread, in parallel; for smaller ones the overhead is longer
 * than the work.
 */
const IN_POOL_BYTES = 1 << 20;
const LOCAL_HEADER_BYTES = 30;

const FLAG_ENCRYPTED = 1;
const FLAG_UTF8 = 0x800;
const UNIX_TYPE_MASK = 0o170000;
const UNIX_SYMLINK = 0o120000;

/**
 * The entries of an archive in their order. Throws ZIP_INVALID, ZIP_ENTRY_NAME, ZIP_OVERLAP, and LIMIT_EXCEEDED if
 * their declared sizes exceed the budget.
 */
export async function readZipDirectory(
  path: string,
  source: string,
  budget: UnpackBudget,
): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  try {
    await readDirectory(
      path,
      (entryCount) => budget.countEntries(source, entryCount),
      (entry) => entries.push(describeEntry(entry, source, budget)),
    );
    checkOverlaps(entries, source);
    return entries;
  } catch (error) {
    throw asZipFailure(error, source);
  }
}

/**
 * Rejects entries that share bytes: they can unpack to many times the honest content of an archive of that size, and no
 * program writes them. Only the fixed part of local headers is counted, so gaps, padding and data descriptors of valid
 * archives are accepted.
 */
function checkOverlaps(entries: readonly ZipEntry[], source: string): void {
  const byOffset = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  for (let i = 1; i < byOffset.length; i++) {
    const { name: first, headerOffset, packedBytes } = byOffset[i - 1];
    const { name: second, headerOffset: next } = byOffset[i];
    if (next < headerOffset + LOCAL_HEADER_BYTES + packedBytes)
      throw failure(ioErrors.ZIP_OVERLAP, { source, first, second, offset: next });
  }
}

function asZipFailure(error: unknown, source: string): GeomillError {
  if (error instanceof GeomillError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return failure(ioErrors.ZIP_INVALID, { source, reason }, undefined, error);
}

function describeEntry(entry: DirectoryEntry, source: string, budget: UnpackBudget): ZipEntry {
  const { packedBytes, unpackedBytes, method } = entry;
  const name = entryName(entry.nameBytes, entry.flags);
  checkName(name, source);
  budget.countBytes(source, unpackedBytes);
  budget.checkRatio(`'${name}' in ${source}`, unpackedBytes, packedBytes);
  const madeByUnix = entry.versionMadeBy >> 8 === 3;
  const isLink = madeByUnix && ((entry.externalAttributes >>> 16) & UNIX_TYPE_MASK) === UNIX_SYMLINK;
  let unusable: string | null = null;
  if ((entry.flags & FLAG_ENCRYPTED) !== 0) unusable = 'it is encrypted';
  else if (isLink) unusable = 'it is a symbolic link';
  else if (method !== 0 && method !== 8) unusable = `its compression method ${method} is not supported`;
  return {
    name,
    packedBytes,
    unpackedBytes,
    crc32: entry.crc32,
    method,
    unusable,
    headerOffset: entry.headerOffset,
  };
}

const decodeUtf8 = textDecoder(UTF8);
const decodeDos = textDecoder('CP437');

/**
 * Many programs write UTF-8 names without the flag; names that are not valid UTF-8 are CP437, as the standard says. Programs
 * of Windows write backslashes between directories, against the standard.
 */
function entryName(bytes: Uint8Array, flags: number): string {
  const utf8 = (flags & FLAG_UTF8) !== 0 || invalidUtf8At(bytes, 0, bytes.length) < 0;
  const name = utf8 ? decodeUtf8(bytes, 0, bytes.length) : decodeDos(bytes, 0, bytes.length);
  return name.replaceAll('\\', '/');
}

function checkName(name: string, source: string): void {
  const hostile =
    name === '' ||
    name.startsWith('/') ||
    /^[A-Za-z]:/.test(name) ||
    name.includes('\0') ||
    name.split('/').includes('..');
  if (hostile)
    throw failure(ioErrors.ZIP_ENTRY_NAME, { source, entry: name.replaceAll('\0', '\\0').slice(0, 200) });
}

function invalidEntry(source: string, entry: ZipEntry): (reason: string) => GeomillError {
  return (reason) => failure(ioErrors.ZIP_INVALID, { source, reason: `entry '${entry.name}': ${reason}` });
}

/**
 * The segment of the entry's bytes once it is unpacked to `targetPath`, or in place if it is stored. Throws
 * ZIP_INVALID.
 */
export function entrySegment(
  archivePath: string,
  entry: ZipEntry,
  source: string,
  targetPath: string,
): FileSegment {
  const name = `${source}/${entry.name}`;
  const byteLength = entry.unpackedBytes;
  if (!isStored(entry)) return { path: targetPath, name, start: 0, byteLength };
  using archive = openFileSource(archivePath);
  const start = dataOffset(archive, entry, invalidEntry(source, entry));
  return { path: archivePath, name, start, byteLength };
}

/** Whether the entry is read in place, so that unpacking it takes no space. */
export function isStored({ method }: ZipEntry): boolean {
  return method === 0;
}

/**
 * The entry's bytes as a segment: in place if stored, else unpacked to `targetPath`, which must not exist. Size and CRC
 * are verified. `advance` is called with the number of bytes that are unpacked so far, but not verified. Throws ZIP_INVALID.
 */
export async function unpackEntry(
  archivePath: string,
  entry: ZipEntry,
  source: string,
  targetPath: string,
  advance: (byteLength: number) => void = () => {},
): Promise<FileSegment> {
  const invalid = invalidEntry(source, entry);
  if (entry.unusable !== null) throw invalid(entry.unusable);
  using archive = openFileSource(archivePath);
  const start = dataOffset(archive, entry, invalid);
  const name = `${source}/${entry.name}`;
  if (isStored(entry)) {
    verifyStored(archive, entry, start, invalid);
    return { path: archivePath, name, start, byteLength: entry.unpackedBytes };
  }
  if (entry.unpackedBytes <= ONE_CALL_BYTES && entry.packedBytes <= ONE_CALL_BYTES)
    await inflateAtOnce(archive, entry, start, targetPath, invalid);
  else await inflateStream(archive, entry, start, targetPath, invalid, advance);
  return { path: targetPath, name, start: 0, byteLength: entry.unpackedBytes };
}

function dataOffset(archive: ByteSource, entry: ZipEntry, invalid: (reason: string) => GeomillError): number {
  const header = archive.slice(entry.headerOffset, entry.headerOffset + LOCAL_HEADER_BYTES);
  const view = new DataView(header.buffer);
  if (header.length < LOCAL_HEADER_BYTES || view.getUint32(0, true) !== 0x04034b50)
    throw invalid(`there is no local header at byte ${entry.headerOffset}`);
  const start = entry.headerOffset + LOCAL_HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + entry.packedBytes > archive.byteLength)
    throw invalid(`its data end behind the end of the archive (${archive.byteLength} bytes)`);
  return start;
}

function verifyStored(
  archive: ByteSource,
  entry: ZipEntry,
  start: number,
  invalid: (reason: string) => GeomillError,
): void {
  if (entry.packedBytes !== entry.unpackedBytes) throw invalid('it is stored but its two sizes differ');
  let crc = 0;
  for (const piece of pieces(archive, start, entry.packedBytes)) crc = crc32(piece, crc);
  if (crc !== entry.crc32) throw invalid('its CRC is wrong: the archive is damaged');
}

function* pieces(archive: ByteSource, start: number, byteLength: number): Generator<Uint8Array> {
  const pieceBytes = 1 << 20;
  for (let at = 0; at < byteLength; at += pieceBytes)
    yield archive.slice(start + at, start + Math.min(byteLength, at + pieceBytes));
}

async function inflateAtOnce(
  archive: ByteSource,
  entry: ZipEntry,
  start: number,
  targetPath: string,
  invalid: (reason: string) => GeomillError,
): Promise<void> {
  const packed = archive.slice(start, start + entry.packedBytes);
  let bytes: Uint8Array;
  try {
    bytes =
      entry.unpackedBytes < IN_POOL_BYTES
        ? unpacked('deflate', packed, entry.unpackedBytes)
        : await inflatedBeside(packed, entry.unpackedBytes);
  } catch (error) {
    throw invalid(unpackReason(error, entry));
  }
  checkUnpacked(entry, bytes.length, crc32(bytes), invalid);
  writeNewFile(targetPath, bytes);
}

async function inflateStream(
  archive: ByteSource,
  entry: ZipEntry,
  start: number,
  targetPath: string,
  invalid: (reason: string) => GeomillError,
  advance: (byteLength: number) => void,
): Promise<void> {
  let crc = 0;
  const target = createFileSink(targetPath);
  const write = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    let byteLength = 0;
    for await (const chunk of chunks) {
      byteLength += chunk.length;
      if (byteLength > entry.unpackedBytes) break;
      crc = crc32(chunk, crc);
      target.append(chunk);
      advance(byteLength);
    }
    checkUnpacked(entry, byteLength, crc, invalid);
  };
  try {
    await inflateParts(pieces(archive, start, entry.packedBytes), write);
  } catch (error) {
    if (error instanceof GeomillError) throw error;
    throw invalid(unpackReason(error, entry));
  } finally {
    target.close();
  }
}

/** Why the data of an entry cannot be unpacked. The text of zlib about too many bytes speaks of its own buffer. */
function unpackReason(error: unknown, { unpackedBytes }: ZipEntry): string {
  if (isTooLong(error)) return moreThanDeclared(unpackedBytes);
  return `it cannot be unpacked (${(error as Error).message})`;
}

function moreThanDeclared(unpackedBytes: number): string {
  return `it unpacks to more bytes than the ${unpackedBytes} it declares`;
}

function checkUnpacked(
  entry: ZipEntry,
  byteLength: number,
  crc: number,
  invalid: (reason: string) => GeomillError,
): void {
  if (byteLength > entry.unpackedBytes) throw invalid(moreThanDeclared(entry.unpackedBytes));
  if (byteLength < entry.unpackedBytes)
    throw invalid(`it unpacks to fewer bytes than the ${entry.unpackedBytes} it declares`);
  if (crc !== entry.crc32) throw invalid('its CRC is wrong: the archive is damaged');
}
