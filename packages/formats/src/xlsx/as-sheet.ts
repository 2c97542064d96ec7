/** Errors and findings about the columns of a table, in the words of a sheet. */
import type { FindingEntry } from '@geomill/core/messages/catalogue-entries.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import {
  type Field,
  type MessageParam,
  type MessageParams,
  type Phrase,
  phraseOf,
} from '@geomill/core/messages/message.ts';
import { tableFindings } from '../tables/findings.ts';
import { xlsxErrors } from './errors.ts';
import { xlsxFindings } from './findings.ts';

const OPTIONS = /^csv_options\./;

/** Calls `read`; what it throws about a table names the sheet. */
export function inSheet<Result>(sheet: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof GeomillError ? asSheetError(error, sheet) : error;
  }
}

export function asSheetError(error: GeomillError, sheet: string): GeomillError {
  const { entry, params } = error;
  const own = sheetParams(params);
  const location = { layer: sheet, ...error.location };
  if (!entry.code.startsWith('CSV_')) return new GeomillError(entry, own, error.location, error.cause);
  const template = sheetTemplate(entry.template);
  const row = /^CSV line \{line\}/.exec(template);
  if (row === null)
    return failure(xlsxErrors.XLSX_COLUMNS, { sheet, reason: phraseOf(template, own) }, location);
  const reason = phraseOf(template.slice(row[0].length), own);
  return failure(xlsxErrors.XLSX_ROW, { sheet, line: Number(params.line), reason }, location);
}

/** Findings of tables for which sheets have entries of their own. */
const OWN_ENTRIES: ReadonlyMap<FindingEntry, FindingEntry> = new Map<FindingEntry, FindingEntry>([
  [tableFindings.CSV_NO_POSITION, xlsxFindings.XLSX_NO_POSITION],
  [tableFindings.CSV_NO_NAMES, xlsxFindings.XLSX_HEADER_MISSING],
]);

/** The finding itself if it names no option. */
export function asSheetFinding(finding: FoundFinding, sheet: string): FoundFinding {
  const own = OWN_ENTRIES.get(finding.entry);
  if (own !== undefined)
    return { ...finding, entry: own, code: own.code, params: { sheet, ...finding.params } };
  const { template } = finding.entry;
  if (!template.includes('csv_options.')) return { ...finding, params: sheetParams(finding.params) };
  const isSkipped = finding.entry === tableFindings.TABLE_SKIPPED;
  const entry = isSkipped ? xlsxFindings.XLSX_TABLE_SKIPPED : xlsxFindings.XLSX_SHEET_READ;
  const text = phraseOf(sheetTemplate(template), sheetParams(finding.params));
  return { ...finding, entry, code: entry.code, params: { sheet, text } };
}

function sheetTemplate(template: string): string {
  return template
    .replaceAll('csv_options.header_line', 'xlsx_options.header_row')
    .replaceAll('csv_options.', 'xlsx_options.')
    .replaceAll('the CSV', 'the sheet')
    .replaceAll('{lines|line}', '{lines|row}');
}

function sheetParams(params: MessageParams): MessageParams {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, sheetParam(value)]));
}

function sheetParam(param: MessageParam): MessageParam {
  if (typeof param !== 'object') return param;
  if ('field' in param) return sheetField(param);
  return param.map((part) => (typeof part === 'string' ? part : sheetField(part))) satisfies Phrase;
}

function sheetField(field: Field): Field {
  const path = field.field.replace('csv_options.header_line', 'xlsx_options.header_row');
  return { ...field, field: path.replace(OPTIONS, 'xlsx_options.') };
}
