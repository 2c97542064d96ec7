/** The exit statuses of all commands. docs/cli.md has its table from here. */
import type { ErrorEntry } from '@geomill/core/messages/catalogue-entries.ts';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { formatErrors } from '@geomill/formats/errors.ts';
import { CLOSED_OUTPUT_STATUS } from './standard-output.ts';

export const EXIT = {
  success: 0,
  userFault: 1,
  usage: 2,
  ourFault: 3,
  problems: 4,
  inputAtFault: 65,
  tryAgain: 75,
  planAtFault: 78,
  interrupted: 130,
  closedOutput: CLOSED_OUTPUT_STATUS,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** In the order of the numbers. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  success: 'success',
  userFault:
    'the input, the request, the service of `geomill submit` or the output location is at fault, and the message says what to do; `geomill crs` found no system; `geomill doctor` has only warnings',
  usage:
    'wrong usage: an unknown flag or command, a missing argument, a file or layer that exists and is not to be replaced, an invalid setting',
  ourFault:
    'the data directory or the database of the service cannot be used (in use, damaged, empty, not reachable), and the message says what to do; or an internal error of geomill: please report it',
  problems: '`geomill doctor` found problems',
  inputAtFault:
    '`geomill part` and `geomill join`: the input is at fault, and the message says where; another attempt fails, too',
  tryAgain:
    '`geomill part` and `geomill join`: another attempt may succeed: the disk is full, the process was interrupted, or parts or the plan are missing',
  planAtFault:
    '`geomill part` and `geomill join`: the plan is damaged or of another version, or an input has changed since; plan again',
  interrupted: 'interrupted (Ctrl-C, SIGTERM, SIGHUP); no partial output is left',
  closedOutput:
    'the program that reads standard output ended first, as in `geomill help | head -1`; there is no message',
};

/** Errors that another command line avoids: wrong usage, a setting, or a name that is taken. */
const USAGE_ERRORS: readonly ErrorEntry[] = [
  generalErrors.USAGE,
  generalErrors.SETTING_INVALID,
  formatErrors.LAYER_EXISTS,
  formatErrors.LAYER_NAME_TAKEN,
];

export function exitStatusOf({ entry, fault }: GeomillError): ExitStatus {
  if (entry === generalErrors.CANCELLED) return EXIT.interrupted;
  if (USAGE_ERRORS.includes(entry)) return EXIT.usage;
  return fault === 'user' ? EXIT.userFault : EXIT.ourFault;
}
