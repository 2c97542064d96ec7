/** Read options of a command with files of several formats, and of the file of a mask. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { featuresIn, pointAt, readRows, writeFile, writeGeojson } from '../../../test/support/combine.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { runCli } from '../../../test/support/run-cli.ts';

const CSV = 'name;note;geom_wkt\nnew;"a,b";POINT(9 50)\n';

test('a read option holds for the files of its format in a batch', async () => {
  using workspace = makeWorkspace();
  const csv = join(workspace.path, 'a.csv');
  writeFileSync(csv, CSV);
  const gpkg = await writeFile(workspace.path, 'b', 'gpkg', [pointAt([9, 50], { name: 'old' })]);
  const out = join(workspace.path, 'out');
  const argv = ['convert', csv, gpkg, '--out-dir', out, '--to', 'geojson', '--overwrite'];
  const { status, err } = await runCli([...argv, '--in-delimiter', ';', '--in-encoding', 'utf-8'], {});
  // A GeoPackage states its CRS, a CSV needs one.
  assert.equal(status, 1, err);
  assert.match(err, /a\.csv: .*--from-crs/);
  const done = await runCli([...argv, '--in-delimiter', ';', '--from-crs', 'EPSG:4326'], {});
  assert.equal(done.status, 0, done.err);
  const properties = ['a', 'b'].map((name) => featuresIn(join(out, `${name}.geojson`))[0].properties);
  assert.deepEqual(properties, [{ name: 'new', note: 'a,b' }, { name: 'old' }]);
});

test('a read option that fits no file is an error that names the formats and a like option', async () => {
  using workspace = makeWorkspace();
  const gpkg = await writeFile(workspace.path, 'b', 'gpkg', [pointAt([9, 50], { name: 'old' })]);
  const shp = await writeFile(workspace.path, 'c', 'shp', [pointAt([9, 50], { name: 'old' })]);
  const out = join(workspace.path, 'out');
  const batch = ['convert', gpkg, shp, '--out-dir', out, '--to', 'geojson', '--in-delimiter', ';'];
  const append = ['append', gpkg, shp, '--out', join(workspace.path, 'all.gpkg'), '--in-on-error', 'skip'];
  for (const [argv, message] of [
    [batch, /--in-delimiter is not an option of gpkg or shp; they have --in-encoding/],
    [append, /--in-on-error is not an option of shp; it has --in-encoding/],
    [['info', gpkg, '--in-encoding', 'utf-8'], /--in-encoding is not an option of gpkg; it has none/],
  ] as const) {
    const { status, err } = await runCli(argv, {});
    assert.equal(status, 2, err);
    assert.match(err, message);
  }
});

test('a read option holds for the files of its format in an append of several formats', async () => {
  using workspace = makeWorkspace();
  const target = await writeFile(workspace.path, 'target', 'gpkg', [
    pointAt([9, 50], { name: 'old', note: '' }),
  ]);
  const shp = await writeFile(workspace.path, 'c', 'shp', [pointAt([9, 50], { name: 'shape' })]);
  const csv = join(workspace.path, 'a.csv');
  writeFileSync(csv, CSV);
  const all = join(workspace.path, 'all.gpkg');
  const argv = ['append', target, shp, csv, '--out', all, '--append-crs', 'EPSG:4326', '--in-delimiter', ';'];
  const { status, err } = await runCli(argv, {});
  assert.equal(status, 0, err);
  const { target: rows } = await readRows('gpkg', all);
  assert.deepEqual(
    rows.map(({ properties }) => properties.name),
    ['old', 'shape', 'new'],
  );
});

test('a mask that is a CSV or a drawing is read with its own options and CRS', async () => {
  using workspace = makeWorkspace();
  const square = (from: number): number[][] => [
    [from, 50],
    [from + 1, 50],
    [from + 1, 51],
    [from, 51],
    [from, 50],
  ];
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [
    pointAt([9.5, 50.5], { n: 1 }),
    pointAt([19.5, 50.5], { n: 2 }),
  ]);
  const csv = join(workspace.path, 'mask.csv');
  const ring = square(9)
    .map(([x, y]) => `${x} ${y}`)
    .join(', ');
  writeFileSync(csv, `size;note;geom_wkt\n1,5;"a;b";POLYGON ((${ring}))\n`);
  const line = writeGeojson(join(workspace.path, 'line.geojson'), [
    { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [square(9)] } },
  ]);
  const dxf = join(workspace.path, 'mask.dxf');
  assert.equal((await runCli(['convert', line, dxf], {})).status, 0);
  // Without what geomill adds: as other programs write a closed polyline.
  writeFileSync(dxf, closedPolyline(square(9).slice(0, 4)));
  const out = join(workspace.path, 'out.geojson');
  const clip = (mask: string, ...more: string[]) =>
    runCli(['convert', input, out, '--overwrite', '--clip', mask, ...more], {});
  for (const argv of [
    [csv, '--mask-crs', 'EPSG:4326', '--mask-options', 'delimiter=;', '--mask-options', 'has-header=true'],
    [
      csv,
      '--mask-crs',
      'EPSG:4326',
      '--mask-options',
      'delimiter=;',
      '--mask-options',
      'decimal_comma=true',
    ].concat('--mask-filter', 'size > 1'),
    [dxf, '--mask-crs', 'EPSG:4326', '--mask-options', 'closed_polylines=polygons'],
  ]) {
    const [mask, ...more] = argv;
    const { status, err } = await clip(mask, ...more);
    assert.equal(status, 0, err);
    assert.deepEqual(
      featuresIn(out).map(({ properties }) => properties.n),
      [1],
    );
  }
  for (const [mask, more, code, message] of [
    [csv, [], 1, /--mask-crs/],
    [
      csv,
      ['--mask-options', 'delimeter=;'],
      1,
      /--mask-options.* is not an option for reading csv \(did you mean 'delimiter'\?\)/,
    ],
    [csv, ['--mask-options', 'has_header=perhaps'], 1, /--mask-options.*boolean/],
    [csv, ['--mask-options', 'delimiter'], 2, /--mask-options wants NAME=VALUE/],
    [dxf, ['--mask-options', 'curve_tolerance=-1'], 1, /--mask-options.*> 0/],
    [dxf, ['--mask-options', 'layouts=none'], 1, /--mask-options.*one of "model"/],
  ] as const) {
    const before = readFileSync(out, 'utf8');
    const { status, err } = await clip(mask, ...more);
    assert.match(err, message);
    assert.equal(status, code, err);
    assert.equal(readFileSync(out, 'utf8'), before);
  }
});

function closedPolyline(positions: readonly number[][]): string {
  const vertices = positions.flatMap(([x, y]) => [10, x, 20, y]);
  const tags = [
    0,
    'SECTION',
    2,
    'ENTITIES',
    0,
    'LWPOLYLINE',
    8,
    '0',
    100,
    'AcDbPolyline',
    90,
    positions.length,
    70,
    1,
  ];
  return `${[...tags, ...vertices, 0, 'ENDSEC', 0, 'EOF'].join('\n')}\n`;
}
