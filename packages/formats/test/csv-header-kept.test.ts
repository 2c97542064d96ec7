/** A header and a record are never taken for each other: geometries are found by their values, whatever the name of their column. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { codes, errorOf, geometries, read } from '../../../test/support/csv-texts.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, workbook } from '../../../test/support/workbooks.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { reader as xlsxReader } from '../src/xlsx/read.ts';

const POINTS = ['POINT (1 2)', 'POINT (3 4)', 'POINT (5 6)'];
const HEX = [
  '0101000000000000000000F03F0000000000000040',
  '010100000000000000000008400000000000001040',
  '010100000000000000000014400000000000001840',
];
const json = (text: string): string => {
  const [x, y] = text.match(/\d+/g) as string[];
  return `"{""type"":""Point"",""coordinates"":[${x},${y}]}"`;
};
/** The same three points in every notation, as cells. */
const NOTATIONS: Readonly<Record<string, readonly string[]>> = {
  WKT: POINTS,
  'lower case': POINTS.map((text) => text.toLowerCase()),
  'without a blank': POINTS.map((text) => text.replace(' (', '(')),
  quoted: POINTS.map((text) => `"${text}"`),
  EWKT: POINTS.map((text) => `"SRID=4326;${text}"`),
  WKB: HEX,
  'WKB of PostgreSQL': HEX.map((text) => `\\x${text.toLowerCase()}`),
  'WKB of SQL Server': HEX.map((text) => `0x${text}`),
  GeoJSON: POINTS.map(json),
};
const NAMES = ['shape', 'g', 'feature', 'coords', 'spalte3', 'GEOM_WKT', 'Wo?', 'the shape', '"a, b; c"'];

const table = (header: string | null, cells: readonly string[], delimiter = ','): string =>
  [
    ...(header === null ? [] : [header]),
    ...cells.map((cell, i) => [i + 1, 'ABC'[i], cell].join(delimiter)),
  ].join('\n');

test('finds a column of geometries by its values, whatever its name', async () => {
  for (const name of NAMES)
    for (const [notation, cells] of Object.entries(NOTATIONS)) {
      const text = table(`id,name,${name}`, cells);
      const { rows, fields } = await read(text);
      const label = `${name}: ${notation}`;
      assert.deepEqual(
        rows.map(({ geometry }) => geometry),
        POINTS,
        label,
      );
      assert.deepEqual(
        fields.map((field) => field.name),
        ['id', 'name'],
        label,
      );
    }
  assert.deepEqual(await codes(table('id,name,shape', POINTS)), ['GEOMETRY_COLUMN_FOUND']);
});

test('finds it with every delimiter, in one column, in the first column and after lines of titles', async () => {
  for (const delimiter of [';', '\t', '|'])
    for (const cells of [POINTS, NOTATIONS.EWKT, NOTATIONS.GeoJSON])
      assert.deepEqual(
        await geometries(table(['id', 'name', 'shape'].join(delimiter), cells, delimiter)),
        POINTS,
        delimiter,
      );
  assert.deepEqual(await geometries(`shape\n${POINTS.join('\n')}`), POINTS);
  assert.deepEqual(await geometries('shape\nLINESTRING (1 2,3 4)\n'), ['LINESTRING (1 2,3 4)']);
  assert.deepEqual(await geometries('shape,id\nPOINT (1 2),1\n'), [POINTS[0]]);
  assert.deepEqual(await geometries(`Survey of May\n\n${table('id,name,shape', POINTS)}`), POINTS);
  assert.deepEqual(await geometries(table('id,name,shape', POINTS), { header_line: 1 }), POINTS);
  assert.deepEqual(await geometries(table(null, POINTS), { has_header: false }), POINTS);
});

test('keeps the header of a table of many rows, some of them without a geometry', async () => {
  const cells = Array.from({ length: 2000 }, (_, i) => (i % 7 === 0 ? '' : `POINT (${i} ${i})`));
  const text = `id,name,shape\n${cells.map((cell, i) => `${i},"n, ${i}",${cell}`).join('\n')}\n`;
  for (const partitionBytes of [undefined, 5000]) {
    const { rows } = await read(text, {}, partitionBytes);
    assert.equal(rows.length, 2000);
    assert.deepEqual(rows[0], { ...rows[0], geometry: null, properties: { id: 0, name: 'n, 0' } });
  }
});

test('refuses a first line that is a record', async () => {
  for (const [notation, cells] of Object.entries(NOTATIONS))
    for (const delimiter of [',', ';'])
      for (const options of [{}, { header_line: 1 }, { has_header: true }, { geometry_column: 3 }])
        assert.match(
          await errorOf(table(null, cells, delimiter), options),
          /^CSV_HEADER_MISSING .*has_header/,
          `${notation} ${delimiter}`,
        );
  assert.match(await errorOf(POINTS.join('\n')), /^CSV_HEADER_MISSING/);
  // The geometry of the first record is empty, broken or missing.
  for (const cell of ['POINT EMPTY', 'POINT (1,2)', 'POLYGON ((1 2, 3', 'POINT (nan nan)'])
    assert.match(await errorOf(table(null, [`"${cell}"`, ...POINTS.slice(1)])), /^CSV_HEADER_MISSING/, cell);
  for (const cell of ['', 'NULL', 'n/a', '\\N', '7'])
    assert.match(
      await errorOf(table(null, [cell, ...POINTS.slice(1)])),
      /^CSV_COLUMN_MISSING .*has_header/,
      cell,
    );
  assert.match(await errorOf(table(null, POINTS), { on_error: 'skip' }), /^CSV_HEADER_MISSING/);
});

