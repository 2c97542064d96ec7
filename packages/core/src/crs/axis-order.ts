/** The order of the axes of a CRS, for formats whose positions are in the order that the CRS states. */
import type { CrsDescription } from './crs.ts';

interface Axis {
  readonly name?: string;
  readonly direction?: string;
}

/** A CRS in PROJJSON, as far as it matters here. */
interface Projjson {
  readonly source_crs?: Projjson;
  readonly components?: readonly Projjson[];
  readonly coordinate_system?: { readonly axis?: readonly Axis[] };
}

/**
 * Whether north comes before east, so that positions in the order of the axes have to be swapped; the rules are those of PROJ's
 * `normalize_for_visualization`, also for polar systems, whose axes both point north or south.
 */
export function isNorthBeforeEast({ projjson }: Pick<CrsDescription, 'projjson'>): boolean {
  if (projjson === null) return false;
  const [first, second] = axesOf(JSON.parse(projjson) as Projjson);
  if (first?.direction === 'north' && second?.direction === 'east') return true;
  const isPolar = first?.direction === second?.direction && /^(?:north|south)$/.test(first?.direction ?? '');
  return isPolar && /^northing/i.test(first?.name ?? '') && /^easting/i.test(second?.name ?? '');
}

/** Those of the horizontal member: the base of a bound CRS, the first member of a compound one. */
function axesOf(crs: Projjson): readonly Axis[] {
  const inner = crs.source_crs ?? crs.components?.[0];
  return inner === undefined ? (crs.coordinate_system?.axis ?? []) : axesOf(inner);
}
