/** The files of the package `proj-wasm`, which the build puts beside the program. They are fetched when PROJ is needed first. */
import { fileFacts, makeDirectory, writeNewFile } from './files.ts';
import { dataFile, PACKAGE_DIRECTORY } from './program-files.ts';

export type ProjFactory = (module: object) => Promise<unknown>;

export interface ProjFiles {
  readonly factory: ProjFactory;
  readonly wasm: WebAssembly.Module;
}

export async function loadProjFiles(): Promise<ProjFiles> {
  const [{ default: factory }, wasm] = await Promise.all([
    import('#proj-emscripten') as Promise<{ readonly default: ProjFactory }>,
    compiled(new URL('./proj-emscripten.wasm', import.meta.url)),
    loadProjDatabase(),
  ]);
  return { factory, wasm };
}

export function projDatabasePath(): string {
  return dataFile('proj.db');
}

let database: Promise<void> | null = null;

/** Fetches the database, before it is read without PROJ. */
export function loadProjDatabase(): Promise<void> {
  database ??= fetchDatabase().catch((error: unknown) => {
    database = null;
    throw error;
  });
  return database;
}

async function fetchDatabase(): Promise<void> {
  const bytes = await fetched(new URL('./proj.db', import.meta.url));
  if (fileFacts(projDatabasePath()) !== null) return;
  makeDirectory(PACKAGE_DIRECTORY);
  writeNewFile(projDatabasePath(), new Uint8Array(await bytes.arrayBuffer()));
}

async function compiled(url: URL): Promise<WebAssembly.Module> {
  // Compiles while bytes arrive, which needs the right media type; servers of static files do not all have it.
  const response = await fetched(url);
  if (response.headers.get('content-type')?.startsWith('application/wasm') === true)
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

async function fetched(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} could not be loaded: HTTP ${response.status}`);
  return response;
}
