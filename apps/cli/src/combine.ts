/** Shared by `append` and `merge`: several files go into one, which a flag names. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { InputFileRequest } from '@geomill/pipeline/request.ts';
import type { Parsed } from './arguments.ts';
import { crsOf } from './conversion-request.ts';

/** The value of `--out`. Throws USAGE. */
export function outputOf({ values, positionals }: Parsed, command: 'append' | 'merge'): string {
  if (typeof values.out === 'string') return values.out;
  const inPlace =
    command === 'append'
      ? `, or --out ${positionals[0]} --overwrite to add to '${positionals[0]}' itself`
      : '';
  throw failure(generalErrors.USAGE, {
    detail: `${command} needs an output: --out FILE ('-' is standard output)${inPlace}`,
  });
}

/**
 * The CRSs that a flag states, which may come once for all files or once for each of them, in their order; nulls where it
 * did not come. Throws USAGE.
 */
export function crsForEach(
  { values }: Parsed,
  flag: string,
  fileCount: number,
  what: string,
): readonly (CrsText | null)[] {
  const given = (values[flag] ?? []) as readonly string[];
  if (given.length > 1 && given.length !== fileCount)
    throw failure(generalErrors.USAGE, {
      detail: `--${flag} came ${given.length} times for ${fileCount} ${what}; say it once for all, or once for each in their order`,
    });
  const stated = given.map((value) => crsOf(value, flag));
  return Array.from({ length: fileCount }, (_, i) => (stated.length === 1 ? stated[0] : (stated[i] ?? null)));
}

export function fileRequests(stated: readonly (CrsText | null)[], flag: string): InputFileRequest[] {
  return stated.map((crs) => ({ crs, crsPath: `--${flag}` }));
}
