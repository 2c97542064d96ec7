/** `geomill crs`, and what a conversion without a CRS suggests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { CS2CS } from '../../../test/oracle/cs2cs.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { runCli } from '../../../test/support/run-cli.ts';

interface Hit {
  readonly code: string;
  readonly area: {
    readonly west: number;
    readonly south: number;
    readonly east: number;
    readonly north: number;
  };
}

interface Suggested extends Hit {
  readonly swapped: boolean;
  readonly extent: Hit['area'];
}

const LONDON = 'geom_wkt,n\nPOINT (530000 180000),1\nPOINT (531190 180710),2\n';

test('crs finds systems by words, near a point and by the coordinates of a file', async () => {
  using workspace = makeWorkspace();
  const words = await runCli(['crs', 'utm', '32'], {});
  assert.deepEqual([words.status, words.err], [0, '']);
  assert.match(words.out, /^EPSG:25832 +ETRS89 \/ UTM zone 32N +metre +\S/m);
  const path = join(workspace.path, 'london.csv');
  writeFileSync(path, LONDON);
  const near = await runCli(['crs', '--extent-of', path, '--near', '-0.1,51.5', '--json'], {});
  const { crs } = JSON.parse(near.out) as { crs: Hit[] };
  assert.equal(crs[0].code, 'EPSG:27700');
  for (const [argv, status, message] of [
    [['crs'], 2, /QUERY, --near, --bbox or --extent-of/],
    [['crs', '--near', 'here'], 2, /--near takes longitude and latitude/],
    [['crs', '--bbox', '1,2,3'], 2, /--bbox takes west, south, east and north/],
    [['crs', 'utm', '--unit', 'parsec'], 2, /--unit 'parsec' is the unit of no system; known units: .*metre/],
    [['crs', 'utm', '--limit', '0'], 2, /--limit takes a number from 1 to 100/],
    [['crs', 'there is no such thing'], 1, /no coordinate reference system was found/],
  ] as const) {
    const { status: ended, err } = await runCli(argv, {});
    assert.equal(ended, status, err);
    assert.match(err, message);
  }
});

test('crs takes a box and a unit', async () => {
  const swiss = await runCli(['crs', '--bbox', '6,45.9,10.4,47.7', '--unit', 'metre', '--limit', '3'], {});
  assert.match(swiss.out, /^EPSG:2056 /m);
  const feet = await runCli(['crs', 'california', '--unit', 'us-ft', '--json'], {});
  const { crs } = JSON.parse(feet.out) as { crs: { unit: string }[] };
  assert.deepEqual([...new Set(crs.map(({ unit }) => unit))], ['US survey foot']);
});

test('the coordinates of a file are compared with all systems', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'london.csv');
  writeFileSync(path, LONDON);
  const { out } = await runCli(['crs', 'grid', '--extent-of', path, '--json'], {});
  const { crs, may_be_local } = JSON.parse(out) as { crs: Suggested[]; may_be_local: boolean };
  assert.deepEqual([crs[0].code, crs[0].swapped, may_be_local], ['EPSG:27700', false, false]);
  assert.ok(crs[0].extent.west > -0.13 && crs[0].extent.east < -0.1, JSON.stringify(crs[0].extent));
  writeFileSync(path, 'geom_wkt,n\nPOINT (3512000 5404000),1\n');
  const axes = await runCli(['crs', '--extent-of', path], {});
  assert.match(axes.out, /^EPSG:31467 /);
  writeFileSync(path, 'geom_wkt,n\nPOINT (5404000 3512000),1\n');
  const exchanged = await runCli(['crs', '--extent-of', path], {});
  assert.match(exchanged.out, /^EPSG:31467 .*\(if x and y are exchanged\)$/m);
  writeFileSync(path, 'geom_wkt,n\nPOINT (1250 3010),1\n');
  const plan = await runCli(['crs', '--extent-of', path], {});
  assert.match(plan.err, /is a plan whose position is not known, its CRS is 'local'/);
});

test('info lists systems that fit a file without a CRS', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'london.csv');
  writeFileSync(path, LONDON);
  const { out } = await runCli(['info', path], {});
  assert.match(out, /crs +not stated; the coordinates fit .*EPSG:27700 \(/);
});

test('PROJ places the coordinates of the file in the area of each system that is found for them', {
  skip: existsSync(CS2CS) ? false : 'cs2cs is not installed',
}, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'london.csv');
  writeFileSync(path, LONDON);
  const { out } = await runCli(['crs', '--extent-of', path, '--json'], {});
  const { crs } = JSON.parse(out) as { crs: Suggested[] };
  assert.ok(crs.some(({ code }) => code === 'EPSG:27700'));
  for (const { code, area, swapped } of crs) {
    const point = (code === 'EPSG:2180') !== swapped ? '180000 530000' : '530000 180000';
    const { stdout } = spawnSync(CS2CS, ['-f', '%.6f', code, 'EPSG:4326'], {
      input: `${point}\n`,
      encoding: 'utf8',
    });
    const [latitude, longitude] = stdout.trim().split(/\s+/).map(Number);
    assert.ok(longitude >= area.west - 1 && longitude <= area.east + 1, `${code}: ${stdout}`);
    assert.ok(latitude >= area.south - 1 && latitude <= area.north + 1, `${code}: ${stdout}`);
  }
});

test('a conversion that needs a CRS lists candidates with the flag to add', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'london.csv');
  writeFileSync(path, LONDON);
  const out = join(workspace.path, 'out.gpkg');
  const { status, err } = await runCli(['convert', path, out], {});
  assert.equal(status, 1);
  assert.match(err, /a CSV cannot state it\): add --from-crs/);
  assert.match(err, /^ {2}--from-crs EPSG:27700 +OSGB36 \/ British National Grid$/m);
  writeFileSync(path, 'geom_wkt,n\nPOINT (9 48),1\n');
  assert.match((await runCli(['convert', path, out], {})).err, /^ {2}--from-crs EPSG:4326 +WGS 84$/m);
});
