/** A process of geomill on a machine of a campaign: killed and started again on the same data directory and port, paused, set to another time. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ENTRANCE } from '../support/program.ts';
import type { Machine } from './network.ts';

/** Debian's package `faketime`: the only way to give one process another time of day; time namespaces have that of the machine. */
const FAKE_TIME = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').at(0) ?? null;

/** Why clocks cannot be set, or false. */
export const noFakeTime = FAKE_TIME === null ? 'libfaketime is not installed' : false;

export type Role = 'api' | 'worker' | 'all';

export interface MemberOptions {
  readonly machine: Machine;
  readonly role: Role;
  /** For its data directory and its log. */
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Default: ENTRANCE. Another version, for tests of updates. */
  readonly launcher?: string;
}

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly machine: Machine;
  readonly dataDirectory: string;
  readonly logPath: string;
  url = '';
  readonly #options: MemberOptions;
  readonly #clockPath: string;
  #port = '0';
  #process: ChildProcess | null = null;

  constructor(options: MemberOptions) {
    const { machine, role, directory } = options;
    this.#options = options;
    this.name = machine.name;
    this.role = role;
    this.machine = machine;
    this.dataDirectory = join(directory, machine.name);
    this.logPath = join(directory, `${machine.name}.log`);
    this.#clockPath = join(directory, `${machine.name}.clock`);
    mkdirSync(this.dataDirectory, { recursive: true });
    this.setClock(0);
  }

  /** Resolves when it listens. Rejects if it ends before, as it does without its database. */
  async start(): Promise<void> {
    const { machine, role, settings, launcher = ENTRANCE } = this.#options;
    const [file, ...args] = [...machine.within, process.execPath, launcher, 'serve', '--role', role];
    const child = spawn(file, args, {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        HOST: machine.address,
        PORT: this.#port,
        DATA_DIR: this.dataDirectory,
        LOG_LEVEL: 'warn',
        RUNNER_THREADS: '1',
        ...(FAKE_TIME === null
          ? {}
          : {
              LD_PRELOAD: FAKE_TIME,
              FAKETIME_TIMESTAMP_FILE: this.#clockPath,
              FAKETIME_CACHE_DURATION: '1',
              FAKETIME_DONT_FAKE_MONOTONIC: '1',
              DONT_FAKE_MONOTONIC: '1',
            }),
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    child.stderr.on('data', (text: Buffer) => writeFileSync(this.logPath, text, { flag: 'a' }));
    const lines = createInterface({ input: child.stdout });
    const greeting = Promise.withResolvers<string>();
    lines.on('line', (line) => {
      writeFileSync(this.logPath, `${line}\n`, { flag: 'a' });
      const found = /http:\/\/[\d.]+:\d+/.exec(line);
      if (found !== null) greeting.resolve(found[0]);
    });
    child.once('exit', (status, signal) =>
      greeting.reject(
        new Error(`${this.name} ended before it listened: ${status ?? signal}; ${this.#lastLog()}`),
      ),
    );
    this.url = await greeting.promise;
    this.#port = new URL(this.url).port;
  }

  get isRunning(): boolean {
    const child = this.#process;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The milliseconds until it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const child = this.#process;
    const began = performance.now();
    if (child === null || child.exitCode !== null || child.signalCode !== null) return 0;
    const ended = once(child, 'exit');
    child.kill(signal);
    // A paused process cannot end by itself.
    if (signal === 'SIGTERM') this.signal('SIGCONT', true);
    await ended;
    return performance.now() - began;
  }

  /** To the process, or to it and its runners. */
  signal(signal: 'SIGSTOP' | 'SIGCONT', withRunners: boolean): void {
    const pids = withRunners ? treeOf(this.pid) : [this.pid];
    for (const pid of pids) sendTo(pid, signal);
  }

  /** Processes of its runners. */
  runners(): readonly number[] {
    const slots = join(this.dataDirectory, 'slots');
    if (!existsSync(slots)) return [];
    return readdirSync(slots)
      .filter((name) => name.endsWith('.pid'))
      .flatMap((name) => {
        try {
          return [Number(readFileSync(join(slots, name), 'utf8'))];
        } catch {
          return []; // it is being replaced
        }
      });
  }

  killRunner(random: () => number): boolean {
    const pids = this.runners();
    return pids.length > 0 && sendTo(pids[Math.floor(random() * pids.length)], 'SIGKILL');
  }

  /** Sets its clock so many seconds before or after that of the machine, within about a second. */
  setClock(seconds: number): void {
    writeFileSync(this.#clockPath, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  }

  #lastLog(): string {
    return existsSync(this.logPath) ? readFileSync(this.logPath, 'utf8').slice(-500) : '';
  }
}

/** False: there is no such process any more. */
export function sendTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return pid > 0 && process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A process and all those below it. */
export function treeOf(root: number): readonly number[] {
  const parents = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}
