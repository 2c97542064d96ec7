/**
 * Writes zip archives whose members all grow at the same time and whose first bytes are known last.
 *
 * The deflate stream of a member is assembled from pieces: one uncompressed block for the head, one run of blocks per
 * appended buffer, ended by a sync flush (so it ends on a byte boundary), and an empty last block. Pieces are
 * compressed independently in the threads of a packer; without one, in the background threads of the runtime, and if those fall
 * behind, in the caller's thread as well, which limits the memory for waiting pieces. Cost: pieces share no history, less than
 * 1 % at megabytes each.
 *
 * One member at a time, the first one of those that grow, is written to its place in the archive; the others wait in spools.
 *
 * yazl writes one stream after another and supports neither.
 */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { concatBytes } from '@geomill/platform/bytes.ts';
import { crc32, deflatedRunBeside } from '@geomill/platform/compression.ts';
import { removeFile } from '@geomill/platform/files.ts';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { combineCrc32 } from './crc32-combine.ts';
import type { OutputMember, OutputPackage } from './output-package.ts';
import { type ExpectedFile, moveIntoPlace, unfinishedPath } from './output-place.ts';
import { Spool } from './spool.ts';
import {
  type Content,
  DEFLATE,
  isOfWords,
  type PackedPiece,
  type Packer,
  packPiece,
  SMALL_BYTES,
} from './zip-pack.ts';

/** Number of pieces compressed in the background of the runtime at once, over all members. */
const BACKGROUND_PIECES = 12;
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);
const LOCAL_HEADER_BYTES = 30;
const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;
/** Members are smaller. */
export const MAX_MEMBER_BYTES = MAX_UINT32;
const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = 3 << 8;
const FILE_MODE = 0o100644;
const FLAG_UTF8 = 0x800;
const METHOD_STORE = 0;
const METHOD_DEFLATE = 8;

export interface ZipOptions {
  readonly expected?: readonly ExpectedFile[] | undefined;
  /** Members are not compressed: other programs can read any part of them. */
  readonly isStored?: boolean;
  /** Default: the threads of the runtime. */
  readonly packer?: Packer | undefined;
  /** Of the members. Default: a fixed one, so that the same members give the same archive. */
  readonly time?: Date | undefined;
}

/** The first time that an archive can state. */
const FIRST_TIME = new Date(Date.UTC(1980, 0, 1));

export class ZipWriter implements OutputPackage {
  readonly #path: string;
  readonly #unfinishedPath: string;
  readonly #expected: readonly ExpectedFile[] | undefined;
  /** Not in the archive yet. */
  #members: ZipMember[] = [];
  #memberCount = 0;
  readonly #entries: DirectoryEntry[] = [];
  #sink: ByteSink | null = null;
  readonly #isStored: boolean;
  readonly #dosTime: number;
  readonly #packing: Packing;

  /** `path` is the path of the finished archive; temporary files are in the same directory. */
  constructor(path: string, { expected, isStored = false, packer, time = FIRST_TIME }: ZipOptions = {}) {
    this.#path = path;
    this.#dosTime = dosTime(time);
    this.#isStored = isStored;
    this.#packing = new Packing(packer ?? null);
    this.#unfinishedPath = unfinishedPath(path, expected);
    this.#expected = expected;
  }

  /** `name` with '/' between folders. */
  addMember(name: string, headBytes: number, content: Content = 'bytes'): OutputMember {
    const spoolPath = `${this.#unfinishedPath}.part${this.#memberCount++}`;
    const body = this.#members.length === 0 ? this.#archive() : new Spool(spoolPath);
    const packing = this.#isStored ? null : this.#packing;
    const member = new ZipMember(name, headBytes, content, body, packing);
    this.#members.push(member);
    return member;
  }

