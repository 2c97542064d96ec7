/**
 * The directory of one runner process, the only place it may write, and within it the files of one job at a time.
 *
 *   slots/<random>/           made for one runner process, removed with it
 *     in/<number>             hard links to the stored inputs
 *     out/<output>            what the runner makes; renamed into the store
 *     scratch/                unpacked archives and the like
 *   slots/<random>.pid        process id of the runner; outside of its reach
 *
 * A slot has a random name and never a second owner, so a runner that outlives its service cannot write into the job of
 * a successor.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface JobFiles {
  /** Where the inputs are to be put, in their order. */
  readonly inputPaths: readonly string[];
  readonly outputPath: string;
  readonly scratchDirectory: string;
}

export class Slot {
  readonly directory: string;
  readonly #parts: Readonly<Record<'in' | 'out' | 'scratch', string>>;
  readonly #pidFile: string;

  /** Makes a new slot below `slotsDirectory`. */
  constructor(slotsDirectory: string) {
    const name = randomBytes(8).toString('hex');
    this.directory = join(slotsDirectory, name);
    this.#pidFile = `${this.directory}.pid`;
    const part = (partName: string): string => join(this.directory, partName);
    this.#parts = { in: part('in'), out: part('out'), scratch: part('scratch') };
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
  }

  notePid(pid: number): void {
    writeFileSync(this.#pidFile, String(pid));
  }

  /** The empty directories of a job. The name must be a plain file name. */
  prepare(inputCount: number, outputName: string): JobFiles {
    this.clear();
    return {
      inputPaths: Array.from({ length: inputCount }, (_, index) => join(this.#parts.in, String(index))),
      outputPath: join(this.#parts.out, outputName),
      scratchDirectory: this.#parts.scratch,
    };
  }

  /**
   * Empties the directories of a job. They stay: making and removing them for every job took longer than all else that
   * is done for a small one.
   */
  clear(): void {
    for (const directory of Object.values(this.#parts)) {
      for (const name of namesIn(directory)) removeEntry(join(directory, name));
    }
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
    rmSync(this.#pidFile, { force: true });
  }
}

/** Nearly always a plain file, and unlink is much the cheaper call. */
function removeEntry(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Names in a directory, which is made if it is not there (any more: its runner may remove it). */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    return [];
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
