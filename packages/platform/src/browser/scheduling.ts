/** Turns of the event loop. */

/** By a message, because timers wait for four milliseconds when they are nested. */
export function eventTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
