/** Waits for work of runners, measured by the CPU time of their processes and not by a clock. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { RunnerProcess } from '../../apps/service/src/jobs/runner-process.ts';
import type { RunningService } from '../../apps/service/src/service.ts';
import { until } from './until.ts';

/** proc(5): times are in hundredths of a second on all architectures of Linux. */
const TICK_MS = 10;

/** Waits until a runner has worked for so many milliseconds of CPU time at one job, or until `isOver`. */
export async function untilAtWork(
  { service }: RunningService,
  ms: number,
  isOver: () => boolean = () => false,
): Promise<void> {
  const usedBefore = new Map<RunnerProcess, number>();
  await until(`a runner has worked for ${ms} ms`, () => {
    if (isOver()) return true;
    for (const runner of service.runners) {
      if (runner.state !== 'busy') {
        usedBefore.delete(runner);
        continue;
      }
      const used = cpuMs(runner.pid!);
      const before = usedBefore.get(runner) ?? used;
      usedBefore.set(runner, before);
      if (used - before >= ms) return true;
    }
    return false;
  });
}

/** Of a process and of all below it, as a sandbox is a process around the runner; infinite where the system does not say it. */
function cpuMs(pid: number): number {
  if (!existsSync('/proc/self/stat')) return Number.POSITIVE_INFINITY;
  try {
    // The name, in parentheses, can have spaces.
    const columns = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const own = (Number(columns[11]) + Number(columns[12])) * TICK_MS;
    return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), own);
  } catch {
    // It has just ended.
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}
