/** The list of sheets of a workbook, and what all of them share. */
import { type CellFormats, NO_FORMATS, readFormats } from './cell-formats.ts';
import type { WorkbookPackage } from './package.ts';
import { NO_STRINGS, readSharedStrings, type StringTable } from './shared-strings.ts';
import { eachElement } from './xml-part.ts';

export interface SheetEntry {
  readonly name: string;
  /** Path of its part. */
  readonly path: string;
  readonly isHidden: boolean;
}

export interface Workbook {
  readonly sheets: readonly SheetEntry[];
  /** Sheets without cells: charts, dialogs, and macros and modules of old versions. */
  readonly others: readonly string[];
  /** Dates are counted from 1904. */
  readonly is1904: boolean;
  readonly formats: CellFormats;
  readonly strings: StringTable;
}

/** More are no workbook that a program opens. */
const MAX_SHEETS = 10_000;

/** Throws XLSX_INVALID, XML_SYNTAX and LIMIT_EXCEEDED. */
export async function readWorkbook(parts: WorkbookPackage): Promise<Workbook> {
  const path = await workbookPath(parts);
  const relationships = await parts.relationships(path);
  const byId = new Map(relationships.map((one) => [one.id, one]));
  const sheets: SheetEntry[] = [];
  const others: string[] = [];
  let is1904 = false;
  let isWorkbook = false;
  eachElement(await parts.unpack(path), (element) => {
    const { name } = element;
    if (name === 'workbook') isWorkbook = true;
    if (name === 'workbookPr') is1904 = /^(?:1|true)$/i.test(element.attribute('date1904') ?? '');
    if (name !== 'sheet' || element.depth !== 3) return;
    if (sheets.length + others.length >= MAX_SHEETS)
      throw parts.invalid(`it has more than ${MAX_SHEETS} sheets`);
    const title = element.attribute('name') ?? '';
    const id = element.prefixedAttribute('id');
    // Excel writes an empty id for modules of Excel 5, whose code is in the project of macros.
    if (id === '') {
      others.push(title);
      return;
    }
    const relationship = byId.get(id ?? '');
    if (relationship === undefined || relationship.path === null)
      throw parts.invalid(`its sheet '${title.slice(0, 60)}' has no part`);
    const isHidden = /^(?:hidden|veryHidden)$/i.test(element.attribute('state') ?? '');
    if (relationship.type === 'worksheet') sheets.push({ name: title, path: relationship.path, isHidden });
    else others.push(title);
  });
  if (!isWorkbook) throw parts.wrongFormat();
  const partOf = (type: string): string | null => {
    const found = relationships.find((one) => one.type === type)?.path ?? null;
    return found !== null && parts.has(found) ? found : null;
  };
  const styles = partOf('styles');
  const formats = styles === null ? NO_FORMATS : readFormats(await parts.unpack(styles));
  const shared = partOf('sharedStrings');
  const strings = shared === null ? NO_STRINGS : await readSharedStrings(parts, shared);
  return { sheets, others, is1904, formats, strings };
}

async function workbookPath(parts: WorkbookPackage): Promise<string> {
  const root = await parts.relationships('');
  const found = root.find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml';
  if (!parts.has(found)) throw parts.wrongFormat();
  if (!/\.xml$/i.test(found)) throw parts.wrongFormat();
  return found;
}
