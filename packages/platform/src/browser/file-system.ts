/**
 * Files of a worker, read and written at once: what the workspaces that convert see instead of a disk. Directories and names are in memory,
 * contents in blocks (BlockStore), those of files that a user chose in their Blobs. Offsets and sizes are in bytes; paths are absolute and have slashes.
 */
import { BLOCK, type Block, type BlockStore, systemError } from './block-store.ts';

export interface FileNode {
  readonly kind: 'file';
  size: number;
  /** By the number of the block; a missing one is of zeros. */
  readonly blocks: Map<number, Block>;
  readonly isReadOnly: boolean;
  /** Number of times that it is open. */
  opens: number;
  /** Its blocks are freed when it is closed for the last time. */
  isRemoved: boolean;
}

interface DirectoryNode {
  readonly kind: 'directory';
  readonly entries: Map<string, FileNode | DirectoryNode>;
}

/** Reads `[start, end)` of a Blob at once. */
export type BlobReader = (blob: Blob, start: number, end: number) => Uint8Array<ArrayBuffer>;

export class FileSystem {
  readonly #root: DirectoryNode = { kind: 'directory', entries: new Map() };
  readonly #store: BlockStore;
  readonly #readBlob: BlobReader;
  readonly #open = new Map<number, { readonly file: FileNode; readonly isWritable: boolean }>();
  readonly #ids = new WeakMap<FileNode | DirectoryNode, number>();
  #lastId = 0;
  #next = 3;
  #names = 0;

  constructor(store: BlockStore, readBlob: BlobReader) {
    this.#store = store;
    this.#readBlob = readBlob;
  }

  /** Makes a Blob a file that can only be read. Its directory has to exist. Throws EEXIST. */
  mount(path: string, blob: Blob): void {
    const blocks = new Map<number, Block>();
    for (let start = 0; start < blob.size; start += BLOCK) {
      const end = Math.min(start + BLOCK, blob.size);
      blocks.set(
        start / BLOCK,
        this.#store.create(() => this.#readBlob(blob, start, end)),
      );
    }
    this.#add(path, { kind: 'file', size: blob.size, blocks, isReadOnly: true, opens: 0, isRemoved: false });
  }

  /** Throws ENOENT, EISDIR. */
  openToRead(path: string): number {
    return this.#opened(this.#file(path), false);
  }

  /** To read and to write. Throws ENOENT, EISDIR, EACCES. */
  openToChange(path: string): number {
    const file = this.#file(path);
    if (file.isReadOnly) throw systemError('EACCES', `'${path}' can only be read`);
    return this.#opened(file, true);
  }

  /** A new file, to be read and written. Throws EEXIST, ENOENT. */
  create(path: string): number {
    const file: FileNode = {
      kind: 'file',
      size: 0,
      blocks: new Map(),
      isReadOnly: false,
      opens: 0,
      isRemoved: false,
    };
    this.#add(path, file);
    return this.#opened(file, true);
  }

  close(handle: number): void {
    const file = this.#handle(handle);
    this.#open.delete(handle);
    file.opens--;
    if (file.isRemoved) this.#free(file);
  }

  sizeOfOpen(handle: number): number {
    return this.#handle(handle).size;
  }

