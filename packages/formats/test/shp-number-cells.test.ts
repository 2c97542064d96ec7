/** Numbers in .dbf cells of other programs: no digit may be lost. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { writeRawShapefile } from '../../../test/support/raw-shapefile.ts';
import { type ReadInput, readFileLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/shp/read.ts';

const valuesOf = (input: ReadInput): unknown[][] =>
  input.layers[0].rows.map(({ properties }) => Object.values(properties));
const typesOf = (input: ReadInput): string[] => input.layers[0].fields.map(({ type }) => type);

test('a fraction in a late row makes a field without decimals a float field', async () => {
  using workspace = makeWorkspace();
  const whole = Array.from({ length: 3000 }, (_, i) => [`${i}`, `${i}`, `${i}`, `${i}`]);
  const path = await writeRawShapefile(join(workspace.path, 'late.zip'), {
    fields: [
      ['POINT', 'N', 9, 0],
      ['COMMA', 'N', 9, 0],
      ['EXPONENT', 'N', 12, 0],
      ['WHOLE', 'N', 9, 0],
    ],
    rows: [...whole, ['1.5', '2,5', '7e20', '-1'], ['', '****', '', 'n/a']],
  });
  const input = await readFileLayers(reader, path);
  assert.deepEqual(typesOf(input), ['float64', 'float64', 'float64', 'string']);
  assert.deepEqual(valuesOf(input).slice(3000), [
    [1.5, 2.5, 7e20, '-1'],
    [null, null, null, 'n/a'],
  ]);
  assert.deepEqual(
    input.findings.map(({ code, count, params }) => [code, count, params.field]),
    [['FIELD_WIDENED', 1, 'WHOLE']],
  );
});

test('an integer beyond 64 bits in a late row makes a wide field a float field', async () => {
  using workspace = makeWorkspace();
  const rows = Array.from({ length: 2000 }, (_, i) => [`${i}`, '9223372036854775807']);
  const path = await writeRawShapefile(join(workspace.path, 'wide.zip'), {
    fields: [
      ['A', 'N', 20, 0],
      ['B', 'N', 20, 0],
    ],
    rows: [...rows, ['9223372036854775808', '-9223372036854775808']],
  });
  const input = await readFileLayers(reader, path);
  assert.deepEqual(typesOf(input), ['float64', 'int64']);
  assert.deepEqual(valuesOf(input).at(-1), [2 ** 63, -(2n ** 63n)]);
});

test('numbers that fill their whole cell survive from shapefile to shapefile', async () => {
  using workspace = makeWorkspace();
  const path = await writeRawShapefile(join(workspace.path, 'tight.zip'), {
    fields: [
      ['A', 'N', 4, 0],
      ['B', 'N', 4, 2],
      ['C', 'N', 3, 1],
      ['D', 'N', 5, 1],
    ],
    rows: [
      ['1234', '-.50', '-.5', '-1e-9'],
      ['9999', '1.25', '1e9', '.0001'],
      ['-999', '-1.5', '-9.', '12345'],
      ['0', '-.01', '0', '1e300'],
      ['', '', '', ''],
    ],
  });
  const { report, outputPath } = await convertFile(path, workspace.path, { from: 'shp', to: 'shp' });
  assert.deepEqual(report.warnings, []);
  const expected = [
    [1234, -0.5, -0.5, -1e-9],
    [9999, 1.25, 1e9, 0.0001],
    [-999, -1.5, -9, 12345],
    [0, -0.01, 0, 1e300],
    [null, null, null, null],
  ];
  assert.deepEqual(valuesOf(await readFileLayers(reader, path)), expected);
  const output = await readFileLayers(reader, outputPath);
  assert.deepEqual(valuesOf(output), expected);
  assert.deepEqual(output.findings, []);
});
