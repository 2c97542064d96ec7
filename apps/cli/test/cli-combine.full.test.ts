import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ENTRANCE } from '../../../test/support/program.ts';
import { changeDatabase, contentOf } from '../../../test/support/rich-gpkg.ts';

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function geomill(...argv: readonly string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRANCE, ...argv], {
    cwd: directory,
    encoding: 'utf8',
    input: point(9, { n: 9 }),
  });
  return { status, out: stdout, err: stderr };
}

function point(x: number, properties: object): string {
  const geometry = { type: 'Point', coordinates: [x, 1] };
  const feature = { type: 'Feature', properties, geometry };
  return JSON.stringify({ type: 'FeatureCollection', features: [feature] });
}

function put(name: string, content: string): string {
  writeFileSync(join(directory, name), content);
  return name;
}

function propertiesIn(text: string): unknown[] {
  const { features } = JSON.parse(text) as { features: { properties: unknown }[] };
  return features.map(({ properties }) => properties);
}

const propertiesOf = (name: string): unknown[] => propertiesIn(readFileSync(join(directory, name), 'utf8'));

put('a.geojson', point(1, { n: 1 }));
put('b.geojson', point(2, { n: 2, more: true }));
put('c.geojson', point(3, { n: 'no number' }));
put('a.csv', 'geom_wkt,n\nPOINT(500000 5000000),1\n');
put('b.csv', 'geom_wkt,n\nPOINT(3 45),2\n');

test('append puts the features of files behind those of the target and tells what did not fit', () => {
  const { status, out, err } = geomill(
    'append',
    'a.geojson',
    'b.geojson',
    'c.geojson',
    '--out',
    'all.geojson',
  );
  assert.equal(status, 0, err);
  assert.equal(out, '');
  assert.deepEqual(propertiesOf('all.geojson'), [{ n: 1 }, { n: 2 }, { n: null }]);
  assert.match(err, /read 1 from 'b' of 'b.geojson'/);
  assert.match(err, /field 'more' of 'b.geojson' was dropped/);
  assert.match(err, /field 'n' of 'c.geojson' .*feature 1 of 'c.geojson'/);
});

test('append updates the target in place only with --overwrite, and only whole', () => {
  put('target.geojson', point(1, { n: 1 }));
  const refused = geomill('append', 'target.geojson', 'b.geojson', '--out', 'target.geojson');
  assert.equal(refused.status, 2);
  assert.match(refused.err, /'target.geojson' is the target; say --overwrite to update it/);
  put('broken.geojson', '{"type":"FeatureCollection","features":[{"type":"Feature",');
  const failed = geomill(
    'append',
    'target.geojson',
    'broken.geojson',
    '--out',
    'target.geojson',
    '--overwrite',
  );
  assert.equal(failed.status, 1);
  assert.match(failed.err, /broken\.geojson/);
  assert.deepEqual(propertiesOf('target.geojson'), [{ n: 1 }]);
  const { status, err } = geomill(
    'append',
    'target.geojson',
    'b.geojson',
    '--out',
    'target.geojson',
    '--overwrite',
  );
  assert.equal(status, 0, err);
  assert.deepEqual(propertiesOf('target.geojson'), [{ n: 1 }, { n: 2 }]);
});

test('a target that is updated through a link is updated where it is', () => {
  put('linked.geojson', point(1, { n: 1 }));
  symlinkSync(join(directory, 'linked.geojson'), join(directory, 'link.geojson'));
  const { status, err } = geomill(
    'append',
    'link.geojson',
    'b.geojson',
    '--out',
    'link.geojson',
    '--overwrite',
  );
  assert.equal(status, 0, err);
  assert.deepEqual(propertiesOf('linked.geojson'), [{ n: 1 }, { n: 2 }]);
});

test('what is appended or merged is never replaced', () => {
  for (const argv of [
    ['append', 'a.geojson', 'b.geojson', '--out', 'b.geojson'],
    ['merge', 'a.geojson', 'b.geojson', '--out', 'a.geojson'],
    ['append', 'a.geojson', 'a.geojson', '--out', 'a.geojson'],
  ]) {
    const { status, err } = geomill(...argv, '--overwrite');
    assert.equal(status, 2);
    assert.match(err, /is the input itself/);
  }
});

