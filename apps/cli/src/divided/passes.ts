/**
 * The passes in the working directory of a plan: pass-1 with the session, the tasks and the results of its parts, then those of later passes.
 * Everything gets its final name when it is complete, so that a process that was killed, or that does the same as another, leaves nothing half done.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import type { PassResults } from '@geomill/library/planned-division.ts';
import type { Offer } from '@geomill/pipeline/division/division.ts';
import { PartReader } from '@geomill/pipeline/division/part-file.ts';
import { offerFacts, runPart } from '@geomill/pipeline/division/run-part.ts';
import { newThreads } from '@geomill/pipeline/threads.ts';
import { sha256Of } from './fingerprints.ts';
import { damaged, type PassTable, planPath, readPass } from './plan-file.ts';

/** The end of a conversion that offers nothing more: it needs no other pass. */
export const NO_PASS: PassTable = {
  session: sha256Of(new Uint8Array()),
  isEncoding: true,
  files: [],
  parts: [],
};

/** A pass whose table is known. */
export interface WorkPass {
  /** From 1. */
  readonly number: number;
  readonly directory: string;
  readonly table: PassTable;
}

export function passDirectory(work: string, number: number): string {
  return join(work, `pass-${number}`);
}

/** Null: it was not planned yet. Throws PLAN_INVALID. */
export function laterPass(work: string, number: number): WorkPass | null {
  const directory = passDirectory(work, number);
  const table = readPass(join(directory, 'pass.json'));
  return table === null ? null : { number, directory, table };
}

/** Copies what was offered to a directory, which exists and is empty. */
export function storeOffer(directory: string, offer: Offer): PassTable {
  const { session, parts, files } = offer;
  const copied = (from: string, name: string): string => {
    const bytes = readFileSync(from);
    writeFileSync(join(directory, name), bytes);
    return sha256Of(bytes);
  };
  if (files.length > 0) mkdirSync(join(directory, 'files'));
  for (const [i, file] of files.entries()) copyFileSync(file, join(directory, 'files', String(i)));
  return {
    session: copied(session, 'session'),
    isEncoding: offerFacts(offer).isEncoding,
    files,
    parts: parts.map(({ tasks, count, range }, i) => ({
      tasks: count,
      range: range === null ? null : [range[0], range[1]],
      sha256: copied(tasks, `tasks-${i}`),
    })),
  };
}

/** Stores a pass after the first; another process may do the same. */
export function storePass(work: string, number: number, store: (directory: string) => PassTable): void {
  const directory = passDirectory(work, number);
  const temporary = newDirectory(join(work, `.pass-${number}-`));
  try {
    const table = store(temporary);
    writeFileSync(join(temporary, 'pass.json'), `${JSON.stringify(table, null, 1)}\n`);
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(join(directory, 'pass.json'))) throw error;
  }
}

/** A new directory with this beginning of its name, for all who may read the one that it is in: mkdtemp makes it for its user alone. */
export function newDirectory(prefix: string): string {
  const path = prefix + randomBytes(6).toString('hex');
  mkdirSync(path);
  return path;
}

export interface PartRun {
  readonly pass: WorkPass;
  readonly index: number;
  readonly gridDirectory: string | null;
  readonly threads: number;
  onProgress(fraction: number): void;
}

/** Runs a part unless its results are complete. Resolves with the error of the input that it found; null: there is none. Throws PLAN_INVALID. */
export async function runPlannedPart(run: PartRun): Promise<GeomillError | null> {
  const { pass, index, gridDirectory, threads, onProgress } = run;
  const { directory, table } = pass;
  const result = resultPath(pass, index);
  const found = resultOf(pass, index);
  if (found !== null) return found.error;
  requireHash(join(directory, 'session'), table.session);
  requireHash(join(directory, `tasks-${index}`), table.parts[index].sha256);
  const temporary = `${result}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    await runPart(
      {
        session: join(directory, 'session'),
        tasks: join(directory, `tasks-${index}`),
        result: temporary,
        ...{ gridDirectory, threads, readableEnd: null, throwsFaults: true },
        moved: table.files.map((file, i) => [file, join(directory, 'files', String(i))] as const),
        previous: index === 0 ? null : join(directory, `tasks-${index - 1}`),
      },
      newThreads,
      onProgress,
    );
    flush(temporary);
    renameSync(temporary, result);
  } finally {
    rmSync(temporary, { force: true });
  }
  return resultOf(pass, index)?.error ?? null;
}

/** The results of a part, if they are complete. */
export function resultOf(pass: WorkPass, index: number): { readonly error: GeomillError | null } | null {
  const path = resultPath(pass, index);
  if (!existsSync(path)) return null;
  try {
    const reader = new PartReader(path);
    const error = reader.certainError;
    reader.close();
    return { error };
  } catch {
    // A file system that lost the end of the file after a crash: the part runs again.
    return null;
  }
}

/** For the conversion that takes the results. */
export function resultsOf(pass: WorkPass): PassResults {
  return (index, tasks) =>
    pass.table.parts[index]?.sha256 === sha256Of(readFileSync(tasks)) ? resultPath(pass, index) : null;
}

/** Removes everything that plans, parts and joins put into the directory, and the directory if nothing else is in it. */
export function removeWork(work: string): void {
  rmSync(planPath(work), { force: true });
  for (const name of readdirSync(work))
    if (/^\.?pass-\d+(?:-|$)/.test(name)) rmSync(join(work, name), { recursive: true, force: true });
  if (readdirSync(work).length === 0) rmdirSync(work);
}

function resultPath({ directory }: WorkPass, index: number): string {
  return join(directory, `result-${index}`);
}

function requireHash(path: string, expected: string): void {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw damaged(path, (error as Error).message);
  }
  if (sha256Of(bytes) !== expected) throw damaged(path, 'it is not the file that geomill plan wrote');
}

/** Otherwise the name could be on the disk before the content. */
function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
