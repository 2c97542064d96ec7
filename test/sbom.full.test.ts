import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const ROOT = join(import.meta.dirname, '..');

interface LockEntry {
  /** Where it is not the name of the directory. */
  readonly name?: string;
  readonly version: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  /** A directory of the checkout. */
  readonly link?: boolean;
}

interface SpdxPackage {
  readonly name: string;
  readonly versionInfo: string;
  readonly licenseDeclared: string;
  readonly checksums?: readonly object[];
}

/** Packages that state their licence in a file only: squint-cljs, EPL-1.0. */
const LICENCE_IN_FILE = ['squint-cljs'];

test('npm run sbom lists every runtime dependency with its version, licence and checksum', () => {
  const text = execFileSync('npm', ['run', '-s', 'sbom'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  const document = JSON.parse(text) as {
    readonly spdxVersion: string;
    readonly documentDescribes: readonly string[];
    readonly packages: readonly (SpdxPackage & { readonly SPDXID: string })[];
  };
  assert.match(document.spdxVersion, /^SPDX-2\./);
  const [described] = document.documentDescribes;
  const root = document.packages.find(({ SPDXID }) => SPDXID === described);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  assert.deepEqual([root?.name, root?.versionInfo], ['geomill', manifest.version]);

  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  const locked = Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional, link }]) =>
        path.startsWith('node_modules/') && !(dev || devOptional || link),
    )
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`);
  const listed = document.packages.filter((entry) => entry !== root);
  const names = listed.map(({ name, versionInfo }) => `${name}@${versionInfo}`);
  assert.deepEqual([...new Set(names)].sort(), [...new Set(locked)].sort());
  assert.deepEqual(
    listed.filter(({ checksums = [] }) => checksums.length === 0),
    [],
  );
  const unlicensed = listed.filter(({ licenseDeclared }) => licenseDeclared === 'NOASSERTION');
  assert.deepEqual(
    unlicensed.map(({ name }) => name),
    LICENCE_IN_FILE,
  );
});
