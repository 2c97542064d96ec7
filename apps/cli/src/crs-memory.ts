/**
 * Answers of PROJ, kept in the user's cache directory between commands: to find them takes a quarter of a second, longer than
 * all else that a command does with a small file. Without a usable directory PROJ is asked every time.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CrsMemory } from '@geomill/pipeline/crs-service.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { PACKAGE_DIRECTORY } from '@geomill/platform/program-files.ts';

/** A larger file is not read, so the next command replaces it. About 150 systems. */
const MAX_FILE_BYTES = 1_000_000;
const WRITABLE_BY_OTHERS = 0o022;

type Entries<Answers> =
  Answers extends Map<infer Key, infer Answer> ? readonly (readonly [Key, Answer])[] : never;
type StoredAnswers = { readonly [Kind in keyof CrsMemory]: Entries<CrsMemory[Kind]> } & {
  /** The state that the answers depend on. */
  readonly basis: string;
};

interface Opened {
  readonly basis: string;
  readonly memory: CrsMemory;
  /** Number of answers when it was read. */
  readonly size: number;
}

/** The answers of earlier commands, read when the first is asked for: most conversions need none. */
export class KeptCrsMemory implements CrsMemory {
  readonly #gridDirectory: string | null;
  readonly #given: string;
  /** Null: there is no directory that only this user can change. Undefined: not checked yet. */
  #directory: string | null | undefined;
  #opened: Opened | null = null;

  constructor(gridDirectory: string | null, directory: string) {
    this.#gridDirectory = gridDirectory;
    this.#given = directory;
  }

  get descriptions(): CrsMemory['descriptions'] {
    return this.#open().memory.descriptions;
  }

  get extents(): CrsMemory['extents'] {
    return this.#open().memory.extents;
  }

  get pairs(): CrsMemory['pairs'] {
    return this.#open().memory.pairs;
  }

  /** Writes the answers if there are new ones. An answer that cannot be written is found again. */
  keep(): void {
    if (this.#opened === null) return;
    const { basis, memory, size } = this.#opened;
    const directory = this.#checked();
    if (directory === null || sizeOf(memory) === size) return;
    const { descriptions, extents, pairs } = memory;
    writeAnswers(directory, {
      basis,
      descriptions: [...descriptions],
      extents: [...extents],
      pairs: [...pairs],
    });
  }

  /** An unusable directory or file means that nothing is known yet. */
  #open(): Opened {
    if (this.#opened !== null) return this.#opened;
    const basis = basisOf(this.#gridDirectory);
    const directory = this.#checked();
    const stored = directory === null ? null : readAnswers(pathIn(directory), basis);
    const memory = {
      descriptions: new Map(stored?.descriptions),
      extents: new Map(stored?.extents),
      pairs: new Map(stored?.pairs),
    };
    this.#opened = { basis, memory, size: sizeOf(memory) };
    return this.#opened;
  }

  /** Coordinates depend on the answers: they are believed only if no other user can have written them. */
  #checked(): string | null {
    if (this.#directory === undefined) this.#directory = privateDirectory(this.#given);
    return this.#directory;
  }
}

/** The same check as for compiled code, which the launcher needs before any other module is loaded. */
function privateDirectory(given: string): string | null {
  const launcher = createRequire(import.meta.url)(join(PACKAGE_DIRECTORY, 'bin', 'compile-cache.js')) as {
    readonly privateDirectory: (given: string) => string | null;
  };
  return launcher.privateDirectory(given);
}

function sizeOf({ descriptions, extents, pairs }: CrsMemory): number {
  return descriptions.size + extents.size + pairs.size;
}

function pathIn(directory: string): string {
  return join(directory, 'crs.json');
}

/**
 * What the answers depend on: our version, which pins that of PROJ and its database; in a checkout, which changes without a new
 * version, the sources that make them; and the grids that are installed.
 */
function basisOf(gridDirectory: string | null): string {
  const sources = ['core/src/crs', 'engines/proj/src', 'pipeline/src'].map((name) =>
    join(PACKAGE_DIRECTORY, 'packages', name),
  );
  const directories = gridDirectory === null ? sources : [...sources, gridDirectory];
  return [`geomill ${packageVersion()}`, ...directories.flatMap(stampsOf)].join('\n');
}

/** Names, sizes and times of the files in a directory; none if it does not exist, as in an installed package. */
function stampsOf(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory)
    .sort()
    .map((name) => join(directory, name));
  return files.map((path) => {
    const { size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${path} ${size} ${mtimeMs}`;
  });
}

function readAnswers(path: string, basis: string): StoredAnswers | null {
  try {
    const { size, uid, mode } = statSync(path);
    // It may be from a time when others could write to the directory.
    const isForeign =
      process.geteuid !== undefined && (uid !== process.geteuid() || (mode & WRITABLE_BY_OTHERS) !== 0);
    if (size > MAX_FILE_BYTES || isForeign) return null;
    const stored = JSON.parse(readFileSync(path, 'utf8')) as StoredAnswers;
    return stored.basis === basis ? stored : null;
  } catch {
    // The file does not exist yet, or is damaged and is replaced.
    return null;
  }
}

function writeAnswers(directory: string, answers: StoredAnswers): void {
  const path = pathIn(directory);
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, JSON.stringify(answers), { mode: 0o600 });
    renameSync(unfinished, path);
  } catch {
    removeIfPossible(unfinished);
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It was never made.
  }
}
