/** Reads the notes at the names of the columns of a sheet. */
import type { FactsByField, FieldFacts } from '@geomill/core/columns/field-facts.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { readNote } from './header-note.ts';
import { xlsxFindings } from './messages.ts';
import type { WorkbookPackage } from './package.ts';
import type { SheetEntry } from './workbook.ts';
import { eachElement } from './xml-part.ts';

/** By references of cells: "B1". */
export type CellNoteTexts = ReadonlyMap<string, string>;

/** The notes of all cells of a sheet. Damaged ones cost the notes alone. */
export async function readNotes(
  parts: WorkbookPackage,
  { name: sheet, path: sheetPath }: SheetEntry,
  findings: Findings,
): Promise<CellNoteTexts> {
  const notes = new Map<string, string>();
  try {
    const relationships = await parts.relationships(sheetPath);
    const path = relationships.find(({ type }) => type === 'comments')?.path ?? null;
    if (path === null || !parts.has(path)) return notes;
    const segment = await parts.unpack(path);
    let cell = '';
    eachElement(segment, (element, text) => {
      if (element.name === 'comment') cell = element.attribute('ref') ?? '';
      if (element.name === 't' && cell !== '') notes.set(cell, (notes.get(cell) ?? '') + text());
    });
    parts.release(path, segment);
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    findings.note(xlsxFindings.XLSX_NOTES_NOT_READ, { sheet, reason: error.message }, { layer: sheet });
    return new Map();
  }
  return notes;
}

/** What the notes in the row of the header say. `columns`: names of fields by letters of their columns. */
export function factsOfNotes(
  notes: CellNoteTexts,
  headerRow: number,
  columns: readonly (readonly [letters: string, field: string])[],
): FactsByField {
  const found = new Map<string, FieldFacts>();
  if (notes.size === 0) return found;
  for (const [letters, field] of columns) {
    const text = notes.get(`${letters}${headerRow}`)?.replaceAll(/\r\n?/g, '\n');
    const facts = text === undefined ? {} : readNote(text);
    if (Object.keys(facts).length > 0) found.set(field, facts);
  }
  return found;
}
