/**
 * Standard output of commands, whose reader may end first: `geomill info roads.gpkg | head -1`. Node ignores the SIGPIPE that ends other
 * programs then, and the failed write would be an error with a stack trace.
 */

/** 128 and the number of SIGPIPE: what a shell reports of a program that the signal ended. */
export const CLOSED_OUTPUT_STATUS = 141;

let isWatched = false;
let isClosed = false;

/** Opened by the first call: that takes 1 to 3 ms, so commands call it only if they print. */
export function standardOutput(): typeof process.stdout {
  if (!isWatched) process.stdout.on('error', noteClosed);
  isWatched = true;
  return process.stdout;
}

/** Whether the reader of standard output has gone. Nobody waits for the rest, so the command ends without a message. */
export function isOutputClosed(): boolean {
  return isClosed;
}

function noteClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  isClosed = true;
  // The error of a write arrives after the last line of most commands.
  process.exitCode = CLOSED_OUTPUT_STATUS;
}

/** Lets a command go on whose messages nobody reads: its files are still wanted. */
export function ignoreClosedErrors(): void {
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
