/** Kills orphaned sandbox processes. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that has ended closes its pipes at once; this allows for a busy machine. */
const CLOSE_GRACE_MS = 5000;

/**
 * Makes sure that 'close' follows 'exit', although a process that `child` started may have survived it and hold its pipes open.
 * Survivors are found by `text`, a unique name in their command line. `canLeaveProcesses` is asked at the exit.
 */
export function closeAfterExit(child: ChildProcess, text: string, canLeaveProcesses: () => boolean): void {
  child.once('exit', () => {
    if (canLeaveProcesses()) killStartedWith(text);
    const timer = setTimeout(() => {
      killStartedWith(text);
      for (const stream of child.stdio) stream?.destroy();
    }, CLOSE_GRACE_MS);
    child.once('close', () => clearTimeout(timer));
  });
}

/**
 * Kills every process with `text`, a unique name, in its command line. If bubblewrap is
 * killed before its sandbox is complete, a process remains that waits for ever. Does nothing without /proc.
 */
export function killStartedWith(text: string): void {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return;
  }
  for (const entry of entries) {
    const pid = Number(entry);
    if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid) continue;
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}
