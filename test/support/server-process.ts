/** The real server: a process of its own with its own data directory on a free port, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { ENTRANCE, SOURCE_ENTRANCE } from './program.ts';

export interface ServerProcess extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  /** What it has logged so far, with LOG_LEVEL in its settings. */
  log(): readonly Readonly<Record<string, unknown>>[];
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

/** `settings` by their variables; with NODE_OPTIONS, which can load modules, the sources run. TEST_LOG=info shows what the server says. */
export async function startServerProcess(
  settings: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-server-'));
  const launcher = settings.NODE_OPTIONS === undefined ? ENTRANCE : SOURCE_ENTRANCE;
  const child = spawn(process.execPath, ['--max-semi-space-size=4', launcher, 'serve', ...flags], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDirectory,
      LOG_LEVEL: process.env.TEST_LOG ?? 'error',
      RUNNERS: '1',
      // Nicer runners wait for the other tests that run at the same time.
      RUNNER_NICENESS: '0',
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
    const { url, lines } = await greeted(child);
    const log = () =>
      lines
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    return { url, pid: child.pid!, log, kill, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resolves when it listens; `lines` grows on. */
async function greeted(child: ChildProcess): Promise<{ url: string; lines: readonly string[] }> {
  const lines: string[] = [];
  const found = Promise.withResolvers<string>();
  const showsLog = process.env.TEST_LOG !== undefined;
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    lines.push(text);
    if (showsLog) process.stderr.write(text);
  });
  const output = createInterface({ input: child.stdout! });
  output.on('line', (line) => {
    lines.push(line);
    if (showsLog) process.stderr.write(`${line}\n`);
    const url = line.startsWith('{') ? undefined : /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) found.resolve(url);
  });
  output.on('close', () =>
    found.reject(new Error(`the service ended before it listened: ${lines.join('\n')}`)),
  );
  return { url: await found.promise, lines };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
