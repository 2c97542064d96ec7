/** The files of the package `proj-wasm`, which the build puts beside the program. They are fetched when PROJ is needed first. */

import type { ProjFactory, ProjFiles } from '../shared-types.ts';
import { packedFile } from './packed-file.ts';
import { loadPart } from './parts.ts';
import { dataFile, partOfFile } from './program-files.ts';

export type { ProjFactory, ProjFiles } from '../shared-types.ts';

const DATABASE = 'proj.db';

export async function loadProjFiles(): Promise<ProjFiles> {
  const [{ default: factory }, wasm] = await Promise.all([
    import('#proj-emscripten') as Promise<{ readonly default: ProjFactory }>,
    packedFile(new URL('./proj-emscripten.wasm.packed', import.meta.url)).then((bytes) =>
      WebAssembly.compile(bytes),
    ),
    loadPart(partOfFile(DATABASE)),
  ]);
  return { factory, wasm };
}

export function projDatabasePath(): string {
  return dataFile(DATABASE);
}
