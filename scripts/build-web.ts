/**
 * Builds the workspace, the page at `/`, from web/ into dist/web: files with a hash in their names, which browsers may keep
 * for ever, each also compressed with Brotli and gzip, and manifest.json, which names them (src/convert-pages/workspace.ts).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { TOKENS } from '../src/page-style/tokens.ts';
import { baseMap } from './base-map.ts';

/** `root`: directory of package.json. */
export async function buildWeb(root: string): Promise<void> {
  const target = join(root, 'dist', 'web');
  // Renamed at the end, so that a service that starts meanwhile finds all files or none.
  const directory = `${target}-${process.pid}`;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const files: string[] = [];
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(directory, name), content);
    writeFileSync(join(directory, `${name}.br`), brotli(Buffer.from(content)));
    writeFileSync(join(directory, `${name}.gz`), gzipSync(content, { level: 9 }));
    files.push(name);
    return name;
  };
  const writeHashed = (name: string, content: string | Uint8Array): string => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    return write(`${basename(name, extname(name))}-${hash}${extname(name)}`, content);
  };

  const mapWorker = join(root, 'node_modules', 'maplibre-gl', 'dist', 'maplibre-gl-worker.mjs');
  const fileNames = {
    BASE_MAP_FILE: writeHashed('base-map.json', JSON.stringify(baseMap(root))),
    MAP_WORKER_FILE: writeHashed('map-worker.js', readFileSync(mapWorker)),
  };
  const define = Object.fromEntries(
    Object.entries(fileNames).map(([name, file]) => [name, JSON.stringify(file)]),
  );
  const script = await bundle(root, define, write);
  const curtain = writeHashed('curtain.js', readFileSync(join(root, 'web', 'curtain.js')));
  const style = writeHashed('workspace.css', styleSheet(join(root, 'web', 'style')));
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ curtain, script, style, files }));
  rmSync(target, { recursive: true, force: true });
  renameSync(directory, target);
}

/** Returns the name of the first script. */
async function bundle(
  root: string,
  define: Readonly<Record<string, string>>,
  write: (name: string, content: string | Uint8Array) => string,
): Promise<string> {
  const build = await rolldown({
    input: { main: join(root, 'web', 'main.tsx') },
    platform: 'browser',
    tsconfig: join(root, 'web', 'tsconfig.json'),
    transform: { define },
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  });
  await build.close();
  for (const chunk of output) write(chunk.fileName, chunk.type === 'chunk' ? chunk.code : chunk.source);
  return output[0].fileName;
}

function styleSheet(directory: string): string {
  const parts = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
  return [TOKENS, ...parts].join('\n');
}

function brotli(content: Uint8Array): Uint8Array {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  return brotliCompressSync(content, { params });
}
