/** What the program can know of its own process. */

/** The most bytes of memory that the process has had at once. */
export function mostMemory(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** Threads that can work at once. */
export function coreCount(): number {
  return process.getBuiltinModule('node:os').availableParallelism();
}

/** Differs from that of every other process of the program that runs now and shares its files. */
export function processId(): number {
  return process.pid;
}
