/** Files with small faults that the programs of their formats ignore: nothing in them is lost. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { workbook } from '../../../test/support/workbooks.ts';
import { readZipMembers, storedZip } from '../../../test/support/zip-members.ts';
import { UNLIMITED } from '../../io/src/limits.ts';
import { inputFormatById } from '../src/format-by-id.ts';

const read = async (format: string, bytes: Uint8Array, name: string) =>
  readBytesLayers(await inputFormatById(format, 'test').loadReader(), Buffer.from(bytes), {
    name,
    limits: { ...UNLIMITED, fields: 1000 },
  });

const DRAWING = '0\nSECTION\n2\nENTITIES\n0\nPOINT\n8\n0\n10\n1.0\n20\n2.0\n0\nENDSEC\n';

test('reads a drawing with an empty section before EOF', async () => {
  for (const end of [
    '0\nSECTION\n0\nEOF\n',
    '  0\r\nSECTION\r\n  0\r\nEOF\r\n',
    '0\nSECTION\n0\nENDSEC\n0\nEOF\n',
  ]) {
    const { layers, findings } = await read('dxf', Buffer.from(DRAWING + end), 'a.dxf');
    assert.equal(layers[0].rows.length, 1);
    assert.deepEqual(
      findings.map(({ code }) => code),
      [],
    );
  }
});

test('refuses a drawing that ends within a section with a name, or after the mark of one', async () => {
  for (const end of ['0\nSECTION\n2\nOBJECTS\n0\nEOF\n', '0\nSECTION\n'])
    await assert.rejects(read('dxf', Buffer.from(DRAWING + end), 'a.dxf'), { code: 'DXF_TRUNCATED' });
});

const sheet = (cells: string): Uint8Array =>
  workbook({
    sheets: [
      { name: 'S', rows: `<row r="1"><c t="inlineStr"><is><t>a</t></is></c></row><row r="2">${cells}</row>` },
    ],
  });

test('reads the value that the type of a cell names if it has an inline text and a value', async () => {
  const inline = '<is><t>text</t></is>';
  for (const [cell, expected] of [
    [`<c t="inlineStr">${inline}<v>7</v></c>`, 'text'],
    [`<c t="inlineStr"><v>7</v>${inline}</c>`, 'text'],
    [`<c>${inline}<v>7</v></c>`, 7],
    [`<c><v>7</v>${inline}</c>`, 7],
    [`<c t="str">${inline}<v>other</v></c>`, 'other'],
  ] as const) {
    const { layers, findings } = await read('xlsx', sheet(cell), 'a.xlsx');
    assert.equal(layers[0].rows[0].properties.a, expected, cell);
    assert.ok(
      findings.some(({ code, count }) => code === 'XLSX_VALUES_IGNORED' && count === 1),
      cell,
    );
  }
});

const errors = '<row r="1"><c t="e"><v>#REF!</v></c><c t="e"><v>#N/A</v></c></row>';

test('says of a sheet whose cells are all errors that it has no values, not that it has no cells', async () => {
  await assert.rejects(read('xlsx', workbook({ sheets: [{ name: 'S', rows: errors }] }), 'a.xlsx'), {
    code: 'XLSX_NO_VALUES',
    message: /each cell of 'S' is an error/,
  });
  const beside = workbook({
    sheets: [
      { name: 'S', rows: errors },
      {
        name: 'T',
        rows: '<row r="1"><c t="inlineStr"><is><t>a</t></is></c></row><row r="2"><c><v>1</v></c></row>',
      },
    ],
  });
  const { layers, findings } = await read('xlsx', beside, 'a.xlsx');
  assert.deepEqual(
    layers.map(({ source }) => source.name),
    ['T'],
  );
  const codes = findings.map(({ code }) => code);
  assert.ok(
    codes.includes('XLSX_SHEET_WITHOUT_VALUES') && codes.includes('XLSX_ERRORS_AS_NULL'),
    codes.join(),
  );
});

test('counts columns of a sheet without a name and a value not as fields', async () => {
  const row = (number: number, cells: string): string => `<row r="${number}">${cells}</row>`;
  const text = (cell: string, value: string): string =>
    `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
  for (const stray of ['XFD3', 'ALM1', 'XFD1']) {
    const at = Number(stray.at(-1));
    const cellsOf = (number: number, cells: string): string =>
      row(number, cells + (number === at ? text(stray, 'stray') : ''));
    const rows =
      cellsOf(1, text('A1', 'a')) +
      cellsOf(2, '<c r="A2"><v>1</v></c>') +
      cellsOf(3, '<c r="A3"><v>2</v></c>');
    const { layers } = await read('xlsx', workbook({ sheets: [{ name: 'S', rows }] }), 'a.xlsx');
    assert.equal(layers[0].fields.length, 2, stray);
    assert.equal(layers[0].rows.length, 2);
    assert.deepEqual(
      layers[0].rows.map(({ properties }) => properties.a),
      [1, 2],
    );
  }
});

test('refuses a sheet with more named columns than MAX_FIELDS', async () => {
  const cells = Array.from({ length: 1100 }, (_, i) => `<c t="inlineStr"><is><t>f${i}</t></is></c>`).join('');
  await assert.rejects(
    read(
      'xlsx',
      workbook({ sheets: [{ name: 'S', rows: `<row>${cells}</row><row><c><v>1</v></c></row>` }] }),
      'a.xlsx',
    ),
    { code: 'LIMIT_EXCEEDED', message: /MAX_FIELDS/ },
  );
});

const SHAPEFILE = join(import.meta.dirname, '../../../test/fixtures/shp/gdal-areas.shp.zip');

/** The fixture with another length in the header of its first record. */
async function withLength(words: number, keepsIndex = true): Promise<Uint8Array> {
  const members = await readZipMembers(readFileSync(SHAPEFILE));
  return storedZip(
    members
      .filter(({ name }) => keepsIndex || !name.endsWith('.shx'))
      .map(({ name, bytes }) => {
        const copy = Uint8Array.from(bytes);
        if (name.endsWith('.shp')) new DataView(copy.buffer).setUint32(104, words);
        return { name, bytes: copy };
      }),
  );
}

test('follows the .shx if the header of a record contradicts it and the length of the file', async () => {
  const { layers: expected } = await read('shp', readFileSync(SHAPEFILE), 'a.zip');
  for (const words of [0, 10, 60, 70, 0x7fffffff]) {
    const { layers, findings } = await read('shp', await withLength(words), 'a.zip');
    assert.deepEqual(layers[0].rows, expected[0].rows, `${words} words`);
    assert.deepEqual(
      findings.filter(({ code }) => code === 'RECORD_LENGTHS_CORRECTED').map(({ count }) => count),
      [1],
    );
  }
});

test('refuses a record with a wrong length if there is no .shx', async () => {
  await assert.rejects(async () => read('shp', await withLength(0x7fffffff, false), 'a.zip'), {
    code: 'SHP_RECORD',
  });
});
