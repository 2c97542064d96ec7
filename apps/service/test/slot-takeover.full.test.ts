/** What the service does in a slot whose runner has been taken over. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { LocalStore } from '../src/storage/local-store.ts';
import { removeTree } from '../src/storage/remove-tree.ts';
import { SharedDirectoryStore } from '../src/storage/shared-directory.ts';
import type { FileStore } from '../src/storage/store.ts';

const JOB = '00000000-0000-4000-8000-000000000000';

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

test('a shared directory takes over an output from its own and from another file system', async (context) => {
  using workspace = makeWorkspace();
  const store = new SharedDirectoryStore(join(workspace.path, 'store'));
  const made = join(workspace.path, 'made');
  writeFileSync(made, 'of this file system');
  assert.deepEqual(await store.adopt(JOB, 1, made, 0), { byteLength: 19 });
  assert.equal(existsSync(made), false);
  assert.equal(
    readFileSync(join(workspace.path, 'store', 'outputs', JOB, '1'), 'utf8'),
    'of this file system',
  );
  const { dev } = statSync(workspace.path);
  const other = ['/dev/shm', '/var/tmp'].find((path) => existsSync(path) && statSync(path).dev !== dev);
  if (other === undefined) return context.skip('no second file system here');
  const elsewhere = mkdtempSync(join(other, 'geomill-test-'));
  context.after(() => rmSync(elsewhere, { recursive: true }));
  const there = join(elsewhere, 'made');
  writeFileSync(there, 'of another one');
  assert.deepEqual(await store.adopt(JOB, 2, there, 0), { byteLength: 14 });
  assert.equal(readFileSync(join(workspace.path, 'store', 'outputs', JOB, '2'), 'utf8'), 'of another one');
  assert.deepEqual(readdirSync(join(workspace.path, 'store', 'outputs', JOB)).toSorted(), ['1', '2']);
});

for (const [name, make] of [
  ['LocalStore', (path: string): FileStore => new LocalStore(path)],
  ['SharedDirectoryStore', (path: string) => new SharedDirectoryStore(path)],
] as const)
  test(`${name}: only a regular file is taken over as an output`, async () => {
    using workspace = makeWorkspace();
    const store = make(join(workspace.path, 'store'));
    const made = join(workspace.path, 'made');
    const secret = join(workspace.path, 'secret');
    writeFileSync(secret, 'of ours');
    symlinkSync(secret, made);
    await assert.rejects(store.adopt(JOB, 1, made, 0));
    mkdirSync(join(workspace.path, 'directory'));
    await assert.rejects(store.adopt(JOB, 1, join(workspace.path, 'directory'), 0), {
      code: 'INTERNAL',
    });
    if (process.platform === 'linux') {
      // Opening a pipe that nobody writes to would wait for ever.
      execFileSync('mkfifo', [join(workspace.path, 'pipe')]);
      await assert.rejects(store.adopt(JOB, 1, join(workspace.path, 'pipe'), 0), { code: 'INTERNAL' });
    }
    assert.equal(await store.openOutput(JOB, 1), null);
    assert.equal(readFileSync(secret, 'utf8'), 'of ours');
  });
