/** Where temporary files go. */
import { TEMPORARY } from './worker-files.ts';

export function temporaryRoot(): string {
  return TEMPORARY;
}

export const NO_DIRECTORY = '/no-directory/of-files';
