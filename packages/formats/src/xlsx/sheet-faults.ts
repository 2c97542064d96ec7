/** Errors in the rows of a sheet. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { xlsxErrors } from './messages.ts';

export function invalidSheet(fileName: string, sheet: string, reason: string): GeomillError {
  const where = `in sheet '${sheet.slice(0, 60)}', ${reason}`;
  return failure(xlsxErrors.XLSX_INVALID, { source: fileName, reason: where }, { layer: sheet });
}

export function rowTooLarge(sheet: string, actual: number, limit: number): GeomillError {
  const what = 'the text of one row in bytes';
  const setting = 'a fixed limit';
  return failure(generalErrors.LIMIT_EXCEEDED, { what, actual, limit, setting }, { layer: sheet });
}
