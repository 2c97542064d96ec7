/** The service answers hundreds of clients in the time of one job, so it has priority over runners. */
import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const DEFAULT_NICENESS = 10;
const MAX_NICENESS = 19;

/**
 * Makes a process nicer than this one by `niceness`, as far as the system allows it. False: not all of it yet, call again a moment
 * later.
 *
 * Linux shares processor time among sessions first, and the priorities of processes count only within a session. A sandbox gives its
 * process a session of its own, so that process would get as much time as the service and all its clients of this machine together.
 */
export function lowerPriority(pid: number, niceness = DEFAULT_NICENESS): boolean {
  try {
    setPriority(pid, Math.min(getPriority() + niceness, MAX_NICENESS));
    const own = readAutogroup('self');
    if (readAutogroup(pid).name !== own.name)
      writeFileSync(`/proc/${pid}/autogroup`, `${Math.min(own.niceness + niceness, MAX_NICENESS)}`);
  } catch (error) {
    // Linux takes ten such changes a second. Other errors: the process has ended, or the system has no such groups or does not
    // allow the change. Then the process keeps its priority.
    return !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
  }
  return true;
}

/** The file holds, for example, "/autogroup-123 nice 0". It is empty for a process that no session has ever put into a group. */
function readAutogroup(pid: number | 'self'): { readonly name: string; readonly niceness: number } {
  const [name, , niceness = '0'] = readFileSync(`/proc/${pid}/autogroup`, 'latin1').split(' ');
  return { name, niceness: Number(niceness) };
}
