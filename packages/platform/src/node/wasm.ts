/** WebAssembly of packages. */
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';

/** Compiles the file at a URL. Its functions are validated when they are called first: all of PROJ at once takes 10 ms. */
export async function compiledFile(url: URL): Promise<WebAssembly.Module> {
  // V8 compiles a function at its first call. With this it also validates it then.
  setFlagsFromString('--wasm-lazy-validation');
  return WebAssembly.compile(await readFile(url));
}
