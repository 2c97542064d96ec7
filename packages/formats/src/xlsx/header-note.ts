/**
 * What is known of a field, as the note at the cell of its name: text for people that reads back the same.
 *
 *     Alternative name: Kind of road
 *     Values (kinds):
 *     1 = motorway
 *     Description: as in the register of 2020
 */
import type { CodedValue, Domain, FieldFacts } from '@geomill/core/columns/field-facts.ts';

/** Characters of a note. */
const MAX_CHARACTERS = 32_767;
const NAME = 'Alternative name: ';
const DESCRIPTION = 'Description: ';
const VALUES = /^Values \((.*?)\): ?(.*)$/;
const IS = ' = ';
/** Excel writes this before the text of a comment with answers, for programs that do not know such comments. */
const THREADED = /^\[Threaded comment\].*?\nComment:\s*/s;

/** The note, and the facts that it has: codes with line ends, for one, have no place. Null: there is nothing to say. */
export function headerNote(facts: FieldFacts): { readonly text: string; readonly held: FieldFacts } | null {
  const { domain, ...others } = facts;
  const { description, ...alias } = others;
  for (const held of [facts, others, alias]) {
    const text = noteText(held);
    if (text === '') break;
    if (text.length <= MAX_CHARACTERS && isSame(readNote(text), held)) return { text, held };
  }
  return null;
}

function noteText({ alias, description, domain }: FieldFacts): string {
  const lines: string[] = [];
  if (alias !== undefined) lines.push(NAME + alias);
  if (domain?.kind === 'coded') {
    lines.push(`Values (${domain.name}):${domain.description === undefined ? '' : ` ${domain.description}`}`);
    for (const { code, text } of domain.values) lines.push(text === null ? code : code + IS + text);
  }
  if (description !== undefined) lines.push(DESCRIPTION + description);
  return lines.join('\n');
}

/** A note without the labels is a description. */
export function readNote(text: string): FieldFacts {
  const lines = text.split('\n');
  let at = 0;
  const alias = lines[at].startsWith(NAME) ? lines[at++].slice(NAME.length) : undefined;
  const domain = readValues(lines, at);
  if (domain !== null) at += 1 + domain.values.length;
  const rest = lines.slice(at).join('\n');
  const isLabelled = rest.startsWith(DESCRIPTION);
  const description = isLabelled ? rest.slice(DESCRIPTION.length) : rest.replace(THREADED, '').trim();
  return {
    ...(alias === undefined ? {} : { alias }),
    ...(description === '' ? {} : { description }),
    ...(domain === null ? {} : { domain }),
  };
}

function readValues(lines: readonly string[], at: number): (Domain & { readonly kind: 'coded' }) | null {
  const head = VALUES.exec(lines[at] ?? '');
  if (head === null || head[1] === '') return null;
  const values: CodedValue[] = [];
  for (const line of lines.slice(at + 1)) {
    if (line.startsWith(DESCRIPTION)) break;
    const end = line.indexOf(IS);
    values.push(
      end < 0 ? { code: line, text: null } : { code: line.slice(0, end), text: line.slice(end + IS.length) },
    );
  }
  const described = head[2] === '' ? {} : { description: head[2] };
  return values.length === 0 ? null : { kind: 'coded', name: head[1], ...described, values };
}

function isSame(a: FieldFacts, b: FieldFacts): boolean {
  const plain = ({ alias, description, domain }: FieldFacts): string =>
    JSON.stringify([
      alias,
      description,
      domain?.name,
      domain?.description,
      domain?.kind === 'coded' ? domain.values.map(({ code, text }) => [code, text]) : null,
    ]);
  return plain(a) === plain(b);
}
