/** Small workbooks whose texts are large: cells that repeat a shared text, sheets that repeat a part, and cells with very long texts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, type WorkbookParts, workbook } from '../../../test/support/workbooks.ts';
import type { InputLimits } from '../../io/src/limits.ts';
import { reader } from '../src/xlsx/read.ts';

const MAX = 32_767;
const HEADER = row('lon', 'lat', 'a');
const read = (parts: WorkbookParts, limits: Partial<InputLimits> = {}) =>
  readBytesLayers(reader, workbook(parts), {
    name: 'x.xlsx',
    limits: { ...DEFAULT_INPUT_LIMITS, ...limits },
  });

const point = (cell: string): string => `<row><c><v>1</v></c><c><v>2</v></c>${cell}</row>`;
const rowsWith = (cell: string, count: number): string => HEADER + point(cell).repeat(count);
const SHARED = '<c t="s"><v>0</v></c>';

test('a shared text of a megabyte in many cells is refused by the ratio of unpacked to packed', async () => {
  const parts = {
    sheets: [{ name: 'a', rows: rowsWith(SHARED, 20_000) }],
    strings: `<si><t>${'x'.repeat(1_000_000)}</t></si>`,
  };
  await assert.rejects(
    read(parts),
    /ratio of unpacked to packed size of sheet 'a' of x.xlsx as text.*MAX_UNZIP_RATIO/,
  );
});

test('rich text, formulas with a text and several cells of a row are no way around it', async () => {
  const long = 'y'.repeat(40_000);
  for (const [cells, strings] of [
    [SHARED, `<si>${`<r><t>${long}</t></r>`.repeat(3)}</si>`],
    [SHARED.repeat(40), `<si><t>${long}</t></si>`],
    [`<c t="s"><f>A1</f><v>0</v></c>`, `<si><t>${long}</t><rPh sb="0" eb="1"><t>z</t></rPh></si>`],
  ]) {
    const parts = { sheets: [{ name: 'a', rows: rowsWith(cells, 5000) }], strings };
    await assert.rejects(read(parts), /MAX_UNZIP_RATIO/);
  }
});

test('the texts of all sheets count together for the limit of unpacked bytes', async () => {
  const rows = rowsWith(SHARED, 1000);
  const strings = `<si><t>${'x'.repeat(900)}</t></si>`;
  const sheets = Array.from({ length: 6 }, (_, i) => ({ name: `s${i}`, rows }));
  const limits = { unzippedBytes: 4 << 20 };
  await assert.doesNotReject(read({ sheets: sheets.slice(0, 3), strings }, limits));
  await assert.rejects(read({ sheets, strings }, limits), /unpacked size of sheet 's\d' .*MAX_UNZIPPED/);
});

test('a text that was written again with more columns counts once', async () => {
  const wide = row('1', '2', 'x', 'y', 'z');
  const rows = rowsWith(SHARED, 2000) + wide;
  const strings = `<si><t>${'x'.repeat(900)}</t></si>`;
  const {
    layers: [layer],
  } = await read({ sheets: [{ name: 'a', rows }], strings }, { unzippedBytes: 3_000_000 });
  assert.equal(layer.rows.length, 2001);
});

test('a column that one row alone has does not refuse a sheet', async () => {
  const rows = `${rowsWith('<c><v>5</v></c>', 1000)}<row r="1002"><c r="A1002"><v>1</v></c><c r="B1002"><v>2</v></c><c r="XFD1002"><v>3</v></c></row>`; // biome-ignore format: one line
  await assert.doesNotReject(read({ sheets: [{ name: 'a', rows }] }, { fields: 20_000 }));
});

test('texts that repeat as tables do are read', async () => {
  const strings = `<si><t>${'Gewerbegebiet '.repeat(20)}</t></si>`;
  const {
    layers: [layer],
  } = await read({ sheets: [{ name: 'a', rows: rowsWith(SHARED, 40_000) }], strings });
  assert.equal(layer.rows.length, 40_000);
});

for (const [what, unit] of [
  ['ASCII', 'x'],
  ['two bytes', 'ü'],
  ['three bytes', '日'],
  ['quotes', '"'],
] as const)
  test(`a cell has at most 32,767 characters: ${what}`, async () => {
    for (const [name, cell, strings] of [
      ['shared', SHARED, (text: string) => `<si><t>${text}</t></si>`],
      ['inline', null, () => ''],
    ] as const)
      for (const length of [MAX, MAX + 1, MAX * 3]) {
        const text = unit.repeat(length);
        const own = cell ?? `<c t="inlineStr"><is><t>${text}</t></is></c>`;
        const {
          layers: [layer],
          findings,
        } = await read({ sheets: [{ name: 'a', rows: rowsWith(own, 2) }], strings: strings(text) });
        assert.deepEqual(layer.rows.map(({ properties: { a } }) => a), [0, 1].map(() => unit.repeat(MAX)), `${name} ${length}`); // biome-ignore format: one line
        const found = findings.filter(({ code }) => code === 'XLSX_TEXT_CUT');
        assert.equal(found[0]?.count ?? 0, length > MAX ? 2 : 0, `${name} ${length}`);
      }
  });

test('a pair of surrogates is not divided', async () => {
  const text = `x${'😀'.repeat(20_000)}`;
  const { layers: [layer] } = await read({ sheets: [{ name: 'a', rows: rowsWith(`<c t="inlineStr"><is><t>${text}</t></is></c>`, 1) }] }); // biome-ignore format: one line
  assert.equal(layer.rows[0].properties.a, `x${'😀'.repeat((MAX - 1) / 2)}`);
});
