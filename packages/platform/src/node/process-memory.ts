/** Memory of the process. */

/** The most bytes of memory that the process has had at once. */
export function mostMemory(): number {
  return process.resourceUsage().maxRSS * 1024;
}
