/**
 * Builds the workspace, the page at `/`, from apps/web into dist/web: files with a hash in their names, which browsers may keep
 * for ever, each compressed with Brotli unless the page unpacks it itself, and manifest.json, which names them (apps/service/src/pages/convert/workspace.ts).
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { type Plugin, rolldown } from 'rolldown';
import { TOKENS } from '../apps/service/src/pages/style/tokens.ts';
import { baseMap } from './base-map.ts';
import { bundleBrowser } from './bundle-browser.ts';
import { licensesOf, packagesOf } from './licenses.ts';
import { placeColumns } from './place-names.ts';
import { webCatalogue } from './web-catalogue.ts';

const MOST_ATTEMPTS = 5;
const LARGE_BYTES = 500_000;
const LARGE_QUALITY = 9;
/** Packages with data of the map, which no module imports. */
const DATA_PACKAGES = ['city-timezones', 'mapeo-offline-map', 'world-atlas'] as const;

/** `root`: directory of package.json. `library`: what bundleBrowser has written. Default: it is built. */
export async function buildWeb(root: string, library?: string): Promise<void> {
  const target = join(root, 'dist', 'web');
  // Renamed at the end, so that a service that starts meanwhile finds all files or none.
  const directory = `${target}-${process.pid}`;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const files: string[] = [];
  const write = (name: string, content: string | Uint8Array): string => {
    if (isPacked(name)) writeFileSync(join(directory, name), content);
    else writeFileSync(join(directory, `${name}.br`), brotli(Buffer.from(content)));
    files.push(name);
    return name;
  };
  const writeHashed = (name: string, content: string | Uint8Array): string => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    return write(`${basename(name, extname(name))}-${hash}${extname(name)}`, content);
  };

  const fileNames = {
    BASE_MAP_FILE: writeHashed('base-map.json', JSON.stringify(baseMap(root, '110m'))),
    DETAILED_BASE_MAP_FILE: writeHashed('detailed-base-map.json', JSON.stringify(baseMap(root, '50m'))),
    PLACE_NAMES_FILE: writeHashed('place-names.json', JSON.stringify(placeColumns(root))),
    CATALOGUE_FILE: writeHashed('catalogue.json', webCatalogue()),
    ENGINE_DIRECTORY: await writeEngine(root, library, directory, write),
    SAMPLE_FILE: writeHashed('sample.json', readFileSync(join(root, 'samples', 'harbour.geojson'))),
  };
  const define = Object.fromEntries(
    Object.entries(fileNames).map(([name, file]) => [name, JSON.stringify(file)]),
  );
  const { script, packages } = await bundle(root, define, write);
  writeFileSync(join(directory, 'LICENSES.txt'), licensesOf(root, [...DATA_PACKAGES, ...packages]));
  const curtain = writeHashed('curtain.js', readFileSync(join(root, 'apps', 'web', 'curtain.js')));
  const style = writeHashed('workspace.css', styleSheet(join(root, 'apps', 'web', 'style')));
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ curtain, script, style, files }));
  replaceDirectory(directory, target);
}

/** Files that the page takes as they are, and unpacks itself. */
function isPacked(name: string): boolean {
  return name.endsWith('.packed');
}

/**
 * The library that the page runs in workers, whose files name each other: all of them are in a directory that is named after their content.
 * Returns its name.
 */
async function writeEngine(
  root: string,
  library: string | undefined,
  directory: string,
  write: (name: string, content: string | Uint8Array) => string,
): Promise<string> {
  const temporary = library === undefined ? mkdtempSync(join(tmpdir(), 'geomill-engine-')) : null;
  const built = temporary ?? String(library);
  try {
    if (temporary !== null) await bundleBrowser(root, temporary);
    // That is what pages of others import.
    const names = readdirSync(built).filter((name) => name !== 'geomill.js');
    const hash = createHash('sha256');
    for (const name of names.sort()) hash.update(name).update(readFileSync(join(built, name)));
    const engine = `engine-${hash.digest('base64url').slice(0, 8)}`;
    mkdirSync(join(directory, engine));
    for (const name of names) write(`${engine}/${name}`, readFileSync(join(built, name)));
    return engine;
  } finally {
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Moves a directory to the place of another one, which may be placed there by another build at this moment. */
function replaceDirectory(directory: string, target: string): void {
  for (let attempts = 1; ; attempts++) {
    rmSync(target, { recursive: true, force: true, maxRetries: MOST_ATTEMPTS });
    try {
      renameSync(directory, target);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOTEMPTY' && code !== 'EEXIST') || attempts === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Returns the name of the first script, and the packages whose code is in the scripts. */
async function bundle(
  root: string,
  define: Readonly<Record<string, string>>,
  write: (name: string, content: string | Uint8Array) => string,
): Promise<{ readonly script: string; readonly packages: readonly string[] }> {
  const mapLibre = join(root, 'node_modules', 'maplibre-gl', 'src');
  const build = await rolldown({
    input: { main: join(root, 'apps', 'web', 'main.tsx') },
    platform: 'browser',
    tsconfig: join(root, 'apps', 'web', 'tsconfig.json'),
    transform: {
      define,
      inject: { MAP_WORKER_FILE, SIMPLIFY_WORKER_FILE },
      // MapLibre is written for this: else its classes lose what the constructors of their base classes set.
      typescript: { removeClassFieldsWithoutInitializer: true },
    },
    // The sources: the built files of the package have most of its code twice, for the page and for the worker.
    resolve: { alias: { 'maplibre-gl': join(mapLibre, 'index.ts') } },
    plugins: [
      workerUrl(MAP_WORKER_FILE, join(mapLibre, 'source', 'worker.ts'), 'map-worker'),
      workerUrl(SIMPLIFY_WORKER_FILE, join(root, 'apps', 'web', 'simplify-worker.ts'), 'simplify-worker'),
    ],
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  });
  await build.close();
  for (const chunk of output) write(chunk.fileName, chunk.type === 'chunk' ? chunk.code : chunk.source);
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
  const packages = packagesOf(modules);
  return { script: output[0].fileName, packages };
}

/** Names of modules whose default exports are the addresses of workers. */
const MAP_WORKER_FILE = 'map-worker-file';
const SIMPLIFY_WORKER_FILE = 'simplify-worker-file';

/** The module `moduleId` with the address of the worker that is bundled from `path`. */
function workerUrl(moduleId: string, path: string, name: string): Plugin {
  return {
    name: moduleId,
    resolveId: (id) => (id === moduleId ? id : null),
    load(id) {
      if (id !== moduleId) return null;
      const worker = this.emitFile({ type: 'chunk', id: path, name });
      return `export default import.meta.ROLLUP_FILE_URL_${worker};`;
    },
  };
}

function styleSheet(directory: string): string {
  const parts = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
  return [TOKENS, ...parts].join('\n');
}

function brotli(content: Uint8Array): Uint8Array {
  const params = {
    // The highest takes ten times as long for files of megabytes, which become 5 % smaller.
    [constants.BROTLI_PARAM_QUALITY]:
      content.length > LARGE_BYTES ? LARGE_QUALITY : constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  return brotliCompressSync(content, { params });
}
