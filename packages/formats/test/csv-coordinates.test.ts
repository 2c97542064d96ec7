import assert from 'node:assert/strict';
import test from 'node:test';
import { codes, errorOf, geometries, read } from '../../../test/support/csv-texts.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/csv/read.ts';

test('reads points from columns that options name, by name or number', async () => {
  const text = 'a,b,c\n1,2,3\n';
  for (const options of [
    { x_column: 'b', y_column: 'c' },
    { x_column: 2, y_column: '3' },
  ]) {
    const { rows, fields } = await read(text, options);
    assert.deepEqual(rows, [{ id: null, geometry: 'POINT (2 3)', properties: { a: 1 } }]);
    assert.equal(fields.length, 1);
  }
  assert.deepEqual(await geometries(text, { x_column: 'a', y_column: 'b', z_column: 'c' }), [
    'POINT Z (1 2 3)',
  ]);
  const semicolons = text.replaceAll(',', ';');
  assert.deepEqual(await geometries(semicolons, { x_column: 'b', y_column: 'c' }), ['POINT (2 3)']);
  const bare = await read('1;2;x\n', { x_column: 1, y_column: 2, has_header: false, delimiter: ';' });
  assert.deepEqual(bare.rows, [{ id: null, geometry: 'POINT (1 2)', properties: { column_3: 'x' } }]);
});

test('refuses numbers as names, and names that are only similar', async () => {
  const bare = '1,5933000.00,471000.00,IP\n2,5933010.00,471010.00,BM\n';
  assert.match(
    await errorOf(bare, { x_column: 3, y_column: 2 }),
    /^CSV_HEADER_MISSING .*has_header' to false/,
  );
  assert.deepEqual(await geometries('site,latest,longest\nA,12,40\n'), [null]);
});

test('texts for a missing value are no geometry', async () => {
  const text = 'id,geom\n1,POINT (1 2)\n2,NULL\n3,\\N\n4,\n';
  assert.deepEqual(await geometries(text), ['POINT (1 2)', null, null, null]);
});

test('finds the only pair of columns and reports it', async () => {
  const text = 'id,Longitude,LATITUDE\n1,8.5,47.5\n';
  assert.deepEqual(await geometries(text), ['POINT (8.5 47.5)']);
  assert.deepEqual(await codes(text), ['COORDINATE_COLUMNS_FOUND']);
  assert.equal((await read(text)).source.assumedCrs?.crs, 'EPSG:4326');
  assert.equal((await read('x,y\n8.5,47.5\n')).source.assumedCrs, null);
  assert.equal((await read('lon,lat\n471000,5933000\n')).source.assumedCrs, null);
});

test('keeps the columns of the geometry as fields if asked', async () => {
  const { fields } = await read('id,lon,lat\n1,8.5,47.5\n', { keep_geometry_columns: true });
  assert.deepEqual(
    fields.map(({ name, type }) => `${name} ${type}`),
    ['id int32', 'lon float64', 'lat float64'],
  );
});

test('refuses several pairs, and files without a pair, with the columns', async () => {
  const several = await errorOf('n,x,y,lon,lat\na,1,2,3,4\n');
  assert.match(several, /^CSV_GEOMETRY_AMBIGUOUS .*'x' \(x\), 'y' \(y\); 'lon' \(x\), 'lat' \(y\).*x_column/);
  const none = await errorOf('name;lat\na;1\n');
  assert.match(none, /^CSV_COLUMN_MISSING .*'name', 'lat' \(separated by ';'\).*x_column/);
  assert.match(await errorOf('lon,lat\neast,north\n'), /^CSV_COLUMN_MISSING/);
  assert.match(
    await errorOf('a,geom,the_geom\n1,POINT (1 2),POINT (3 4)\n'),
    /^CSV_GEOMETRY_AMBIGUOUS .*'geom' \(WKT\)/,
  );
  const many = Array.from({ length: 5000 }, (_, i) => `column_with_a_long_name_${i}`).join();
  assert.ok((await errorOf(`${many}\n`)).length < 4000);
});

test('refuses options that contradict each other and columns that are not there', async () => {
  const text = 'lon,lat\n1,2\n';
  assert.match(await errorOf(text, { x_column: 'lon' }), /required together/);
  assert.match(
    await errorOf(text, { x_column: 'lon', y_column: 'lat', geometry_column: 'lon' }),
    /exclude each other/,
  );
  assert.match(
    await errorOf(text, { x_column: 'east', y_column: 'lat' }),
    /^CSV_COLUMN_UNKNOWN 'csv_options.x_column'.*'east'.*'lon', 'lat'/,
  );
});

