/** What a worker can know of its process: nothing. */

/** Zero: who asks keeps within the bounds of what it counts itself. */
export function mostMemory(): number {
  return 0;
}

/** No other worker has the same files. */
export function processId(): number {
  return 1;
}

/** Conversions run in the worker itself. */
export function coreCount(): number {
  return 1;
}
