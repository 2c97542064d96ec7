/**
 * The database cannot be reached, or cannot answer at the moment (it starts, stops, has no connection left, is read-only after a
 * failover): requests get 503, and the same statement can succeed later. `cause` is the error of the driver.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { postgresErrors } from './errors.ts';

/** A restart of the database takes about this long. */
const RETRY_SECONDS = 5;

export class DatabaseFault extends GeomillError {
  /** Whether the change may have been made: the connection was lost during the commit. */
  readonly isOutcomeUnknown: boolean;

  constructor(cause: unknown, isOutcomeUnknown = false) {
    super(postgresErrors.DATABASE_UNAVAILABLE, { seconds: RETRY_SECONDS }, undefined, cause);
    this.isOutcomeUnknown = isOutcomeUnknown;
  }

  withUnknownOutcome(): DatabaseFault {
    return new DatabaseFault(this.cause, true);
  }
}

/**
 * SQLSTATE classes and codes (Appendix A of the PostgreSQL manual) that say nothing about the statement: connection, resources, operator
 * intervention (shutdown, start), system errors, and a read-only server.
 */
const FAULT_STATES = /^(?:08|53|57|58)|^25006$/;

/** An error of the driver as DatabaseFault where the statement is not its cause; anything else as it is. */
export function asFault(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof TypeError || thrown instanceof RangeError)
    return thrown;
  const { code, severity } = thrown as { readonly code?: string; readonly severity?: string };
  // Errors of the server have a severity; others are those of the connection to it.
  if (severity !== undefined) return FAULT_STATES.test(code ?? '') ? new DatabaseFault(thrown) : thrown;
  return new DatabaseFault(thrown);
}
