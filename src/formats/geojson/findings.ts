import { type FindingEntries, lost } from '../../catalogue-entries.ts';

export const findings = {
  FOREIGN_MEMBERS_DROPPED: lost('foreign members of the GeoJSON were dropped: {names}'),
} as const satisfies FindingEntries;
