/** The real server: a process of its own with its own data directory on a free port, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';

const MAIN = join(import.meta.dirname, '..', '..', 'bin', 'geomill.js');

export interface ServerProcess extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

let shared: Promise<ServerProcess> | null = null;

/** The one server of all test files that a process loads, stopped behind the last test. */
export function sharedServer(): Promise<ServerProcess> {
  shared ??= serverForTests({});
  return shared;
}

/** A server of its own for the tests of a file, stopped behind the last of them. */
export async function serverForTests(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await startServerProcess(settings);
  after(() => server[Symbol.asyncDispose]());
  return server;
}

/** `settings` by their variables; TEST_LOG=info shows what the server says. */
export async function startServerProcess(
  settings: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-server-'));
  const child = spawn(process.execPath, ['--max-semi-space-size=4', MAIN, 'serve', ...flags], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDirectory,
      LOG_LEVEL: process.env.TEST_LOG ?? 'error',
      RUNNERS: '1',
      RUNNER_THREADS: '1',
      SHUTDOWN_GRACE: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  try {
    const kill = (): Promise<void> => ended(child, 'SIGKILL');
    return { url: await greetedUrl(child), pid: child.pid!, kill, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function greetedUrl(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  child.stderr!.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    if (process.env.TEST_LOG === undefined) child.stdout!.resume();
    else for (const stream of [child.stdout!, child.stderr!]) stream.pipe(process.stderr, { end: false });
    return url;
  }
  throw new Error(`the service ended before it listened: ${lines.join('\n')}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
