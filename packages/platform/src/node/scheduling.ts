/** Turns of the event loop. */
import { setImmediate } from 'node:timers/promises';

/** Resolves when messages, files and timers that wait have had their turn. */
export async function eventTurn(): Promise<void> {
  await setImmediate();
}
