/** The service as a process of its own that is killed and started again on the same data and port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../packages/engines/sqlite/src/database.ts';
import { ENTRANCE } from '../support/program.ts';

const TRIES = 6000;
const PAUSE_MS = 10;

export interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly key: string | null;
}

export class KilledService {
  readonly dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-faults-'));
  url = '';
  #port = '0';
  #process: ChildProcess | null = null;

  async start(): Promise<void> {
    const child = spawn(process.execPath, [ENTRANCE, 'serve'], {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        DATA_DIR: this.dataDirectory,
        PORT: this.#port,
        RUNNERS: '2',
        LOG_LEVEL: 'error',
        // The limit of three has a test of its own; here one job may well be hit more often.
        JOB_ATTEMPTS: '100',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    if (this.#port === '0') await this.#readAddress(child);
    else child.stdout.resume();
  }

  async #readAddress(child: ChildProcess): Promise<void> {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const match = /(http:\/\/[\d.]+:(\d+))/.exec(line);
      if (match === null) continue;
      [, this.url, this.#port] = match;
      child.stdout?.resume();
      return;
    }
    throw new Error('the service ended before it listened');
  }

  /** Resolves when it takes jobs. */
  async ready(): Promise<void> {
    await insist(async () => ((await fetch(`${this.url}/readyz`)).ok ? true : null));
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Kills one of the runner processes there are; false when there is none. */
  killRunner(random: () => number): boolean {
    const slots = join(this.dataDirectory, 'slots');
    try {
      const files = readdirSync(slots).filter((name) => name.endsWith('.pid'));
      if (files.length === 0) return false;
      const pid = Number(readFileSync(join(slots, files[Math.floor(random() * files.length)]), 'utf8'));
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      return false; // it is being replaced
    }
  }

  rows(): readonly JobRow[] {
    const database = new Database(join(this.dataDirectory, 'jobs.sqlite'), { synchronous: 'NORMAL' });
    try {
      return database.prepare('SELECT id, state, attempts, idempotency_key AS key FROM jobs').all<JobRow>();
    } finally {
      database.close();
    }
  }

  /** Names in a directory of the data directory. */
  files(directory: 'inputs' | 'outputs' | 'uploads' | 'slots'): readonly string[] {
    return readdirSync(join(this.dataDirectory, directory));
  }

  remove(): void {
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }
}

/** Does it until it gives a result; a service that is down or starting is what this is about. */
export async function insist<Result>(act: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const result = await act();
      if (result !== null) return result;
    } catch (error) {
      if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error; // fetch failed
    }
    await pause(PAUSE_MS);
  }
  throw new Error(`no answer after ${(TRIES * PAUSE_MS) / 1000} s`);
}
