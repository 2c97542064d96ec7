/** The workspace: a page with script that takes the place of the form at `/`. scripts/build-web.js makes its files. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { PACKAGE_DIRECTORY } from '@geomill/platform/program-files.ts';
import type { FastifyInstance } from 'fastify';
import { entityTagOf, matchesEntityTag } from '../../http/entity-tag.ts';
import { Html, html } from '../html.ts';

const DIRECTORY = join(PACKAGE_DIRECTORY, 'dist', 'web');

/** A file never changes under its name, which has a hash of it. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Of the page. `tiles`: MAP_TILES_URL. */
export function workspacePolicy(tiles: string | null): string {
  const host = tilesHost(tiles);
  return `default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:${host}; connect-src 'self'${host}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
}

/** A worker has the policy of its own file: that of the map fetches the base map. */
function scriptPolicy(tiles: string | null): string {
  return `default-src 'none'; script-src 'self'; connect-src 'self'${tilesHost(tiles)}`;
}

/** The library runs in workers, whose files are below a directory. */
const ENGINE_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** The origin as one more source of a policy, with a space before it. */
function tilesHost(tiles: string | null): string {
  return tiles === null ? '' : ` ${new URL(tiles.replace(/[{}]/g, '')).origin}`;
}

const unpackBrotli = promisify(brotliDecompress);
const packGzip = promisify(gzip);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

export interface WorkspaceFiles {
  /** Names of files: the script that hides the form until the workspace is there, that of the workspace, its style sheet. */
  readonly curtain: string;
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

/** Null: it was not built, as in a checkout without development dependencies. */
export function findWorkspace(): WorkspaceFiles | null {
  const manifest = join(DIRECTORY, 'manifest.json');
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as WorkspaceFiles) : null;
}

/** Not in a template: the bundler would replace the template by a call to a package of its own. */
const END = new Html('</script>');

/**
 * For the head of the start page. `href`: makes the path of a file for browsers. `account`: the e-mail address of the user, ''
 * if no user is signed in; null: the service requires no credentials.
 */
export function workspaceHead(
  { curtain, script, style }: WorkspaceFiles,
  href: (path: string) => string,
  account: string | null,
): Html {
  const meta = account === null ? null : html`<meta name="geomill-account" content="${account}">\n`;
  return html`${meta}<link rel="stylesheet" href="${href(`/assets/${style}`)}">
<script src="${href(`/assets/${curtain}`)}">${END}
<script type="module" src="${href(`/assets/${script}`)}">${END}
`;
}

/**
 * Serves the files below `/assets/`. They stay in memory once they were asked for. Browsers take Brotli over
 * https and from this machine only, so gzip is for plain http in a network. `tiles`: MAP_TILES_URL.
 */
export function registerWorkspaceFiles(
  app: FastifyInstance,
  { files }: WorkspaceFiles,
  tiles: string | null,
): void {
  const policy = scriptPolicy(tiles);
  for (const name of files) {
    let kept: Promise<KeptFile> | null = null;
    app.get(`/assets/${name}`, async (request, reply) => {
      kept ??= keptFile(name);
      const { body, brotli, etag, gzipped } = await kept;
      reply.header('cache-control', IMMUTABLE).header('etag', etag).header('vary', 'accept-encoding');
      if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      if (extname(name) === '.js')
        reply.header('content-security-policy', isOfEngine(name) ? ENGINE_POLICY : policy);
      reply.header('content-type', MEDIA_TYPES[extname(name)] ?? 'application/octet-stream');
      const accepted = String(request.headers['accept-encoding'] ?? '');
      // Files that the page unpacks itself are not compressed again.
      if (brotli === null) return reply.send(body);
      if (accepts(accepted, 'br')) return reply.header('content-encoding', 'br').send(brotli);
      if (accepts(accepted, 'gzip')) return reply.header('content-encoding', 'gzip').send(await gzipped());
      return reply.send(body);
    });
  }
}

interface KeptFile {
  readonly body: Buffer;
  /** Null: the file is not compressed. */
  readonly brotli: Buffer | null;
  /** Compresses once, when it is first called. */
  readonly gzipped: () => Promise<Buffer>;
  readonly etag: string;
}

/** The package has the files compressed with Brotli alone, which makes it a third smaller than with the file itself and gzip. */
async function keptFile(name: string): Promise<KeptFile> {
  const path = join(DIRECTORY, name);
  const brotli = existsSync(`${path}.br`) ? await readFile(`${path}.br`) : null;
  const body = brotli === null ? await readFile(path) : await unpackBrotli(brotli);
  let compressed: Promise<Buffer> | null = null;
  const gzipped = (): Promise<Buffer> => {
    compressed ??= packGzip(body, { level: 9 });
    return compressed;
  };
  return { body, brotli, gzipped, etag: entityTagOf(body) };
}

/** The library that the page runs in workers is in a directory. */
function isOfEngine(name: string): boolean {
  return name.includes('/');
}

function accepts(header: string, coding: string): boolean {
  return header.split(',').some((one) => {
    const [name, weight = 'q=1'] = one.toLowerCase().split(';');
    return name.trim() === coding && !/^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(weight);
  });
}
