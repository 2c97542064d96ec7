/** Steps as a menu lists them: by group, or as a search finds them. Pure. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import { searchCommands } from './command-search.ts';
import { labelOf } from './schema-form.ts';

export interface StepGroup {
  /** Null: what a search found, best first. */
  readonly title: string | null;
  readonly steps: readonly TransformationRecord[];
}

/** `order`: the groups, as the service lists them. */
export function stepGroups(
  known: readonly TransformationRecord[],
  order: readonly string[],
  query: string,
): StepGroup[] {
  if (query.trim() !== '') {
    const searchable = known.map((record) => ({
      ...record,
      words: `${record.id} ${record.summary} ${record.group}`,
    }));
    const found = searchCommands(searchable, query, []);
    return found.length === 0 ? [] : [{ title: null, steps: found }];
  }
  return order
    .map((group) => ({ title: labelOf(group), steps: known.filter((record) => record.group === group) }))
    .filter(({ steps }) => steps.length > 0);
}
