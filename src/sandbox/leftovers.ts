/** Ends processes that nobody holds any more. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills every process that was started with `text`, a name that is nobody else's, on its command line. bubblewrap that is
 * killed before it has built its wall leaves a process behind that waits for ever. Does nothing where there is no /proc.
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
      // It ended in the meantime.
    }
  }
}
