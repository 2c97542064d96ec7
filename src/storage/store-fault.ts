/**
 * A failure of a store that is not a local directory, after all retries: the same operation can succeed later. `reason` is for
 * clients; the message is for the log and has neither credentials nor signed URLs.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly reason: string;
  /** Whether a repetition can succeed soon, without a change of the configuration. */
  readonly isPassing: boolean;

  constructor(message: string, reason: string, { isPassing = false, ...options }: StoreFaultOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.isPassing = isPassing;
  }
}

interface StoreFaultOptions extends ErrorOptions {
  readonly isPassing?: boolean;
}
