/** The variables of the HEADER section that reading depends on. */
import type { EntityTags } from '../contract.ts';

export interface HeaderVariables {
  /** $ACADVER, such as AC1032; empty when it is not stated. */
  readonly version: string;
  /** $DWGCODEPAGE; null when it is not stated. */
  readonly codePage: string | null;
  /** $INSUNITS; 0: none stated. */
  readonly insertionUnits: number;
  /** The longer side of $EXTMIN to $EXTMAX in drawing units; null when they say nothing. */
  readonly extentUnits: number | null;
}

/** $EXTMIN and $EXTMAX of an empty drawing are +-1e20. */
const GREATEST_EXTENT = 1e15;

/** `tags` are those of the whole section; null for a drawing without one. */
export function headerVariables(tags: EntityTags | null): HeaderVariables {
  const first = new Map<string, number>();
  if (tags !== null)
    for (let i = 0; i + 1 < tags.count; i++)
      if (tags.codes[i] === 9) first.set(tags.text(i).trim().toUpperCase(), i + 1);
  const text = (name: string): string => {
    const at = first.get(name);
    return at === undefined || tags === null ? '' : tags.text(at).trim();
  };
  const real = (name: string, offset: number): number => {
    const at = first.get(name);
    if (at === undefined || tags === null || at + offset >= tags.count) return Number.NaN;
    return tags.real(at + offset);
  };
  const codePage = text('$DWGCODEPAGE');
  const units = Math.trunc(real('$INSUNITS', 0));
  const extent = Math.max(real('$EXTMAX', 0) - real('$EXTMIN', 0), real('$EXTMAX', 1) - real('$EXTMIN', 1));
  return {
    version: text('$ACADVER').toUpperCase(),
    codePage: codePage === '' ? null : codePage,
    insertionUnits: Number.isFinite(units) ? units : 0,
    extentUnits: extent > 0 && extent < GREATEST_EXTENT ? extent : null,
  };
}
