/** Errors and findings about the columns of a table, in the words of a sheet. */
import { errorCatalogue, failure, GeomillError } from '../../errors.ts';
import { type FoundFinding, findingCatalogue } from '../../findings.ts';
import { type Field, type MessageParam, type MessageParams, type Phrase, phraseOf } from '../../message.ts';

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
  const { code, params } = error;
  const own = sheetParams(params);
  const location = { layer: sheet, ...error.location };
  if (!code.startsWith('CSV_')) return new GeomillError(code, own, error.location, error.cause);
  const template = sheetTemplate(errorCatalogue[code].template);
  const row = /^CSV line \{line\}/.exec(template);
  if (row === null) return failure('XLSX_COLUMNS', { sheet, reason: phraseOf(template, own) }, location);
  const reason = phraseOf(template.slice(row[0].length), own);
  return failure('XLSX_ROW', { sheet, line: Number(params.line), reason }, location);
}

/** Findings of tables for which sheets have their own code. */
const OWN_CODES: ReadonlyMap<FoundFinding['code'], FoundFinding['code']> = new Map([
  ['CSV_NO_POSITION', 'XLSX_NO_POSITION'],
  ['CSV_NO_NAMES', 'XLSX_HEADER_MISSING'],
]);

/** The finding itself if it names no option. */
export function asSheetFinding(finding: FoundFinding, sheet: string): FoundFinding {
  const own = OWN_CODES.get(finding.code);
  if (own !== undefined) return { ...finding, code: own, params: { ...finding.params, sheet } };
  const { template } = findingCatalogue[finding.code];
  if (!template.includes('csv_options.')) return { ...finding, params: sheetParams(finding.params) };
  const code = finding.code === 'TABLE_SKIPPED' ? 'XLSX_TABLE_SKIPPED' : 'XLSX_SHEET_READ';
  const text = phraseOf(sheetTemplate(template), sheetParams(finding.params));
  return { ...finding, code, params: { sheet, text } };
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
