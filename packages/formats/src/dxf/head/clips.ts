/**
 * Finds the INSERTs that are clipped (XCLIP): those whose extension dictionary leads to a SPATIAL_FILTER that is on.
 *
 *     INSERT  102 {ACAD_XDICTIONARY  360 -> DICTIONARY  3 ACAD_FILTER  360 -> DICTIONARY  3 SPATIAL  360 -> SPATIAL_FILTER
 */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { EntityTags } from '../contract.ts';
import type { TagFacts } from './drawing-state.ts';
import { visitObjects } from './objects.ts';
import type { Section } from './sections.ts';

const FILTER = 'SPATIAL_FILTER';
const XDICTIONARY = '{ACAD_XDICTIONARY';

/** Handles of the extension dictionaries of clipped INSERTs, as returned by `clipHandle`. */
export function readClips(
  source: ByteSource,
  facts: TagFacts,
  sections: readonly Section[],
): ReadonlySet<string> {
  const filters = new Set<string>();
  /** By handle, the handles in each dictionary. */
  const dictionaries = new Map<string, readonly string[]>();
  visitObjects(source, facts, sections, FILTER, (tags) => {
    if (tags.type === FILTER && isOn(tags)) filters.add(handleAt(tags, tags.find(5)));
    else if (tags.type === 'DICTIONARY') dictionaries.set(handleAt(tags, tags.find(5)), entriesOf(tags));
  });
  const leadingTo = (targets: ReadonlySet<string>): Set<string> =>
    new Set([...dictionaries].filter(([, to]) => to.some((at) => targets.has(at))).map(([from]) => from));
  return filters.size === 0 ? filters : leadingTo(leadingTo(filters));
}

/** Handle of the extension dictionary of an entity; null if it has none. */
export function clipHandle(tags: EntityTags): string | null {
  for (let at = tags.find(102); at >= 0; at = tags.find(102, at + 1))
    if (tags.text(at).trim() === XDICTIONARY) return handleAt(tags, tags.find(360, at)) || null;
  return null;
}

/** Code 71: the clip is active. Otherwise the whole INSERT is visible. */
function isOn(tags: EntityTags): boolean {
  const at = tags.find(71);
  return at >= 0 && Math.trunc(tags.real(at)) === 1;
}

/** Codes 350 and 360 after names (code 3). Tags before the first name belong to the dictionary itself. */
function entriesOf(tags: EntityTags): readonly string[] {
  const entries: string[] = [];
  const { codes, count } = tags;
  for (let at = tags.find(3); at >= 0 && at < count; at++)
    if (codes[at] === 350 || codes[at] === 360) entries.push(handleAt(tags, at));
  return entries;
}

/** Handles are hexadecimal numbers and may have leading zeros. */
function handleAt(tags: EntityTags, at: number): string {
  return at < 0
    ? ''
    : tags
        .text(at)
        .trim()
        .toUpperCase()
        .replace(/^0+(?=.)/, '');
}