  /** Fills `target` from `offset` on; returns the number of bytes, which is smaller only at the end of the file. */
  readAt(handle: number, target: Uint8Array, offset: number): number {
    const file = this.#handle(handle);
    const end = Math.min(file.size, offset + target.length);
    for (let at = offset; at < end; ) {
      const block = file.blocks.get(Math.floor(at / BLOCK));
      const within = at % BLOCK;
      const count = Math.min(BLOCK - within, end - at);
      if (block === undefined) target.fill(0, at - offset, at - offset + count);
      else target.set(this.#store.bytesOf(block, false).subarray(within, within + count), at - offset);
      at += count;
    }
    return Math.max(0, end - offset);
  }

  writeAt(handle: number, bytes: Uint8Array, offset: number): void {
    const file = this.#handle(handle, true);
    const end = offset + bytes.length;
    for (let at = offset; at < end; ) {
      const number = Math.floor(at / BLOCK);
      let block = file.blocks.get(number);
      if (block === undefined) {
        block = this.#store.create();
        file.blocks.set(number, block);
      }
      const within = at % BLOCK;
      const count = Math.min(BLOCK - within, end - at);
      this.#store.bytesOf(block, true).set(bytes.subarray(at - offset, at - offset + count), within);
      at += count;
    }
    file.size = Math.max(file.size, end);
  }

  /** Makes an open file longer, by zeros, or shorter. */
  truncate(handle: number, size: number): void {
    const file = this.#handle(handle, true);
    if (size < file.size) {
      for (const [number, block] of file.blocks) {
        const start = number * BLOCK;
        if (start >= size) {
          this.#store.free(block);
          file.blocks.delete(number);
        } else if (start + BLOCK > size) this.#store.bytesOf(block, true).fill(0, size - start);
      }
    }
    file.size = size;
  }

  /** Null: there is nothing at the path. `id`: that of no other file or directory. */
  facts(path: string): { readonly size: number; readonly isFile: boolean; readonly id: number } | null {
    const node = this.#find(path);
    if (node === null) return null;
    return { size: node.kind === 'file' ? node.size : 0, isFile: node.kind === 'file', id: this.#idOf(node) };
  }

  /** With the directories above it that are missing. Does nothing if there is one. */
  makeDirectory(path: string): void {
    let directory = this.#root;
    const parts = partsOf(path);
    for (const [i, name] of parts.entries()) {
      let next = directory.entries.get(name);
      if (next === undefined) {
        next = { kind: 'directory', entries: new Map() };
        directory.entries.set(name, next);
      }
      if (next.kind === 'file') throw systemError(i === parts.length - 1 ? 'EEXIST' : 'ENOTDIR', `a part of '${path}' is a file`); // biome-ignore format: one line
      directory = next;
    }
  }

  /** Creates a directory whose path begins with `prefix` and which did not exist. Returns its path. */
  makeNewDirectory(prefix: string): string {
    for (;;) {
      const path = `${prefix}${(++this.#names).toString(36).padStart(6, '0')}`;
      if (this.#find(path) !== null) continue;
      this.#add(path, { kind: 'directory', entries: new Map() });
      return path;
    }
  }

  /** Throws ENOENT, ENOTDIR. */
  namesIn(path: string): string[] {
    const node = this.#find(path);
    if (node === null) throw this.#missing(path);
    if (node.kind === 'file') throw systemError('ENOTDIR', `'${path}' is a file`);
    return [...node.entries.keys()];
  }

  /** A file, or a directory with all that is in it; files that are open can still be read and written. Does nothing if there is none. */
  remove(path: string): void {
    const parts = partsOf(path);
    const name = parts.pop();
    const directory = this.#walk(parts);
    const node = name === undefined ? undefined : directory?.entries.get(name);
    if (node === undefined || directory === null) return;
    directory.entries.delete(name as string);
    this.#free(node);
  }

  /** Replaces a file at `target`. Throws ENOENT. */
  rename(path: string, target: string): void {
    const node = this.#find(path);
    if (node === null) throw this.#missing(path);
    if (path === target) return;
    const parts = partsOf(path);
    (this.#walk(parts.slice(0, -1)) as DirectoryNode).entries.delete(parts[parts.length - 1]);
    this.remove(target);
    this.#add(target, node);
  }

  #free(node: FileNode | DirectoryNode): void {
    if (node.kind === 'directory') for (const entry of node.entries.values()) this.#free(entry);
    else if (node.opens > 0) node.isRemoved = true;
    else {
      for (const block of node.blocks.values()) this.#store.free(block);
      node.blocks.clear();
      node.size = 0;
    }
  }

  #opened(file: FileNode, isWritable: boolean): number {
    const handle = this.#next++;
    this.#open.set(handle, { file, isWritable });
    file.opens++;
    return handle;
  }

  #handle(handle: number, toWrite = false): FileNode {
    const open = this.#open.get(handle);
    if (open === undefined) throw systemError('EBADF', `${handle} is not open`);
    if (toWrite && !open.isWritable) throw systemError('EBADF', 'the file was opened to be read');
    return open.file;
  }

  #file(path: string): FileNode {
    const node = this.#find(path);
    if (node === null) throw this.#missing(path);
    if (node.kind === 'directory') throw systemError('EISDIR', `'${path}' is a directory`);
    return node;
  }

  #add(path: string, node: FileNode | DirectoryNode): void {
    const parts = partsOf(path);
    const name = parts.pop();
    const directory = this.#walk(parts);
    if (directory === null) throw this.#missing(path);
    if (name === undefined || directory.entries.has(name)) throw systemError('EEXIST', `'${path}' exists`);
    directory.entries.set(name, node);
  }

  #idOf(node: FileNode | DirectoryNode): number {
    const id = this.#ids.get(node) ?? ++this.#lastId;
    this.#ids.set(node, id);
    return id;
  }

  #missing(path: string): Error {
    const parts = partsOf(path);
    const throughFile = parts.some((_, i) => i > 0 && this.facts(`/${parts.slice(0, i).join('/')}`)?.isFile);
    return throughFile
      ? systemError('ENOTDIR', `a part of '${path}' is a file`)
      : systemError('ENOENT', `'${path}' does not exist`);
  }

  #find(path: string): FileNode | DirectoryNode | null {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) return this.#root;
    return this.#walk(parts)?.entries.get(name) ?? null;
  }

  #walk(parts: readonly string[]): DirectoryNode | null {
    let directory = this.#root;
    for (const name of parts) {
      const next = directory.entries.get(name);
      if (next === undefined || next.kind === 'file') return null;
      directory = next;
    }
    return directory;
  }
}

function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts;
}
