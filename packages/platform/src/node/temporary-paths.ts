/** Where temporary files go. */
import { devNull, tmpdir } from 'node:os';

/** The directory for temporary files: TMPDIR, or that of the system. */
export function temporaryRoot(): string {
  return tmpdir();
}

/** A path that is no directory: every use of a path below it fails. */
export const NO_DIRECTORY: string = devNull;
