/** The files of this worker, which the modules of the platform share. */
import { BlockStore, type SwapFile } from './block-store.ts';
import { type BlobReader, FileSystem } from './file-system.ts';

export interface WorkerFilesOptions {
  /** Null: contents stay in memory. */
  readonly swap: SwapFile | null;
  /** Blocks of 1 MiB that stay in memory. */
  readonly memoryBlocks: number;
  readonly readBlob: BlobReader;
}

/** Directory for temporary files. */
export const TEMPORARY = '/tmp';

let files: FileSystem | null = null;
let store: BlockStore | null = null;

/** Called once, before anything opens a file. */
export function startFiles({ swap, memoryBlocks, readBlob }: WorkerFilesOptions): FileSystem {
  store = new BlockStore(swap, memoryBlocks);
  files = new FileSystem(store, readBlob);
  files.makeDirectory(TEMPORARY);
  return files;
}

export function workerFiles(): FileSystem {
  if (files === null) throw new Error('the files of the worker were not started');
  return files;
}

/** Blocks that are in use. */
export function usedBlocks(): { readonly resident: number; readonly swapped: number } {
  return store?.count ?? { resident: 0, swapped: 0 };
}
