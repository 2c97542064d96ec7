/** Finds commands, and steps, by what people type. Pure. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import { labelOf } from './schema-form.ts';

export interface Searchable {
  readonly id: string;
  readonly title: string;
  /** More words that find it, after those of the title. */
  readonly words?: string;
}

/**
 * Commands that match all words of the query, best first. A match is of the first of these kinds that fits: the title starts
 * with the query; each word of the query starts a word of the title; is in the title; is in the title or the other words; the
 * characters of the query are in the title in their order. Within a kind come those that were used recently, the last first,
 * then the others in their own order.
 */
export function searchCommands<Command extends Searchable>(
  commands: readonly Command[],
  query: string,
  recent: readonly string[],
): Command[] {
  const text = folded(query).trim();
  if (text === '') return [...commands];
  const found = commands.flatMap((command, order) => {
    const kind = kindOfMatch(command, text);
    if (kind === null) return [];
    const used = recent.indexOf(command.id);
    return [{ command, kind, used: used < 0 ? recent.length : used, order }];
  });
  found.sort((a, b) => a.kind - b.kind || a.used - b.used || a.order - b.order);
  return found.map(({ command }) => command);
}

function kindOfMatch({ title, words = '' }: Searchable, query: string): number | null {
  const name = folded(title);
  const all = `${name} ${folded(words)}`;
  const wanted = query.split(/\s+/);
  const starts = name.split(/[^\p{L}\p{N}]+/u);
  if (name.startsWith(query)) return 0;
  if (wanted.every((word) => starts.some((start) => start.startsWith(word)))) return 1;
  if (wanted.every((word) => name.includes(word))) return 2;
  if (wanted.every((word) => all.includes(word))) return 3;
  return isInOrder(query.replaceAll(/\s/g, ''), name) ? 4 : null;
}

function isInOrder(query: string, text: string): boolean {
  let at = 0;
  for (const character of query) {
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

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