test('reads a decimal comma where all coordinates have one, and reports it', async () => {
  const text = 'P;Rechtswert;Hochwert\na;471000,25;5933000,5\nb;471.001,25;5.933.001\n';
  assert.deepEqual(await geometries(text), ['POINT (471000.25 5933000.5)', 'POINT (471001.25 5933001)']);
  assert.deepEqual(await codes(text), ['COORDINATE_COLUMNS_FOUND', 'COORDINATE_NOTATION', 'DELIMITER_FOUND']);
  assert.deepEqual(await geometries('lon;lat\n8,123;47,456\n'), ['POINT (8.123 47.456)']);
});

test('asks where a comma can be a decimal mark or separate thousands', async () => {
  const text = 'x;y\n471,000;5,933\n';
  assert.match(await errorOf(text), /^CSV_COMMA_AMBIGUOUS .*'471,000'.*decimal_comma/);
  assert.deepEqual(await geometries(text, { decimal_comma: true }), ['POINT (471 5.933)']);
  assert.deepEqual(await geometries(text, { decimal_comma: false }), ['POINT (471000 5933)']);
});

test('reads degrees, minutes and seconds; names of lengths count only with them', async () => {
  const text = "n;Breite;Länge\na;47°22'N;8°33'O\nb;46°12'36,5\"N;6°9'W\n";
  assert.deepEqual(await geometries(text), [
    'POINT (8.55 47.36666666666667)',
    'POINT (-6.15 46.21013888888889)',
  ]);
  assert.ok((await codes(text)).includes('COORDINATE_NOTATION'));
  assert.deepEqual(await geometries('n;Breite;Länge\na;2.5;10\n'), [null]);
  assert.match(await errorOf("lon,lat\n8°33'O,47°22'N\n"), /^CSV_GEOMETRY .*line 2.*O is east/);
  assert.match(await errorOf("lon,lat\n47°22'N,8°33'E\n"), /letter N states a latitude/);
});

