/** The parts of a written workbook other than its sheets. The same sheets make the same bytes. */
export const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** `hasNotes`: notes belong to the sheet. */
export function sheetHead(hasNotes: boolean): string {
  const names = hasNotes ? ` xmlns:r="${RELATIONSHIPS}"` : '';
  return `${HEAD}<worksheet xmlns="${MAIN}"${names}><sheetData>\n`;
}

export function sheetEnd(validations: string, hasNotes: boolean): string {
  return `</sheetData>${validations}${hasNotes ? '<legacyDrawing r:id="rId1"/>' : ''}</worksheet>\n`;
}

/** Path of the sheet with this number, counted from 1. */
export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/** `noted`: numbers of the sheets with notes. */
export function contentTypes(sheetCount: number, noted: readonly number[]): string {
  const notes = noted
    .map((n) => `<Override PartName="/xl/comments${n}.xml" ContentType="${TYPE}.comments+xml"/>`)
    .join('');
  const drawing =
    noted.length === 0
      ? ''
      : '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>';
  const sheets = numbers(sheetCount)
    .map((n) => `<Override PartName="/${sheetPath(n)}" ContentType="${TYPE}.worksheet+xml"/>`)
    .join('');
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${drawing}<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${sheets}${notes}</Types>\n`;
}

export function packageRelationships(): string {
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>\n`;
}

/** `names`: of the sheets, as values of attributes. */
export function workbookXml(names: readonly string[]): string {
  const sheets = names
    .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
    .join('');
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${sheets}</sheets></workbook>\n`;
}

export function workbookRelationships(sheetCount: number): string {
  const sheets = numbers(sheetCount)
    .map(
      (n) =>
        `<Relationship Id="rId${n}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
    )
    .join('');
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${sheets}<Relationship Id="rId${sheetCount + 1}" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/></Relationships>\n`;
}

/** The formats of dates and datetimes, in the order of STYLE. */
const FORMATS = ['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss', 'yyyy\\-mm\\-dd\\ hh:mm:ss.000'];
const FIRST_CUSTOM_FORMAT = 164;

export function stylesXml(): string {
  const formats = FORMATS.map(
    (code, i) => `<numFmt numFmtId="${FIRST_CUSTOM_FORMAT + i}" formatCode="${code}"/>`,
  ).join('');
  const styles = FORMATS.map(
    (_, i) =>
      `<xf numFmtId="${FIRST_CUSTOM_FORMAT + i}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  ).join('');
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="${FORMATS.length}">${formats}</numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${FORMATS.length + 1}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${styles}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>\n`;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
