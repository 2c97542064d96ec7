/** What the service does in a slot whose runner has been taken over. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LocalStore } from '../../src/storage/local-store.ts';
import { removeTree } from '../../src/storage/remove-tree.ts';
import { makeWorkspace } from '../support/convert.ts';

test('emptying a slot follows no link', async () => {
  using workspace = makeWorkspace();
  const outside = join(workspace.path, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'x');
  const tree = join(workspace.path, 'tree');
  mkdirSync(join(tree, 'a', 'b'), { recursive: true });
  writeFileSync(join(tree, 'a', 'file'), 'x');
  for (const name of ['link', 'a/link', 'a/b/link']) symlinkSync(outside, join(tree, name));
  await removeTree(tree);
  assert.equal(existsSync(tree), false);
  assert.deepEqual(readdirSync(outside), ['kept']);
});

test('a tree that is nested too deeply is an error, not a crash', async (context) => {
  if (process.platform !== 'linux') return context.skip('bounded where descriptors are held');
  using workspace = makeWorkspace();
  mkdirSync(join(workspace.path, ...Array.from({ length: 60 }, () => 'd')), { recursive: true });
  await assert.rejects(removeTree(join(workspace.path, 'd')), /nested too deeply/);
});

test('only a regular file is taken over as an output', async () => {
  using workspace = makeWorkspace();
  const store = new LocalStore(join(workspace.path, 'store'));
  const made = join(workspace.path, 'made');
  const secret = join(workspace.path, 'secret');
  writeFileSync(secret, 'of ours');
  symlinkSync(secret, made);
  await assert.rejects(store.adopt('link', 1, made, 0));
  mkdirSync(join(workspace.path, 'directory'));
  await assert.rejects(store.adopt('directory', 1, join(workspace.path, 'directory'), 0), {
    code: 'INTERNAL',
  });
  if (process.platform === 'linux') {
    // Opening a pipe that nobody writes to would wait for ever.
    execFileSync('mkfifo', [join(workspace.path, 'pipe')]);
    await assert.rejects(store.adopt('pipe', 1, join(workspace.path, 'pipe'), 0), { code: 'INTERNAL' });
  }
  assert.equal(await store.openOutput('link'), null);
  assert.equal(readFileSync(secret, 'utf8'), 'of ours');
});
