/** A plain web server with the static site below a path, as any host of files would deliver it. */
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buildSite } from '../../scripts/build-site.ts';
import { buildWorkspace } from './built-workspace.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

export interface SiteServer extends AsyncDisposable {
  /** With a slash at the end. */
  readonly url: string;
  /** Ends it, with all connections. */
  stop(): void;
}

/** `path`: such as "/some/where/". */
export async function startSite(path: string): Promise<SiteServer> {
  await buildWorkspace();
  const directory = mkdtempSync(join(tmpdir(), 'geomill-site-'));
  buildSite(join(import.meta.dirname, '..', '..'), directory);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = pathname.slice(path.length) || 'index.html';
    const file = join(directory, name);
    if (!pathname.startsWith(path) || !existsSync(file) || !statSync(file).isFile())
      return response.writeHead(404).end();
    response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  }).listen(0);
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    // A secure context, so that the page has service workers and a file system.
    url: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
