/** Sheets that are read in pieces, by this thread or others, which begin where a row seems to begin. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { workbook } from '../../../test/support/workbooks.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { ZipWriter } from '../../io/src/zip-write.ts';
import type { OpenThreads, SourceLayer } from '../src/reader.ts';
import { reader } from '../src/xlsx/read.ts';

/** Large enough for several pieces, and for threads. */
const ROWS = 5000;
const PAD = ' '.repeat(1000);

/** Threads whose answers come in any order, as plain data. */
const threads = (width: number, seed: number): OpenThreads => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    width,
    async work(payload) {
      seed = (seed * 16_807) % 2_147_483_647;
      if (seed % 2 === 0) await last;
      const result = structuredClone(reader.work?.(structuredClone(payload)).result);
      last = Promise.resolve(result);
      return result;
    },
  };
};

async function open(bytes: Uint8Array, helpers?: OpenThreads): Promise<[readonly string[], Findings]> {
  const scratchDirectory = mkdtempSync(join(tmpdir(), 'geomill-pieces-'));
  try {
    const path = join(scratchDirectory, 'x.xlsx');
    writeFileSync(path, bytes);
    const findings = new Findings();
    const limits = DEFAULT_INPUT_LIMITS;
    const layers = await reader.open(
      { path, name: 'x.xlsx' },
      {
        scratchDirectory,
        limits,
        options: {},
        findings,
        partitionBytes: 1 << 18,
        ...(helpers === undefined ? {} : { threads: helpers }),
      },
    );
    return [layers.flatMap((layer) => rowsOf(layer)), findings];
  } finally {
    rmSync(scratchDirectory, { recursive: true, force: true });
  }
}

/** Each row as text, after a row with the fields. */
function rowsOf(layer: SourceLayer): string[] {
  const rows = [JSON.stringify(layer.fields)];
  let next = layer.partitions[0].start;
  for (const { end } of layer.partitions) {
    if (next >= end) continue;
    const request = { fields: null, limits: DEFAULT_INPUT_LIMITS };
    const read = reader.readPartition(layer, { start: next, end }, request);
    for (const row of batchRows(read.batch)) rows.push(JSON.stringify(row));
    next = read.nextStart;
  }
  return rows;
}

interface Shape {
  /** Attributes of the start tag of the row with this number. */
  readonly number?: (row: number) => string;
  /** The third cell. */
  readonly third?: (row: number) => string;
  /** After the row. */
  readonly after?: (row: number) => string;
  readonly prefix?: string;
  readonly strings?: string;
}

function sheet(shape: Shape): Uint8Array {
  const {
    number = (row) => ` r="${row}"`,
    third = (row) => `<c><v>${row}</v></c>`,
    after = () => '',
  } = shape;
  let rows = '<row r="1"><c t="str"><v>lon</v></c><c t="str"><v>lat</v></c><c t="str"><v>a</v></c></row>';
  for (let row = 2; row <= ROWS; row++)
    rows += `<row${number(row)}><c><v>${row / 100}</v></c><c>${PAD}<v>${row / 200}</v></c>${third(row)}</row>${after(row)}\n`;
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const xml = `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;
  const { prefix, strings } = shape;
  const named =
    prefix === undefined
      ? xml
      : xml.replace(/<(\/?)(?=\w)/g, `<$1${prefix}:`).replace('xmlns=', `xmlns:${prefix}=`);
  return workbook({
    sheets: [{ name: 'a', rows: '' }],
    ...(strings === undefined ? {} : { strings }),
    parts: { 'xl/worksheets/sheet1.xml': named },
  });
}

const usual = await open(sheet({}));

const same: Readonly<Record<string, Shape>> = {
  'rows without numbers': { number: () => '' },
  'some rows without numbers': { number: (row) => (row % 1000 < 990 ? '' : ` r="${row}"`) },
  'names with a prefix': { prefix: 'x' },
  'comments that look like rows': { after: () => `<!-- <row r="1"><c><v>1</v></c></row></sheetData> -->` },
  'processing instructions that look like rows': { after: () => '<?x <row r="7"> ?>' },
};

for (const [name, shape] of Object.entries(same))
  test(`reads ${name} in pieces`, async () => {
    const bytes = sheet(shape);
    assert.deepEqual((await open(bytes))[0], usual[0]);
    for (const width of [1, 3]) assert.deepEqual((await open(bytes, threads(width, 7)))[0], usual[0]);
  });

test('reads texts that look like rows in pieces', async () => {
  const text = '</c></row><row r="3"><c><v>1</v></c></row>'.repeat(20);
  const bytes = sheet({ third: (row) => `<c t="str"><v><![CDATA[${row}${text}]]></v></c>` });
  const [rows] = await open(bytes, threads(2, 3));
  assert.equal(rows.length, ROWS);
  for (const [i, row] of rows.entries()) if (i > 0) assert.ok(row.includes(`"${i + 1}</c></row>`), row);
});

