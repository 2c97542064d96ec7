/** The audit log of accounts and credentials. Entries are never changed; old ones are removed after the retention time. */
import { type AccountsDatabase, run, type SqlValue, type Work } from './database.ts';
import { withoutSecrets } from './secret-text.ts';

/** All kinds of events. */
export type AuditEventName =
  | 'key.created'
  | 'key.changed'
  | 'key.revoked'
  | 'client.created'
  | 'client.changed'
  | 'client.revoked'
  | 'signing-key.created'
  | 'signing-key.removed'
  | 'credential.refused'
  | 'user.created'
  | 'user.changed'
  | 'user.removed'
  | 'sign-in.succeeded'
  | 'sign-in.failed';

type DetailValue = string | number | boolean | null | readonly string[];
export type AuditDetail = Readonly<Record<string, DetailValue>>;

export interface NewAuditEvent {
  /** Account id or, from the command line, `cli:` and the name of the operating system's user. */
  readonly actor: string;
  readonly event: AuditEventName;
  /** Id of the object of the event. */
  readonly subject: string;
  readonly detail?: AuditDetail;
}

export interface AuditEvent extends Required<NewAuditEvent> {
  /** Increases with time. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface AuditQuery {
  readonly actor?: string;
  readonly subject?: string;
  readonly event?: AuditEventName;
  /** Only events with a smaller id: `next` of the previous page. */
  readonly before?: number;
  /** 1 to 1000, default 100. */
  readonly limit?: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly events: readonly AuditEvent[];
  /** For the next page; null on the last. */
  readonly next: number | null;
}

const INSERT = 'INSERT INTO audit_events (at, actor, event, subject, detail) VALUES (?, ?, ?, ?, ?)';

export class AuditLog {
  readonly #database: AccountsDatabase;
  readonly #now: () => number;

  constructor(database: AccountsDatabase, now: () => number = Date.now) {
    this.#database = database;
    this.#now = now;
  }

  /** Adds an event; durable when it resolves. */
  async append(event: NewAuditEvent): Promise<void> {
    await this.#database.run(INSERT, ...this.#values(event));
  }

  /** Adds an event as a part of a transaction. */
  *adding(event: NewAuditEvent): Work<void> {
    yield* run(INSERT, ...this.#values(event));
  }

  /**
   * Adds an event that anyone can cause, such as a failed sign-in, without waiting for the disk. Resolves with false if
   * it could not be written, which must not change the response.
   */
  async note(event: NewAuditEvent): Promise<boolean> {
    try {
      await this.#database.note([{ kind: 'changes', sql: INSERT, values: this.#values(event) }]);
      return true;
    } catch {
      return false;
    }
  }

  async list(query: AuditQuery = {}): Promise<AuditPage> {
    const limit = Math.min(1000, Math.max(1, Math.trunc(query.limit ?? 100)));
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const where = (condition: string, value: SqlValue | undefined): void => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    where('actor = ?', query.actor);
    where('subject = ?', query.subject);
    where('event = ?', query.event);
    where('id < ?', query.before);
    const filter = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = await this.#database.rows<Omit<AuditEvent, 'detail'> & { detail: string }>(
      `SELECT * FROM audit_events ${filter} ORDER BY id DESC LIMIT ?`,
      ...values,
      limit + 1,
    );
    const events = rows.slice(0, limit).map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
    return { events, next: rows.length > limit ? events[limit - 1].id : null };
  }

  /** Deletes events older than `retentionMs`; returns their number. */
  sweep(retentionMs: number): Promise<number> {
    return this.#database.run('DELETE FROM audit_events WHERE at < ?', this.#now() - retentionMs);
  }

  #values({ actor, event, subject, detail = {} }: NewAuditEvent): SqlValue[] {
    // Texts sent by clients may contain secrets by mistake.
    const [safeActor, safeSubject] = [actor, subject].map(withoutSecrets);
    return [this.#now(), safeActor, event, safeSubject, withoutSecrets(JSON.stringify(detail))];
  }
}
