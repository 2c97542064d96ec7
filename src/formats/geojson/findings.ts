import { type FindingEntries, reported } from '../../catalogue-entries.ts';

export const findings = {
  FOREIGN_MEMBERS_DROPPED: reported('foreign members of the GeoJSON were dropped: {names}'),
} as const satisfies FindingEntries;