test('counts rows without values, and what is no value, in all pieces', async () => {
  const bytes = sheet({
    number: (row) => ` r="${row * 3}"`,
    third: (row) => (row % 10 === 0 ? '<c t="e"><v>#N/A</v></c>' : '<c><f>A1</f></c>'),
    after: (row) => (row % 7 === 0 ? `<row r="${row * 3 + 1}"><c/></row>` : ''),
  });
  const [rows, findings] = await open(bytes, threads(2, 5));
  assert.equal(rows.length, ROWS);
  const counts = findings.list().map(({ code, count }) => [code, count]);
  assert.ok(counts.some(([code, count]) => code === 'XLSX_ERRORS_AS_NULL' && count === 500));
  assert.ok(counts.some(([code, count]) => code === 'XLSX_FORMULAS_WITHOUT_VALUE' && count === ROWS - 501));
});

test('a later piece may have more columns', async () => {
  const wide = (row: number): string =>
    `<c><v>${row}</v></c>${row === 4900 ? '<c r="F4900"><v>9</v></c>' : ''}`;
  const [rows] = await open(sheet({ third: wide }), threads(2, 11));
  assert.equal(rows.length, ROWS);
  assert.match(rows[0], /column_6/);
  assert.match(rows[4899], /"column_6":9/);
});

test('a text that all rows repeat is written in bounded pieces', async () => {
  const strings = `<si><t>${'x'.repeat(9000)}</t></si>`;
  const [rows] = await open(sheet({ third: () => '<c t="s"><v>0</v></c>', strings }), threads(2, 13));
  assert.equal(rows.length, ROWS);
  for (const row of rows.slice(1)) assert.ok(row.length > 9000);
});

test('errors in later pieces are those of one reading', async () => {
  const cases: readonly (readonly [Shape, RegExp])[] = [
    [{ number: (row) => ` r="${row === 4000 ? 3 : row}"` }, /^XLSX_INVALID .*row 3 comes after row 3999/],
    [{ third: (row) => (row === 4000 ? '<c>' : '<c/>') }, /^XML_SYNTAX .*line 3999/],
    [
      { third: (row) => (row === 4000 ? '<c t="s"><v>8</v></c>' : '<c/>') },
      /row 4000 refers to the shared text 8/,
    ],
    [{ after: (row) => (row === 4000 ? '</sheetData><sheetData><row/>' : '') }, /second list of rows/],
    [{ after: (row) => (row === 4000 ? '<!--' : '') }, /^XML_SYNTAX .*the file ends/],
  ];
  for (const [shape, expected] of cases)
    for (const helpers of [undefined, threads(2, 17)])
      await assert.rejects(open(sheet(shape), helpers), (error: unknown) => {
        assert.ok(error instanceof GeomillError);
        assert.match(`${error.code} ${error.message}`, expected);
        return true;
      });
});

