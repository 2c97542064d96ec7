/** The workspace: a page with script that takes the place of the form at `/`. scripts/build-web.js makes its files. */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Html, html } from '../html.ts';
import { entityTagOf, matchesEntityTag } from '../http/entity-tag.ts';
import { PACKAGE_DIRECTORY } from '../program-files.ts';

const DIRECTORY = join(PACKAGE_DIRECTORY, 'dist', 'web');

/** A file never changes under its name, which has a hash of it. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export const WORKSPACE_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/** A worker has the policy of its own file: that of the map fetches the base map. */
const SCRIPT_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
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

/** For the head of the start page. `href`: makes the path of a file for browsers. */
export function workspaceHead(
  { curtain, script, style }: WorkspaceFiles,
  href: (path: string) => string,
): Html {
  return html`<link rel="stylesheet" href="${href(`/assets/${style}`)}">
<script src="${href(`/assets/${curtain}`)}"></script>
<script type="module" src="${href(`/assets/${script}`)}"></script>
`;
}

/** Serves the files below `/assets/`. They stay in memory: together they are about two megabytes. */
export function registerWorkspaceFiles(app: FastifyInstance, { files }: WorkspaceFiles): void {
  for (const name of files) {
    const body = readFileSync(join(DIRECTORY, name));
    const compressed = readFileSync(join(DIRECTORY, `${name}.br`));
    const etag = entityTagOf(body);
    app.get(`/assets/${name}`, (request, reply) => {
      reply.header('cache-control', IMMUTABLE).header('etag', etag).header('vary', 'accept-encoding');
      if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      if (extname(name) === '.js') reply.header('content-security-policy', SCRIPT_POLICY);
      reply.header('content-type', MEDIA_TYPES[extname(name)]);
      if (!acceptsBrotli(request.headers['accept-encoding'])) return reply.send(body);
      return reply.header('content-encoding', 'br').send(compressed);
    });
  }
}

function acceptsBrotli(header: string | string[] | undefined): boolean {
  const codings = String(header ?? '')
    .toLowerCase()
    .split(',');
  return codings.some((coding) => /^\s*br\s*(?:;\s*q\s*=\s*(?!0(?:\.0*)?\s*$).*)?$/.test(coding));
}
