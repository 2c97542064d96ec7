/** The exit statuses of the commands that an engine runs: they say whether to try again. */
import type { ErrorEntry } from '@geomill/core/messages/catalogue-entries.ts';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { pipelineErrors } from '@geomill/pipeline/errors.ts';
import { cliErrors } from '../errors.ts';
import { EXIT, type ExitStatus, exitStatusOf } from '../exit-status.ts';

/** What another attempt, later or elsewhere, may do without. */
const TRANSIENT: readonly ErrorEntry[] = [
  generalErrors.CANCELLED,
  generalErrors.STORAGE_FULL,
  ioErrors.OUTPUT_NOT_WRITABLE,
  // By another join at the same time.
  ioErrors.OUTPUT_CHANGED,
  cliErrors.PLAN_MISSING,
  cliErrors.PARTS_MISSING,
];

const OF_PLAN: readonly ErrorEntry[] = [
  cliErrors.PLAN_INVALID,
  cliErrors.PLAN_VERSION,
  cliErrors.PLAN_OUTDATED,
];

/** Of the system, for files on a disk that is full or away. */
const TRANSIENT_CODES = [
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'ESTALE',
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ETIMEDOUT',
  'ENOMEM',
];

export function partStatusOf(error: GeomillError): ExitStatus {
  const { entry, fault } = error;
  if (TRANSIENT.includes(entry) || isTransientCause(error.cause)) return EXIT.tryAgain;
  if (OF_PLAN.includes(entry)) return EXIT.planAtFault;
  const status = exitStatusOf(error);
  // More memory helps, so it is no fault of the input.
  const isInput = status === EXIT.userFault && fault === 'user' && entry !== pipelineErrors.JOB_OUT_OF_MEMORY;
  return isInput ? EXIT.inputAtFault : status;
}

function isTransientCause(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('code' in cause && TRANSIENT_CODES.includes(String(cause.code))) return true;
  return isTransientCause(cause.cause);
}
