/** Starts the platform in a worker: its files, and how parts of the program are loaded. */
import type { SwapFile } from './block-store.ts';
import { compiledSchemas } from './compiled-schemas.ts';
import { ZSTD } from './compression.ts';
import type { FileSystem } from './file-system.ts';
import { writeNewFile } from './files.ts';
import { packedFile } from './packed-file.ts';
import { definePart } from './parts.ts';
import { PACKAGE_DIRECTORY, partOfFile } from './program-files.ts';
import { provideSharedMemory } from './shared-memory.ts';
import { loadSqlite, SQLITE } from './sqlite.ts';
import { startFiles } from './worker-files.ts';

/** 96 MiB: what a conversion works with is in memory, beside its batches. */
const MEMORY_BLOCKS = 96;

export interface StartedPlatform {
  readonly files: FileSystem;
  /** Gives the disk back. */
  stop(): Promise<void>;
}

export async function startPlatform(): Promise<StartedPlatform> {
  provideSharedMemory();
  const swap = await openSwap();
  const reader = new FileReaderSync();
  const files = startFiles({
    swap: swap?.file ?? null,
    memoryBlocks: MEMORY_BLOCKS,
    readBlob: (blob, start, end) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(start, end))),
  });
  files.makeDirectory(PACKAGE_DIRECTORY);
  defineFile('proj.db', new URL('./proj.db.packed', import.meta.url));
  defineFile('placements.txt', new URL('./placements.txt.packed', import.meta.url));
  definePart(SQLITE, async () => {
    // Its own ways to store files need headers of the page, or a worker of their own.
    Object.assign(globalThis, { sqlite3ApiConfig: { disable: { vfs: { kvvfs: true, opfs: true, 'opfs-sahpool': true, 'opfs-vfs': true, 'opfs-wl': true } } } }); // biome-ignore format: one line
    const { default: initialise } = await import('@sqlite.org/sqlite-wasm');
    return loadSqlite(initialise as Parameters<typeof loadSqlite>[0], files);
  });
  definePart(ZSTD, async () => {
    const zstd = await import('@bokuweb/zstd-wasm');
    await zstd.init(new URL('./zstd.wasm', import.meta.url).href);
    return zstd;
  });
  definePart('ajv/dist/2020.js', async () => compiledSchemas((await import('#validators')).validators));
  definePart('geographiclib-geodesic', async () => exported(await import('geographiclib-geodesic')));
  return { files, stop: async () => swap?.close() };
}

/** A file that is read at run time. */
function defineFile(name: string, url: URL): void {
  definePart(partOfFile(name), async () => {
    writeNewFile(`${PACKAGE_DIRECTORY}/${name}`, await packedFile(url));
    return true;
  });
}

/** What a CommonJS package exports. */
function exported(module: object): unknown {
  return 'default' in module && typeof module.default === 'object' ? module.default : module;
}

/** Null: the browser has no file system for pages, or none here, as in private windows. */
async function openSwap(): Promise<{ readonly file: SwapFile; close(): Promise<void> } | null> {
  try {
    const root = await navigator.storage.getDirectory();
    const directory = await root.getDirectoryHandle('geomill', { create: true });
    await removeUnused(directory);
    const name = crypto.randomUUID();
    const handle = await directory.getFileHandle(name, { create: true });
    const file = await handle.createSyncAccessHandle();
    return {
      file,
      async close() {
        file.close();
        await directory.removeEntry(name);
      },
    };
  } catch {
    return null;
  }
}

/** Removes files of workers that have ended, whose files nobody has open. */
async function removeUnused(directory: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of directory.keys())
    await directory.removeEntry(name).catch(() => {
      // Another worker has it open.
    });
}
