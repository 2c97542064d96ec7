/** Commands that clean up when they are interrupted. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';

/** A second one ends the process at once. */
const INTERRUPTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `work`, whose signal is aborted by Ctrl-C and its like. Throws CANCELLED then, else what `work` throws. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  for (const signal of INTERRUPTING) process.once(signal, interrupt);
  try {
    return await work(abort.signal);
  } catch (error) {
    // Work under way fails with errors of its own, which are not printed.
    throw abort.signal.aborted ? failure(generalErrors.CANCELLED, {}) : error;
  } finally {
    for (const signal of INTERRUPTING) process.removeListener(signal, interrupt);
  }
}
