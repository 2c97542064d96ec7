/** Time as a parameter of what has limits in time: tests let it pass without waiting for it. */

export interface Timers {
  /** Milliseconds since some moment; never set back, unlike the time of day. */
  now(): number;
  /** Calls `act` once, after `ms`. The returned function cancels that. */
  after(ms: number, act: () => void): () => void;
  /** Calls `act` every `ms`, without keeping the process alive. The returned function ends that. */
  every(ms: number, act: () => void): () => void;
}

export const PLATFORM_TIMERS: Timers = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  every(ms, act) {
    const timer = setInterval(act, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Resolves after `ms`. */
export function elapsed(ms: number, timers: Timers = PLATFORM_TIMERS): Promise<void> {
  return new Promise((resolve) => {
    timers.after(ms, resolve);
  });
}
