/** The files of the package `proj-wasm`. */
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import type { ProjFactory, ProjFiles } from '../shared-types.ts';
import { pathOfUrl } from './paths.ts';

export type { ProjFactory, ProjFiles } from '../shared-types.ts';

export async function loadProjFiles(): Promise<ProjFiles> {
  const entry = import.meta.resolve('proj-wasm');
  const [{ default: factory }, wasm] = await Promise.all([
    import(new URL('./proj-emscripten.js', entry).href) as Promise<{ readonly default: ProjFactory }>,
    compiled(new URL('./proj-emscripten.wasm', entry)),
  ]);
  return { factory, wasm };
}

/** Path of proj.db of the package, the one that PROJ itself opens: whatever is found there, PROJ knows. */
export function projDatabasePath(): string {
  return pathOfUrl(new URL('./proj.db', import.meta.resolve('proj-wasm')));
}

/** Functions are validated when they are called first: all of PROJ at once takes 10 ms. */
async function compiled(url: URL): Promise<WebAssembly.Module> {
  // V8 compiles a function at its first call. With this it also validates it then.
  setFlagsFromString('--wasm-lazy-validation');
  return WebAssembly.compile(await readFile(url));
}
