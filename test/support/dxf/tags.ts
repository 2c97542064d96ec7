/** Splits an ASCII DXF into raw tags, sections, entities and XDATA, independent of the meaning of entities. */

export interface Tag {
  readonly code: number;
  readonly value: string;
  /** Line of the group code, from 1. */
  readonly line: number;
}

/** A tag with code 0 and the tags after it: an entity, a table record, an object. */
export interface Structure {
  readonly type: string;
  readonly line: number;
  /** All tags except XDATA and application groups (102 {...}). */
  readonly tags: readonly Tag[];
  readonly xdata: readonly Tag[];
  readonly groups: readonly Tag[];
}

export interface Section {
  readonly name: string;
  readonly line: number;
  readonly tags: readonly Tag[];
}

/** Reads the pairs; calls `complain` for an invalid pair and stops. */
export function parseTags(text: string, complain: (message: string) => void): Tag[] {
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length % 2 !== 0) complain(`${lines.length} lines are no whole number of pairs`);
  const tags: Tag[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    if (!/^ *-?\d{1,4}$/.test(lines[i])) {
      complain(`line ${i + 1}: '${lines[i].slice(0, 40)}' is no group code`);
      break;
    }
    tags.push({ code: Number(lines[i]), value: lines[i + 1], line: i + 1 });
  }
  return tags;
}

/** The sections in order; calls `complain` for anything outside of them except comments. */
export function sectionsOf(tags: readonly Tag[], complain: (message: string) => void): Section[] {
  const sections: Section[] = [];
  let at = 0;
  while (at < tags.length && !(tags[at].code === 0 && tags[at].value === 'EOF')) {
    const { code, value, line } = tags[at];
    if (code === 999) {
      at++;
      continue;
    }
    if (code !== 0 || value !== 'SECTION' || tags[at + 1]?.code !== 2) {
      complain(`line ${line}: ${code} ${value} outside of a section`);
      return sections;
    }
    const end = tags.findIndex((tag, i) => i > at && tag.code === 0 && tag.value === 'ENDSEC');
    if (end === -1) {
      complain(`line ${line}: the section ${tags[at + 1].value} has no end`);
      return sections;
    }
    sections.push({ name: tags[at + 1].value, line, tags: tags.slice(at + 2, end) });
    at = end + 1;
  }
  if (at !== tags.length - 1) complain(at < tags.length ? 'tags follow EOF' : 'there is no EOF');
  return sections;
}

/** Splits at every code 0; comments are omitted. */
export function structuresOf(tags: readonly Tag[], complain: (message: string) => void): Structure[] {
  const starts: number[] = [];
  tags.forEach(({ code }, i) => {
    if (code === 0) starts.push(i);
  });
  if (tags.length > 0 && starts[0] !== 0) complain(`line ${tags[0].line}: ${tags[0].code} before any code 0`);
  return starts.map((start, i) => structureOf(tags.slice(start, starts[i + 1] ?? tags.length), complain));
}

function structureOf(all: readonly Tag[], complain: (message: string) => void): Structure {
  const tags: Tag[] = [];
  const groups: Tag[] = [];
  let at = 0;
  for (; at < all.length && all[at].code < 1000; at++) {
    if (all[at].code === 999) continue;
    if (all[at].code !== 102 || !all[at].value.startsWith('{')) {
      tags.push(all[at]);
      continue;
    }
    const end = all.findIndex(({ code, value }, i) => i > at && code === 102 && value === '}');
    if (end === -1) complain(`line ${all[at].line}: the group ${all[at].value} has no end`);
    groups.push(...all.slice(at + 1, end === -1 ? all.length : end));
    at = end === -1 ? all.length : end;
  }
  const xdata = all.slice(at);
  const stray = xdata.find(({ code }) => code < 1000);
  if (stray !== undefined) complain(`line ${stray.line}: code ${stray.code} after XDATA`);
  return { type: all[0].value, line: all[0].line, tags, xdata, groups };
}

/** The value of the first tag with the code; undefined if there is none. */
export function first({ tags }: Structure, code: number): string | undefined {
  return tags.find((tag) => tag.code === code)?.value;
}

/** Tags of the subclass, from after its 100 to before the next; null if the entity has no such marker. */
export function subclass({ tags }: Structure, name: string): readonly Tag[] | null {
  const start = tags.findIndex(({ code, value }) => code === 100 && value === name);
  if (start === -1) return null;
  const end = tags.findIndex(({ code }, i) => i > start && code === 100);
  return tags.slice(start + 1, end === -1 ? tags.length : end);
}

export const numberOf = (tags: readonly Tag[], code: number): number => {
  const tag = tags.find((candidate) => candidate.code === code);
  return tag === undefined ? Number.NaN : Number(tag.value);
};

export const countOf = (tags: readonly Tag[], code: number): number =>
  tags.filter((candidate) => candidate.code === code).length;
