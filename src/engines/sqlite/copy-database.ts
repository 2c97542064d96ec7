/** Copies of whole databases, also of one that is in use, and whether one is sound. */
import { backup, DatabaseSync } from 'node:sqlite';
import { Database } from './database.ts';

/**
 * All pages in one step, which is one read transaction: writers go on, and the copy is the database as it was at one moment.
 * In several steps a copy begins anew with every commit between two of them, under load for ever.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies the database at `from` to the new file `to`, with what is only in its log. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5000 });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

const MOST_PROBLEMS = 10;

/**
 * What SQLite finds wrong with the database, at most 10 sentences; none if it is sound. 'quick' leaves out whether indexes
 * agree with their tables. Throws where the file cannot be read as a database at all. Changes nothing.
 */
export function problemsOf(path: string, depth: 'quick' | 'full'): readonly string[] {
  const database = new Database(path, 'read-only');
  try {
    const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
    const rows = database.prepare(`PRAGMA ${pragma}(${MOST_PROBLEMS})`).all<Record<string, string>>();
    return rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok');
  } finally {
    database.close();
  }
}
