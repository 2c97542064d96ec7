/**
 * The directory of one runner process, the only place it may write, and within it the files of one job at a time.
 *
 *   slots/<random>/           made for one runner process, removed with it
 *     job/in/<input>          a hard link to the stored input
 *     job/out/<output>        what the runner makes; renamed into the store
 *     job/scratch/            unpacked archives and the like
 *   slots/<random>.pid        process id of the runner; outside of its reach
 *
 * A slot has a random name and never a second owner, so a runner that outlives its service cannot write into the job of
 * a successor.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface JobFiles {
  readonly inputPath: string;
  readonly outputPath: string;
  readonly scratchDirectory: string;
}

export class Slot {
  readonly directory: string;
  readonly #jobDirectory: string;
  readonly #pidFile: string;

  /** Makes a new slot below `slotsDirectory`. */
  constructor(slotsDirectory: string) {
    const name = randomBytes(8).toString('hex');
    this.directory = join(slotsDirectory, name);
    this.#pidFile = `${this.directory}.pid`;
    this.#jobDirectory = join(this.directory, 'job');
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
  }

  notePid(pid: number): void {
    writeFileSync(this.#pidFile, String(pid));
  }

  /** Makes the empty directories of a job. The names must be plain file names. */
  prepare(inputName: string, outputName: string): JobFiles {
    this.clear();
    const [input, output, scratch] = ['in', 'out', 'scratch'].map((part) => join(this.#jobDirectory, part));
    mkdirSync(input, { recursive: true });
    mkdirSync(output);
    mkdirSync(scratch);
    return {
      inputPath: join(input, inputName),
      outputPath: join(output, outputName),
      scratchDirectory: scratch,
    };
  }

  clear(): void {
    rmSync(this.#jobDirectory, { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
    rmSync(this.#pidFile, { force: true });
  }
}

/**
 * Removes the slots of a service that is dead, after ending those of its runners that are still busy. A runner ends by
 * itself when its service is gone, but only between two pieces of work; one that hangs would stay for ever.
 */
export function sweepSlots(slotsDirectory: string): void {
  mkdirSync(slotsDirectory, { recursive: true });
  for (const entry of readdirSync(slotsDirectory)) {
    const path = join(slotsDirectory, entry);
    if (entry.endsWith('.pid')) killLeftover(Number(readFileSync(path, 'utf8')), path.slice(0, -4));
    rmSync(path, { recursive: true, force: true });
  }
}

function killLeftover(pid: number, slotDirectory: string): void {
  const commandLine = `/proc/${pid}/cmdline`;
  if (!Number.isSafeInteger(pid) || pid <= 1 || !existsSync(commandLine)) return;
  try {
    // The id may belong to another program by now: only a process that was started with this slot is ours.
    if (readFileSync(commandLine, 'utf8').includes(slotDirectory)) process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}
