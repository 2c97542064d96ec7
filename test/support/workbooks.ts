/** Makes workbooks from the XML of their parts. */
import { storedZip } from './zip-members.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const CONTENT_TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>';
const encoder = new TextEncoder();

export interface Sheet {
  readonly name: string;
  /** The content of sheetData, or of the whole worksheet if it begins with '<sheet'. */
  readonly rows: string;
  readonly state?: string;
}

export interface WorkbookParts {
  readonly sheets: readonly Sheet[];
  /** The content of sst and styleSheet. Default: the workbook has no such part. */
  readonly strings?: string;
  readonly styles?: string;
  readonly is1904?: boolean;
  /** More parts by their paths, or others in place of those that are made here. */
  readonly parts?: Readonly<Record<string, string>>;
}

export function workbook({ sheets, strings, styles, is1904, parts = {} }: WorkbookParts): Uint8Array {
  const list = sheets.map(
    ({ name, state }, i) =>
      `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"${state === undefined ? '' : ` state="${state}"`}/>`,
  );
  const relationships = sheets.map((_, i) =>
    relationship(`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`),
  );
  if (strings !== undefined) relationships.push(relationship('rIdS', 'sharedStrings', 'sharedStrings.xml'));
  if (styles !== undefined) relationships.push(relationship('rIdF', 'styles', 'styles.xml'));
  const made: Record<string, string> = {
    // GDAL opens no file without these types.
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}">${relationship('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${is1904 === true ? '<workbookPr date1904="1"/>' : ''}<sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${relationships.join('')}</Relationships>`,
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings}</sst>` }),
    ...(styles === undefined
      ? {}
      : { 'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>` }),
  };
  for (const [i, { rows }] of sheets.entries()) made[`xl/worksheets/sheet${i + 1}.xml`] = worksheet(rows);
  const all = { ...made, ...parts };
  return storedZip(Object.entries(all).map(([name, text]) => ({ name, bytes: encoder.encode(text) })));
}

function worksheet(rows: string): string {
  const content = rows.startsWith('<sheet') ? rows : `<sheetData>${rows}</sheetData>`;
  return `<worksheet xmlns="${MAIN}">${content}</worksheet>`;
}

const relationship = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;

/** A row of cells without references: numbers and texts. */
export function row(...values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    if (value === null) return '<c/>';
    return typeof value === 'number'
      ? `<c><v>${value}</v></c>`
      : `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  });
  return `<row>${cells.join('')}</row>`;
}

/** Styles whose cell formats are these: numbers of built-in formats, or texts of custom ones. */
export function styles(...formats: readonly (number | string)[]): string {
  const codes = formats.flatMap((format, i) =>
    typeof format === 'number'
      ? []
      : [`<numFmt numFmtId="${164 + i}" formatCode="${format.replaceAll('"', '&quot;')}"/>`],
  );
  const cells = formats.map(
    (format, i) => `<xf numFmtId="${typeof format === 'number' ? format : 164 + i}"/>`,
  );
  return `<numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${cells.join('')}</cellXfs>`;
}
