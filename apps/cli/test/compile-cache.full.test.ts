/** Compiled code of other users is never run: a planted cache is neither read nor written to. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lchownSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'; // biome-ignore format: one line
import { basename, dirname, join } from 'node:path';
import test from 'node:test';
import { builtProgram } from '../../../test/support/built-program.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLE = join(ROOT, 'samples', 'harbour.geojson');
const LAUNCHERS = { checkout: ROOT, package: await builtProgram() };
const STRANGER = 12_345;
const asRoot = { skip: process.geteuid?.() === 0 ? false : 'only root can make files of other users' };

/** Runs a conversion with `variables` alone, and returns the files in caches of Node below `directory`. */
function cachesAfter(
  launcher: string,
  directory: string,
  variables: Readonly<Record<string, string>>,
): string[] {
  const args = [join(launcher, 'bin', 'geomill.js'), 'convert', SAMPLE, join(directory, 'out.csv'), '--overwrite', '--quiet']; // biome-ignore format: one line
  const env = { PATH: process.env.PATH, HOME: join(directory, 'nowhere'), TMPDIR: directory, ...variables };
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^v\d.*-/.test(basename(dirname(name)))).sort();
}

/** Gives a directory and all that is in it to another user, as if that user had made it first. */
function plant(directory: string, mode: number): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(directory, name), STRANGER, STRANGER);
  chownSync(directory, STRANGER, STRANGER);
  chmodSync(directory, mode);
}

for (const [name, launcher] of Object.entries(LAUNCHERS)) {
  test(`${name}: code is kept in the user's cache directory, and not among temporary files`, () => {
    using workspace = makeWorkspace();
    const home = join(workspace.path, 'home');
    const isMac = process.platform === 'darwin';
    const caches = cachesAfter(launcher, workspace.path, { HOME: home });
    assert.ok(caches.length > 0);
    const own = join('home', isMac ? 'Library/Caches' : '.cache', 'geomill', 'code');
    for (const cache of caches) assert.ok(cache.startsWith(own), cache);
    const xdg = join(workspace.path, 'xdg');
    const { length } = cachesAfter(launcher, workspace.path, { HOME: home, XDG_CACHE_HOME: xdg });
    assert.ok(length > caches.length);
  });

  test(`${name}: no code is kept with NODE_DISABLE_COMPILE_CACHE`, () => {
    using workspace = makeWorkspace();
    const variables = { HOME: workspace.path, NODE_DISABLE_COMPILE_CACHE: '1' };
    assert.deepEqual(cachesAfter(launcher, workspace.path, variables), []);
  });

  for (const mode of [0o755, 0o777, 0o1777])
    test(`${name}: a cache of another user is not used (${mode.toString(8)})`, asRoot, () => {
      using workspace = makeWorkspace();
      const home = join(workspace.path, 'home');
      const planted = cachesAfter(launcher, workspace.path, { HOME: home });
      const before = readdirSync(home, { recursive: true }).length;
      for (const level of ['.', '.cache', '.cache/geomill', '.cache/geomill/code']) {
        plant(join(home, level), mode);
        const caches = cachesAfter(launcher, workspace.path, { HOME: home });
        assert.deepEqual(caches, planted, level);
        assert.equal(readdirSync(home, { recursive: true }).length, before, `${level}: nothing is written`);
        spawnSync('chown', ['-R', '0:0', home]);
        chmodSync(join(home, level), 0o700);
      }
    });

  test(`${name}: a link to a cache of another user is not followed`, asRoot, () => {
    using workspace = makeWorkspace();
    const [foreign, home] = ['foreign', 'home'].map((name) => join(workspace.path, name));
    mkdirSync(join(home, '.cache'), { recursive: true, mode: 0o700 });
    mkdirSync(foreign);
    plant(foreign, 0o755);
    symlinkSync(foreign, join(home, '.cache', 'geomill'));
    assert.deepEqual(cachesAfter(launcher, workspace.path, { HOME: home }), []);
  });

  test(`${name}: a planted cache among temporary files is not used`, asRoot, () => {
    using workspace = makeWorkspace();
    const planted = join(workspace.path, 'node-compile-cache');
    mkdirSync(planted);
    plant(planted, 0o777);
    cachesAfter(launcher, workspace.path, { HOME: join(workspace.path, 'home') });
    assert.deepEqual(readdirSync(planted), []);
    assert.equal(existsSync(join(workspace.path, 'home')), true);
  });
}
