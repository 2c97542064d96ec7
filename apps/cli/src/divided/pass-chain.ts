/** Which passes of a plan there are, and which of their parts are not complete. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { cliErrors } from '../errors.ts';
import { laterPass, passDirectory, resultOf, type WorkPass } from './passes.ts';
import type { PlanFile } from './plan-file.ts';

/** More are only counted. */
const SHOWN_PARTS = 8;

/** The passes before one of them that were planned, in order. Throws PLAN_INVALID. */
export function passesBefore(work: string, plan: PlanFile, number: number): WorkPass[] {
  const passes: WorkPass[] = [];
  while (passes.length < number - 1) {
    const next: WorkPass | null =
      passes.length === 0
        ? { number: 1, directory: passDirectory(work, 1), table: plan.firstPass }
        : laterPass(work, passes.length + 1);
    if (next === null) break;
    passes.push(next);
    if (next.table.isEncoding) break;
  }
  return passes;
}

/** What is wrong if parts of a pass are not complete: the error that one of them found in the input, or PARTS_MISSING; null: all are complete. */
export function missingParts(pass: WorkPass): GeomillError | null {
  const missing: number[] = [];
  let found: GeomillError | null = null;
  for (const index of pass.table.parts.keys()) {
    const result = resultOf(pass, index);
    if (result === null) missing.push(index);
    else found ??= result.error;
  }
  if (missing.length === 0) return null;
  if (found !== null) return found;
  const shown = missing.slice(0, SHOWN_PARTS).join(', ');
  const rest = missing.length > SHOWN_PARTS ? ` and ${missing.length - SHOWN_PARTS} more` : '';
  const one = missing.length === 1;
  return failure(cliErrors.PARTS_MISSING, {
    missing: `${one ? 'part' : 'parts'} ${shown}${rest} of pass ${pass.number} ${one ? 'is' : 'are'}`,
    work: pass.directory,
  });
}
