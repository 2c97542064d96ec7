/**
 * Reads the XDATA of the application GEOMILL; its grammar is in xdata-write.ts. Words are compared as bytes if the tags
 * provide them: strings for the words of half a million features would take longer than reading their outlines.
 */
import {
  GEOMETRY_TYPE_NAMES,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import type { EntityTags } from '../contract.ts';

/** The application name that our XDATA is registered for. */
const OWN_APPLICATION = 'GEOMILL';
const FIRST_XDATA_CODE = 1000;
export const XDATA_CODE = {
  string: 1000,
  application: 1001,
  binary: 1004,
  real: 1040,
  int16: 1070,
  int32: 1071,
} as const;

/** The role of an entity in its feature. */
export const ROLE = { none: 0, point: 1, line: 2, shell: 3, hole: 4, fill: 5, text: 6, label: 7 } as const;

const HEAD = 'feature:';
const PART = 'part';
const Z_MARK = ' Z';

interface Word {
  readonly bytes: Uint8Array;
}

interface HeadWord extends Word {
  /** A GEOMETRY_TYPE; -1 for parts. */
  readonly type: number;
  readonly hasZ: boolean;
}

interface RoleWord extends Word {
  readonly role: number;
  /** A MULTI mark, or 0. */
  readonly mark: number;
}

const encoder = new TextEncoder();

const HEAD_WORDS: readonly HeadWord[] = [
  { bytes: encoder.encode(PART), type: -1, hasZ: false },
  ...GEOMETRY_TYPE_NAMES.flatMap((name, type) => [
    { bytes: encoder.encode(HEAD + name), type, hasZ: false },
    { bytes: encoder.encode(HEAD + name + Z_MARK), type, hasZ: true },
  ]),
];

const ROLE_WORDS: readonly RoleWord[] = (
  ['shell', 'fill', 'hole', 'line', 'point', 'text', 'label'] as const
).flatMap((name) => [
  { bytes: encoder.encode(name), role: ROLE[name], mark: 0 },
  { bytes: encoder.encode(`first ${name}`), role: ROLE[name], mark: PART_MULTI_FIRST },
  { bytes: encoder.encode(`next ${name}`), role: ROLE[name], mark: PART_MULTI_NEXT },
]);

/** Our XDATA of the current entity; one instance serves all entities of a partition. */
export class OwnXdata {
  /** The entity is the first one of a feature; otherwise it continues the feature of the entity before. */
  isHead = false;
  /** A GEOMETRY_TYPE; only if `isHead`. */
  type = 0;
  hasZ = false;
  role: number = ROLE.none;
  mark = 0;
  /** Tags `[attributesStart, end)` are the attributes. */
  attributesStart = 0;
  end = 0;
  /** XDATA of other applications was found. */
  hasForeign = false;

  /** Returns false if the entity has no XDATA of ours or invalid XDATA. */
  read(tags: EntityTags): boolean {
    this.hasForeign = false;
    const at = this.#find(tags);
    if (at < 0 || at + 1 >= this.end) return false;
    const head = wordAt(tags, at, HEAD_WORDS);
    const role = wordAt(tags, at + 1, ROLE_WORDS);
    if (head === null || role === null) return false;
    this.isHead = head.type >= 0;
    this.type = head.type;
    this.hasZ = head.hasZ;
    this.role = role.role;
    this.mark = role.mark;
    this.attributesStart = at + 2;
    return true;
  }

  /** Index after the tag that names our application; -1 if there is none. XDATA is last, so the search starts there. */
  #find(tags: EntityTags): number {
    const { codes } = tags;
    let end = tags.count;
    let found = -1;
    for (let i = tags.count - 1; i >= 0 && codes[i] >= FIRST_XDATA_CODE; i--) {
      if (codes[i] !== XDATA_CODE.application) continue;
      if (tags.text(i).trim() === OWN_APPLICATION) {
        found = i + 1;
        this.end = end;
      } else this.hasForeign = true;
      end = i;
    }
    return found;
  }
}

function wordAt<W extends Word>(tags: EntityTags, at: number, words: readonly W[]): W | null {
  if (tags.codes[at] !== XDATA_CODE.string) return null;
  const { bytes } = tags;
  if (bytes !== null) return wordOf(bytes, tags.starts[at], tags.ends[at], words);
  const text = encoder.encode(tags.text(at));
  return wordOf(text, 0, text.length, words);
}

function wordOf<W extends Word>(
  bytes: Uint8Array,
  start: number,
  end: number,
  words: readonly W[],
): W | null {
  for (let i = 0; i < words.length; i++) if (equals(words[i].bytes, bytes, start, end)) return words[i];
  return null;
}

/** Compares from the end, as the words mostly have different ends. */
export function equals(word: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let i = word.length - 1; i >= 0; i--) if (word[i] !== bytes[start + i]) return false;
  return true;
}
