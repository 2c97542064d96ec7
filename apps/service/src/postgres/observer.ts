/** What a database reports to metrics. */

export interface DatabaseObserver {
  /** `read`: current numbers of the connection pool. */
  opened(read: () => PoolCounts): void;
  /** Somebody waited so long for a connection of the pool. */
  connected(ms: number): void;
  /** A statement was answered, or failed. */
  queried(ms: number, outcome: StatementOutcome): void;
  /** The connection for news was opened, or lost. */
  listening(isListening: boolean): void;
  /** A message of another process or of this one was received. */
  notified(): void;
}

/** `rejected`: by the database, because of the statement or of another transaction. `unreachable`: the database or the connection failed. */
export type StatementOutcome = 'ok' | 'rejected' | 'unreachable';

export interface PoolCounts {
  readonly busy: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}
