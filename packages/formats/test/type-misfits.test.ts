/** A few values that turn a column of numbers, dates or times to text are reported; a column of texts is not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, workbook } from '../../../test/support/workbooks.ts';
import { reader as csv } from '../src/csv/read.ts';
import { reader as xlsx } from '../src/xlsx/read.ts';

const HEADER = 'lon,lat,v\n';
const textOf = (values: readonly string[]): string =>
  HEADER + values.map((value) => `8,47,${value}\n`).join('');
const times = (count: number, value: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => value(i));

async function misfits(text: string, options = {}, partitionBytes?: number) {
  const { findings } = await readBytesLayers(csv, text, { options, partitionBytes });
  return findings
    .filter(({ code }) => code === 'TYPE_NOT_KEPT')
    .map(({ count, params, places }) => ({ ...params, count, first: places[0]?.record }));
}

const found = (type: string, value: string, count: number, first: number) => [
  { field: 'v', type, example: `, such as '${value}'`, count, first },
];

test('reports values that are not of the type of nearly all others, with the first place', async () => {
  const cases: readonly (readonly [readonly string[], ReturnType<typeof found>])[] = [
    [['1', '2', '3', '4', 'unknown'], found('numbers', 'unknown', 1, 5)],
    [['1.5', 'n/a', '2', '3e5', '4'], found('numbers', 'n/a', 1, 2)],
    [[...times(30, String), '12a', '12b', '12c'], found('numbers', '12a', 3, 31)],
    [
      ['2024-01-01', '2024-02-30', '2024-01-03', '2024-01-04', '2024-01-05'],
      found('dates', '2024-02-30', 1, 2),
    ],
    [
      [...times(4, (i) => `2024-01-01T10:0${i}:00Z`), '2024-01-01T25:61:00Z'],
      found('times', '2024-01-01T25:61:00Z', 1, 5),
    ],
    [['true', 'false', 'true', 'maybe', 'false'], found('booleans', 'maybe', 1, 4)],
    [['1', '2', '', '3', '4', "47°22'x"], found('numbers', "47°22'x", 1, 6)],
  ];
  for (const [values, expected] of cases) assert.deepEqual(await misfits(textOf(values)), expected);
});

test('counts values after the first rows and over partitions', async () => {
  const values = times(5000, String);
  values[3000] = 'late';
  values[4500] = 'later';
  const whole = [{ field: 'v', type: 'numbers', count: 2, first: 3001 }];
  assert.deepEqual(await misfits(textOf(values)), whole);
  // Places are relative to their partition here.
  const [inParts] = await misfits(textOf(values), {}, 10_000);
  assert.deepEqual({ ...inParts, first: 3001 }, whole[0]);
});

test('rows that are skipped do not move the place', async () => {
  const text = `${textOf(['1', '2'])}8\n${textOf(['3', '4', 'x']).slice(HEADER.length)}`;
  assert.deepEqual(await misfits(text, { on_error: 'skip' }), found('numbers', 'x', 1, 6));
});

test('columns of texts, codes, mixed columns and clean columns give nothing', async () => {
  for (const values of [
    ['a', 'b', 'c', 'd', 'e', '1'],
    ['1', '2', 'a', 'b', '3', '4', '5'],
    ['01067', '10115', '20095', '50667', '80331'],
    ['1', '2', '3', '4', '+5'],
    ['1', '2', '3', '4', '5.5'],
    ['1', '2', '3', '', ''],
    ['2024-01-01', '5', '2024-01-03', '6', '2024-01-05'],
    ['1', '2', 'x'],
    [],
  ])
    assert.deepEqual(await misfits(textOf(values)), [], values.join());
});

test('sheets report them likewise', async () => {
  const rows = row('lon', 'lat', 'v') + [1, 2, 3, 4, 'x'].map((value) => row(8, 47, value)).join('');
  const { findings } = await readBytesLayers(xlsx, workbook({ sheets: [{ name: 'a', rows }] }), {
    name: 'x.xlsx',
  });
  const one = findings.find(({ code }) => code === 'TYPE_NOT_KEPT');
  assert.deepEqual([one?.params.field, one?.count, one?.places[0]?.record], ['v', 1, 5]);
});
