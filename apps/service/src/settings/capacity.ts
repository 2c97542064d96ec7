/**
 * How many runners a machine carries, with how many threads and how much memory each: what the operator has set, and for
 * the rest what fits. All runners busy at full shall neither exceed the memory nor crowd the processors.
 */
import type { Machine } from './machine.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** Memory of one runner, if the machine has enough. */
const USUAL_RUNNER_MEMORY = 2 * GiB;
/** No job succeeds with less. */
export const LEAST_RUNNER_MEMORY = 128 * MiB;
const MOST_RUNNERS = 1024;
/** Memory for the service itself and for the file cache of the system. */
const LEAST_SERVICE_MEMORY = 512 * MiB;
/**
 * Threads of one runner that are worth having even if all runners are busy: few jobs are large, and most of what threads
 * gain for one the first four do.
 */
const USEFUL_THREADS = 4;
const BUSY_THREADS_PER_CORE = 2;

/** Values set by the operator; null: not set. */
export interface CapacitySettings {
  readonly runners: number | null;
  readonly runnerThreads: number | null;
  readonly runnerMemoryBytes: number | null;
}

export interface Capacity {
  readonly runners: number;
  readonly runnerThreads: number;
  readonly runnerMemoryBytes: number;
  /** The chosen values and the reasons, for the log. */
  readonly text: string;
  /** Settings that exceed the machine. They are used nevertheless. */
  readonly warnings: readonly string[];
}

export function planCapacity(given: CapacitySettings, machine: Machine): Capacity {
  const { cores, memoryBytes } = machine;
  const serviceBytes = Math.min(memoryBytes / 2, Math.max(LEAST_SERVICE_MEMORY, memoryBytes / 10));
  const forRunners = memoryBytes - serviceBytes;
  const wholeMiB = (bytes: number): number => Math.floor(bytes / MiB) * MiB;
  const runners =
    given.runners ??
    clamp(
      Math.floor(forRunners / (given.runnerMemoryBytes ?? USUAL_RUNNER_MEMORY)),
      Math.min(cores, MOST_RUNNERS),
    );
  const runnerMemoryBytes =
    given.runnerMemoryBytes ??
    Math.max(LEAST_RUNNER_MEMORY, Math.min(USUAL_RUNNER_MEMORY, wholeMiB(forRunners / runners)));
  const shared = Math.floor((BUSY_THREADS_PER_CORE * cores) / runners);
  const runnerThreads =
    given.runnerThreads ?? clamp(Math.max(USEFUL_THREADS, shared), Math.min(cores, MOST_RUNNERS));
  const chosen = { runners, runnerThreads, runnerMemoryBytes };
  return { ...chosen, text: describe(given, chosen, machine), warnings: warningsOf(given, chosen, machine) };
}

/** At least 1. */
function clamp(value: number, most: number): number {
  return Math.max(1, Math.min(most, value));
}

type Chosen = Pick<Capacity, 'runners' | 'runnerThreads' | 'runnerMemoryBytes'>;

function describe(given: CapacitySettings, chosen: Chosen, machine: Machine): string {
  const from = (isSet: boolean): string => (isSet ? 'set' : 'derived');
  const limit = (isLimited: boolean): string => (isLimited ? ' (limit of its cgroup)' : '');
  return (
    `${machine.cores} cores${limit(machine.coresAreLimited)} and ${size(machine.memoryBytes)} of memory${limit(machine.memoryIsLimited)}: ` +
    `RUNNERS=${chosen.runners} (${from(given.runners !== null)}), ` +
    `RUNNER_THREADS=${chosen.runnerThreads} (${from(given.runnerThreads !== null)}), ` +
    `RUNNER_MEMORY=${size(chosen.runnerMemoryBytes)} (${from(given.runnerMemoryBytes !== null)})`
  );
}

function warningsOf(given: CapacitySettings, chosen: Chosen, { cores, memoryBytes }: Machine): string[] {
  const { runners, runnerThreads, runnerMemoryBytes } = chosen;
  const warnings: string[] = [];
  const memory = runners * runnerMemoryBytes;
  if (memory > memoryBytes)
    warnings.push(
      `RUNNERS x RUNNER_MEMORY is ${size(memory)}, and there are ${size(memoryBytes)}: jobs that use their memory at the same time ` +
        'may end the service; set less, or leave RUNNERS and RUNNER_MEMORY unset',
    );
  if (given.runners !== null && runners > cores)
    warnings.push(`RUNNERS=${runners} is more than the ${cores} cores: jobs slow each other down`);
  if (given.runnerThreads !== null && runnerThreads > cores)
    warnings.push(
      `RUNNER_THREADS=${runnerThreads} is more than the ${cores} cores: no job gets faster by it`,
    );
  return warnings;
}

function size(bytes: number): string {
  const gib = bytes / GiB;
  return gib >= 1 ? `${Number(gib.toFixed(1))} GiB` : `${Math.floor(bytes / MiB)} MiB`;
}
