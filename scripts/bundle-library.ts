/**
 * The library as modules that programs import: `dist/library`. Unlike the program it is not rewritten to scripts, so that bundlers and other runtimes
 * than Node.js can read it. Its declarations are those of packages/library/src, which name nothing of other workspaces.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, isAbsolute, join } from 'node:path';

const ENTRIES = ['packages/library/src/library.ts', 'packages/pipeline/src/worker-entry.js'];

/** Read at run time, by packages/crs-search/src/suggest.ts. */
const PLACEMENTS = 'packages/crs-search/src/placements.txt';

/** Declarations that are published. */
const DECLARATIONS = ['library.d.ts', 'types.d.ts'];

/** Writes the library of the checkout `root` to `directory`. */
export async function bundleLibrary(root: string, directory: string): Promise<void> {
  const { build: rolldown } = await import('rolldown');
  await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [basename(path, extname(path)), join(root, path)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('@geomill/') && !isAbsolute(id),
    // A module that is loaded at once by one entry and later by another.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: directory,
      format: 'esm',
      // In the directory itself, where packages/platform/src/program-files.ts expects to be.
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // Stack traces of users name functions and lines.
      minify: false,
      comments: { legal: true, annotation: true, jsdoc: false },
    },
  });
  cpSync(join(root, PLACEMENTS), join(directory, basename(PLACEMENTS)));
}

/** Writes the declarations. `compile` runs the compiler with arguments; the types of dist/client must be there. */
export function writeLibraryTypes(directory: string, compile: (...args: readonly string[]) => void): void {
  const work = mkdtempSync(join(tmpdir(), 'geomill-types-'));
  try {
    compile('-p', 'tsconfig.library.json', '--outDir', work);
    for (const name of DECLARATIONS) {
      const text = readFileSync(join(work, 'packages', 'library', 'src', name), 'utf8');
      const published = text
        .replaceAll('./openapi-types.ts', '../client/openapi-types.js')
        .replaceAll('./types.ts', './types.js');
      writeFileSync(join(directory, name), published);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
