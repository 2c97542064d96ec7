/** Cells of a .dbf that contradict the type of their field: none is lost, and all are counted. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { csvCells } from '../../../test/support/csv-cells.ts';
import { type RawField, writeRawShapefile, writeRawShapefiles } from '../../../test/support/raw-shapefile.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/shp/read.ts';

async function readCells(
  fields: readonly RawField[],
  rows: readonly (readonly string[])[],
  partitionBytes?: number,
) {
  using workspace = makeWorkspace();
  const path = await writeRawShapefile(join(workspace.path, 'raw.zip'), { fields, rows });
  const { layers, findings } = await readFileLayers(reader, path, { partitionBytes });
  const [layer] = layers;
  return {
    types: layer.fields.map(({ type }) => type),
    rows: layer.rows.map(({ properties }) => Object.values(properties)),
    told: findings.map(({ code, count, params }) => [code, params.field, params.declared, count]),
  };
}

test('reads a field with cells that are not numbers, dates or booleans as text', async () => {
  const found = await readCells(
    [
      ['N', 'N', 8, 0],
      ['R', 'N', 8, 2],
      ['D', 'D', 8, 0],
      ['L', 'L', 1, 0],
    ],
    [
      ['1', '1.50', '20240229', 'T'],
      ['n/a', '1.2.3', '20240230', 'X'],
      ['********', '', '00000000', '?'],
    ],
  );
  assert.deepEqual(found.types, ['string', 'string', 'string', 'string']);
  assert.deepEqual(found.rows, [
    ['1', '1.50', '20240229', 'T'],
    ['n/a', '1.2.3', '20240230', 'X'],
    [null, null, null, null],
  ]);
  assert.deepEqual(found.told, [
    ['FIELD_WIDENED', 'N', 'N(8)', 1],
    ['FIELD_WIDENED', 'R', 'N(8,2)', 1],
    ['FIELD_WIDENED', 'D', 'D(8)', 1],
    ['FIELD_WIDENED', 'L', 'L(1)', 1],
  ]);
});

test('keeps all digits of integers that no float holds', async () => {
  const found = await readCells(
    [
      ['A', 'N', 20, 0],
      ['B', 'N', 20, 0],
      ['C', 'N', 20, 0],
    ],
    [
      ['98765432109876543210', '12345678901234567', '70000000000000000000'],
      ['1', '0.5', '0.5'],
    ],
  );
  assert.deepEqual(found.types, ['string', 'string', 'float64']);
  assert.deepEqual(found.rows, [
    ['98765432109876543210', '12345678901234567', 7e19],
    ['1', '0.5', 0.5],
  ]);
});

test('keeps numbers that are not finite as numbers and reads too large ones as text', async () => {
  const found = await readCells(
    [
      ['A', 'N', 8, 2],
      ['B', 'N', 8, 0],
      ['C', 'N', 8, 2],
    ],
    [
      ['nan', '-1.#IND', '1e999'],
      ['-inf', '3', '1.5'],
    ],
  );
  assert.deepEqual(found.types, ['float64', 'float64', 'string']);
  assert.deepEqual(found.rows, [
    [Number.NaN, Number.NaN, '1e999'],
    [Number.NEGATIVE_INFINITY, 3, '1.5'],
  ]);
});

test('reads shapefiles of one archive again, each without the declarations that its cells contradict', async () => {
  using workspace = makeWorkspace();
  const fields: RawField[] = [['N', 'N', 8, 0]];
  const source = await writeRawShapefiles(join(workspace.path, 'all.zip'), [
    { name: 'first', fields, rows: [['1'], ['2']] },
    { name: 'second', fields, rows: [['3'], ['n/a']] },
    { name: 'third', fields, rows: [['x'], ['4']] },
  ]);
  const { report, outputPath } = await convertFile(source, workspace.path, { from: 'shp', to: 'csv' });
  const [, ...rows] = csvCells(readFileSync(outputPath, 'utf8'));
  assert.deepEqual(
    rows.map(([value]) => value),
    ['1', '2', '3', 'n/a', 'x', '4'],
  );
  assert.deepEqual(
    report.warnings
      .filter(({ code }) => code === 'FIELD_WIDENED')
      .flatMap(({ count, places }) => [count, places.map(({ layer, record }) => [layer, record])]),
    [
      2,
      [
        ['second', 2],
        ['third', 1],
      ],
    ],
  );
});

const field = fc.constantFrom<RawField>(
  ['F', 'N', 6, 0],
  ['F', 'N', 12, 0],
  ['F', 'N', 20, 0],
  ['F', 'N', 12, 3],
  ['F', 'F', 19, 11],
  ['F', 'D', 8, 0],
  ['F', 'L', 1, 0],
  ['F', 'C', 12, 0],
);

const cell = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    '0',
    '1',
    'T',
    'f',
    '?',
    '1,5',
    '1.',
    '.5',
    '+7',
    '-0',
    '007',
    '1e5',
    'nan',
    '20240229',
    '20240230',
  ),
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.string({ unit: fc.constantFrom(...'09.,-+eEx*? TF'), maxLength: 12 }),
);

/** Whether a CSV cell equals the cell of the table: the same text, number, date or boolean. */
function says(found: string, text: string, type: string): boolean {
  if (found === text) return true;
  if (type === 'D') return found.replaceAll('-', '') === text;
  if (type === 'L') return found === ('TtYy1'.includes(text) ? 'true' : 'false');
  const number = text.replace(/^([+-]?\d*),(\d+)$/, '$1.$2');
  if (/^[+-]?nan$/i.test(text)) return found === 'NaN';
  // An integer in a field without decimals has all of its digits.
  if (/^[+-]?\d+$/.test(number) && /^-?\d+$/.test(found))
    return BigInt(found) === BigInt(number.replace('+', ''));
  return number.trim() !== '' && Number(found) === Number(number);
}

const isNull = (text: string, type: string): boolean =>
  text === '' ||
  (type !== 'C' && /^\*/.test(text) && type !== 'D') ||
  (type === 'L' && text === '?') ||
  (type === 'D' && /^[0* ]*$/.test(text));

test('preserves every cell in a CSV for any declared type', async () => {
  await fc.assert(
    fc.asyncProperty(field, fc.array(cell, { minLength: 1, maxLength: 8 }), async (declared, texts) => {
      using workspace = makeWorkspace();
      const [, type, width] = declared;
      const rows = texts.map((text) => [text.slice(0, width).trim()]);
      const path = await writeRawShapefile(join(workspace.path, 'raw.zip'), { fields: [declared], rows });
      const { outputPath } = await convertFile(path, workspace.path, { from: 'shp', to: 'csv' });
      const [, ...found] = csvCells(readFileSync(outputPath, 'utf8'));
      rows.forEach(([text], i) => {
        if (isNull(text, type)) assert.equal(found[i][0], '', `${type}: '${text}' is null`);
        else assert.ok(says(found[i][0], text, type), `${declared}: '${text}' became '${found[i][0]}'`);
      });
      const whole = await readCells([declared], rows);
      assert.deepEqual(await readCells([declared], rows, 1), whole, 'where a batch ends does not show');
    }),
    { numRuns: 150 },
  );
});