test('merge makes one layer of geometries, to standard output and with standard input among the files', () => {
  const { status, out, err } = geomill(
    'merge',
    'a.geojson',
    '-',
    '--from',
    'geojson',
    '--out',
    '-',
    '--to',
    'geojson',
  );
  assert.equal(status, 0, err);
  assert.deepEqual(propertiesIn(out), [{}, {}]);
  assert.equal((JSON.parse(out) as { name: string }).name, 'merged');
  assert.match(err, /2 features written/);
});

test('--from-crs holds for the target and what is appended, --append-crs for each appended file', () => {
  const both = geomill('append', 'a.csv', 'a.csv', '--from-crs', 'EPSG:32631', '--out', 'same.csv');
  assert.equal(both.status, 0, both.err);
  const crs = ['--from-crs', 'EPSG:32631', '--append-crs', 'EPSG:4326', '--append-crs', 'EPSG:32631'];
  const each = geomill(
    'append',
    'a.csv',
    'b.csv',
    'a.csv',
    ...crs,
    '--to-crs',
    'EPSG:32631',
    '--out',
    'each.csv',
  );
  assert.equal(each.status, 0, each.err);
  const rows = readFileSync(join(directory, 'each.csv'), 'utf8').trim().split(/\r?\n/).slice(1);
  assert.equal(rows.length, 3);
  for (const row of rows) assert.match(row, /POINT ?\((500000|49999\d)/);
});

test('a CRS that is missing or is said too often is told in flags, with the file', () => {
  const missing = geomill('append', 'a.csv', 'b.csv', '--append-crs', 'EPSG:4326', '--out', 'no.csv');
  assert.equal(missing.status, 1);
  assert.match(missing.err, /layer 'a' of 'a.csv' is unknown \(a CSV cannot state it\): add --from-crs/);
  const appended = geomill('merge', 'a.csv', 'b.csv', '--out', 'no.csv');
  assert.match(appended.err, /add --from-crs/);
  const three = ['--append-crs', '4326', '--append-crs', '4326', '--append-crs', '4326'];
  const often = geomill('append', 'a.csv', 'b.csv', 'b.csv', ...three, '--out', 'no.csv');
  assert.equal(often.status, 2);
  assert.match(often.err, /--append-crs came 3 times for 2 FILEs/);
  assert.equal(existsSync(join(directory, 'no.csv')), false);
});

for (const [what, argv, message] of [
  [
    'files of two formats',
    ['append', 'a.geojson', 'b.csv', '--out', 'x.csv'],
    /files of several formats can be merged, or appended to a GeoPackage/,
  ],
  ['no file to append', ['append', 'a.geojson', '--out', 'x.csv'], /at least one FILE/],
  ['no output', ['append', 'a.geojson', 'b.geojson'], /--out/],
  ['nothing to merge', ['merge', '--out', 'x.csv'], /got none/],
  [
    'standard input twice',
    ['merge', '-', '-', '--from', 'geojson', '--out', 'x.csv'],
    /one of the files only/,
  ],
] as const) {
  test(`${what} is refused with status 2 and a sentence`, () => {
    const { status, err } = geomill(...argv);
    assert.equal(status, 2);
    assert.match(err, message);
    assert.equal(readdirSync(directory).includes('x.csv'), false);
  });
}

test('append updates a GeoPackage with files of any format, and keeps what is in it', () => {
  assert.equal(geomill('convert', 'a.geojson', 'master.gpkg', '--to-crs', 'EPSG:32631').status, 0);
  changeDatabase(join(directory, 'master.gpkg'), (database) =>
    database.exec("CREATE TABLE layer_styles (styleQML TEXT); INSERT INTO layer_styles VALUES ('<qgis/>')"),
  );
  const before = contentOf(join(directory, 'master.gpkg'));
  const files = ['b.geojson', 'b.csv', '--append-crs', 'EPSG:4326', '--out', 'master.gpkg', '--overwrite'];
  const { status, err } = geomill('append', 'master.gpkg', ...files);
  assert.equal(status, 0, err);
  assert.match(err, /^3 features written as gpkg in EPSG:32631/);
  assert.match(
    err,
    /read 1 from 'a' of 'master.gpkg'.*\n.*read 1 from 'b' of 'b.geojson'.*\n.*read 1 from 'b' of 'b.csv'/,
  );
  const after = contentOf(join(directory, 'master.gpkg'));
  assert.deepEqual([after.a.length, after.a[0]], [3, before.a[0]]);
  assert.deepEqual([after.layer_styles, after.schema], [before.layer_styles, before.schema]);
  const refused = geomill(
    'append',
    'master.gpkg',
    'master.gpkg',
    '--out',
    'master.gpkg',
    '--overwrite',
    '--to-crs',
    '4326',
  );
  assert.equal(refused.status, 2, 'it is the input itself');
  assert.equal(geomill('convert', 'b.geojson', 'b.gpkg').status, 0);
  const argv = ['append', 'master.gpkg', 'b.gpkg', '--out', 'master.gpkg', '--overwrite', '--buffer', '1m'];
  const lossy = geomill(...argv);
  assert.equal(lossy.status, 1);
  assert.match(lossy.err, /would replace it without table 'layer_styles'.*add --drop-other-content/);
  assert.deepEqual(contentOf(join(directory, 'master.gpkg')), after);
  assert.equal(geomill(...argv, '--drop-other-content').status, 0);
  assert.equal('layer_styles' in contentOf(join(directory, 'master.gpkg')), false);
});

test('each command tells its usage', () => {
  for (const command of ['append', 'merge']) {
    const { status, out } = geomill(command, '--help');
    assert.equal(status, 0);
    assert.match(out, new RegExp(`^geomill ${command} .*--out OUT`));
    for (const line of out.split('\n')) assert.ok(line.length <= 120, line);
  }
});

/** Formats and positions of the features of a GeoJSON file, rounded. */
function positionsOf(name: string): unknown[] {
  const { features } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as {
    features: { geometry: { coordinates: number[] } }[];
  };
  return features.map(({ geometry }) => geometry.coordinates.map(Math.round));
}

test('a CRS that is stated once for files of several formats is that of the files that have none', () => {
  const merged = geomill('merge', 'a.geojson', 'a.csv', '--out', 'mixed.geojson', '--from-crs', 'EPSG:32632');
  assert.equal(merged.status, 0, merged.err);
  const expected = [
    [1, 1],
    [9, 45],
  ];
  assert.deepEqual(positionsOf('mixed.geojson'), expected);
  // A GeoPackage states its own, another one.
  assert.equal(geomill('convert', 'a.geojson', 'own.gpkg').status, 0);
  const added = geomill('append', 'own.gpkg', 'a.csv', '--out', 'added.gpkg', '--from-crs', 'EPSG:32632');
  assert.equal(added.status, 0, added.err);
  assert.equal(geomill('convert', 'added.gpkg', 'added.geojson').status, 0);
  assert.deepEqual(positionsOf('added.geojson'), expected);
  // Each to a file of its own.
  const batch = ['--out-dir', 'each', '--to', 'geojson', '--from-crs', 'EPSG:32632'];
  assert.equal(geomill('convert', 'own.gpkg', 'a.csv', ...batch).status, 0);
  assert.deepEqual(positionsOf('each/a.geojson'), [[9, 45]]);
  assert.deepEqual(positionsOf('each/own.geojson'), [[1, 1]]);
});

test('a CRS that is stated for one file, or for files of one format, is checked as before', () => {
  const each = ['--from-crs', 'EPSG:32632', '--from-crs', 'EPSG:32632'];
  const { status, err } = geomill('merge', 'own.gpkg', 'a.csv', '--out', 'checked.gpkg', ...each);
  assert.equal(status, 1);
  assert.match(err, /'--from-crs' is EPSG:32632, but layer 'a' of 'own.gpkg' states WGS 84/);
  const same = geomill('merge', 'own.gpkg', 'own.gpkg', '--out', 'checked.gpkg', '--from-crs', 'EPSG:32632');
  assert.equal(same.status, 1);
});
