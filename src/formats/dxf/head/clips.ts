/**
 * Finds the INSERTs that are clipped (XCLIP): those whose extension dictionary leads to a SPATIAL_FILTER that is on.
 *
 *     INSERT  102 {ACAD_XDICTIONARY  360 -> DICTIONARY  3 ACAD_FILTER  360 -> DICTIONARY  3 SPATIAL  360 -> SPATIAL_FILTER
 *
 * Objects are not needed for anything else and can be most of a file, so they are read only if their bytes contain the
 * name of the filter.
 */
import type { ByteSource } from '../../../io/byte-source.ts';
import type { EntityTags } from '../contract.ts';
import { RecordReader } from '../tags/record-reader.ts';
import type { TagFacts } from './drawing-state.ts';
import type { Section } from './sections.ts';

const FILTER = 'SPATIAL_FILTER';
const FILTER_BYTES = Buffer.from(FILTER);
const CHUNK_BYTES = 1 << 20;
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
  for (const { name, start, end } of sections) {
    if (name !== 'OBJECTS' || !holdsFilter(source, start, end)) continue;
    const reader = new RecordReader(source, facts, start, {
      windowBytes: CHUNK_BYTES,
      linesBefore: null,
      end,
    });
    reader.readTags();
    while (reader.position < end) {
      if (!reader.next()) continue;
      const { tags } = reader.entity;
      if (tags.type === FILTER && isOn(tags)) filters.add(handleAt(tags, tags.find(5)));
      else if (tags.type === 'DICTIONARY') dictionaries.set(handleAt(tags, tags.find(5)), entriesOf(tags));
    }
  }
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

function holdsFilter(source: ByteSource, start: number, end: number): boolean {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    const bytes = source.slice(at, Math.min(end, at + CHUNK_BYTES + FILTER_BYTES.length));
    if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(FILTER_BYTES)) return true;
  }
  return false;
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
