/** Directories are removed with all that is in them, also while a process that is being stopped still writes there. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { removeTree } from '../src/storage/remove-tree.ts';

test('files that appear while the directory is removed do not stop it', async () => {
  using workspace = makeWorkspace();
  const directory = join(workspace.path, 'scratch');
  mkdirSync(join(directory, 'deep'), { recursive: true });
  for (let i = 0; i < 200; i++) writeFileSync(join(directory, 'deep', String(i)), 'x');
  let writes = 0;
  let isOver = false;
  const removal = removeTree(directory).finally(() => {
    isOver = true;
  });
  // Every turn of the loop, until enough have come to hit the time between reading and removing the directory.
  const write = (): void => {
    if (isOver || writes === 20) return;
    if (existsSync(join(directory, 'deep'))) writeFileSync(join(directory, 'deep', `late${writes++}`), 'x');
    setImmediate(write);
  };
  setImmediate(write);
  await removal;
  assert.equal(existsSync(directory), false);
});

test('a link is removed, not what it leads to; what is not there is no error', async () => {
  using workspace = makeWorkspace();
  const kept = join(workspace.path, 'kept');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), 'x');
  mkdirSync(join(workspace.path, 'slot'));
  symlinkSync(kept, join(workspace.path, 'slot', 'link'));
  await removeTree(join(workspace.path, 'slot'));
  await removeTree(join(workspace.path, 'nothing'));
  assert.deepEqual(workspace.entries(), ['kept', 'kept/file']);
});
