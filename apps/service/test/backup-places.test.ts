/** A backup is made of a data directory, in a place that is not taken. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { backUp } from '../src/maintenance/backup.ts';

test('what is no data directory, a place that is taken and one without a directory are refused, and nothing is left', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  for (const name of ['data', 'empty', 'taken']) mkdirSync(at(name));
  writeFileSync(at('data/jobs.sqlite'), '');
  writeFileSync(at('file'), 'mine');
  const before = readdirSync(workspace.path, { recursive: true });
  for (const [data, target, message] of [
    ['empty', 'new', /there is no jobs.sqlite in it/],
    ['data', 'taken', /'.*taken' exists already/],
    ['data', 'file', /'.*file' exists already/],
    ['data', 'none/new', /there is no directory '.*none'/],
  ] as const)
    await assert.rejects(backUp({ dataDirectory: at(data), target: at(target) } as never), { message });
  assert.deepEqual(readdirSync(workspace.path, { recursive: true }), before);
  assert.ok(!existsSync(at('new')));
});
