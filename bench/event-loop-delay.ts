/** Imported into the service by event-loop.ts: answers each message with what was measured since the one before. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  /** Longest time that the event loop did not turn, milliseconds. */
  readonly maxMs: number;
  /** Of the process, all its threads. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  const measured: LoopDelay = {
    maxMs: delay.max / 1e6,
    cpuMs: (user + system) / 1000,
    rssBytes: process.memoryUsage.rss(),
  };
  before = process.cpuUsage();
  delay.reset();
  process.send?.(measured);
});
// Only its parent keeps the channel open.
process.channel?.unref();
