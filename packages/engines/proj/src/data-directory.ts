/**
 * PROJ's data directory as PROJ sees it: proj.db of the package, and the files of the grid directory.
 *
 * A file system for the module that reads real files, at the positions that PROJ requests. Alternative rejected: writing
 * the files into the module's own file system, as is usual, which costs 10 MB (proj.db) and the size of all grids in each
 * thread before the first coordinate. Here threads share the operating system's page cache, and a grid directory
 * of many gigabytes costs nothing until a grid is used. NODEFS would do the same but is not compiled in.
 */
import {
  closeFile,
  fileFacts,
  type OpenFile,
  openFileSize,
  openToRead,
  readFileAt,
} from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';

/** The only directory that PROJ sees; also the value of PROJ_DATA. */
export const DATA_DIRECTORY = '/proj';

/** Errno values of WASI, which the module's C library uses. */
const ENOENT = 44;
const EROFS = 69;
const EIO = 29;
const EINVAL = 28;
const DIRECTORY_MODE = 0o040555;
const FILE_MODE = 0o100444;
const OPEN_FLAGS_WRITING = 0o3; // O_WRONLY | O_RDWR

/** The used properties of a node of Emscripten's file system. */
export interface FsNode {
  name: string;
  mode: number;
  readonly id: number;
  node_ops: object;
  stream_ops: object;
  /** Added here: the path of the file and its size in bytes. */
  hostPath?: string;
  byteLength?: number;
}

export interface FsStream {
  readonly node: FsNode;
  readonly flags: number;
  position: number;
  /** Added here: the file while the stream is open. */
  file?: OpenFile;
}

/** The used functions of Emscripten's `FS`. */
export interface EmscriptenFs {
  readonly ErrnoError: new (errno: number) => Error;
  createNode(parent: FsNode | null, name: string, mode: number, device: number): FsNode;
  mkdir(path: string): void;
  mount(type: { mount(): FsNode }, options: object, mountpoint: string): void;
}

/**
 * Mounts the data directory. `databasePath` is proj.db of the package; it has priority over a proj.db in `gridDirectory`,
 * which would belong to another version of PROJ. Settings (proj.ini) of that directory are ignored too.
 */
export function mountDataDirectory(
  fs: EmscriptenFs,
  databasePath: string,
  gridDirectory: string | null,
): void {
  const fail = (errno: number): never => {
    throw new fs.ErrnoError(errno);
  };

  const hostPathOf = (name: string): string | null => {
    if (name === 'proj.db') return databasePath;
    if (gridDirectory === null || name.startsWith('proj.') || name.includes('..')) return null;
    return joinedPath(gridDirectory, name);
  };

  const attributes = (node: FsNode) => {
    const epoch = new Date(0);
    const size = node.byteLength ?? 0;
    return {
      dev: 1,
      ino: node.id,
      mode: node.mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size,
      atime: epoch,
      mtime: epoch,
      ctime: epoch,
      blksize: 4096,
      blocks: Math.ceil(size / 4096),
    };
  };

  const streamOps = {
    open(stream: FsStream): void {
      if (stream.node.hostPath === undefined) return;
      if ((stream.flags & OPEN_FLAGS_WRITING) !== 0) fail(EROFS);
      try {
        stream.file = openToRead(stream.node.hostPath);
      } catch {
        fail(ENOENT);
      }
    },
    close(stream: FsStream): void {
      if (stream.file !== undefined) closeFile(stream.file);
      stream.file = undefined;
    },
    read(stream: FsStream, target: Int8Array, offset: number, length: number, position: number): number {
      if (stream.file === undefined) return fail(EIO);
      try {
        const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
        return readFileAt(stream.file, bytes, position, offset, offset + length);
      } catch {
        return fail(EIO);
      }
    },
    llseek(stream: FsStream, offset: number, whence: number): number {
      const base = whence === 1 ? stream.position : whence === 2 ? (stream.node.byteLength ?? 0) : 0;
      return base + offset < 0 ? fail(EINVAL) : base + offset;
    },
  };

  const nodeOps = {
    getattr: attributes,
    setattr: (): never => fail(EROFS),
    lookup(parent: FsNode, name: string): FsNode {
      const hostPath = hostPathOf(name);
      const byteLength = hostPath === null ? -1 : fileSize(hostPath);
      if (hostPath === null || byteLength < 0) return fail(ENOENT);
      const node = createNode(parent, name, FILE_MODE);
      node.hostPath = hostPath;
      node.byteLength = byteLength;
      return node;
    },
    mknod: (): never => fail(EROFS),
    unlink: (): never => fail(EROFS),
    rename: (): never => fail(EROFS),
    rmdir: (): never => fail(EROFS),
    readdir: (): string[] => ['.', '..'],
  };

  const createNode = (parent: FsNode | null, name: string, mode: number): FsNode => {
    const node = fs.createNode(parent, name, mode, 0);
    node.node_ops = nodeOps;
    node.stream_ops = streamOps;
    return node;
  };

  fs.mkdir(DATA_DIRECTORY);
  fs.mount({ mount: () => createNode(null, '/', DIRECTORY_MODE) }, {}, DATA_DIRECTORY);
}

/** Size of a file in bytes; -1 if it cannot be opened. It is opened and not only queried, so that the permission
 * model decides here and not when PROJ has already chosen the file. */
function fileSize(path: string): number {
  let file: OpenFile;
  try {
    file = openToRead(path);
  } catch {
    return -1;
  }
  try {
    return fileFacts(path)?.isFile === true ? openFileSize(file) : -1;
  } finally {
    closeFile(file);
  }
}
