/** Lines before the header, units after it, delimiters of rows, and files with one column. */
import assert from 'node:assert/strict';
import test from 'node:test';
import iconv from 'iconv-lite';
import { catalogue } from '../../../apps/service/src/catalogue.ts';
import { codes, errorOf, geometries, read } from '../../../test/support/csv-texts.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { shownFindings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/csv/read.ts';

const POINTS = ['POINT (8.5 47.5)', 'POINT (8.25 47.25)'];
const TABLE = 'id;lon;lat\n1;8,5;47,5\n2;8,25;47,25\n';

test('skips lines before the header, and reports them', async () => {
  for (const before of [
    '# made by a logger\n# 2024-05-01\n',
    'Survey of May 2024\n\n',
    'Survey of May 2024;;\n;;\n',
    'Report, all stations, "final"\n\n\n',
    '"A title\nin two lines"\n\n',
  ]) {
    assert.deepEqual(await geometries(before + TABLE), POINTS, before);
    assert.ok((await codes(before + TABLE)).includes('LINES_SKIPPED'), before);
  }
  assert.deepEqual(await geometries(`Title\n${TABLE}`, { x_column: 'lon', y_column: 'lat' }), POINTS);
  assert.deepEqual(await geometries(`Title, 1\ngeom_wkt,n\nPOINT (8.5 47.5),1\n`), [POINTS[0]]);
  const rows = (await read(`Title\n${TABLE}`)).rows;
  assert.deepEqual(rows[0].properties, { id: 1 });
  // A comment sign before the first name.
  assert.deepEqual(await geometries('#lon|lat\n8.5|47.5\n'), [POINTS[0]]);
});

test('reports a table before the header as lost data', async () => {
  const reported = async (before: string) =>
    (await codes(before + TABLE)).filter((code) => code.endsWith('_SKIPPED'));
  const rows = (count: number, row: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => `${row(i)}\n`).join('');
  for (const table of [
    `site,value,date\n${rows(30, (i) => `s${i},${i},2024-01-02`)}`,
    `site;value\n${rows(5, (i) => `s${i};1.5`)}\n`,
    'name,owner,remark\nA,B,C\nD,E,F\n',
  ])
    assert.deepEqual(await reported(table), ['TABLE_SKIPPED'], table);
  for (const titles of [
    'Station,Bern\nDate,2024-05-01\nSamples,12\n\n',
    'Elevation,500\nYear,2024\nSamples,12\n',
    'Survey;;\nBern;;\n2024;;\n',
    'Report, all stations, "final"\nnothing\n',
  ])
    assert.deepEqual(await reported(titles), ['LINES_SKIPPED'], titles);
  const { findings } = await readBytesLayers(reader, `a,b,c\n1,2,3\n4,5,6\n${TABLE}`);
  const found = shownFindings(findings, catalogue).find(({ code }) => code === 'TABLE_SKIPPED');
  assert.deepEqual([found?.severity, found?.params.lines], ['lost', 3]);
});

test('blank lines before the header are skipped, however many', async () => {
  for (const blank of ['\n', '\r\n', '  \n']) {
    const before = blank.repeat(200_000);
    for (const partitionBytes of [undefined, 10_000]) {
      const { rows } = await read(before + TABLE, {}, partitionBytes);
      assert.deepEqual(
        rows.map(({ geometry }) => geometry),
        POINTS,
      );
    }
    assert.match(await errorOf(`${before}${TABLE}3;east;47\n`), /line 200004,/);
    assert.ok(!(await codes(before + TABLE)).includes('LINES_SKIPPED'));
  }
});

test('errors count the lines before the header', async () => {
  const table = TABLE + TABLE.slice(TABLE.indexOf('\n') + 1).repeat(10);
  const bad = `# title\n# by me\n${table}3;east;47\n`;
  assert.match(await errorOf(bad), /^CSV_GEOMETRY CSV line 26, column 'lon'/);
  assert.match(
    await errorOf(`# title\r\n${table.replaceAll('\n', '\r\n')}3;1\r\n`),
    /^CSV_SYNTAX CSV line 25/,
  );
});

