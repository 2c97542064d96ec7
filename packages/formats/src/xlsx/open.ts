/** Opens a workbook: writes each sheet as a table of text, finds its header and its positions, and makes a layer of it. */

import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { CR } from '@geomill/core/text/ascii.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { removeFile } from '@geomill/platform/files.ts';
import type { InputFile, OpenContext, SourceLayer } from '../reader.ts';
import { findHeader } from '../tables/find-header.ts';
import { geometryColumns } from '../tables/row-geometry.ts';
import { type TableState, tableState } from '../tables/state.ts';
import type { ColumnKinds } from './column-kinds.ts';
import { sheetMessages, xlsxErrors, xlsxFindings } from './messages.ts';
import { WorkbookPackage } from './package.ts';
import { type CellNoteTexts, factsOfNotes, readNotes } from './read-notes.ts';
import { columnLetters } from './sheet-facts.ts';
import { SheetNotes } from './sheet-notes.ts';
import { type SheetText, writeSheetText } from './sheet-text.ts';
import { readWorkbook, type SheetEntry, type Workbook } from './workbook.ts';

const SHOWN_NAMES = 12;
/** Columns of a sheet. */
const MAX_COLUMNS = 16_384;

/** What a worker needs to read rows; plain data. */
export interface SheetState {
  readonly sheet: string;
  readonly table: TableState;
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, XML_SYNTAX, LIMIT_EXCEEDED, XLSX_ codes and the errors of reading a zip. */
export async function openXlsx(file: InputFile, context: OpenContext): Promise<SourceLayer[]> {
  const parts = await WorkbookPackage.open(file, context);
  const workbook = await readWorkbook(parts);
  const layers: SourceLayer[] = [];
  const skipped = [...workbook.others];
  const withoutValues: string[] = [];
  const names = new UniqueNames();
  for (const sheet of workbook.sheets) {
    const unpacking = parts.beginUnpacking(sheet.path);
    const { name } = sheet;
    const text = await writeSheetText(parts, workbook, { name, unpacking }, context);
    parts.release(sheet.path, unpacking.segment);
    if (text === null) skipped.push(name);
    else if (text instanceof SheetNotes) {
      text.note(name, context.findings);
      context.findings.note(xlsxFindings.XLSX_SHEET_WITHOUT_VALUES, { sheet: name }, { layer: name });
      withoutValues.push(name);
    } else {
      const cellNotes = await readNotes(parts, sheet, context.findings);
      layers.push(layerOf(file, sheet, names.take(name), text, cellNotes, context));
    }
  }
  noteSheets(file, workbook, skipped, context.findings);
  const read = layers.filter(({ fault }) => fault === undefined);
  if (layers.length === 0 && withoutValues.length > 0)
    throw failure(xlsxErrors.XLSX_NO_VALUES, { source: file.name, sheets: shownNames(withoutValues) });
  if (layers.length === 0)
    throw failure(xlsxErrors.XLSX_NO_SHEETS, {
      source: file.name,
      skipped: skipped.length === 0 ? '' : ` (it has ${shownNames(skipped)})`,
    });
  if (read.length === 0 && layers[0].fault !== undefined) throw layers[0].fault;
  return layers;
}

function noteSheets(
  file: InputFile,
  workbook: Workbook,
  skipped: readonly string[],
  findings: Findings,
): void {
  const source = file.name;
  if (skipped.length > 0)
    findings.note(
      xlsxFindings.XLSX_SHEETS_SKIPPED,
      { source, names: shownNames(skipped) },
      undefined,
      skipped.length,
    );
  const hidden = workbook.sheets.filter(({ name, isHidden }) => isHidden && !skipped.includes(name));
  if (hidden.length > 0)
    findings.note(
      xlsxFindings.XLSX_HIDDEN_READ,
      { source, names: shownNames(hidden.map(({ name }) => name)) },
      undefined,
      hidden.length,
    );
}

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => `'${name.slice(0, 40)}'`);
  return names.length > SHOWN_NAMES
    ? `${shown.join(', ')} and ${names.length - SHOWN_NAMES} more`
    : shown.join(', ');
}

function layerOf(
  file: InputFile,
  { name: sheet }: SheetEntry,
  name: string,
  { path, kinds, notes, partitions }: SheetText,
  cellNotes: CellNoteTexts,
  context: OpenContext,
): SourceLayer {
  const common = { name, encoding: null, crs: null, crsMissingReason: 'a workbook cannot state it' };
  const options = { ...context.options, delimiter: ',', header_line: context.options.header_row };
  const findings = new Findings();
  try {
    using source = openFileSource(path);
    // Columns without a name and a value are no fields: a stray cell far to the right makes thousands of them.
    const limits = { ...context.limits, fields: Math.max(context.limits.fields, MAX_COLUMNS) };
    const { header, located } = findHeader(
      file,
      sheet,
      source,
      // A workbook has other sheets, whose CRS may be stated.
      { ...context, limits, options, findings, hasPositions: undefined },
      sheetMessages(sheet),
      CR,
    );
    const table = tableState(path, file.name, header, { ...options, decimal_comma: undefined });
    const fields = fieldsOf(table, kinds);
    checkFieldCount(name, fields.length, context.limits);
    notes.note(sheet, findings);
    context.findings.merge(findings.found());
    const state: SheetState = { sheet, table };
    return {
      ...common,
      fields,
      featureCount: null,
      assumedCrs: located.assumedCrs,
      ...(located.isTable === true ? { isTable: true as const } : {}),
      statedExtent: located.extent ?? null,
      ...(located.hasOutliers === undefined ? {} : { hasOutliers: located.hasOutliers }),
      crsMissingReason: `a workbook cannot state it${located.doubt === undefined ? '' : `; ${located.doubt}`}`,
      partitions,
      ...factsOf(table, cellNotes),
      state,
    };
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    removeFile(path);
    return { ...common, fields: null, featureCount: null, partitions: [], state: null, fault: error };
  }
}

function factsOf(
  { names, hasHeader, dataStart }: TableState,
  notes: CellNoteTexts,
): Pick<SourceLayer, 'facts'> {
  if (!hasHeader) return {};
  const columns = names.map((name, column) => [columnLetters(column), name] as const);
  const fields = factsOfNotes(notes, dataStart.lines, columns);
  return fields.size === 0 ? {} : { facts: { fields } };
}

/** The columns that are fields, with the types of their values after the header. */
function fieldsOf(state: TableState, kinds: ColumnKinds): Field[] {
  const { names, unnamed, geometry, keepsGeometryColumns, dataStart } = state;
  const taken = new Set(keepsGeometryColumns ? [] : geometryColumns(geometry));
  return names.flatMap((name, column): Field[] => {
    const type = kinds.typeAfter(column, dataStart.lines);
    if (taken.has(column) || (unnamed[column] && type === null)) return [];
    return [{ name, type: type ?? 'string' }];
  });
}
