/** Copies whole databases, which may be in use, and checks them. */
import { backup, DatabaseSync } from 'node:sqlite';
import { Database } from '../database.ts';

/**
 * All pages in one step, which is one read transaction: writers continue, and the copy is the database at one moment.
 * With several steps a copy starts again after every commit between two of them, under load for ever.
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
 * SQLite's findings about the database, at most 10; none if it is sound. 'quick' does not check whether indexes
 * agree with their tables. Throws if the file is not a readable database. Changes nothing.
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
