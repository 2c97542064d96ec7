/**
 * A fetching process that does what the path of the URL says: `/peek/<path>` tells what it may do to that file and to the
 * world, `/hang` never ends, `/crash` ends at once, `/lie` announces a file that is not there, `/link` one that is a link,
 * `/babble` sends no message but bytes without an end.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { openChildEnd } from '../../apps/service/src/processes/process-channel.ts';
import type { FetchTask, FromFetcher } from '../../apps/service/src/remote-input/fetch-messages.ts';
import { failure } from '../../packages/core/src/messages/errors.ts';
import { generalErrors } from '../../packages/core/src/messages/general-errors.ts';

function act({ url, path }: FetchTask): FromFetcher {
  const { pathname } = new URL(url);
  if (pathname === '/hang') for (;;);
  if (pathname === '/babble') for (;;) writeSync(3, 'x'.repeat(10_000));
  if (pathname === '/crash') process.abort();
  if (pathname === '/link') symlinkSync('elsewhere', path);
  if (pathname.startsWith('/peek')) {
    const detail = peek(pathname.slice('/peek'.length));
    return { type: 'failed', error: failure(generalErrors.USAGE, { detail }).toPlain(), log: null };
  }
  return { type: 'fetched', file: { host: 'a', byteLength: 9, name: null, end: 'stated' } };
}

function peek(path: string): string {
  const attempts: Record<string, () => unknown> = {
    read: () => readFileSync(path),
    list: () => readdirSync('/'),
    write: () => writeFileSync(`${path}.evil`, 'x'),
    beside: () => writeFileSync('../evil', 'x'),
    within: () => writeFileSync('within', 'x'),
    spawn: () => spawnSync('true'),
    thread: () => new Worker('0', { eval: true }),
    signal: () => process.kill(process.ppid, 0),
    environment: () => {
      if (Object.keys(process.env).length === 0) throw Object.assign(new Error(), { code: 'EMPTY' });
    },
  };
  return Object.entries(attempts)
    .map(([name, attempt]) => {
      try {
        attempt();
        return `${name} done`;
      } catch (error) {
        return `${name} ${(error as { code?: string }).code}`;
      }
    })
    .join(', ');
}

const send = openChildEnd<FetchTask, FromFetcher>((task) => {
  send(act(task));
  process.exit(0);
});
