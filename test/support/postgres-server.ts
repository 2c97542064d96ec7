/** A PostgreSQL server of its own: a directory and a socket in it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from './until.ts';

const BINARIES = [...globSync('/usr/lib/postgresql/*/bin/initdb'), '/usr/bin/initdb', '/usr/local/bin/initdb']
  .filter((path) => existsSync(path))
  .map((path) => dirname(realpathSync(path)))
  .at(-1);

/** Why tests with PostgreSQL are skipped, or false. */
export const noPostgres = BINARIES === undefined ? 'no PostgreSQL server here' : false;

/** Path of a program of PostgreSQL, such as pg_dump. */
export function postgresProgram(name: string): string {
  return join(BINARIES ?? '', name);
}

const TRUSTED_NETWORKS = 'host all all all trust\n';

/** How the server ends: fast, immediately as in a crash, killed with its sessions left to notice. */
export type PostgresEnd = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

export interface PostgresServer extends AsyncDisposable {
  /** Address of its database by the socket, without a password. */
  readonly url: string;
  /** Of its first process. */
  readonly pid: number;
  /** Ends its connections and stops it. */
  stop(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  restart(how: PostgresEnd): Promise<void>;
  /** Kills it as a crash would, and starts it again. */
  crash(): Promise<void>;
}

/** Where the server runs. */
export interface PostgresMachine {
  /** Address that it listens on, with the default port; no password is needed there. Default: none. */
  readonly address?: string;
  /** Command that runs it, as in a network namespace; only with the rights of root. */
  readonly within?: readonly string[];
}

/** `settings`: of the server, as `name=value`. Without more, a crash of the machine loses data: tests need speed. */
export async function startPostgres(
  settings: readonly string[] = ['fsync=off'],
  { address = '', within = [] }: PostgresMachine = {},
): Promise<PostgresServer> {
  if (BINARIES === undefined) throw new Error('no PostgreSQL server here');
  const directory = mkdtempSync(join(tmpdir(), 'geomill-pg-'));
  const data = join(directory, 'data');
  // The server refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, idOf('-u'), idOf('-g'));
  const run = (program: string, args: readonly string[]): [string, string[]] => {
    const as = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
    const [file, ...rest] = [...within, ...as, join(BINARIES, program), ...args];
    return [file, rest];
  };
  const initialise = run('initdb', ['-D', data, '-U', 'geomill', '-A', 'trust', '-E', 'UTF8', '-N']);
  execFileSync(...initialise, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  if (address !== '') appendFileSync(join(data, 'pg_hba.conf'), TRUSTED_NETWORKS);
  const start = async (): Promise<ChildProcess> => {
    const place = ['-D', data, '-k', directory, '-c', `listen_addresses=${address}`];
    const chosen = ['max_connections=200', ...settings].flatMap((setting) => ['-c', setting]);
    const child = spawn(...run('postgres', [...place, ...chosen]), {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await accepting(child);
    return child;
  };
  let server = await start();
  const restart = async (how: PostgresEnd): Promise<void> => {
    await ended(server, how);
    // After SIGKILL its children end by themselves; until then the directory counts as in use.
    server = await until('PostgreSQL starts again', () => start().catch(() => null));
  };
  return {
    url: `postgres://geomill@/postgres?host=${encodeURIComponent(directory)}`,
    get pid() {
      return server.pid!;
    },
    stop: () => ended(server, 'SIGINT'),
    async start() {
      server = await start();
    },
    restart,
    crash: () => restart('SIGKILL'),
    async [Symbol.asyncDispose]() {
      // Ends connections that are still open, too.
      await ended(server, 'SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
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
