/** The exit statuses of all commands. docs/cli.md has its table from here. */
import type { ErrorCode, GeomillError } from '../errors.ts';
import { CLOSED_OUTPUT_STATUS } from './standard-output.ts';

export const EXIT = {
  success: 0,
  userFault: 1,
  usage: 2,
  ourFault: 3,
  problems: 4,
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
  interrupted: 'interrupted (Ctrl-C, SIGTERM, SIGHUP); no partial output is left',
  closedOutput:
    'the program that reads standard output ended first, as in `geomill help | head -1`; there is no message',
};

/** Codes besides USAGE that another command line avoids: a setting, or a name that is taken. */
const USAGE_CODES: readonly ErrorCode[] = ['USAGE', 'SETTING_INVALID', 'LAYER_EXISTS', 'LAYER_NAME_TAKEN'];

export function exitStatusOf({ code, fault }: GeomillError): ExitStatus {
  if (code === 'CANCELLED') return EXIT.interrupted;
  if (USAGE_CODES.includes(code)) return EXIT.usage;
  return fault === 'user' ? EXIT.userFault : EXIT.ourFault;
}
