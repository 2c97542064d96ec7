/** A database that is read through a link has its log beside the file, not beside the link. */
import assert from 'node:assert/strict';
import { realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { stageInput } from '../src/files.ts';

test('an input is the file that a link leads to, under the name of the link', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'real.gpkg');
  const link = join(workspace.path, 'link.gpkg');
  writeFileSync(path, '');
  symlinkSync(path, link);
  const staged = await stageInput(link, join(workspace.path, 'copy'), new AbortController().signal);
  assert.deepEqual(staged, { path: realpathSync(path), name: 'link.gpkg' });
});
