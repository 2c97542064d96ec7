/** Measures whole processes: wall and CPU seconds and peak memory, two commands in turn so that drift hits both. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Command {
  readonly argv: readonly string[];
  /** Called before every run, outside the measured time: remove the output of the run before. */
  readonly prepare: () => void;
}

export interface Measurement {
  readonly wallSeconds: number;
  /** User plus system. */
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

const GNU_TIME = '/usr/bin/time';

/** CPU and memory need GNU time (Debian package `time`). */
export const canMeasureMemory = existsSync(GNU_TIME);

/** `firstError`: the first line of stderr that says "error", or the first line. */
export class CommandFailed extends Error {
  readonly command: Command;
  readonly firstError: string;

  constructor(command: Command, status: number | null, stderr: string) {
    super(`${command.argv.join(' ')} ended with ${status}: ${stderr}`);
    this.command = command;
    const lines = stderr.split('\n');
    this.firstError = lines.find((line) => /error/i.test(line)) ?? lines[0];
  }
}

function runOnce(command: Command): Measurement {
  command.prepare();
  const directory = mkdtempSync(join(tmpdir(), 'geomill-bench-'));
  const figures = join(directory, 'figures');
  try {
    const argv = canMeasureMemory
      ? [GNU_TIME, '-f', '%e %U %S %M', '-o', figures, ...command.argv]
      : [...command.argv];
    const start = process.hrtime.bigint();
    const done = spawnSync(argv[0], argv.slice(1), { encoding: 'utf8', maxBuffer: 1 << 26 });
    const wallSeconds = Number(process.hrtime.bigint() - start) / 1e9;
    if (done.status !== 0) throw new CommandFailed(command, done.status, done.stderr);
    if (!canMeasureMemory) return { wallSeconds, cpuSeconds: Number.NaN, peakMegabytes: Number.NaN };
    const [, user, system, kilobytes] = readFileSync(figures, 'utf8').trim().split(/\s+/).map(Number);
    return { wallSeconds, cpuSeconds: user + system, peakMegabytes: kilobytes / 1024 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the commands in turn, A B A B ..., and returns each one's medians. */
export function measureInTurn(commands: readonly Command[], runs: number): Measurement[] {
  const all: Measurement[][] = commands.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [index, command] of commands.entries()) all[index].push(runOnce(command));
  }
  return all.map((measurements) => ({
    wallSeconds: median(measurements.map((m) => m.wallSeconds)),
    cpuSeconds: median(measurements.map((m) => m.cpuSeconds)),
    peakMegabytes: Math.max(...measurements.map((m) => m.peakMegabytes)),
  }));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value below which this share (0 to 1) of them is. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

export function hasCommand(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** What a command prints. Throws if it fails. */
export function outputOf(argv: readonly string[]): string {
  const done = spawnSync(argv[0], argv.slice(1), { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.status !== 0) throw new Error(`${argv.join(' ')} ended with ${done.status}: ${done.stderr}`);
  return done.stdout;
}
