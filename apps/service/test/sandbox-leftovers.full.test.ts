/** A process inside a sandbox can survive the sandbox that was killed while it started; nothing may wait for it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHANNEL_STDIO } from '../src/processes/process-channel.ts';
import { closeAfterExit, killStartedWith } from '../src/sandbox/leftovers.ts';

const skip = process.platform === 'linux' ? false : 'processes are listed in /proc';

/** Starts a process with `name` in its command line, which inherits all pipes, and kills itself. */
const LEAVE_A_SURVIVOR = 'tail -f /dev/null "$0" & kill -9 $$';

function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

test('a survivor is killed at the exit, so that the pipes close', { skip }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-leftovers-'));
  const child = spawn('/bin/sh', ['-c', LEAVE_A_SURVIVOR, join(directory, 'a')], { stdio: CHANNEL_STDIO });
  closeAfterExit(child, directory, () => true);
  await once(child, 'close');
  assert.deepEqual(processesWith(directory), []);
});

test('pipes that a survivor holds are given up after a while', { skip }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-leftovers-'));
  const child = spawn('/bin/sh', ['-c', LEAVE_A_SURVIVOR, join(directory, 'a')], { stdio: CHANNEL_STDIO });
  t.after(() => killStartedWith(directory));
  closeAfterExit(child, 'a text in no command line', () => false);
  await once(child, 'close');
});
