/** Signals that any process of the service's user can send. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import test from 'node:test';
import { startServerProcess } from '../../../test/support/server-process.ts';
import { until } from '../../../test/support/until.ts';

/** How many ports of TCP process `pid` listens on. */
function listeningPorts(pid: number): number {
  const table = readFileSync(`/proc/${pid}/net/tcp`, 'latin1').split('\n');
  // Columns of proc(5): the fourth is the state, 0A for listening; the tenth is the socket.
  const rows = table.map((line) => line.trim().split(/\s+/)).filter((columns) => columns[3] === '0A');
  const listening = new Set(rows.map((columns) => `socket:[${columns[9]}]`));
  const own = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return '';
    }
  });
  return own.filter((name) => listening.has(name)).length;
}

test('the service does not open its inspector at SIGUSR1', async (context) => {
  if (process.platform !== 'linux') return context.skip('only Linux tells what a process listens on');
  await using server = await startServerProcess();
  assert.equal(listeningPorts(server.pid), 1);
  process.kill(server.pid, 'SIGUSR1');
  // Two answers later a signal that was sent before has been seen.
  for (let i = 0; i < 2; i++) assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  // Signals that Node handles run in turns of the event loop; the inspector would start in a thread of its own. A process without the
  // service's handler, which gets the signal later, shows when that thread has had its time.
  const idle = spawn(
    process.execPath,
    ['--inspect-port=0', '-e', 'setInterval(() => {}, 1e6); process.send(0)'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  );
  try {
    await once(idle, 'message');
    process.kill(idle.pid!, 'SIGUSR1');
    await until('a process without the handler opens its inspector', () => listeningPorts(idle.pid!) === 1);
  } finally {
    idle.kill('SIGKILL');
  }
  assert.equal(listeningPorts(server.pid), 1);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
});
