/**
 * A failure of a store that is not a local directory, after all retries: the same operation can succeed later. `reason` is for
 * clients; the message is for the log and has neither credentials nor signed URLs.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly reason: string;

  constructor(message: string, reason: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
