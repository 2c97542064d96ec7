/** Cuts what a writer of longitudes and latitudes gets, and reports it. */
import type { GeometryColumn } from '../geometry/geometry-column.ts';
import type { Findings } from '../messages/findings.ts';
import { generalFindings } from '../messages/general-findings.ts';
import { type AntimeridianCut, cutAtAntimeridian } from './cut.ts';

export function cutForWriting(geometry: GeometryColumn, findings: Findings): GeometryColumn {
  const outcome = cutAtAntimeridian(geometry);
  noteCuts(outcome, findings);
  return outcome.geometry;
}

/** Locations count the rows from 1. */
export function noteCuts(
  { cut, moved, closed, uncut }: Omit<AntimeridianCut, 'geometry' | 'rows'>,
  findings: Findings,
): void {
  for (const row of cut) findings.note(generalFindings.ANTIMERIDIAN_CUT, {}, { record: row + 1 });
  for (const row of closed) findings.note(generalFindings.POLE_CLOSED, {}, { record: row + 1 });
  for (const row of moved) findings.note(generalFindings.LONGITUDE_MOVED, {}, { record: row + 1 });
  for (const row of uncut) findings.note(generalFindings.ANTIMERIDIAN_UNCUT, {}, { record: row + 1 });
}
