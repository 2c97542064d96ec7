/** Which directories may keep compiled code, which is run unchecked: those that no other user can change. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, lchownSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { readConfig } from '../src/settings/config.ts';

const { cacheDirectory, privateDirectory } = createRequire(import.meta.url)(
  '../../../bin/compile-cache.js',
) as {
  readonly cacheDirectory: (environment: Readonly<Record<string, string | undefined>>) => string;
  readonly privateDirectory: (given: string) => string | null;
};
const STRANGER = 12_345;
const posix = { skip: process.platform === 'win32' ? 'needs the permissions of POSIX' : false };
const asRoot = { skip: process.geteuid?.() === 0 ? false : 'only root can make files of other users' };

/** A directory that passes, with three levels that do not exist yet. */
function nested(path: string): { top: string; middle: string; cache: string } {
  const top = join(realpathSync(path), 'home');
  const middle = join(top, '.cache');
  return { top, middle, cache: join(middle, 'geomill') };
}

test('makes a directory that only its user can read and write', posix, () => {
  using workspace = makeWorkspace();
  const { top, middle, cache } = nested(workspace.path);
  assert.equal(privateDirectory(cache), cache);
  for (const path of [top, middle, cache]) assert.equal(statSync(path).mode & 0o777, 0o700, path);
  assert.equal(privateDirectory(cache), cache, 'an existing one');
});

test('refuses a directory to which others may write, and one below it', posix, () => {
  using workspace = makeWorkspace();
  const { top, middle, cache } = nested(workspace.path);
  privateDirectory(cache);
  for (const path of [top, middle, cache])
    for (const mode of [0o770, 0o720, 0o702, 0o777]) {
      chmodSync(path, mode);
      assert.equal(privateDirectory(cache), null, `${path} ${mode.toString(8)}`);
      chmodSync(path, 0o700);
    }
  assert.equal(privateDirectory(cache), cache);
});

test('accepts a directory below one like /tmp, but not such a directory itself', posix, () => {
  using workspace = makeWorkspace();
  const { middle, cache } = nested(workspace.path);
  privateDirectory(cache);
  chmodSync(middle, 0o1777);
  assert.equal(privateDirectory(cache), cache);
  chmodSync(cache, 0o1777);
  assert.equal(privateDirectory(cache), null);
});

test('refuses directories of other users at each level', { ...posix, ...asRoot }, () => {
  using workspace = makeWorkspace();
  const { top, middle, cache } = nested(workspace.path);
  privateDirectory(cache);
  for (const path of [top, middle, cache])
    for (const mode of [0o700, 0o755, 0o1777]) {
      chownSync(path, STRANGER, STRANGER);
      chmodSync(path, mode);
      assert.equal(privateDirectory(cache), null, path);
      chownSync(path, 0, 0);
      chmodSync(path, 0o700);
    }
  assert.equal(privateDirectory(cache), cache);
});

test('refuses what another user made first in a directory like /tmp', { ...posix, ...asRoot }, () => {
  using workspace = makeWorkspace();
  const { middle, cache } = nested(workspace.path);
  privateDirectory(middle);
  chmodSync(middle, 0o1777);
  mkdirSync(cache);
  chownSync(cache, STRANGER, STRANGER);
  assert.equal(privateDirectory(cache), null);
  assert.equal(privateDirectory(join(cache, 'code')), null);
  assert.equal(existsSync(join(cache, 'code')), false, 'nothing is made below');
});

test('follows links of this user, and checks where they lead', posix, () => {
  using workspace = makeWorkspace();
  const { top, middle, cache } = nested(workspace.path);
  const target = join(top, 'disk', 'target');
  privateDirectory(target);
  symlinkSync(relative(top, target), middle);
  assert.equal(privateDirectory(cache), join(target, 'geomill'), 'without links');
  chmodSync(join(top, 'disk'), 0o777);
  assert.equal(privateDirectory(cache), null, 'a parent of the target');
});

test('refuses links of other users, chains through their directories, and endless ones', {
  ...posix,
  ...asRoot,
}, () => {
  // biome-ignore format: one line
  using workspace = makeWorkspace();
  const { top, middle, cache } = nested(workspace.path);
  const target = join(top, 'target');
  privateDirectory(target);
  symlinkSync(target, middle);
  lchownSync(middle, STRANGER, STRANGER);
  assert.equal(privateDirectory(cache), null, 'a link of another user');

  const foreign = join(top, 'foreign');
  mkdirSync(foreign);
  symlinkSync(target, join(foreign, 'link'));
  chownSync(foreign, STRANGER, STRANGER);
  symlinkSync(join(foreign, 'link'), join(top, 'chain'));
  assert.equal(
    privateDirectory(join(top, 'chain', 'geomill')),
    null,
    'a link in a directory of another user',
  );

  symlinkSync('circle', join(top, 'circle'));
  assert.equal(privateDirectory(join(top, 'circle', 'geomill')), null, 'an endless link');
});

test('returns null where no directory can be made', posix, () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below'), '', 'relative/path', join(workspace.path, 'a\0b')])
    assert.equal(privateDirectory(path), null, path);
});

test('the launcher and the settings agree on the cache directory', () => {
  for (const environment of [
    {},
    { XDG_CACHE_HOME: '/xdg' },
    { XDG_CACHE_HOME: 'relative' },
    { XDG_CACHE_HOME: '' },
    { CACHE_DIR: '/own' },
    { CACHE_DIR: 'own', XDG_CACHE_HOME: '/xdg' },
    { CACHE_DIR: '', LOCALAPPDATA: '/local' },
  ])
    assert.equal(cacheDirectory(environment), readConfig(environment).cacheDirectory);
  assert.ok(cacheDirectory({}).startsWith(homedir()));
});
