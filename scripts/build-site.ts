/**
 * `npm run build:site`: the workspace as a static site, dist/site. It converts in the page alone, so any web server can deliver it, from any path:
 * all addresses are relative. A service worker keeps it for visits without a network.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { formats } from '../packages/formats/src/registry.ts';
import { buildWeb } from './build-web.ts';

/** Workers have none: their files are of this site, too. */
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'";

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Cpath fill=%22%230b5cad%22 d=%22M8 1.500L15 5 8 8.500 1 5z%22/%3E%3Cpath fill=%22%236a9fd4%22 d=%22M8 8l7 3-7 3.500L1 11z%22/%3E%3C/svg%3E';

interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

/** Writes the site of the checkout `root` to `directory`, from dist/web, which must be built. */
export function buildSite(root: string, directory: string): void {
  const web = join(root, 'dist', 'web');
  const manifest = JSON.parse(readFileSync(join(web, 'manifest.json'), 'utf8')) as Manifest;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, 'assets'), { recursive: true });
  for (const name of [...manifest.files, 'LICENSES.txt']) {
    const target = join(directory, 'assets', name);
    mkdirSync(dirname(target), { recursive: true });
    const compressed = join(web, `${name}.br`);
    if (existsSync(compressed)) writeFileSync(target, brotliDecompressSync(readFileSync(compressed)));
    else cpSync(join(web, name), target);
  }
  const page = pageText(manifest);
  writeFileSync(join(directory, 'index.html'), page);
  // GitHub Pages would leave files out.
  writeFileSync(join(directory, '.nojekyll'), '');
  const names = readdirSync(join(directory, 'assets'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    );
  const files = Object.fromEntries([
    ['', integrityOf(page)],
    ...names.sort().map((name) => [name, integrityOf(readFileSync(join(directory, name)))]),
  ]);
  const version = createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 12);
  const worker = readFileSync(join(root, 'apps', 'web', 'site-worker.js'), 'utf8');
  writeFileSync(join(directory, 'sw.js'), `const SITE = ${JSON.stringify({ version, files })};\n${worker}`);
}

function pageText({ script, style }: Manifest): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="description" content="Converts vector geodata between ${formats.length} formats in your browser. No file leaves your computer.">
<meta name="geomill-service" content="none">
<title>geomill</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="assets/${style}">
<script type="module" src="assets/${script}"></script>
</head>
<body>
<noscript>geomill converts files in this page, for which it needs JavaScript.</noscript>
</body>
</html>
`;
}

function integrityOf(content: string | Uint8Array): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  await buildWeb(root);
  buildSite(root, join(root, 'dist', 'site'));
}
