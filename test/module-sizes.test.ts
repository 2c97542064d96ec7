/**
 * How many modules the service loads before it listens, and how large modules are. A module that is needed later is loaded when it is
 * first used; a small one that only one other uses is a part of that one, unless it is listed; a long one is listed below.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import test from 'node:test';
import { importResolver } from '../scripts/workspaces.ts';

const ROOT = join(import.meta.dirname, '..');
const resolve = importResolver(ROOT);

const files = globSync('{apps,packages}/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/test', '**/*.d.ts'],
}).map((path) => path.replaceAll('\\', '/'));

const AT_START = [/^(?:import|export)\s(?!type\b)[^;'"]*?\bfrom\s+'([^']+)'/gm, /^import\s+'([^']+)'/gm];
const ANY = [/\bfrom\s+'([^']+)'/g, /^import\s+'([^']+)'/gm, /\bimport\(\s*'([^']+)'\s*\)/g];

function importsOf(path: string, patterns: readonly RegExp[]): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return patterns
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .map(([, specifier]) => resolve(join(ROOT, path), specifier))
    .filter((target) => target !== null && existsSync(target))
    .map((target) => relative(ROOT, target as string).replaceAll('\\', '/'));
}

const lineCountOf = (path: string): number => readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1;

/** What `geomill serve` loads with SQLite and a local store; the last two are loaded for these settings. */
const START = [
  'apps/cli/src/main.ts',
  'apps/cli/src/serve.ts',
  'apps/cli/src/exit-status.ts',
  'apps/service/src/jobs/sqlite-queue.ts',
  'apps/service/src/storage/local-store.ts',
];
const MOST_AT_START = 300;

test('the service loads at most 300 modules before it listens', () => {
  const loaded = new Set(START);
  for (const path of loaded) for (const next of importsOf(path, AT_START)) loaded.add(next);
  assert.ok(loaded.size > 100, 'the imports were found');
  assert.ok(loaded.size <= MOST_AT_START, `${loaded.size} modules`);
  const late =
    /^packages\/(?:operations\/src\/[\w-]+\/|expressions\/src\/functions\/|crs-search\/src\/suggest|engines\/geos\/src\/geos)|\/docs-page\//;
  assert.deepEqual([...loaded].filter((path) => late.test(path)), []); // biome-ignore format: one line
});

const SMALL = 30;
/** Readers, writers and records of steps, which the registries load each by itself; tables of errors and findings; sides of the platform. */
const CONTRACT = /\/(?:read|write|record|errors|findings|messages)\.ts$|^packages\/platform\//;
/** Other small modules with one user, and what each is. */
const SMALL_WITH_ONE_USER: Readonly<Record<string, string>> = {
  'apps/web/main.tsx': 'the entry of the page',
  'apps/web/simplify-worker.ts': 'the entry of a worker',
  'packages/engines/sqlite/src/compiled-rows-code.ts': 'generated',
};

test('a module of less than 30 lines is a contract or has several users', () => {
  const users = new Map<string, Set<string>>();
  for (const path of files)
    for (const target of importsOf(path, ANY)) users.set(target, (users.get(target) ?? new Set()).add(path));
  const found = files.filter(
    (path) => lineCountOf(path) < SMALL && (users.get(path)?.size ?? 0) < 2 && !CONTRACT.test(path),
  );
  assert.deepEqual(found.filter((path) => SMALL_WITH_ONE_USER[path] === undefined), []); // biome-ignore format: one line
});

const LONG = 400;
/** Longer modules, and what each is. A new one is split, or gets a line here. */
const LONG_MODULES: Readonly<Record<string, string>> = {
  'apps/service/src/settings/config.ts': 'a table of settings',
  'apps/web/map/map-view.ts': 'the view of the map',
};

test('a module of more than 400 lines is in the list', () => {
  const found = files.filter((path) => lineCountOf(path) > LONG && !/openapi-types\.ts$/.test(path));
  assert.deepEqual(found.filter((path) => LONG_MODULES[path] === undefined), []); // biome-ignore format: one line
});
