/** Gives SQLite the files of a worker: an interface to the system (VFS) that reads and writes a FileSystem. */
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import type { FileSystem } from './file-system.ts';

export const VFS_NAME = 'geomill-files';
const SECTOR_BYTES = 4096;
const MAX_PATH_BYTES = 512;

/** A file that SQLite has open. */
interface OpenFile {
  readonly handle: number;
  readonly path: string;
  readonly isTemporary: boolean;
}

/** The structs and helpers that the declarations of the package leave out. */
// biome-ignore lint/suspicious/noExplicitAny: the package declares neither structs nor installVfs.
type Untyped = any;

/** Registers the files. One worker has each file open, so locks do nothing. */
export function installFiles(sqlite3: Sqlite3Static, files: FileSystem): void {
  const { capi, wasm } = sqlite3 as Untyped;
  const open = new Map<number, OpenFile>();
  const io = new capi.sqlite3_io_methods();
  const vfs = new capi.sqlite3_vfs();
  const standard = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null));
  vfs.$iVersion = 2;
  vfs.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
  vfs.$mxPathname = MAX_PATH_BYTES;
  vfs.$xRandomness = standard.$xRandomness;
  vfs.$xSleep = standard.$xSleep;
  io.$iVersion = 1;
  let temporary = 0;
  /** The code that SQLite gets for an error of the file system. */
  const codeOf = (error: unknown, otherwise: number): number =>
    (error as { code?: string }).code === 'ENOSPC' ? capi.SQLITE_FULL : otherwise;
  const attempt = (work: () => number, otherwise: number): number => {
    try {
      return work();
    } catch (error) {
      return codeOf(error, otherwise);
    }
  };
  const methods = {
    xCheckReservedLock(_file: number, result: number) {
      wasm.poke32(result, 0);
      return 0;
    },
    xClose(file: number) {
      const found = open.get(file);
      if (found === undefined) return 0;
      open.delete(file);
      files.close(found.handle);
      if (found.isTemporary) files.remove(found.path);
      return 0;
    },
    xDeviceCharacteristics: () => capi.SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN,
    xFileControl: () => capi.SQLITE_NOTFOUND,
    xFileSize(file: number, result: number) {
      wasm.poke64(result, BigInt(files.sizeOfOpen((open.get(file) as OpenFile).handle)));
      return 0;
    },
    xLock: () => 0,
    xUnlock: () => 0,
    xRead(file: number, target: number, count: number, offset: bigint) {
      return attempt(() => {
        const bytes = wasm.heap8u().subarray(Number(target), Number(target) + count) as Uint8Array;
        const read = files.readAt((open.get(file) as OpenFile).handle, bytes, Number(offset));
        if (read === count) return 0;
        bytes.fill(0, read);
        return capi.SQLITE_IOERR_SHORT_READ;
      }, capi.SQLITE_IOERR_READ);
    },
    xSectorSize: () => SECTOR_BYTES,
    xSync: () => 0,
    xTruncate(file: number, size: bigint) {
      return attempt(() => {
        files.truncate((open.get(file) as OpenFile).handle, Number(size));
        return 0;
      }, capi.SQLITE_IOERR_TRUNCATE);
    },
    xWrite(file: number, source: number, count: number, offset: bigint) {
      return attempt(() => {
        const bytes = wasm.heap8u().subarray(Number(source), Number(source) + count) as Uint8Array;
        files.writeAt((open.get(file) as OpenFile).handle, bytes, Number(offset));
        return 0;
      }, capi.SQLITE_IOERR_WRITE);
    },
  };
  const systemMethods = {
    xAccess(_vfs: number, name: number, _flags: number, result: number) {
      const facts = files.facts(wasm.cstrToJs(name));
      // As on a disk, an empty journal is none.
      wasm.poke32(result, facts === null ? 0 : 1);
      return 0;
    },
    xCurrentTime(_vfs: number, result: number) {
      wasm.poke(result, 2440587.5 + Date.now() / 86400000, 'double');
      return 0;
    },
    xCurrentTimeInt64(_vfs: number, result: number) {
      wasm.poke64(result, BigInt(Math.round(2440587.5 * 86400000 + Date.now())));
      return 0;
    },
    xDelete(_vfs: number, name: number, _sync: number) {
      files.remove(wasm.cstrToJs(name));
      return 0;
    },
    xFullPathname(_vfs: number, name: number, length: number, result: number) {
      return wasm.cstrncpy(result, name, length) < length ? 0 : capi.SQLITE_CANTOPEN;
    },
    xGetLastError: () => 0,
    xOpen(_vfs: number, name: number, file: number, flags: number, resultFlags: number) {
      return attempt(() => {
        const isTemporary = Number(name) === 0;
        const path = isTemporary ? `/sqlite-${++temporary}` : (wasm.cstrToJs(name) as string);
        const exists = files.facts(path)?.isFile === true;
        if (!exists && (flags & capi.SQLITE_OPEN_CREATE) === 0) return capi.SQLITE_CANTOPEN;
        const isReadOnly = (flags & capi.SQLITE_OPEN_READONLY) !== 0;
        const handle = exists
          ? isReadOnly
            ? files.openToRead(path)
            : files.openToChange(path)
          : files.create(path);
        open.set(file, {
          ...{ handle, path },
          isTemporary: isTemporary || (flags & capi.SQLITE_OPEN_DELETEONCLOSE) !== 0,
        });
        const struct = new capi.sqlite3_file(file);
        struct.$pMethods = io.pointer;
        struct.dispose();
        wasm.poke32(resultFlags, flags);
        return 0;
      }, capi.SQLITE_CANTOPEN);
    },
  };
  (sqlite3 as Untyped).vfs.installVfs({
    io: { struct: io, methods },
    vfs: { struct: vfs, name: VFS_NAME, methods: systemMethods },
  });
}