test('refuses numbers and positions in place of the names of columns with a position', async () => {
  for (const text of ['1,8.5,47.5\n2,8.6,47.6\n', '1,8,47\n2,9,46\n', `1,8°30'E,47°30'N\n2,8°30'E,47°31'N\n`])
    assert.match(await errorOf(text, { x_column: 2, y_column: 3 }), /^CSV_HEADER_MISSING/, text);
  assert.match(
    await errorOf('1;8,5;47,5\n2;8,6;47,6\n', { x_column: 2, y_column: 3, delimiter: ';' }),
    /^CSV_HEADER_MISSING/,
  );
  assert.match(
    await errorOf('1,"47.5, 8.5"\n2,"47.6, 8.6"\n', { point_column: 2, point_order: 'lat_lon' }),
    /^CSV_HEADER_MISSING/,
  );
  const parts = { x_column: 2, x_minutes_column: 3, y_column: 4, y_minutes_column: 5 };
  assert.match(await errorOf('1,8,30,47,30\n2,8,31,47,31\n', parts), /^CSV_HEADER_MISSING/);
  for (const text of ['1,8.5,47.5\n2,8.6,47.6\n', 'A;471000;5543000\nB;471001;5543001\n'])
    assert.match(await errorOf(text), /^CSV_COLUMN_MISSING .*has_header/, text);
});

test('never takes a later record for the header', async () => {
  // One bad row among the first ones: the row is the error, not the columns.
  for (const name of ['shape', 'wkt', 'geom'])
    for (const bad of ['unknown', 'POINT (1', 'POINT (3,4)', '12']) {
      const text = `id,name,${name}\n1,A,POINT (1 2)\n2,B,"${bad}"\n3,C,POINT (5 6)\n4,D,POINT (7 8)\n`;
      assert.match(await errorOf(text), /^CSV_GEOMETRY CSV line 3, column/, `${name} ${bad}`);
      const kept = await geometries(text, { on_error: 'skip' });
      assert.deepEqual(kept, ['POINT (1 2)', 'POINT (5 6)', 'POINT (7 8)']);
    }
  for (const header of ['id,shape', 'Title\nid,shape', 'id,wkt'])
    for (const bad of ['unknown', 'location unknown', 'POINT (1', '7']) {
      const text = `${header}\n1,"${bad}"\n2,POINT (1 2)\n3,POINT (3 4)\n`;
      assert.match(await errorOf(text), /^CSV_(GEOMETRY CSV line 2|COLUMN_MISSING)/, `${header} ${bad}`);
    }
  assert.match(await errorOf('id,shape\n1,"POINT (1,2)"\n2,"POINT (3,4)"\n'), /^CSV_GEOMETRY CSV line 2/);
  // Two columns of geometries: a choice is needed.
  const two = 'id,shape,other\n1,POINT (1 2),POINT (3 4)\n2,POINT (5 6),POINT (7 8)\n';
  assert.match(await errorOf(two), /^CSV_GEOMETRY_AMBIGUOUS .*'shape' \(WKT\); 'other' \(WKT\)/);
  // Notations can differ from row to row.
  assert.deepEqual(await geometries(`id,shape\n1,POINT (1 2)\n2,${json('3 4')}\n3,${HEX[2]}\n`), POINTS);
});

test('names that only resemble geometries are names', async () => {
  for (const header of [
    'id,Point,wkt',
    'id,Polygon (ha),wkt',
    'id,point (1),wkt',
    'id,{a},wkt',
    '1,2,wkt',
    '2019,2020,shape',
  ])
    assert.deepEqual(await geometries(table(header, POINTS)), POINTS, header);
  assert.deepEqual(await geometries('lon,lat,Point (m)\n1,2,5\n'), [POINTS[0]]);
});

test('a workbook keeps its header and its first row likewise', async () => {
  const rowsOf = async (rows: string, options = {}) =>
    (
      await readBytesLayers(xlsxReader, workbook({ sheets: [{ name: 'a', rows }] }), {
        name: 'x.xlsx',
        options,
      })
    ).layers[0].rows;
  const data = POINTS.map((text, i) => row(i + 1, 'ABC'[i], text)).join('');
  for (const name of ['shape', 'g', 'GEOM_WKT', 'wkt'])
    assert.deepEqual(
      (await rowsOf(row('id', 'name', name) + data)).map(({ geometry }) => geometry),
      POINTS,
      name,
    );
  assert.deepEqual(
    (await rowsOf(data, { has_header: false })).map(({ geometry }) => geometry),
    POINTS,
  );
  await assert.rejects(rowsOf(data), (error: unknown) => {
    assert.ok(error instanceof GeomillError);
    assert.match(error.message, /names.*xlsx_options\.has_header/);
    return true;
  });
});
