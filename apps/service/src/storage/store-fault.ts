/**
 * A failure of a store that is not a local directory, after all retries: the same operation can succeed later. `message` and `reason`
 * are for clients; `detail` is for the log and has neither credentials nor signed URLs.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { storageErrors } from './errors.ts';

const RETRY_SECONDS = 5;

export class StoreFault extends GeomillError {
  readonly detail: string;
  readonly reason: string;
  /** Whether a repetition can succeed soon, without a change of the configuration. */
  readonly isPassing: boolean;

  constructor(detail: string, reason: string, { isPassing = false, cause }: StoreFaultOptions = {}) {
    super(storageErrors.STORAGE_UNAVAILABLE, { reason, seconds: RETRY_SECONDS }, undefined, cause);
    this.detail = detail;
    this.reason = reason;
    this.isPassing = isPassing;
  }
}

interface StoreFaultOptions extends ErrorOptions {
  readonly isPassing?: boolean;
}
