/**
 * What a move has copied, in the data directory that is moved (`migration.sqlite`): a file is in the journal when its copy was compared
 * with it. A move that was killed continues from there.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import type { FileKind } from '../../storage/store.ts';

export const JOURNAL = 'migration.sqlite';

export interface CopiedFile {
  readonly kind: FileKind;
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Of an upload: what its record must say in the target. */
  readonly place: string | null;
}

export interface MoveTarget {
  /** STORE_URL; null: files stay. */
  readonly store: string | null;
  readonly toDatabase: boolean;
}

const SCHEMA = `CREATE TABLE move (id TEXT NOT NULL, target TEXT NOT NULL, finished_at TEXT) STRICT;
CREATE TABLE files (kind TEXT NOT NULL, key TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, place TEXT,
  PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID;`;

export class MoveJournal {
  readonly #database: Database;
  /** Of this move. */
  readonly id: string;

  private constructor(database: Database, id: string) {
    this.#database = database;
    this.id = id;
  }

  /** The journal of an unfinished move to this target; null: no move was begun. Throws USAGE if an unfinished move has another target. */
  static find(dataDirectory: string, target: MoveTarget): MoveJournal | null {
    if (!existsSync(join(dataDirectory, JOURNAL))) return null;
    const database = openJournal(dataDirectory);
    try {
      const move =
        database.userVersion === 0 ? undefined : database.prepare('SELECT * FROM move').get<MoveRow>();
      if (move?.target === JSON.stringify(target)) return new MoveJournal(database, move.id);
      if (move !== undefined && move.finished_at === null)
        throw otherTarget(dataDirectory, JSON.parse(move.target) as MoveTarget);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
    return null;
  }

  /** Begins a move; the journal of a finished one is overwritten. */
  static begin(dataDirectory: string, target: MoveTarget): MoveJournal {
    const database = openJournal(dataDirectory);
    const id = randomUUID();
    database.transaction(() => {
      database.exec('DROP TABLE IF EXISTS move; DROP TABLE IF EXISTS files');
      database.exec(SCHEMA);
      database.prepare('INSERT INTO move VALUES (?, ?, NULL)').run(id, JSON.stringify(target));
      database.userVersion = 1;
    });
    return new MoveJournal(database, id);
  }

  get isFinished(): boolean {
    return this.#database.prepare('SELECT 1 FROM move WHERE finished_at IS NOT NULL').get() !== undefined;
  }

  finish(): void {
    this.#database.prepare('UPDATE move SET finished_at = ?').run(new Date().toISOString());
  }

  find(kind: FileKind, key: string): CopiedFile | null {
    const sql = 'SELECT * FROM files WHERE kind = ? AND key = ?';
    return this.#database.prepare(sql).get<CopiedFile>(kind, key) ?? null;
  }

  add({ kind, key, bytes, sha256, place }: CopiedFile): void {
    const sql = 'INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)';
    this.#database.prepare(sql).run(kind, key, bytes, sha256, place);
  }

  remove(kind: FileKind, key: string): void {
    this.#database.prepare('DELETE FROM files WHERE kind = ? AND key = ?').run(kind, key);
  }

  all(): CopiedFile[] {
    return this.#database.prepare('SELECT * FROM files ORDER BY kind, key').all<CopiedFile>();
  }

  close(): void {
    this.#database.close();
  }
}

interface MoveRow {
  readonly id: string;
  readonly target: string;
  readonly finished_at: string | null;
}

/** Its loss with the power only means that some files are copied again. */
function openJournal(dataDirectory: string): Database {
  return new Database(join(dataDirectory, JOURNAL), { synchronous: 'NORMAL' });
}

function otherTarget(dataDirectory: string, { store, toDatabase }: MoveTarget): Error {
  const parts = [...(toDatabase ? ['DATABASE_URL'] : []), ...(store === null ? [] : [`STORE_URL=${store}`])];
  const detail = `a move of ${dataDirectory} to ${parts.join(' and ')} began before; finish it with the same settings, or remove ${join(dataDirectory, JOURNAL)} to begin another`;
  return failure(generalErrors.USAGE, { detail });
}