  /** Completes the members that were added so far: they are moved to the archive, which is returned, and can no longer grow. */
  async flush(): Promise<ByteSink> {
    for (const member of this.#members) await member.complete();
    const sink = this.#archive();
    for (const member of this.#members) this.#entries.push(writeMember(sink, member, this.#dosTime));
    this.#members = [];
    return sink;
  }

  async finish(): Promise<number> {
    try {
      const sink = await this.flush();
      writeDirectory(sink, this.#entries);
      this.#close();
      moveIntoPlace([{ partial: this.#partial, path: this.#path }], this.#expected);
      return sink.byteLength;
    } catch (error) {
      // Also of pieces that are still being compressed.
      this.abort();
      throw error;
    }
  }

  abort(): void {
    for (const member of this.#members) member.discard();
    this.#close();
    removeFile(this.#partial);
  }

  #archive(): ByteSink {
    this.#sink ??= createFileSink(this.#partial, true);
    return this.#sink;
  }

  get #partial(): string {
    return `${this.#unfinishedPath}.part`;
  }

  #close(): void {
    this.#sink?.close();
    this.#sink = null;
  }
}

/** Compresses the pieces of all members. */
class Packing {
  readonly #packer: Packer | null;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(packer: Packer | null) {
    this.#packer = packer;
  }

  /** Calls `done` once, at once for a piece that this thread compresses. */
  pack(bytes: Uint8Array<ArrayBuffer>, content: Content, done: (result: PackedPiece | Error) => void): void {
    const isLocal =
      this.#packer === null && (isOfWords(bytes, content) || this.#running >= BACKGROUND_PIECES);
    if (bytes.length < SMALL_BYTES || isLocal) {
      done(packPiece(bytes, content));
      return;
    }
    this.#running++;
    const finish = (result: PackedPiece | Error): void => {
      this.#running--;
      done(result);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    };
    if (this.#packer === null) {
      const crc = crc32(bytes);
      deflatedRunBeside(bytes, DEFLATE).then((packed) => finish({ packed, crc }), finish);
    } else this.#packer.pack(bytes, content).then(finish, finish);
  }

  /** Resolves when the next piece is done. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

interface Piece {
  readonly byteLength: number;
  /** Null while it is being compressed. */
  done: PackedPiece | null;
}

class ZipMember implements OutputMember {
  readonly name: Uint8Array;
  readonly isAsciiName: boolean;
  head: Uint8Array;
  /** CRC of the bytes after the head. */
  bodyCrc = 0;
  bodyBytes = 0;
  /** Of the local header, if the member is written to its place in the archive; null: it is in a spool. */
  readonly offset: number | null;
  readonly #content: Content;
  readonly #body: Spool | ByteSink;
  /** Null: the member is stored. */
  readonly #packing: Packing | null;
  /** In order. */
  readonly #pieces: Piece[] = [];
  #error: Error | null = null;
  #discarded = false;

  constructor(
    name: string,
    headBytes: number,
    content: Content,
    body: Spool | ByteSink,
    packing: Packing | null,
  ) {
    this.name = new TextEncoder().encode(name);
    this.isAsciiName = this.name.length === name.length;
    this.head = new Uint8Array(headBytes);
    this.#content = content;
    this.#body = body;
    this.#packing = packing;
    this.offset = body instanceof Spool ? null : body.byteLength;
    if (!(body instanceof Spool)) body.append(new Uint8Array(this.#frontBytes));
  }

  /** Bytes of the local header, the name and the head. */
  get #frontBytes(): number {
    return LOCAL_HEADER_BYTES + this.name.length + this.#headBlock.length + this.head.length;
  }

  /** The header of the stored block that is the head. */
  get #headBlock(): Uint8Array {
    const { length } = this.head;
    if (this.#packing === null || length === 0) return new Uint8Array(0);
    return Uint8Array.of(0, length, length >> 8, ~length, ~length >> 8);
  }

  get byteLength(): number {
    return this.head.length + this.bodyBytes;
  }

  get method(): number {
    return this.#packing === null ? METHOD_STORE : METHOD_DEFLATE;
  }

  append(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length === 0) return;
    this.bodyBytes += bytes.length;
    if (this.#packing === null) {
      this.bodyCrc = crc32(bytes, this.bodyCrc);
      this.#body.append(bytes);
      return;
    }
    const piece: Piece = { byteLength: bytes.length, done: null };
    this.#pieces.push(piece);
    this.#packing.pack(bytes, this.#content, (result) => {
      if (result instanceof Error) {
        this.#error ??= result;
        return;
      }
      piece.done = result;
      try {
        this.#drain();
      } catch (thrown) {
        this.#error ??= thrown as Error;
      }
    });
  }

  setHead(bytes: Uint8Array): void {
    if (bytes.length !== this.head.length) throw new RangeError('the head has another length than announced');
    this.head = bytes;
  }

  /** Waits for the pieces still being compressed, then ends the stream. */
  async complete(): Promise<void> {
    if (this.#packing === null) return;
    while (this.#pieces.length > 0 && this.#error === null) await this.#packing.next();
    if (this.#error instanceof GeomillError) throw this.#error;
    if (this.#error !== null)
      throw failure(generalErrors.INTERNAL, { reason: this.#error.message }, undefined, this.#error);
    this.#body.append(LAST_BLOCK);
  }

  get packedBytes(): number {
    const { byteLength } = this.#body;
    const bodyBytes = this.offset === null ? byteLength : byteLength - this.offset - this.#frontBytes;
    return this.#headBlock.length + this.head.length + bodyBytes;
  }

  /** Completes the member in the archive, where the entry says. */
  writeTo(sink: ByteSink, localHeader: Uint8Array): void {
    const front = concatBytes([localHeader, this.name, this.#headBlock, this.head]);
    if (this.offset === null) sink.append(front);
    else sink.patch(this.offset, front);
    if (this.#body instanceof Spool) this.#body.moveTo(sink);
  }

  discard(): void {
    this.#discarded = true;
    if (this.#body instanceof Spool) this.#body.discard();
  }

  #drain(): void {
    while (this.#pieces.length > 0) {
      const { done, byteLength } = this.#pieces[0];
      if (done === null) return;
      this.#pieces.shift();
      this.bodyCrc = combineCrc32(this.bodyCrc, done.crc, byteLength);
      if (!this.#discarded) this.#body.append(done.packed);
    }
  }
}

interface DirectoryEntry {
  readonly member: ZipMember;
  readonly crc: number;
  readonly packedBytes: number;
  readonly offset: number;
  readonly dosTime: number;
}

/** Members are smaller than 4 GiB (shapefiles cannot be larger); only their offsets may need zip64. */
function writeMember(sink: ByteSink, member: ZipMember, dosTime: number): DirectoryEntry {
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

function writeDirectory(sink: ByteSink, entries: readonly DirectoryEntry[]): void {
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

function writeEnd(sink: ByteSink, count: number, start: number): void {
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
function dosTime(given: Date): number {
  const now = given < FIRST_TIME ? FIRST_TIME : given;
  const date = ((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate();
  const time = (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}
