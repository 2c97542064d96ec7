/** Failures that pass with time: a service that does not answer, or a proxy that does not reach it. */
import { GeomillProblem } from '@geomill/client/client.ts';

/** Answers of a proxy that did not reach the service. */
export const AWAY_STATUSES: ReadonlySet<number> = new Set([502, 504]);
const PASSING_STATUSES = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/** Whether the same request can succeed later. `fetch` throws a TypeError if it gets no response. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof GeomillProblem && PASSING_STATUSES.has(error.status))
  );
}

/** Whether the request did not reach the service. */
export function isAway(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof GeomillProblem && AWAY_STATUSES.has(error.status));
}

/** Waits longer after each failure, at most until the browser is online again. Rejects with the reason of the signal. */
export function pause(failures: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = new AbortController();
    const on = { signal: end.signal };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      end.abort();
      settle();
    };
    const timer = setTimeout(
      () => finish(resolve),
      Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.75 + Math.random() / 4),
    );
    addEventListener('online', () => finish(resolve), on);
    signal.addEventListener('abort', () => finish(() => reject(signal.reason)), on);
  });
}

/** Whether a request of MapLibre got no response, or one of a proxy that did not reach the service. */
export function isUnanswered(error: object): boolean {
  return 'status' in error && (error.status === 0 || AWAY_STATUSES.has(Number(error.status)));
}
