/**
 * The library for pages: `dist/browser`. `geomill.js` is what a page imports; it starts `worker.js`, which loads the rest when a conversion needs it:
 * formats, operations, SQLite, PROJ with its database, GEOS. All files are named relative to each other by `new URL(name, import.meta.url)`, which
 * bundlers understand, and which works from any directory of a web server.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { allFormats, allSteps } from '../packages/library/src/lists.ts';
import { licensesOf, packagesOf } from './licenses.ts';
import { validatorsSource } from './validators.ts';

/** Read at run time by packages/platform/src/browser/packed-file.ts. */
const PACKED = [
  'node_modules/proj-wasm/dist/proj-emscripten.wasm',
  'node_modules/proj-wasm/dist/proj.db',
  'packages/crs-search/src/placements.txt',
];
/** Read by their packages. */
const PLAIN = [
  'node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm',
  'node_modules/@bokuweb/zstd-wasm/dist/web/zstd.wasm',
];
const PROJ = 'node_modules/proj-wasm/dist/proj-emscripten.js';
const LISTS = '\0lists';

/** Writes the library of the checkout `root` to `directory`. */
export async function bundleBrowser(root: string, directory: string): Promise<void> {
  const { build: rolldown } = await import('rolldown');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { output } = await rolldown({
    input: {
      geomill: join(root, 'packages/library/src/browser/geomill.ts'),
      worker: join(root, 'packages/library/src/browser/worker.ts'),
    },
    platform: 'browser',
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    transform: { define: { GEOMILL_VERSION: JSON.stringify(version) } },
    // A module that is loaded at once by one entry and later by another.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: 'geomill',
        resolveId(id) {
          if (id === '#lists') return LISTS;
          if (id.startsWith('#validators')) return `\0${id}`;
          if (id === '#proj-emscripten') return join(root, PROJ);
          // Of iconv-lite.
          if (id === 'buffer') return join(root, 'node_modules/buffer/index.js');
          // Of Node.js, which the modules of Emscripten only ask for there.
          if (id.startsWith('node:')) return { id, external: true };
          return null;
        },
        load(id) {
          if (id !== LISTS) return validatorsSource(id.slice(1));
          return `export const formats = ${JSON.stringify(allFormats())};\nexport const steps = ${JSON.stringify(allSteps())};\n`;
        },
      },
    ],
    output: {
      dir: directory,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: true,
      comments: { legal: true, annotation: true, jsdoc: false },
    },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const packages = packagesOf([...modules, ...PLAIN, ...PACKED]);
  writeFileSync(join(directory, 'LICENSES.txt'), licensesOf(root, packages));
  for (const path of PLAIN) cpSync(join(root, path), join(directory, basename(path)));
  for (const path of PACKED)
    writeFileSync(
      join(directory, `${basename(path)}.packed`),
      gzipSync(readFileSync(join(root, path)), { level: 9 }),
    );
}
