/**
 * Waits for a state, for as long as it takes, so that no test depends on the speed of the machine. A state that never comes is ended by the
 * bound of the process (bounds.ts), which says what was waited for.
 */
import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 5;

/** What the tests of this process wait for at the moment, in words. */
export const waits = new Set<() => string>();

/** The first truthy value of `look`, which is called again and again. `what` completes "waits until ...", and is asked when it is said. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const wait = typeof what === 'string' ? () => what : what;
  waits.add(wait);
  try {
    for (;;) {
      const value = await look();
      if (value) return value as Exclude<T, false | 0 | '' | null | undefined>;
      await pause(PAUSE_MS);
    }
  } finally {
    waits.delete(wait);
  }
}

/** The result of `work`. `what` completes "waits until ...". */
export async function waitFor<T>(what: string, work: Promise<T>): Promise<T> {
  const wait = (): string => what;
  waits.add(wait);
  try {
    return await work;
  } finally {
    waits.delete(wait);
  }
}
