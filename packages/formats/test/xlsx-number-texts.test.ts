/** Cells of texts that look like numbers are these texts, however the workbook stores them; numbers beside them become text, which is reported. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, styles, workbook } from '../../../test/support/workbooks.ts';
import { reader } from '../src/xlsx/read.ts';

const TEXTS = ['007', '0815', '42', '1e5', '1E5', '+5', '-0', '.5', '5.', '1,5', '1.10', '0x10', ' 7 ', 'NaN', 'TRUE', '2024-01-02', '12345678901234567890', '1234567890123456789012345678901234567890']; // biome-ignore format: one line

const inline = (text: string): string => `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
const number = (value: number | string, style = 0): string => `<c s="${style}"><v>${value}</v></c>`;
const rowOf = (cell: string): string => `<row>${number(8)}${number(47)}${cell}</row>`;

async function read(cells: readonly string[], parts: { strings?: string; styles?: string } = {}) {
  const rows = row('lon', 'lat', 'v') + cells.map(rowOf).join('');
  const bytes = workbook({ sheets: [{ name: 'a', rows }], ...parts });
  const { layers, findings } = await readBytesLayers(reader, bytes, { name: 'x.xlsx' });
  const [{ fields, rows: read }] = layers;
  return {
    type: fields.find(({ name }) => name === 'v')?.type,
    values: read.map(({ properties }) => properties.v),
    told: findings.filter(({ code }) => code === 'TYPE_NOT_KEPT').map(({ count, params, places }) => ({ ...params, count, first: places[0]?.record })), // biome-ignore format: one line
  };
}

const reported = (type: string, text: string, count: number, first: number) => [
  { field: 'v', type, example: `, such as the text '${text}'`, count, first },
];

test('texts are kept character by character in inline, shared, computed and plain cells', async () => {
  const strings = TEXTS.map((text) => `<si><t xml:space="preserve">${text}</t></si>`).join('');
  const kinds: readonly (readonly [cells: readonly string[], strings?: string])[] = [
    [TEXTS.map(inline)],
    [TEXTS.map((_, i) => `<c t="s"><v>${i}</v></c>`), strings],
    [TEXTS.map((text) => `<c t="str"><f>A1</f><v xml:space="preserve">${text}</v></c>`)],
    [TEXTS.map((text) => `<c t="inlineStr"><is><r><t xml:space="preserve">${text}</t></r></is></c>`)],
    [TEXTS.map((text) => `<c t="inlineStr"><v xml:space="preserve">${text}</v></c>`)],
  ];
  for (const [cells, shared] of kinds)
    assert.deepEqual(await read(cells, { strings: shared }), { type: 'string', values: TEXTS, told: [] });
});

test('each text alone makes a column of texts', async () => {
  for (const text of TEXTS)
    assert.deepEqual(await read([inline(text)]), { type: 'string', values: [text], told: [] });
});

test('a number whose format is that of texts is the number that it is', async () => {
  const found = await read([number(7, 1), number(8, 1)], { styles: styles(0, 49) });
  assert.deepEqual(found, { type: 'int32', values: [7, 8], told: [] });
});

test('a number stored as text among numbers is reported: the column is text', async () => {
  const numbers = [1, 2, 3, 4].map((value) => number(value));
  for (const text of ['5', '-5', '1.5', '3e5', '4294967296']) {
    const found = await read([...numbers, inline(text)]);
    const values = ['1', '2', '3', '4', text];
    assert.deepEqual(found, { type: 'string', values, told: reported('numbers', text, 1, 5) });
  }
  const decimals = [0.5, 1.25, 2.75, 3.5].map((value) => number(value));
  assert.deepEqual((await read([inline('7'), ...decimals])).told, reported('numbers', '7', 1, 1));
});

test('a boolean and a date stored as text among others are reported likewise', async () => {
  const booleans = Array.from({ length: 4 }, () => '<c t="b"><v>1</v></c>');
  assert.deepEqual((await read([...booleans, inline('false')])).told, reported('booleans', 'false', 1, 5));
  const dates = Array.from({ length: 4 }, (_, i) => number(45_000 + i, 1));
  const found = await read([...dates, inline('2024-01-02')], { styles: styles(0, 14) });
  assert.deepEqual(found.told, reported('dates', '2024-01-02', 1, 5));
  assert.deepEqual(found.values.at(-1), '2024-01-02');
});

test('columns of codes, of texts with a number, and of texts that all look like numbers give nothing', async () => {
  for (const cells of [
    [number(10115), number(20095), number(50667), number(80331), inline('01067')],
    ['1', '2', '3', '4', '5'].map(inline),
    ['1', '2', '3', '4', 'x'].map(inline),
    [...['1', '2', '3', '4'].map(inline), number(5)],
    [number(1), inline('2'), number(3), inline('4')],
    [number(1), number(2), number(3), number(4), inline('')],
  ])
    assert.deepEqual((await read(cells)).told, [], cells.join());
});

test('long numbers are the doubles that they are, long texts stay', async () => {
  assert.deepEqual((await read([number('12345678901234567890')])).values, [Number('12345678901234567890')]); // biome-ignore format: one line
  assert.deepEqual((await read([number('9007199254740991')])).type, 'int64');
  assert.deepEqual((await read([inline('9007199254740993')])).values, ['9007199254740993']);
});

test('positions stored as texts are positions', async () => {
  const rows = row('lon', 'lat', 'v') + row('8.5', '47.25', '007') + row('9', '48', '0815');
  const { layers } = await readBytesLayers(reader, workbook({ sheets: [{ name: 'a', rows }] }), { name: 'x.xlsx' }); // biome-ignore format: one line
  assert.deepEqual(layers[0].rows.map(({ geometry, properties }) => [geometry, properties.v]), [['POINT (8.5 47.25)', '007'], ['POINT (9 48)', '0815']]); // biome-ignore format: one line
});
