import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { lowerPriority } from '../src/jobs/runner-priority.ts';

// The file is empty for a process without a group of its own.
const nicenessOf = (pid: number | 'self'): number =>
  Number(readFileSync(`/proc/${pid}/autogroup`, 'latin1').split(' ')[2] ?? 0);

for (const detached of [true, false])
  test(`lowers the priority of a process ${detached ? 'and of its own session' : 'of this session'}`, {
    skip: existsSync('/proc/self/autogroup') ? false : 'needs the autogroups of Linux',
  }, async () => {
    const child = spawn('cat', { detached, stdio: ['pipe', 'ignore', 'inherit'] });
    const { pid } = child;
    assert.ok(pid !== undefined);
    try {
      const own = nicenessOf('self');
      // Other processes may use up the changes that Linux takes in a second.
      while (!lowerPriority(pid, 3)) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(getPriority(pid), Math.min(getPriority() + 3, 19));
      assert.equal(nicenessOf(pid), detached ? Math.min(own + 3, 19) : own);
      assert.equal(nicenessOf('self'), own);
    } finally {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await ended;
    }
  });

test('a process that has ended is no error', async () => {
  const child = spawn('true', { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  assert.equal(lowerPriority(child.pid ?? 0), true);
});
