import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

// `npm ci` refuses a lock file in which anything is missing, also what is optional and for another system. A lock made
// on one machine can lack those entries, and nobody who already has node_modules notices: only a fresh clone does.

interface Entry {
  readonly version?: string;
  /** A package of this repository. */
  readonly link?: true;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const manifest = read('package.json') as Entry;
const packages = (read('package-lock.json') as { packages: Record<string, Entry> }).packages;

/** The entry that a package at `path` gets for `name`: the nearest node_modules upwards. */
function resolve(path: string, name: string): Entry | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`];
    if (found !== undefined || at === '') return found;
  }
}

test('the lock file holds a version for everything that any package in it asks for', () => {
  const missing: string[] = [];
  for (const [path, entry] of Object.entries(packages)) {
    const wanted = { ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies };
    for (const name of Object.keys(entry.peerDependencies ?? {}))
      if (entry.peerDependenciesMeta?.[name]?.optional !== true) wanted[name] = '';
    for (const name of Object.keys(wanted))
      if ((resolve(path, name)?.version ?? resolve(path, name)?.link) === undefined)
        missing.push(`${name} (for ${path || 'geomill'})`);
  }
  assert.deepEqual(missing, []);
});

test('the lock file states the dependencies that package.json states', () => {
  const root = packages[''];
  assert.deepEqual(root?.dependencies, manifest.dependencies);
  assert.deepEqual(root?.devDependencies, manifest.devDependencies);
});
