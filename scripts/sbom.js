/**
 * `npm run sbom`: prints the runtime dependencies with versions, licences and checksums, as SPDX. `npm sbom --omit dev` would
 * leave out those that a development dependency needs too (npm 11.19), so npm gets a lock file without the latter.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
// The workspaces are in the program; what they depend on, the root depends on, too.
const { devDependencies: _, workspaces: __, ...manifest } = read('package.json');
const lock = read('package-lock.json');
delete lock.packages[''].devDependencies;
delete lock.packages[''].workspaces;
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).filter(
    ([path, { dev, devOptional, link }]) =>
      !dev && !devOptional && !link && (path === '' || path.startsWith('node_modules/')),
  ),
);

const directory = mkdtempSync(join(tmpdir(), 'geomill-sbom-'));
try {
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock));
  execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'spdx'], {
    cwd: directory,
    stdio: 'inherit',
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
