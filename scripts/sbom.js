/**
 * `npm run sbom`: prints the runtime dependencies with versions, licences and checksums, as SPDX. `npm sbom --omit dev` would
 * leave out those that a development dependency needs too (npm 11.19), so npm gets a lock file without the latter.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const { devDependencies: _, ...manifest } = read('package.json');
const lock = read('package-lock.json');
delete lock.packages[''].devDependencies;
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).filter(([, { dev, devOptional, link }]) => !dev && !devOptional && !link),
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
