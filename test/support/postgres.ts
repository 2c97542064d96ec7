/** A PostgreSQL server of its own: a directory, a socket in it and no network port. One for all tests of a process. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const BINARIES = [...globSync('/usr/lib/postgresql/*/bin/initdb'), '/usr/bin/initdb', '/usr/local/bin/initdb']
  .filter((path) => existsSync(path))
  .map((path) => dirname(path))
  .at(-1);

/** Why tests with PostgreSQL are skipped, or false. */
export const noPostgres = BINARIES === undefined ? 'no PostgreSQL server here' : false;

const START_TIMEOUT_MS = 30_000;

export interface PostgresServer extends AsyncDisposable {
  /** Address of its database, without a password. */
  readonly url: string;
  /** Ends its connections and stops it. */
  stop(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Kills it as a crash would, and starts it again. */
  crash(): Promise<void>;
}

let shared: Promise<PostgresServer> | null = null;
// Here, because within a test it would belong to that test.
after(async () => (await shared)?.[Symbol.asyncDispose]());

/** The server of this process; stopped behind the last test. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** `settings`: of the server, as `name=value`. Without more, a crash of the machine loses data: tests need speed. */
export async function startPostgres(settings: readonly string[] = ['fsync=off']): Promise<PostgresServer> {
  if (BINARIES === undefined) throw new Error('no PostgreSQL server here');
  const directory = mkdtempSync(join(tmpdir(), 'geomill-pg-'));
  const data = join(directory, 'data');
  // The server refuses to run as root.
  const account = process.getuid?.() === 0 ? accountOf('postgres') : null;
  if (account !== null) chownSync(directory, account.uid, account.gid);
  const as = account ?? {};
  execFileSync(join(BINARIES, 'initdb'), ['-D', data, '-U', 'geomill', '-A', 'trust', '-E', 'UTF8', '-N'], {
    ...as,
    cwd: directory,
    stdio: 'ignore',
  });
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(
      join(BINARIES, 'postgres'),
      [
        ...['-D', data, '-k', directory, '-c', 'listen_addresses=', '-c', 'max_connections=200'],
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      { ...as, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await accepting(child);
    return child;
  };
  let server = await start();
  const url = `postgres://geomill@/postgres?host=${encodeURIComponent(directory)}`;
  return {
    url,
    stop: () => ended(server, 'SIGINT'),
    async start() {
      server = await start();
    },
    async crash() {
      await ended(server, 'SIGKILL');
      // Its children end by themselves; until then the directory counts as in use.
      for (const end = Date.now() + START_TIMEOUT_MS; ; await pause(50)) {
        try {
          server = await start();
          return;
        } catch (error) {
          if (Date.now() >= end) throw error;
        }
      }
    },
    async [Symbol.asyncDispose]() {
      // Ends connections that are still open, too.
      await ended(server, 'SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function accountOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Waits until the server accepts connections; throws what it said if it ends instead. */
async function accepting(child: ChildProcess): Promise<void> {
  let said = '';
  const isReady = Promise.withResolvers<boolean>();
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('ready to accept connections')) isReady.resolve(true);
  });
  child.once('exit', () => isReady.resolve(false));
  if (!(await isReady.promise)) throw new Error(`PostgreSQL ended: ${said}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
