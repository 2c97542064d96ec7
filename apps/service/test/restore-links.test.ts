/** A restore copies files alone: a link in a backup could lead to any file of the machine. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { RELEASES, releaseDirectory } from '../../../test/support/releases.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';
import { backUp } from '../src/maintenance/backup.ts';
import { restore } from '../src/maintenance/restore.ts';

const { signal } = new AbortController();
const posix = { skip: process.platform === 'win32' ? 'links need rights there' : false };

/** A backup with inputs and an output. */
async function makeBackup(directory: string): Promise<string> {
  const data = join(directory, 'data');
  cpSync(releaseDirectory(RELEASES[0]), data, { recursive: true });
  rmSync(join(data, 'fixture.json'));
  const path = join(data, 'jobs.sqlite');
  await new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5, sync: { onFailure: (error) => assert.fail(String(error)) } }).close(); // biome-ignore format: one line
  const target = join(directory, 'backup');
  await backUp({ dataDirectory: data, target, withOutputs: true, version: '0.0.0', signal });
  return target;
}

/** The paths in a backup, at which there can be a link. */
function pathsOf(backup: string): { files: string[]; directories: string[] } {
  const inputs = readdirSync(join(backup, 'inputs')).map((name) => `inputs/${name}`);
  const outputs = readdirSync(join(backup, 'outputs')).map((name) => `outputs/${name}`);
  assert.ok(inputs.length > 0 && outputs.length > 0);
  return { files: ['manifest.json', 'jobs.sqlite', 'accounts.sqlite', inputs[0], outputs[0]], directories: ['inputs', 'outputs'] }; // biome-ignore format: one line
}

test('a backup without links is restored, also by a link to its directory', posix, async () => {
  using workspace = makeWorkspace();
  const source = await makeBackup(workspace.path);
  const link = join(workspace.path, 'link');
  symlinkSync(source, link);
  for (const [i, path] of [source, link].entries()) {
    const dataDirectory = join(workspace.path, `restored-${i}`);
    await restore({ source: path, dataDirectory, overwrite: false, signal });
    assert.equal(existsSync(join(dataDirectory, 'jobs.sqlite')), true);
  }
});

test('a link in the place of any file or directory is refused, and nothing is changed', posix, async () => {
  using workspace = makeWorkspace();
  const backup = await makeBackup(workspace.path);
  const { files, directories } = pathsOf(backup);
  const elsewhere = join(workspace.path, 'elsewhere');
  const dataDirectory = join(workspace.path, 'restored');
  mkdirSync(dataDirectory);
  for (const path of [...files, ...directories]) {
    renameSync(join(backup, path), elsewhere);
    // With the content and checksum of the manifest.
    symlinkSync(elsewhere, join(backup, path));
    await assert.rejects(
      restore({ source: backup, dataDirectory, overwrite: false, signal }),
      ({ code, message }: Error & { code: string }) =>
        code === 'BACKUP_INVALID' && message.includes('a symbolic link'),
      path,
    );
    assert.deepEqual(readdirSync(dataDirectory).filter((name) => !name.startsWith('lock.')), [], path); // biome-ignore format: one line
    rmSync(join(backup, path));
    renameSync(elsewhere, join(backup, path));
  }
  await restore({ source: backup, dataDirectory, overwrite: false, signal });
});

test('a directory in the place of a file is refused', async () => {
  using workspace = makeWorkspace();
  const backup = await makeBackup(workspace.path);
  for (const path of pathsOf(backup).files) {
    renameSync(join(backup, path), join(workspace.path, 'elsewhere'));
    mkdirSync(join(backup, path));
    const dataDirectory = join(workspace.path, 'restored');
    await assert.rejects(restore({ source: backup, dataDirectory, overwrite: false, signal }), { code: 'BACKUP_INVALID' }); // biome-ignore format: one line
    rmSync(join(backup, path), { recursive: true });
    renameSync(join(workspace.path, 'elsewhere'), join(backup, path));
  }
});
