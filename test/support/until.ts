/**
 * Waits for a state, for as long as it takes, so that no test depends on the speed of the machine. A state that never comes is ended by the
 * bound of the process (bounds.ts), which says what was waited for.
 */
import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 5;

/** What the tests of this process wait for at the moment, in words. */
export const waits = new Set<string>();

/** The first truthy value of `look`, which is called again and again. `what` completes "waits until ...". */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  waits.add(what);
  try {
    for (;;) {
      const value = await look();
      if (value) return value as Exclude<T, false | 0 | '' | null | undefined>;
      await pause(PAUSE_MS);
    }
  } finally {
    waits.delete(what);
  }
}
