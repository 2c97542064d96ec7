/** Messages about the columns and rows of a sheet: they name the sheet, its rows and the options of XLSX. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { catalogue } from '../../../apps/service/src/catalogue.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, workbook } from '../../../test/support/workbooks.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { shownFindings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/xlsx/read.ts';

type Options = Readonly<Record<string, unknown>>;

const read = (rows: string, options: Options = {}) =>
  readBytesLayers(reader, workbook({ sheets: [{ name: 'Depots', rows }] }), { name: 'x.xlsx', options });

async function errorOf(rows: string, options?: Options): Promise<GeomillError> {
  const error = await read(rows, options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GeomillError, `expected an error, got ${error}`);
  return error;
}

const CASES: Readonly<Record<string, readonly [rows: string, message: RegExp, options?: Options]>> = {
  XLSX_COLUMN_MISSING: [
    row('id', 'lat') + row(1, 47.5),
    /^sheet 'Depots' has no geometry column .*'xlsx_options\.x_column'.*later row.*'xlsx_options\.header_row'/,
  ],
  XLSX_COLUMN_UNKNOWN: [
    row('e', 'n') + row(1, 2),
    /^'xlsx_options\.z_column': sheet 'Depots' has no column 'h'/,
    { x_column: 'e', y_column: 'n', z_column: 'h' },
  ],
  XLSX_COMMA_AMBIGUOUS: [
    row('x', 'y') + row('600,123', '200,456') + row('601,234', '201,567'),
    /^sheet 'Depots': the comma in .*'xlsx_options\.decimal_comma'/,
  ],
  XLSX_HEADER_MISSING: [
    row('POINT (8 47)', 'a') + row('POINT (8 48)', 'b'),
    /^sheet 'Depots': the first row has a position .*'xlsx_options\.has_header'/,
  ],
  XLSX_SRIDS: [
    row('geom_wkt') + row('SRID=2056;POINT (1 2)') + row('SRID=4326;POINT (1 2)'),
    /^sheet 'Depots', row 3, column 'geom_wkt': .*but row 2 states 2056/,
  ],
  XLSX_ZONES: [
    row('utm_zone', 'easting', 'northing') + row('32N', 500_000, 5e6) + row('33N', 500_000, 5e6),
    /^sheet 'Depots', row 3, column 'utm_zone': .*but row 2 is in 32N/,
  ],
  XLSX_POINT_ORDER: [
    row('where', 'n') + row('47.5, 8.5', 1),
    /^sheet 'Depots', row 2, column 'where': .*'xlsx_options\.point_order'/,
    { point_column: 'where' },
  ],
};

for (const [code, [rows, message, options]] of Object.entries(CASES))
  test(`${code} names the sheet and the row`, async () => {
    const error = await errorOf(rows, options);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.equal(error.location?.layer, 'Depots');
    for (const { path } of error.fixes) assert.match(path, /^xlsx_options\./);
  });

test('a row that the header does not reach is named as a row of the sheet', async () => {
  const { message } = await errorOf(row('lon', 'lat') + row(1, 2), { header_row: 9 });
  assert.match(message, /'xlsx_options\.header_row' is 9, but the sheet has fewer rows/);
});

test('a sheet whose first cell begins like JSON is a sheet', async () => {
  const { layers } = await read(row('{id}', 'n') + row(1, 2));
  assert.deepEqual(layers[0].rows.length, 1);
});

test('findings about columns have the words of a sheet', async () => {
  const { findings } = await read(row('Report', null) + row('lon', 'lat') + row(8.5, 47.5));
  const shown = shownFindings(findings, catalogue);
  assert.deepEqual(shown.map(({ code }) => code).sort(), [
    'XLSX_COORDINATE_COLUMNS_FOUND',
    'XLSX_LINES_SKIPPED',
  ]);
  for (const { message } of shown) {
    assert.match(message, /^sheet 'Depots': /);
    assert.match(message, /'xlsx_options\.\w+'/);
  }
  assert.ok(shown.some(({ message }) => message.includes('1 row before the header')));
});

test('no entry of XLSX speaks of a CSV or of lines', () => {
  const entries = { ...catalogue.errors, ...catalogue.findings };
  const codes = Object.keys(entries).filter((code) => code.startsWith('XLSX_'));
  assert.ok(codes.length > 30);
  for (const code of codes)
    assert.doesNotMatch(entries[code].template.replaceAll(/\{line[}s]/g, ''), /csv|\blines?\b/i, code);
});