test('an option states the line of the header', async () => {
  const text = `x;y;z\nnothing;here;either\n${TABLE}`;
  assert.match(await errorOf(text), /^CSV_/);
  assert.deepEqual(await geometries(text, { header_line: 3 }), POINTS);
  assert.match(await errorOf(text, { header_line: 9 }), /header_line' is 9, but the file has fewer lines/);
  assert.match(await errorOf(text, { header_line: 3, has_header: false }), /exclude each other/);
});

test('does not take rows for a header', async () => {
  const dictionary = 'field,meaning\nlon,longitude\nlat,latitude\nlon,lat\n';
  assert.deepEqual(await geometries(dictionary), [null, null, null]);
  assert.match(await errorOf('a;b\n1;2\nx;y\n1;2;3\n1;2;4\n'), /^CSV_COLUMN_MISSING .*'a', 'b'/);
});

test('skips a row of units after the header', async () => {
  for (const units of ['UTC,degrees_north,degrees_east,m', ',deg,deg,m', '-,[°],[°],[m]']) {
    const text = `time,latitude,longitude,z\n${units}\n2024-05-01,47.5,8.5,400\n2024-05-02,47.25,8.25,410\n`;
    assert.deepEqual(await geometries(text), ['POINT Z (8.5 47.5 400)', 'POINT Z (8.25 47.25 410)'], units);
    assert.ok((await codes(text)).includes('UNITS_SKIPPED'), units);
    assert.deepEqual((await read(text)).fields, [{ name: 'time', type: 'date' }]);
  }
  assert.match(await errorOf('lat,lon\nsouth,west\n1,2\n3,4\n'), /^CSV_GEOMETRY CSV line 2/);
});

test("obeys Excel's line with the delimiter", async () => {
  for (const line of ['sep=;\n', 'SEP=;\r\n', '"sep=;"\n', '\ufeffsep=;\n'])
    assert.deepEqual(await geometries(line + TABLE), POINTS, line);
  assert.deepEqual(await geometries('sep=\t\nlon\tlat\n8.5\t47.5\n'), [POINTS[0]]);
  assert.ok((await codes(`sep=;\n${TABLE}`)).includes('LINES_SKIPPED'));
  assert.deepEqual(await geometries(`sep=,\n${TABLE}`, { delimiter: ';' }), POINTS);
  assert.match(
    await errorOf('sep=:\nlon:lat\n8.5:47.5\n'),
    /^CSV_SYNTAX CSV line 1: 'sep=:' states a delimiter/,
  );
});

test('rows may end with a delimiter that the header does not have', async () => {
  const text = 'id,lon,lat\n1,8.5,47.5,\n2,8.25,47.25,\n';
  assert.deepEqual(await geometries(text), POINTS);
  const { fields } = await read(text);
  assert.deepEqual(fields, [{ name: 'id', type: 'int32' }]);
  assert.ok((await codes(text)).includes('TRAILING_DELIMITERS'));
  // R writes row names without a name: the columns would be shifted.
  assert.match(
    await errorOf('lon,lat\n1,8.5,47.5\n2,8.25,47.25\n'),
    /^CSV_SYNTAX CSV line 2: the row has 3 cells/,
  );
});

test('reads files with one column', async () => {
  assert.deepEqual(await geometries('wkt\nPOINT (8.5 47.5)\n"POINT (8.25 47.25)"\n'), POINTS);
  for (const name of ['wkt', 'geom_wkt'])
    assert.deepEqual(await geometries(`${name}\nLINESTRING (1 2,3 4)\nPOINT (1 2)\n`), [
      'LINESTRING (1 2,3 4)',
      'POINT (1 2)',
    ]);
  assert.deepEqual(await geometries('latlon\n47.5 8.5\n47.25 8.25\n'), POINTS);
  assert.deepEqual(await geometries('lat_lon\n47.5, 8.5\n47.25, 8.25\n'), POINTS);
});

test('reads UTF-16 with a byte order mark, and line ends of all systems', async () => {
  for (const encoding of ['utf-16le', 'utf-16be'])
    assert.deepEqual(
      await geometries(iconv.encode(`Ort;lon;lat\nZürich;8,5;47,5\n`, encoding, { addBOM: true })),
      [POINTS[0]],
    );
  const ansi = iconv.encode("Ort;lon;lat\nZürich;8°30'E;47°30'N\n", 'windows-1252');
  assert.match(await errorOf(ansi), /^TEXT_ENCODING_INVALID .*windows-1252/);
  assert.deepEqual(await geometries(ansi, { encoding: 'windows-1252' }), [POINTS[0]]);
  for (const end of ['\r', '\r\n'])
    assert.deepEqual(await geometries(`# title\n${TABLE}`.replaceAll('\n', end)), POINTS);
  assert.deepEqual(await geometries('"lon\n(deg)","lat\n(deg)"\n"8.5",47.5\n'), [POINTS[0]]);
});

test('names columns by number where their names are repeated', async () => {
  assert.match(
    await errorOf('lat,lon,lat,lon\n1,2,3,4\n'),
    /^CSV_GEOMETRY_AMBIGUOUS .*'lon' \(x, column 2\), 'lat' \(y, column 1\); .*'lon' \(x, column 4\), 'lat' \(y, column 3\)/,
  );
  assert.deepEqual(await geometries('lat,lon,lat,lon\n1,2,3,4\n', { x_column: 4, y_column: 3 }), [
    'POINT (4 3)',
  ]);
});

test('reads the same in one partition and in many after skipped lines', async () => {
  const rows = Array.from({ length: 200 }, (_, i) => `${i},8.${i + 100},47.${i + 100},"a\nb"`);
  const text = `${'# comment\n'.repeat(10)}id,lon,lat,n\n-,deg,deg,-\n${rows.join('\n')}\n`;
  const whole = await read(text);
  for (const partitionBytes of [16, 64, 1000]) {
    const parts = await read(text, {}, partitionBytes);
    assert.deepEqual(parts.rows, whole.rows);
    assert.equal(parts.lineCount, whole.lineCount);
  }
});

test('refuses several UTM zones, and grid references, with the way out', async () => {
  const zones = 'id,Easting,Northing,Zone\n1,456789,5543210,32N\n2,456790,5543211,33N\n';
  assert.match(
    await errorOf(zones),
    /^CSV_ZONES CSV line 3, column 'Zone': .* zone 33N, but line 2 is in 32N/,
  );
  assert.equal((await read(zones, { x_column: 'Easting', y_column: 'Northing' })).rows.length, 2);
  const one = await read(zones.replace('33N', '32N'));
  assert.match(one.source.crsMissingReason, /column 'Zone' says UTM zone 32N/);
  assert.equal((await read(zones.replaceAll('N\n', '\n'))).rows.length, 2);
  assert.match(
    await errorOf('s,grid_ref\nA,TQ 123 456\n'),
    /'grid_ref' contains British grid references such as/,
  );
  assert.match(await errorOf('s,ref\nA,32UMU1234567890\n'), /'ref' contains MGRS references such as/);
});

test('says which option reads what was not recognised', async () => {
  assert.match(
    await errorOf('id,place\n1,"47.5, 8.5"\n'),
    /'place' contains positions such as '47\.5, 8\.5': name it with 'csv_options.point_column', .*point_order'/,
  );
  assert.match(
    await errorOf('1;47.58;1.65\n2;47.5;1.6\n'),
    /numbers such as '47\.58' instead of names.*has_header/,
  );
  assert.match(
    await errorOf('n,Lat1,Lat2,Lon1,Lon2\nA,47,22,8,33\n'),
    /^CSV_GEOMETRY_AMBIGUOUS .*If they are degrees, minutes and seconds.*x_minutes_column/,
  );
  assert.match(
    await errorOf('lat,lon\n472215.7N,0083300E\n'),
    /'lat' contains '472215\.7N': .*without a separator/,
  );
});
