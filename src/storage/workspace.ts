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
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm, unlink } from 'node:fs/promises';
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
  /** Null: the directories may not be empty, or not be there. */
  #clearing: Promise<void> | null = null;

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
  async prepare(inputCount: number, outputName: string): Promise<JobFiles> {
    try {
      await (this.#clearing ?? this.clear());
    } finally {
      this.#clearing = null;
    }
    return {
      inputPaths: Array.from({ length: inputCount }, (_, index) => join(this.#parts.in, String(index))),
      outputPath: join(this.#parts.out, outputName),
      scratchDirectory: this.#parts.scratch,
    };
  }

  /**
   * Empties the directories of a job. They stay: making and removing them for every job took longer than all else that
   * is done for a small one. In the thread pool, for removing a file can take as long as answering several requests.
   */
  clear(): Promise<void> {
    const clearing = Promise.all(Object.values(this.#parts).map(emptyDirectory)).then(() => {});
    this.#clearing = clearing;
    return clearing;
  }

  remove(): void {
    const removeAll = (): void => {
      rmSync(this.directory, { recursive: true, force: true });
      rmSync(this.#pidFile, { force: true });
    };
    removeAll();
    // What is being emptied at this moment makes its directory anew.
    this.#clearing?.then(removeAll, removeAll).catch(() => {
      // Left for the next start.
    });
  }
}

/** Makes the directory if it is not there (any more: its runner may remove it). */
async function emptyDirectory(directory: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    return;
  }
  await Promise.all(names.map((name) => removeEntry(join(directory, name))));
}

/** Nearly always a plain file, and unlink is much the cheaper call. */
async function removeEntry(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch {
    await rm(path, { recursive: true, force: true });
  }
}

const SLOT_ENTRY = /^[0-9a-f]{16}(?:\.[a-z]+)?$/;

/** Whether a name below the directory of slots is one that a `Slot` makes. */
export function isSlotEntry(name: string): boolean {
  return SLOT_ENTRY.test(name);
}

/**
 * Removes the slots of a service that is dead, after ending those of its runners that are still busy. A runner ends by
 * itself when its service is gone, but only between two pieces of work; one that hangs would stay for ever. Returns how
 * many slots there were. Other names are left alone.
 */
export function sweepSlots(slotsDirectory: string): number {
  mkdirSync(slotsDirectory, { recursive: true });
  let removed = 0;
  for (const entry of readdirSync(slotsDirectory).filter(isSlotEntry)) {
    const path = join(slotsDirectory, entry);
    if (entry.endsWith('.pid')) killLeftover(Number(readFileSync(path, 'utf8')), path.slice(0, -4));
    else removed += 1;
    rmSync(path, { recursive: true, force: true });
  }
  return removed;
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