test('reads both coordinates from one column', async () => {
  assert.deepEqual(await geometries('n;lat_lon\na;47.5, 8.5\n'), ['POINT (8.5 47.5)']);
  assert.deepEqual(await geometries('n;lonlat\na;8.5 47.5\n'), ['POINT (8.5 47.5)']);
  const text = 'n;place\na;47,5; 8,5\n'.replace('47,5; 8,5', '"47,5; 8,5"');
  assert.match(await errorOf(text, { point_column: 'place' }), /point_order' to 'lat_lon'/);
  const options = { point_column: 'place', point_order: 'lat_lon' };
  assert.deepEqual(await geometries(text, options), ['POINT (8.5 47.5)']);
  assert.deepEqual(await geometries('n,place\na,"8°30\'E 47°30\'N"\n', { point_column: 'place' }), [
    'POINT (8.5 47.5)',
  ]);
  assert.deepEqual(await geometries('n,place\na,+4730+00830+408/\n', { point_column: 'place' }), [
    'POINT Z (8.5 47.5 408)',
  ]);
});

test('makes empty coordinates no geometry, and counts them', async () => {
  const text = 'lon,lat\n1,2\n,\nNULL,NaN\n';
  assert.deepEqual(await geometries(text), ['POINT (1 2)', null, null]);
  assert.deepEqual(await codes(text), ['COORDINATES_MISSING 2', 'COORDINATE_COLUMNS_FOUND']);
});

test('rejects or skips rows with one coordinate and with other text', async () => {
  for (const [row, reason] of [
    ['3,', /line 3, column 'lat': one coordinate is missing/],
    [',3', /line 3, column 'lon': one coordinate is missing/],
    ['east,3', /line 3, column 'lon': .* expected in 'east'/],
  ] as const) {
    const text = `lon,lat\n1,2\n${row}\n5,6\n`;
    assert.match(await errorOf(text), reason);
    assert.deepEqual(await geometries(text, { on_error: 'skip' }), ['POINT (1 2)', 'POINT (5 6)']);
    assert.ok((await codes(text, { on_error: 'skip' })).includes('RECORD_SKIPPED'));
  }
});

test('takes swapped coordinates as degrees and does not mend them', async () => {
  const { rows, source } = await read('lat,lon\n120.5,10\n');
  assert.deepEqual([rows[0].geometry, source.assumedCrs?.crs], ['POINT (10 120.5)', 'EPSG:4326']);
});

test('takes z beside x and y; other heights stay fields, which is reported', async () => {
  assert.deepEqual(await geometries('x,y,z\n1,2,3\n4,5,\n'), ['POINT Z (1 2 3)', 'POINT (4 5)']);
  assert.deepEqual(await geometries('x,y,z\n1,2,unknown\n'), ['POINT (1 2)']);
  assert.ok((await codes('x,y,Höhe\n1,2,3\n')).includes('HEIGHT_KEPT'));
  assert.deepEqual(await geometries('lon,lat,Höhe\n1,2,3\n', { z_column: 'Höhe' }), ['POINT Z (1 2 3)']);
});

test('takes the only column of geometries', async () => {
  for (const name of ['WKT', 'wkt', 'geom', 'the_geom', 'Geometry', 'wkb_geometry', 'shape_wkt'])
    assert.deepEqual(await geometries(`id,${name}\n1,POINT (1 2)\n2,\n`), ['POINT (1 2)', null], name);
  assert.deepEqual(await codes('id,wkt\n1,POINT (1 2)\n'), ['GEOMETRY_COLUMN_FOUND']);
  assert.match(await errorOf('id,\n1,POINT (1 2)\n'), /^CSV_COLUMN_MISSING .*'' contains WKT/);
  // A column of geometries says more than a pair of coordinates.
  assert.deepEqual(await geometries('lon,lat,wkt\n1,2,"LINESTRING (1 2,3 4)"\n'), ['LINESTRING (1 2,3 4)']);
});

test('reads hexadecimal WKB, EWKB and GeoJSON', async () => {
  const wkb = '0101000000000000000000F03F0000000000000040';
  const ewkb = '0101000020e9640000000000000000f03f0000000000000040';
  assert.deepEqual(await geometries(`id,geom\n1,${wkb}\n2,\n`), ['POINT (1 2)', null]);
  const stated = await read(`id,geom\n1,${ewkb}\n`);
  assert.deepEqual([stated.rows[0].geometry, stated.source.assumedCrs?.crs], ['POINT (1 2)', 'EPSG:25833']);
  const json = '"{""type"":""Polygon"",""coordinates"":[[[0,0,1],[1,0,1],[1,1,1],[0,0,1]]]}"';
  assert.deepEqual(await geometries(`id,geojson\n1,${json}\n`), ['POLYGON Z ((0 0 1,1 0 1,1 1 1,0 0 1))']);
  const mixed = `id,g\n1,${wkb}\n2,POINT (3 4)\n3,${json}\n`;
  assert.equal((await geometries(mixed, { geometry_column: 'g' })).length, 3);
});

test('names what is wrong in WKB and GeoJSON', async () => {
  const errors = {
    '01010000000000': /bytes end/,
    '0101000000000000000000F03F0000000000000040FF': /1 bytes follow/,
    '0x12': /bytes end where a geometry header/,
    '\\x01zz': /a geometry is expected/,
    '{"type":"Point"}': /'coordinates' must be an array/,
    '{"type":"Point","coordinates":[1]}': /two or three numbers/,
    '{"type":"Feature"}': /found a Feature/,
    '{"type":': /not valid JSON/,
  };
  for (const [text, reason] of Object.entries(errors)) {
    const csv = `id,g\n1,"${text.replaceAll('"', '""')}"\n2,POINT (1 2)\n`;
    assert.match(await errorOf(csv, { geometry_column: 'g' }), reason, text);
    assert.deepEqual(
      await geometries(csv, { geometry_column: 'g', on_error: 'skip' }),
      ['POINT (1 2)'],
      text,
    );
  }
});

test('finds the delimiter by the header and the first rows', async () => {
  for (const delimiter of [';', '\t', '|'])
    assert.deepEqual(
      await geometries(['n', 'x', 'y\na,b', '1', '2\n'].join(delimiter)),
      ['POINT (1 2)'],
      delimiter,
    );
  assert.deepEqual(await geometries('"x";"y"\n"1,5";"2,5"\n'), ['POINT (1.5 2.5)']);
});

test('reads numbers with a decimal comma if asked, and reports columns of them otherwise', async () => {
  const text = 'x;y;area;n\n1;2;1.234,50;a\n1;2;7;b\n1;2;0,5;c\n';
  const kept = await read(text);
  assert.equal(kept.rows[0].properties.area, '1.234,50');
  const { findings } = await readBytesLayers(reader, text);
  const found = findings.find(({ code }) => code === 'DECIMAL_COMMA_KEPT');
  assert.equal(found?.params.columns, "'area'");
  const { rows, fields } = await read(text, { decimal_comma: true });
  assert.deepEqual(fields[0], { name: 'area', type: 'float64' });
  assert.deepEqual(
    rows.map(({ properties }) => properties.area),
    [1234.5, 7, 0.5],
  );
  const points = await read('x;y;v\n1;2;1.5\n', { decimal_comma: true });
  assert.equal(points.rows[0].properties.v, '1.5');
});

test('reads the same in one partition and in many', async () => {
  const rows = Array.from(
    { length: 300 },
    (_, i) => `${i};"${i},5";47,${i + 1000};x${i % 7 === 0 ? '""' : ''}`,
  );
  const text = `id;lon;lat;n\n${rows.join('\n').replaceAll('x""', '"x"""')}\n`;
  assert.deepEqual((await read(text, {}, 64)).rows, (await read(text)).rows);
});
