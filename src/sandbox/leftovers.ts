/** Kills orphaned sandbox processes. */
import { readdirSync, readFileSync } from 'node:fs';

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
