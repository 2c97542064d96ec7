/** Turns of the event loop. */

/** Resolves after waiting messages, files and timers had their turn: a long computation awaits it to notice that it was cancelled. */
export function eventTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