test('damaged data of a large sheet are an error of the archive', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-pieces-'));
  try {
    const path = join(directory, 'x.zip');
    const archive = new ZipWriter(path);
    const add = (name: string, ...texts: readonly string[]): void => {
      const member = archive.addMember(name, 0);
      for (const text of texts) member.append(new TextEncoder().encode(text));
    };
    const sheetType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';
    add('xl/workbook.xml', '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="b"/></sheets></workbook>');
    add(
      'xl/_rels/workbook.xml.rels',
      `<Relationships><Relationship Id="b" Type="${sheetType}" Target="a.xml"/></Relationships>`,
    );
    const rows = Array.from({ length: 1000 }, (_, i) => `<row><c><v>${i * 7919}</v></c></row>${PAD}`).join(
      '',
    );
    const head = '<worksheet><sheetData><row><c t="str"><v>a</v></c></row>';
    add('xl/a.xml', head, ...Array<string>(20).fill(rows), '</sheetData></worksheet>');
    await archive.finish();
    const bytes = readFileSync(path);
    assert.equal((await open(bytes, threads(2, 19)))[0].length, 20_001);
    const middle = bytes.length >> 1;
    bytes.fill(0x55, middle, middle + 9);
    for (const helpers of [undefined, threads(2, 19)])
      await assert.rejects(open(bytes, helpers), { code: 'ZIP_INVALID' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a row without a number may follow another element where a piece begins', async () => {
  // No row begins in the bytes that are searched for the end of a piece.
  const gap = ' '.repeat((5 << 20) + 1000);
  const rows = `<row><c t="str"><v>a</v></c></row><row><c><v>1</v></c></row>${gap}<other/>${gap.slice(-200_000)}<row><c><v>2</v></c></row>`;
  const xml = `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
  const bytes = workbook({
    sheets: [{ name: 'a', rows: '' }],
    parts: { 'xl/worksheets/sheet1.xml': xml },
  });
  const [read] = await open(bytes, threads(2, 23));
  assert.deepEqual(read, (await open(bytes))[0]);
  assert.equal(read.length, 3);
});

test('a sheet that ends after a row with a long text is not complete', async () => {
  const strings = `<si><t>${'x'.repeat(9 << 20)}</t></si>`;
  const short = '<row><c><v>1</v></c></row>'.repeat(200);
  const xml = `<worksheet><sheetData>${short}<row><c t="s"><v>0</v></c></row>`;
  const bytes = workbook({
    sheets: [{ name: 'a', rows: '' }],
    strings,
    parts: { 'xl/worksheets/sheet1.xml': xml },
  });
  await assert.rejects(open(bytes), (error: unknown) => {
    assert.ok(error instanceof GeomillError);
    assert.match(`${error.code} ${error.message}`, /^XML_SYNTAX .*is it complete/);
    return true;
  });
});

test('an empty part is no sheet', async () => {
  const bytes = workbook({ sheets: [{ name: 'a', rows: '' }], parts: { 'xl/worksheets/sheet1.xml': '' } });
  await assert.rejects(open(bytes), { code: 'XML_SYNTAX' });
});

test('reads a reference to a shared text with white space around it', async () => {
  const rows = '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>\n 1\n</v></c></row>';
  const strings = '<si><t>x</t></si><si><t>y</t></si>';
  const [read] = await open(workbook({ sheets: [{ name: 'a', rows }], strings }));
  assert.match(read[1], /"x":"y"/);
});

test('rejects references to shared texts that are not the number of one', async () => {
  for (const number of ['0.5', '0x', '-0.5', 'a', '2'])
    await assert.rejects(
      open(
        workbook({
          sheets: [{ name: 'a', rows: `<row><c t="s"><v>${number}</v></c></row>` }],
          strings: '<si><t>x</t></si><si><t>y</t></si>',
        }),
      ),
      { code: 'XLSX_INVALID' },
      number,
    );
});
