/** Values of CSV that are doubtful: impossible positions, contradicting SRIDs, unstated orders, words for nothing. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { codes, errorOf, geometries, read } from '../../../test/support/csv-texts.ts';

function rowsWith(count: number, bad: Readonly<Record<number, string>>): string {
  const rows = Array.from({ length: count }, (_, i) => bad[i + 1] ?? `8.${i + 1000},47.${i + 1000},${i}`);
  return `lon,lat,n\n${rows.join('\n')}\n`;
}

async function converted(text: string, options: Partial<ConvertOptions> = {}) {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.csv');
  writeFileSync(path, text);
  return await convertFile(path, workspace.path, { from: 'csv', to: 'geojson', ...options });
}

const IMPOSSIBLE = rowsWith(5000, { 12: '8.5,948.3,12', 4000: '8.5,-91,4000' });

test('a few impossible rows leave longitudes and latitudes degrees, and are reported', async () => {
  assert.equal((await read(IMPOSSIBLE)).source.assumedCrs?.crs, 'EPSG:4326');
  const { report } = await converted(IMPOSSIBLE);
  const found = report.warnings.find(({ code }) => code === 'COORDINATES_OUT_OF_RANGE');
  assert.deepEqual(
    [found?.count, found?.places.map(({ record }) => record), found?.params.share],
    [2, [12, 4000], 'less than 0.1 %'],
  );
  await assert.rejects(converted(IMPOSSIBLE, { strict: true }), { code: 'COORDINATE_OUT_OF_RANGE' });
});

test('impossible rows of other columns do not suggest projected systems', async () => {
  const pairs = IMPOSSIBLE.replace('lon,lat', 'x,y');
  const wkt = rowsWith(40, {})
    .replace(/^(8[\d.]+),([\d.]+),/gm, 'POINT ($1 $2),')
    .replace('lon,lat', 'wkt');
  for (const text of [pairs, wkt.replace(/47[\d.]+\)/, '948.3)')])
    await assert.rejects(
      converted(text),
      /Nearly all of its coordinates \(x 8\.\d+ to 8\.\d+, y 47\.\d+ to 47\.\d+\) fit longitude and latitude: .* EPSG:4326/,
    );
});

test('columns named like degrees with other values say so', async () => {
  await assert.rejects(
    converted('lat,lon\n472215,83300\n471500,91000\n'),
    /'lon' and 'lat' are named like degrees but have values such as 83300, .*without separators/,
  );
});

const WKB = '0101000000000000000000F03F0000000000000040';
const ewkb = (srid: number): string => {
  const bytes = Buffer.from(WKB, 'hex');
  const word = Buffer.alloc(4);
  word.writeUInt32LE(srid);
  return Buffer.concat([Buffer.from('0101000020', 'hex'), word, bytes.subarray(5)]).toString('hex');
};

test('reads WKB as the texts of PostgreSQL and SQL Server', async () => {
  for (const prefix of ['', '\\x', '\\X', '0x', '0X'])
    assert.deepEqual(await geometries(`id,geom\n1,${prefix}${WKB}\n2,\n`), ['POINT (1 2)', null], prefix);
  assert.deepEqual(await geometries(`id,geom_wkt\n1,\\x${WKB}\n2,POINT (3 4)\n`), [
    'POINT (1 2)',
    'POINT (3 4)',
  ]);
});

test('the SRID of a column that an option or the specification names is its CRS', async () => {
  const stated = (name: string, options = {}) =>
    read(`id,${name}\n1,\\x${ewkb(25_833)}\n2,NULL\n`, options).then(({ source }) => source.assumedCrs?.crs);
  assert.equal(await stated('geom'), 'EPSG:25833');
  assert.equal(await stated('geom_wkt'), 'EPSG:25833');
  assert.equal(await stated('shape', { geometry_column: 'shape' }), 'EPSG:25833');
  assert.equal((await read('geom_wkt,n\nSRID=25833;POINT (1 2),1\n')).source.assumedCrs?.crs, 'EPSG:25833');
});

test('two SRIDs in a column are an error with both and their lines', async () => {
  const text = `id,geom\n1,${ewkb(4326)}\n2,\n3,"${ewkb(25_832)}"\n`;
  assert.match(
    await errorOf(text),
    /^CSV_SRIDS CSV line 4, column 'geom': the geometry states SRID 25832, but line 2 states 4326; .*split the file/,
  );
  // After the first rows, in the same part and in another one.
  const many = `id,geom\n${Array.from({ length: 3000 }, (_, i) => `${i},${ewkb(i < 2500 ? 4326 : 25_832)}\n`).join('')}`;
  assert.match(
    await errorOf(many),
    /^CSV_SRIDS CSV line 2502, .*SRID 25832, but 2500 lines before states 4326/,
  );
  await assert.rejects(converted(`id,geom\n1,\n2,${ewkb(25_833)}\n`, { fromCrs: 'EPSG:4326' }), {
    code: 'CRS_CONFLICT',
    location: { record: 2, line: 3, layer: 'in' },
  });
});

test('the order of positions in one column is never guessed', async () => {
  const letters = Array.from({ length: 1500 }, (_, i) => `${i};N 47.${i + 1000} E 8.${i + 1000}`);
  const text = `n;place\n${letters.join('\n')}\n`;
  const options = { point_column: 'place' };
  assert.equal((await geometries(text, options))[0], 'POINT (8.1 47.1)');
  const late = await errorOf(`${text}x;"47.5, 8.5"\n`, options);
  assert.match(
    late,
    /^CSV_POINT_ORDER CSV line 1502, column 'place': '47\.5, 8\.5' does not state .*set 'csv_options\.point_order' to 'lat_lon'/,
  );
  // Dropping rows is for invalid ones.
  assert.equal(await errorOf(`${text}x;"47.5, 8.5"\n`, { ...options, on_error: 'skip' }), late);
  const empty = `n;place\n${'1;\n'.repeat(1200)}`;
  assert.match(await errorOf(`${empty}x;"47.5, 8.5"\n`, options), /^CSV_POINT_ORDER CSV line 1202/);
  assert.equal(
    (await geometries(`${empty}x;"47.5, 8.5"\n`, { ...options, point_order: 'lon_lat' }))[1200],
    'POINT (47.5 8.5)',
  );
});

const NOTHING = [
  '',
  'NULL',
  'null',
  'NA',
  'N/A',
  '#N/A',
  'NaN',
  'none',
  '\\N',
  '-',
  '(null)',
  '<NULL>',
  ' n/a ',
];

test('words for a missing value are no geometry, whatever the notation', async () => {
  const count = NOTHING.length;
  const expected = (point: string) => [point, ...NOTHING.map(() => null)];
  const both = (first: string) => `${first}\n${NOTHING.map((word) => `${word};${word}\n`).join('')}`;
  assert.deepEqual(await geometries(both('lon;lat\n8,5;47,5')), expected('POINT (8.5 47.5)'));
  assert.deepEqual(await geometries(both("lon;lat\n8°30'E;47°30'N")), expected('POINT (8.5 47.5)'));
  assert.ok((await codes(both('lon;lat\n8,5;47,5'))).includes(`COORDINATES_MISSING ${count}`));
  const one = (first: string) => `n;${first}\n${NOTHING.map((word) => `1;${word}\n`).join('')}`;
  assert.deepEqual(await geometries(one('lat_lon\n1;47.5, 8.5')), expected('POINT (8.5 47.5)'));
  assert.deepEqual(await geometries(one('geom\n1;POINT (8.5 47.5)')), expected('POINT (8.5 47.5)'));
  // An empty cell is how a CSV says that there is no geometry.
  assert.ok((await codes(one('geom\n1;POINT (8.5 47.5)'))).includes(`COORDINATES_MISSING ${count - 1}`));
  assert.deepEqual(await geometries('x,y,z\n1,2,3\n4,5,NA\n'), ['POINT Z (1 2 3)', 'POINT (4 5)']);
});

test('positions at 0, 0 are kept and counted', async () => {
  const text = 'lon,lat\n8.5,47.5\n0,0\n0.0,0\n';
  assert.deepEqual(await geometries(text), ['POINT (8.5 47.5)', 'POINT (0 0)', 'POINT (0 0)']);
  assert.ok((await codes(text)).includes('COORDINATES_ZERO 2'));
});
