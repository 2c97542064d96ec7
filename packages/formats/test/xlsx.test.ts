import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { readBytesLayers, readFileLayers } from '../../../test/support/read-layers.ts';
import { row, type Sheet, styles, type WorkbookParts, workbook } from '../../../test/support/workbooks.ts';
import { storedZip } from '../../../test/support/zip-members.ts';
import { ByteWriter } from '../../core/src/bytes/byte-writer.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { kindOfFormat } from '../src/xlsx/number-formats.ts';
import { reader } from '../src/xlsx/read.ts';
import { serialOf, writeSerial } from '../src/xlsx/serial-date.ts';
import { sheetNames } from '../src/xlsx/sheet-names.ts';

const sheet = (rows: string, name = 'a'): WorkbookParts => ({ sheets: [{ name, rows }] });
const sheets = (...all: readonly Sheet[]): WorkbookParts => ({ sheets: all });
const read = (parts: WorkbookParts, options: Record<string, unknown> = {}) =>
  readBytesLayers(reader, workbook(parts), { name: 'x.xlsx', options });

async function errorOf(
  parts: WorkbookParts | Uint8Array,
  options: Record<string, unknown> = {},
): Promise<GeomillError> {
  const bytes = parts instanceof Uint8Array ? parts : workbook(parts);
  let error: unknown;
  try {
    await readBytesLayers(reader, bytes, { name: 'x.xlsx', options });
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof GeomillError, `expected an error, got ${error}`);
  return error;
}

test('the number format of a cell says whether its number is a date', () => {
  const kinds: readonly (readonly [number | string, number])[] = [
    [0, 0],
    [14, 1],
    [22, 2],
    [20, 3],
    [49, 0],
    ['yyyy-mm-dd', 1],
    ['[$-409]d\\-mmm\\-yy;@', 1],
    ['dd/mm/yyyy hh:mm', 2],
    ['[h]:mm:ss', 4],
    ['[mm]:ss', 4],
    [46, 4],
    [47, 3],
    ['h:mm AM/PM', 3],
    ['mm:ss.0', 3],
    ['mmm', 1],
    ['General', 0],
    ['0.00E+00', 0],
    ['#,##0.00 "days"', 0],
    ['0.0\\d', 0],
    ['[Red]0;[Blue]-0', 0],
    ['_-* #,##0_-', 0],
    ['"yd" 0', 0],
    ['@', 0],
    ['', 0],
  ];
  for (const [format, kind] of kinds)
    assert.equal(
      typeof format === 'number' ? kindOfFormat(format, undefined) : kindOfFormat(164, format),
      kind,
      `${format}`,
    );
});

test('a time of day with a date is a datetime, a long duration is not', async () => {
  const formatted = (...cells: readonly (readonly [number, number])[]): string =>
    `<row>${cells.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join('')}</row>`;
  const rows = row('clock', 'sum', 'elapsed') + formatted([1, 42_213.25], [1, 1.5], [2, 400.5]);
  const { layers } = await read({ ...sheet(rows), styles: styles(0, 'h:mm', '[h]:mm') });
  assert.deepEqual(layers[0].rows[0].properties, {
    clock: '2015-07-28T06:00:00',
    sum: '36:00:00',
    elapsed: '9612:00:00',
  });
});

