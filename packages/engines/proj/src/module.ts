/**
 * Loads PROJ: the Emscripten module inside the package `proj-wasm`. Alternative rejected: the package's own interface, which
 * sends a message to a worker for each call and takes ten times as long as the transformation.
 *
 * Reads nothing but the package's files and the grid directory, and needs no network, so it runs under Node's
 * permission model. V8 keeps one compiled copy of a module for all threads of a process, so a further thread pays for
 * its heap alone.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { loadProjFiles, projDatabasePath } from '@geomill/platform/proj-files.ts';
import { DATA_DIRECTORY, type EmscriptenFs, mountDataDirectory } from './data-directory.ts';
import { guardExceptions } from './guard.ts';
import type { NativeProj } from './native.ts';

export interface ProjModule {
  readonly native: NativeProj;
  /** The module's memory. Views are detached when it grows: get a new one after each call that may allocate. */
  readonly memory: WebAssembly.Memory;
  /** PROJ's error messages since the last call, oldest first. */
  takeMessages(): string[];
  /** A trap (not a mere exception) left the module in an unknown state. */
  readonly isBroken: boolean;
}

/** The used members of the Emscripten module object. */
interface EmscriptenModule {
  preRun?: ((module: EmscriptenModule) => void)[];
  print?: (line: string) => void;
  printErr?: (line: string) => void;
  instantiateWasm?: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => object;
  readonly FS?: EmscriptenFs;
  readonly ENV?: Record<string, string>;
}

const MAX_MESSAGES = 20;

export async function loadProjModule(gridDirectory: string | null): Promise<ProjModule> {
  const { factory, wasm } = await loadProjFiles();
  let messages: string[] = [];
  const collect = (line: string): void => {
    if (messages.length < MAX_MESSAGES) messages.push(line);
  };
  let exports: WebAssembly.Exports | undefined;
  let isBroken = false;
  const module: EmscriptenModule = {
    preRun: [
      ({ ENV, FS }) => {
        Object.assign(ENV!, { PROJ_DATA: DATA_DIRECTORY, PROJ_NETWORK: 'OFF' });
        mountDataDirectory(FS!, projDatabasePath(), gridDirectory);
      },
    ],
    print: collect,
    printErr: collect,
    instantiateWasm: (imports, done) => {
      const instance = new WebAssembly.Instance(wasm, imports);
      exports = instance.exports;
      done(instance);
      return instance.exports;
    },
  };
  await factory(module);
  if (exports === undefined)
    throw failure(generalErrors.INTERNAL, { reason: 'the PROJ module was not instantiated' });
  return {
    native: guardExceptions(exports, collect, () => {
      isBroken = true;
    }),
    memory: exports.memory as WebAssembly.Memory,
    takeMessages() {
      const taken = messages;
      messages = [];
      return taken;
    },
    get isBroken() {
      return isBroken;
    },
  };
}
