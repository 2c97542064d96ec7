/**
 * The attempts at a conversion, as data. Most conversions have one, which reads the inputs whole and trusts the types that they declare. A conversion that can
 * do with a part of the inputs first reads that part; an attempt that fails for what it left out, or for a declaration that is wrong, is
 * followed by another one.
 */
import { type ExcerptPlan, type ExcerptSize, ExcerptTooSmall, isAboutExcerpt } from './excerpt.ts';
import { type LayerMisfits, MisfitsFound } from './misfits.ts';

export interface Attempt {
  /** selected: the features that the first step may keep, as far as the files show which these are. Else an excerpt of the layers, or the whole. */
  readonly reads: 'selected' | ExcerptSize;
  /** Fields whose declared types are ignored; null: all declarations are trusted, until a value contradicts one. */
  readonly misfits: readonly LayerMisfits[] | null;
}

/** `excerpts`: null if the layers are read whole. */
export function firstAttempt(excerpts: Pick<ExcerptPlan, 'selects' | 'isSampled'> | null): Attempt {
  if (excerpts === null) return { reads: 'whole', misfits: null };
  if (excerpts.selects) return { reads: 'selected', misfits: null };
  return { reads: excerpts.isSampled ? 0 : 'all', misfits: null };
}

/** The attempt after one that failed; null: the error is that of the conversion. `isPartial`: the attempt did not read all of the inputs. */
export function attemptAfter(
  { reads, misfits }: Attempt,
  error: unknown,
  isPartial: boolean,
): Attempt | null {
  if (error instanceof MisfitsFound) return misfits === null ? { reads, misfits: error.misfits } : null;
  if (!isPartial || !isAboutExcerpt(error)) return null;
  const isTooSmall = error instanceof ExcerptTooSmall && typeof reads === 'number';
  // What was wrong with the declarations of another excerpt is not known of this one.
  return { reads: isTooSmall ? reads + error.sizes : 'whole', misfits: null };
}
