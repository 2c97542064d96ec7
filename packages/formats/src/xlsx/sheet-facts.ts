/** What a written sheet says of its fields: a note at the cell of each name, and a list of the values that a column can have. */
import { FACT_NAMES, type FactKind, type FieldFacts, onlyFacts } from '@geomill/core/columns/field-facts.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { xmlText } from '@geomill/core/text/xml-text.ts';
import { formatFindings } from '../findings.ts';
import type { OutputLayer } from '../writer.ts';
import { MAX_ROWS } from './column-kinds.ts';
import { headerNote } from './header-note.ts';
import { HEAD, MAIN, PACKAGE, RELATIONSHIPS } from './workbook-parts.ts';

/** Of a sheet. */
export interface SheetFacts {
  /** By column, from 0. */
  readonly notes: readonly { readonly column: number; readonly text: string }[];
  /** Elements after the rows. */
  readonly validations: string;
}

export const HELD: readonly FactKind[] = ['alias', 'description', 'domain'];
/** Characters of a list of values in a formula. */
const MAX_LIST = 255;

/** Null: nothing is known. Notes what a note cannot say. */
export function sheetFacts(
  { name: layer, fields, facts }: OutputLayer,
  findings: Findings,
): SheetFacts | null {
  const notes: { column: number; text: string }[] = [];
  const lists: string[] = [];
  for (const [column, field] of (fields ?? []).entries()) {
    const own = onlyFacts(facts?.fields.get(field.name) ?? {}, HELD);
    const note = headerNote(own);
    if (note !== null) notes.push({ column, text: note.text });
    noteLost(layer, field, own, note?.held ?? {}, findings);
    const list = listOf(column, field, own);
    if (list !== null) lists.push(list);
  }
  if (notes.length === 0 && lists.length === 0) return null;
  const validations =
    lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`;
  return { notes, validations };
}

function noteLost(
  layer: string,
  { name }: Field,
  own: FieldFacts,
  held: FieldFacts,
  findings: Findings,
): void {
  for (const kind of HELD) {
    if (!(kind in own) || kind in held) continue;
    const reason =
      'the note of a cell cannot say it: it is too long, or has line ends or blanks where a note has none';
    const params = { layer, what: FACT_NAMES[kind], fields: `'${name.slice(0, 60)}'`, reason };
    findings.note(formatFindings.FIELD_DESCRIPTIONS_DROPPED, params, { layer, field: name });
  }
}

/** Programs offer the codes in each cell of the column, and warn of others. */
function listOf(column: number, { type }: Field, { domain }: FieldFacts): string | null {
  if (domain?.kind !== 'coded' || type === 'boolean' || type === 'date' || type === 'datetime') return null;
  const codes = domain.values.map(({ code }) => code);
  const list = codes.join(',');
  const isWritable = codes.every((code) => /^[^,"\s](?:[^,"\r\n\t]*[^,"\s])?$/.test(code));
  if (!isWritable || list.length > MAX_LIST) return null;
  const letters = columnLetters(column);
  return `<dataValidation type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1" sqref="${letters}2:${letters}${MAX_ROWS}"><formula1>"${xmlText(list)}"</formula1></dataValidation>`;
}

/** 0: A, 26: AA. */
export function columnLetters(column: number): string {
  const rest = Math.floor(column / 26) - 1;
  return (rest < 0 ? '' : columnLetters(rest)) + String.fromCharCode(0x41 + (column % 26));
}

export const commentsPath = (number: number): string => `xl/comments${number}.xml`;
export const drawingPath = (number: number): string => `xl/drawings/vmlDrawing${number}.vml`;

export function sheetRelationships(number: number): string {
  const entry = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`;
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${entry('rId1', 'vmlDrawing', `../drawings/vmlDrawing${number}.vml`)}${entry('rId2', 'comments', `../comments${number}.xml`)}</Relationships>\n`;
}

export function commentsXml({ notes }: SheetFacts): string {
  const comments = notes.map(
    ({ column, text }) =>
      `<comment ref="${columnLetters(column)}1" authorId="0"><text><t xml:space="preserve">${xmlText(text)}</t></text></comment>`,
  );
  return `${HEAD}<comments xmlns="${MAIN}"><authors><author></author></authors><commentList>${comments.join('')}</commentList></comments>\n`;
}

/** The boxes of the notes, without which Excel does not show them. */
export function drawingXml({ notes }: SheetFacts): string {
  const shapes = notes.map(
    ({ column }, i) =>
      `<v:shape id="_x0000_s${1025 + i}" type="#_x0000_t202" style="position:absolute;margin-left:60pt;margin-top:2pt;width:200pt;height:90pt;z-index:${i + 1};visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${column + 1}, 15, 0, 2, ${column + 5}, 15, 6, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>0</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  );
  return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>\n`;
}
