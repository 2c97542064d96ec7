/**
 * The directory of one runner process, the only one it may write, with the files of one job at a time.
 *
 *   slots/<random>/           created for one runner process, removed with it; the runner may write in all but `in`
 *     in/<number>             hard links to the stored inputs
 *     out/<output>            the output; renamed into the store
 *     scratch/                unpacked archives and the like
 *     warm/                   files of the warm-up
 *   slots/<random>.pid        process id of the runner, which cannot write it
 *
 * A slot has a random name and is never reused, so a runner that outlives its service cannot write into a job of
 * the next service.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { killStartedWith } from '../sandbox/leftovers.ts';
import type { Cell } from '../sandbox/sandbox.ts';
import { removeTree } from './remove-tree.ts';

export interface JobFiles {
  /** Paths for the inputs, in order. */
  readonly inputPaths: readonly string[];
  readonly outputPath: string;
  readonly scratchDirectory: string;
}

/** Bytes of the files that a runner has written for its job. */
export interface SlotSizes {
  readonly scratchBytes: number;
  readonly outputBytes: number;
}

type Part = 'in' | 'out' | 'scratch' | 'warm';
const PARTS_OF_JOBS: readonly Part[] = ['in', 'out', 'scratch'];
const PARTS: readonly Part[] = [...PARTS_OF_JOBS, 'warm'];

function accessTo(part: Part): 'read' | 'write' {
  return part === 'in' ? 'read' : 'write';
}

export class Slot {
  readonly directory: string;
  readonly #parts: Readonly<Record<Part, string>>;
  readonly #cell: Cell;
  readonly #pidFile: string;
  /** Null: the directories may contain files, or be missing. */
  #clearing: Promise<void> | null = null;

  /** Creates a slot in `slotsDirectory` for the process in `cell`. */
  constructor(slotsDirectory: string, cell: Cell) {
    this.#cell = cell;
    const name = randomBytes(8).toString('hex');
    this.directory = join(slotsDirectory, name);
    this.#pidFile = `${this.directory}.pid`;
    const part = (partName: string): string => join(this.directory, partName);
    this.#parts = { in: part('in'), out: part('out'), scratch: part('scratch'), warm: part('warm') };
    try {
      this.#make();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  #make(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.#cell.give(this.directory, 'pass');
    for (const name of PARTS) {
      mkdirSync(this.#parts[name]);
      this.#cell.give(this.#parts[name], accessTo(name));
    }
  }

  /** The directories that the runner writes in; it reads all of the slot. */
  get writable(): readonly string[] {
    return [this.#parts.out, this.#parts.scratch, this.#parts.warm];
  }

  /** Directory for the warm-up; not created yet. */
  get warmUpDirectory(): string {
    return join(this.#parts.warm, 'up');
  }

  /** Lets the runner read an input in the slot, but not change it: a retry reads it again. */
  giveInput(path: string): void {
    this.#cell.giveFile(path);
  }

  /** Removes the write access to the input directory from the process that fetched the input. */
  reclaimInputs(): void {
    this.#cell.give(this.#parts.in, accessTo('in'));
  }

  notePid(pid: number): void {
    writeFileSync(this.#pidFile, String(pid));
  }

  /** The empty directories for a job. The name must be a plain file name. */
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

  /** What the job has written so far. */
  async measure(): Promise<SlotSizes> {
    const [scratchBytes, outputBytes] = await Promise.all([
      bytesBelow(this.#parts.scratch),
      bytesBelow(this.#parts.out),
    ]);
    return { scratchBytes, outputBytes };
  }

  /**
   * Empties the directories of a job. They are kept: creating and removing them for every job took longer than all else that
   * is done for a small one. Runs in the thread pool: removing a file can take as long as answering several requests.
   */
  clear(): Promise<void> {
    const clearing = Promise.all(PARTS_OF_JOBS.map((name) => this.#empty(name))).then(() => {});
    this.#clearing = clearing;
    return clearing;
  }

  /** Creates the directory if it is missing: without a sandbox its runner may have removed it. */
  async #empty(part: Part): Promise<void> {
    const directory = this.#parts[part];
    let names: string[];
    try {
      names = await readdir(directory);
    } catch {
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true });
      this.#cell.give(directory, accessTo(part));
      return;
    }
    await Promise.all(names.map((name) => removeTree(join(directory, name))));
  }

  remove(): void {
    const removeAll = (): void => {
      rmSync(this.directory, { recursive: true, force: true });
      rmSync(this.#pidFile, { force: true });
    };
    removeAll();
    this.#cell.release();
    // A directory that is being emptied at this moment is created again later.
    this.#clearing?.then(removeAll, removeAll).catch(() => {
      // The next start removes it.
    });
  }
}

const SLOT_ENTRY = /^[0-9a-f]{16}(?:\.[a-z]+)?$/;

/** Whether a name below the directory of slots is one that a `Slot` makes. */
export function isSlotEntry(name: string): boolean {
  return SLOT_ENTRY.test(name);
}

/**
 * Removes the slots of a dead service, after killing its runners that are still busy. A runner ends by
 * itself when its service is gone, but only between two pieces of work; a hanging one would stay for ever. Returns the
 * number of slots. Other names are not changed.
 */
export function sweepSlots(slotsDirectory: string): number {
  mkdirSync(slotsDirectory, { recursive: true });
  let removed = 0;
  for (const entry of readdirSync(slotsDirectory).filter(isSlotEntry)) {
    const path = join(slotsDirectory, entry);
    // Identified by the name of the slot, not by the id alone, which another program may have now.
    if (entry.endsWith('.pid')) killStartedWith(path.slice(0, -4));
    else removed += 1;
    rmSync(path, { recursive: true, force: true });
  }
  return removed;
}

/** Total size of the files below the directory. Files that are removed meanwhile do not count. */
async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ignoreMissing);
  let bytes = 0;
  for (const entry of entries ?? []) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else bytes += (await lstat(path).catch(ignoreMissing))?.size ?? 0;
  }
  return bytes;
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