test('skips a sheet without a part, as Excel writes modules of Excel 5', async () => {
  const parts = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="a" r:id="rId1"/><sheet name="Module1" r:id=""/></sheets></workbook>`,
  };
  const { layers, findings } = await read({ ...sheet(row('x') + row(1)), parts });
  assert.equal(layers.length, 1);
  assert.match(JSON.stringify(findings), /XLSX_SHEETS_SKIPPED.*Module1/);
});

test('serial numbers are dates of both systems', () => {
  const text = (value: number, kind: number, is1904 = false): string | null => {
    const out = new ByteWriter(32);
    return writeSerial(out, value, kind, is1904) ? new TextDecoder().decode(out.written()) : null;
  };
  assert.equal(text(1, 1), '1900-01-01');
  assert.equal(text(59, 1), '1900-02-28');
  assert.equal(text(60, 1), null);
  assert.equal(text(61, 1), '1900-03-01');
  assert.equal(text(45351, 1), '2024-02-29');
  assert.equal(text(45351.5, 1), '2024-02-29T12:00:00');
  assert.equal(text(45351, 2), '2024-02-29T00:00:00');
  assert.equal(text(45351 + 1e-3 / 86_400, 2), '2024-02-29T00:00:00.001');
  assert.equal(text(2_958_465, 1), '9999-12-31');
  assert.equal(text(2_958_466, 1), null);
  assert.equal(text(-1, 1), null);
  assert.equal(text(0, 1, true), '1904-01-01');
  assert.equal(text(1.5, 3), '36:00:00');
  assert.equal(text(400.5, 4), '9612:00:00');
  for (const date of [
    '1900-03-01',
    '2024-02-29',
    '9999-12-31',
    '2024-02-29T10:30:00',
    '2024-02-29T10:30:00.125',
  ])
    assert.equal(text(serialOf(date), date.length === 10 ? 1 : 2), date);
  for (const date of [
    '1900-02-28',
    '2023-02-29',
    '2024-02-29T10:30:00Z',
    '2024-02-29T24:00:00',
    '2024-02-29T10:00:00.1234567',
    '12024-01-01',
    '',
  ])
    assert.ok(Number.isNaN(serialOf(date)), date);
});

test('names of sheets are short, allowed and unique', () => {
  const findings = new Findings();
  const long = 'a'.repeat(40);
  assert.deepEqual(
    sheetNames(
      ['roads', 'Roads', 'a/b:c', '', long, `${long}b`, `${'b'.repeat(30)}😀`, "'x'", 'History'],
      findings,
    ),
    [
      'roads',
      'Roads_2',
      'a_b_c',
      'Sheet',
      'a'.repeat(31),
      `${'a'.repeat(29)}_2`,
      'b'.repeat(30),
      '_x_',
      'History_',
    ],
  );
  assert.equal(findings.list().length, 8);
});

test('a column has the type that holds all values after the header', async () => {
  const cells = (...all: readonly string[]): string =>
    `<row>${all.map((one) => `<c ${one}</v></c>`).join('')}</row>`;
  const { layers } = await read({
    ...sheet(
      row('x', 'y', 2020, 'i', 'l', 'f', 'b', 'd', 'm', 'n') +
        cells(
          '><v>1',
          '><v>2',
          '><v>3',
          '><v>-7',
          '><v>5000000000',
          '><v>1',
          't="b"><v>1',
          's="1"><v>45351',
          '><v>5',
          '><v>',
        ) +
        cells(
          '><v>1',
          '><v>2',
          '><v>3',
          '><v>8',
          '><v>1',
          '><v>2.5',
          't="b"><v>0',
          's="1"><v>45352',
          't="str"><v>x',
          '><v>',
        ),
    ),
    styles: styles(0, 14),
  });
  assert.deepEqual(
    layers[0].fields.map(({ name, type }) => `${name} ${type}`),
    ['2020 int32', 'i int32', 'l int64', 'f float64', 'b boolean', 'd date', 'm string', 'n string'],
  );
  assert.deepEqual(layers[0].rows[1].properties, {
    2020: 3,
    i: 8,
    l: 1,
    f: 2.5,
    b: false,
    d: '2024-03-01',
    m: 'x',
    n: null,
  });
});

test('rows without values are no features, and errors name the row of the sheet', async () => {
  const rows = `<row r="2">${'<c r="B2" t="inlineStr"><is><t>lon\n</t></is></c>'}<c r="C2" t="inlineStr"><is><t>lat</t></is></c></row><row r="5"><c r="B5"><v>1</v></c><c r="C5"><v>2</v></c></row><row r="9"><c r="B9" s="3"/></row><row r="1048576"><c r="B1048576"><v>3</v></c><c r="C1048576"><v>4</v></c></row>`;
  const { layers } = await read(sheet(rows), { x_column: 2, y_column: 3 });
  assert.equal(layers[0].rows.length, 2);
  const bad = rows.replace('<c r="C1048576"><v>4</v></c>', '<c r="C1048576" t="str"><v>south</v></c>');
  const error = await errorOf(sheet(bad, 'Sheet A'), { x_column: 2, y_column: 3 });
  assert.equal(error.code, 'XLSX_GEOMETRY');
  assert.match(
    error.message,
    /^sheet 'Sheet A', row 1048576, column 'lat': .* in 'south'.*'xlsx_options.on_error'/,
  );
});

test('a line end in a cell does not shift the rows of errors', async () => {
  const rows = row('lon', 'lat', 'a\nb\r\nc') + row(1, 2, 'x\ny\nz') + row('q', 2, null);
  assert.match((await errorOf(sheet(rows))).message, /row 3, column 'lon'/);
  const { layers } = await read(sheet(rows), { on_error: 'skip' });
  assert.equal(layers[0].rows.length, 1);
});

test('options name columns and the row of the header', async () => {
  const rows = row('Report', null, null) + row('e', 'n', 'h') + row(1, 2, 3);
  const { layers } = await read(sheet(rows), { x_column: 'e', y_column: 'n', z_column: 'h', header_row: 2 });
  assert.equal(layers[0].rows[0].geometry, 'POINT Z (1 2 3)');
  const error = await errorOf(sheet(rows), { x_column: 'east', y_column: 'n' });
  assert.match(
    `${error.code} ${error.message}`,
    /^XLSX_COLUMN_UNKNOWN 'xlsx_options.x_column': sheet 'a' has no column 'east'/,
  );
  const twice = await errorOf(sheet(rows), { has_header: false, header_row: 2, x_column: 1, y_column: 2 });
  assert.match(
    twice.message,
    /'xlsx_options.header_row' and 'xlsx_options.has_header' false exclude each other/,
  );
});

test('a first row of values is data in a sheet without positions, unless an option says what it is', async () => {
  const namesOf = async (rows: string, options = {}): Promise<readonly string[]> => {
    const { layers, findings } = await read(sheet(rows), options);
    const told = findings.some(({ code }) => code === 'XLSX_NO_NAMES');
    return [
      ...layers[0].fields.map(({ name }) => name),
      `${layers[0].rows.length} rows`,
      ...(told ? ['told'] : []),
    ];
  };
  const values = row(1, 2) + row(3, 4);
  assert.deepEqual(await namesOf(values), ['column_1', 'column_2', '2 rows', 'told']);
  assert.deepEqual(await namesOf(values, { has_header: true }), ['1', '2', '1 rows']);
  assert.deepEqual(await namesOf(values, { header_row: 2 }), ['3', '4', '0 rows']);
  // Years as names beside an empty corner, and a name in a row of numbers.
  assert.deepEqual(await namesOf(row(null, 2010) + row('Bern', 5)), ['column_1', '2010', '1 rows']);
  assert.deepEqual(await namesOf(row('year', 2010) + row(1, 5)), ['year', '2010', '1 rows']);
});

test('a fault of one sheet does not hide the others', async () => {
  const both = sheets(
    { name: 'good', rows: row('lon', 'lat') + row(1, 2) },
    { name: 'bad', rows: row('lon', 'lat', 'easting', 'northing') + row(1, 2, 3, 4) },
  );
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.xlsx');
  writeFileSync(path, workbook(both));
  const context = {
    options: {},
    limits: DEFAULT_INPUT_LIMITS,
    findings: new Findings(),
    partitionBytes: 1 << 20,
  };
  const opened = await reader.open(
    { path, name: 'x.xlsx' },
    { ...context, scratchDirectory: workspace.path },
  );
  assert.deepEqual(
    opened.map(({ name, fault }) => [name, fault?.code]),
    [
      ['good', undefined],
      ['bad', 'XLSX_GEOMETRY_AMBIGUOUS'],
    ],
  );
});

test('later rows may have more columns than the first ones', async () => {
  const many = Array.from({ length: 300 }, () => row(1, 2)).join('');
  const { layers } = await read(sheet(row('lon', 'lat') + many + row(1, 2, null, 'late')));
  assert.deepEqual(
    layers[0].fields.map(({ name }) => name),
    ['column_4'],
  );
  assert.equal(layers[0].rows.length, 301);
  assert.equal(layers[0].rows[300].properties.column_4, 'late');
});

test('damaged workbooks are errors', async () => {
  const cell = (xml: string): WorkbookParts => sheet(row('lon', 'lat') + xml);
  const cases: readonly (readonly [WorkbookParts | Uint8Array, RegExp])[] = [
    [cell('<row r="1"><c><v>1</v></c></row>'), /^XLSX_INVALID .*row 1 comes after row 1/],
    [cell('<row r="1048577"><c><v>1</v></c></row>'), /^XLSX_INVALID .*row 1048577/],
    [cell('<row><c r="XFE2"><v>1</v></c></row>'), /^XLSX_INVALID .*'XFE2' in row 2 is not a cell/],
    [cell('<row><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>'), /^XLSX_INVALID .*order/],
    [cell('<row><c t="s"><v>0</v></c></row>'), /^XLSX_INVALID .*shared text 0, of which there are 0/],
    [
      { ...cell('<row><c t="s"><v>0.5</v></c></row>'), strings: '<si><t>x</t></si>' },
      /^XLSX_INVALID .*shared text 0\.5, of which there are 1/,
    ],
    [cell('<row><c><v>7.45</v><v>0.25</v></c></row>'), /^XLSX_INVALID .*row 2 has a cell with two values/],
    [cell('<row><c><v>1</v></row>'), /^XML_SYNTAX .*line 1/],
    [cell('<row><c><v>&nbsp;</v></c></row>'), /^XML_SYNTAX .*reference/],
    [sheet(''), /^XLSX_NO_SHEETS .*'a'/],
    [sheets(), /^XLSX_NO_SHEETS/],
    [new Uint8Array(0), /^INPUT_EMPTY/],
    [new TextEncoder().encode('lon,lat\n1,2\n'), /^INPUT_WRONG_FORMAT .*XLSX/],
    [storedZip([{ name: 'content.xml', bytes: new Uint8Array(1) }]), /^INPUT_WRONG_FORMAT .*ODS/],
    [
      storedZip([{ name: 'xl/workbook.bin', bytes: new Uint8Array(1) }]),
      /^INPUT_WRONG_FORMAT .*XLSB.*save it as \.xlsx/,
    ],
    [compoundFile('Workbook'), /^INPUT_WRONG_FORMAT .*XLS/],
    [compoundFile('EncryptedPackage'), /^XLSX_ENCRYPTED .*password/],
    [
      {
        ...sheet(row('a')),
        parts: { 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>' },
      },
      /^XML_SYNTAX .*DOCTYPE/,
    ],
  ];
  for (const [parts, expected] of cases) {
    const { code, message } = await errorOf(parts);
    assert.match(`${code} ${message}`, expected);
  }
});

/** A compound file whose directory has a stream of this name. */
function compoundFile(stream: string): Uint8Array {
  const file = Buffer.alloc(2048);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  file.write(stream, 1024, 'utf16le');
  return file;
}

test('a long text repeated by many cells is bounded by the limit of unpacked bytes', async () => {
  const cells =
    row('lon', 'lat', 'a') + '<row><c><v>1</v></c><c><v>2</v></c><c t="s"><v>0</v></c></row>'.repeat(3000);
  const parts = { ...sheet(cells), strings: `<si><t>${'x'.repeat(1000)}</t></si>` };
  const limits = { ...DEFAULT_INPUT_LIMITS, unzippedBytes: 1 << 20 };
  await assert.rejects(
    readBytesLayers(reader, workbook(parts), { name: 'x.xlsx', limits }),
    /the unpacked size of sheet 'a' of x.xlsx as text in bytes/,
  );
});

test('what is written is read again', async () => {
  using workspace = makeWorkspace();
  const properties = {
    text: ' =1+1 _x0041_ <&> \u0001\r\n ',
    big: 9007199254740993n,
    float: 1.5,
    date: '2024-02-29',
    old: '1899-01-01',
    time: '2024-02-29T10:30:00.250',
    zoned: '2024-02-29T10:30:00Z',
    yes: true,
    nothing: null,
  };
  const json = JSON.stringify(properties, (_, value) =>
    typeof value === 'bigint' ? `@${value}@` : value,
  ).replace(/"@(\d+)@"/, '$1');
  const path = join(workspace.path, 'a.geojson');
  writeFileSync(
    path,
    `{"type":"FeatureCollection","features":[{"type":"Feature","properties":${json},"geometry":{"type":"Point","coordinates":[1,2,3]}},{"type":"Feature","properties":{},"geometry":null}]}`,
  );
  const { outputPath, report } = await convertFile(path, workspace.path, { from: 'geojson', to: 'xlsx' });
  const codes = report.warnings.map(({ code }) => code);
  assert.ok(codes.includes('XLSX_NUMBERS_AS_TEXT') && codes.includes('XLSX_DATES_AS_TEXT'), codes.join());
  const { layers } = await readFileLayers(reader, outputPath);
  assert.equal(layers[0].rows.length, 2);
  assert.equal(layers[0].rows[0].geometry, 'POINT Z (1 2 3)');
  assert.deepEqual(layers[0].rows[0].properties, { ...properties, big: '9007199254740993' });
});

test('a text, a geometry or a number of rows that a sheet cannot hold is an error', async () => {
  using workspace = makeWorkspace();
  const convert = async (feature: string): Promise<unknown> => {
    const path = join(workspace.path, 'a.geojson');
    writeFileSync(path, `{"type":"FeatureCollection","features":[${feature}]}`);
    return convertFile(path, workspace.path, { from: 'geojson', to: 'xlsx' });
  };
  const point = '{"type":"Point","coordinates":[1,2]}';
  await assert.rejects(
    convert(`{"type":"Feature","properties":{"a":"${'é'.repeat(32_768)}"},"geometry":${point}}`),
    /a cell has at most 32767 characters, but a value of field 'a' has 32768/,
  );
  const line = Array.from({ length: 9000 }, (_, i) => `[${i},0.5]`).join();
  await assert.rejects(
    convert(`{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[${line}]}}`),
    /but the WKT of a feature has \d+: add a transformation such as simplify/,
  );
});
