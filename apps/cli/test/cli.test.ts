import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
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
import { fileURLToPath } from 'node:url';
import { ENTRANCE } from '../../../test/support/program.ts';
import { checkDocument } from '../../../test/support/response-check.ts';

const sample = fileURLToPath(new URL('../../../samples/harbour.geojson', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  /** Names left in the directory for temporary files. */
  readonly leftovers: readonly string[];
}

interface Surroundings {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Interrupts the command once it has made its working directory. */
  readonly interrupt?: boolean;
}

async function geomill(argv: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const temporary = mkdtempSync(join(directory, 'tmp-'));
  const { npm_lifecycle_event: _, INIT_CWD: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [ENTRANCE, ...argv], {
    cwd: surroundings.cwd ?? directory,
    env: { ...inherited, TMPDIR: temporary, ...surroundings.env },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  if (surroundings.interrupt === true) {
    // Standard input stays open, so the command waits for it until it is interrupted.
    while (child.exitCode === null && !workIsUnderWay(temporary)) await new Promise(setImmediate);
    child.kill('SIGINT');
  } else child.stdin.on('error', () => {}).end(surroundings.input ?? '');
  return { status: await ended, out, err, leftovers: namesIn(temporary) };
}

/** The compile cache lives there too. */
function namesIn(temporary: string): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('geomill-'));
}

function workIsUnderWay(temporary: string): boolean {
  const isCopy = (name: string): boolean => name.startsWith('input');
  return namesIn(temporary).some((name) => readdirSync(join(temporary, name)).some(isCopy));
}

const place = (name: string): string => join(directory, name);

test('convert writes the output and tells what it did', async () => {
  const { status, out, err, leftovers } = await geomill(['convert', sample, 'plain.csv']);
  assert.equal(status, 0, err);
  assert.equal(out, '');
  assert.match(err, /^10 features written as csv in EPSG:4326/);
  assert.match(readFileSync(place('plain.csv'), 'utf8'), /^id,name,kind/);
  assert.deepEqual(leftovers, []);
});

test('convert --json prints the report, and nothing else, on standard output', async () => {
  const report = place('report.json');
  const args = ['convert', sample, 'json.zip', '--to', 'shp', '--json', '--report', report];
  const { status, out, err } = await geomill(args);
  assert.equal(status, 0, err);
  assert.equal((JSON.parse(out) as { features: { written: number } }).features.written, 10);
  assert.equal(readFileSync(report, 'utf8'), out);
  checkDocument('Report', JSON.parse(out));
});

test('convert - - reads standard input and writes standard output; the summary goes to standard error', async () => {
  const input = readFileSync(sample);
  const { status, out, err } = await geomill(['convert', '-', '-', '--from', 'geojson', '--to', 'csv'], {
    input,
  });
  assert.equal(status, 0, err);
  assert.equal(out.trim().split('\n').length, 11);
  assert.match(err, /from 'standard input'/);
});

test('info reads standard input too', async () => {
  const { status, out, err } = await geomill(['info', '-', '--from', 'geojson'], {
    input: readFileSync(sample),
  });
  assert.equal(status, 0, err);
  assert.match(out, /10 features/);
});

test('info of a drawing tells its unit and what could not be read, by line and handle', async () => {
  const fixtures = join(import.meta.dirname, '../../../test/fixtures/dxf');
  const whole = await geomill(['info', join(fixtures, 'r2018.dxf')]);
  assert.equal(whole.status, 0, whole.err);
  assert.match(whole.out, /geometry {2}4 Point, 11 LineString, 4 Polygon, with Z\n/);
  assert.match(whole.out, /unit {6}1 m, as the file says\n/);
  const broken = await geomill(['info', '--json', join(fixtures, 'bad-entities.dxf')]);
  const { warnings } = JSON.parse(broken.out) as { warnings: { code: string; places: object[] }[] };
  assert.deepEqual(
    warnings.find(({ code }) => code === 'ENTITY_SKIPPED')?.places.map((at) => ({ ...at, layer: '' })),
    [{ layer: '', line: 5, id: 'A1' }],
  );
});

test('the input is never replaced by the output, under whatever name it comes', async () => {
  copyFileSync(sample, place('same.geojson'));
  linkSync(place('same.geojson'), place('hard.csv'));
  symlinkSync(place('same.geojson'), place('soft.csv'));
  for (const name of ['same.geojson', './same.geojson', 'hard.csv', 'soft.csv']) {
    const { status, err } = await geomill(['convert', 'same.geojson', name, '--to', 'csv', '--overwrite']);
    assert.equal(status, 2, name);
    assert.match(err, /is the input itself/);
  }
  assert.deepEqual(readFileSync(place('same.geojson')), readFileSync(sample));
});

test('an output that exists is kept, unless --overwrite is said and the conversion succeeds', async () => {
  writeFileSync(place('kept.csv'), 'mine');
  const refused = await geomill(['convert', sample, 'kept.csv']);
  assert.equal(refused.status, 2);
  assert.match(refused.err, /exists; say --overwrite/);
  writeFileSync(place('cut.geojson'), '{"type":"FeatureCollection","features":[{"type":');
  const failed = await geomill(['convert', 'cut.geojson', 'kept.csv', '--overwrite']);
  assert.equal(failed.status, 1);
  assert.equal(readFileSync(place('kept.csv'), 'utf8'), 'mine');
  assert.equal(existsSync(place('kept.csv.partial')), false);
  for (const name of ['kept.csv', 'kept.geojson', 'kept.zip']) {
    writeFileSync(place(name), 'mine');
    const { status, err } = await geomill(['convert', sample, name, '--overwrite']);
    assert.equal(status, 0, err);
    assert.notEqual(readFileSync(place(name), 'utf8'), 'mine');
  }
});

const refused: readonly (readonly [
  what: string,
  argv: readonly string[],
  status: number,
  message: RegExp,
])[] = [
  ['an unknown command', ['frobnicate'], 2, /unknown command 'frobnicate'/],
  [
    'an unknown flag',
    ['convert', sample, 'a.csv', '--frobnicate'],
    2,
    /Unknown option '--frobnicate'; --help/,
  ],
  ['one name only', ['convert', sample], 2, /takes IN and OUT/],
  [
    'an unknown ending',
    ['convert', sample, 'a.xyz'],
    2,
    /cannot tell the format of 'a.xyz' from its extension; use --to/,
  ],
  [
    'a missing input',
    ['convert', 'nothing.geojson', 'a.csv'],
    1,
    /cannot open 'nothing.geojson': there is no/,
  ],
  ['a directory as input', ['convert', '.', 'a.csv', '--from', 'geojson'], 1, /it is a directory/],
  [
    'a directory as output',
    ['convert', sample, '.', '--to', 'csv', '--overwrite'],
    2,
    /is a directory; name a file/,
  ],
  [
    'a missing output directory',
    ['convert', sample, 'none/a.csv'],
    1,
    /cannot write '.*': there is no directory/,
  ],
  [
    'a device as output',
    ['convert', sample, '/dev/null', '--to', 'csv', '--overwrite'],
    2,
    /not a regular file/,
  ],
  [
    'an unknown CRS',
    ['convert', sample, 'a.csv', '--to-crs', 'nonsense'],
    1,
    /'--to-crs': unknown coordinate reference system 'nonsense'/,
  ],
  [
    'an option of another format',
    ['convert', sample, 'a.csv', '--in-delimiter', ';'],
    2,
    /not an option of geojson/,
  ],
  [
    'an impossible option',
    ['convert', sample, 'a.csv', '--out-delimiter', ';;'],
    1,
    /'--out-delimiter' must be/,
  ],
  ['an impossible number', ['convert', sample, 'a.csv', '--threads', 'many'], 2, /--threads wants a number/],
];

for (const [what, argv, status, message] of refused) {
  test(`${what} is refused with status ${status} and a sentence`, async () => {
    const ended = await geomill(argv);
    assert.match(ended.err, message);
    assert.equal(ended.status, status, ended.err);
    assert.deepEqual(ended.leftovers, []);
    assert.equal(existsSync(place('a.csv')), false);
  });
}

test('a csv without a CRS names the flag that states one', async () => {
  await geomill(['convert', sample, 'crsless.csv']);
  const { status, err } = await geomill(['convert', 'crsless.csv', 'crsless.geojson']);
  assert.equal(status, 1);
  assert.match(err, /--from-crs/);
});

test('names are relative to where npm was called, not to the checkout', async () => {
  mkdirSync(place('elsewhere'));
  copyFileSync(sample, place('elsewhere/here.geojson'));
  const { status, err } = await geomill(['convert', 'here.geojson', 'there.csv'], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { npm_lifecycle_event: 'geomill', INIT_CWD: place('elsewhere') },
  });
  assert.equal(status, 0, err);
  assert.equal(existsSync(place('elsewhere/there.csv')), true);
});

test('an interrupted command ends with 130 and leaves nothing behind', async () => {
  const { status, err, leftovers } = await geomill(['convert', '-', 'interrupted.csv', '--from', 'geojson'], {
    interrupt: true,
  });
  assert.equal(status, 130, err);
  assert.match(err, /cancelled/);
  assert.deepEqual(leftovers, []);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith('interrupted')),
    [],
  );
  const info = await geomill(['info', '-', '--from', 'geojson'], { interrupt: true });
  assert.equal(info.status, 130, info.err);
  assert.deepEqual(info.leftovers, []);
});

test('transformations are done in the order of their flags', async () => {
  const argv = ['convert', sample, 'chain.geojson', '--reproject', 'EPSG:25832', '--buffer', '-1m', '--json'];
  const { status, out, err } = await geomill([...argv, '--reproject=4326']);
  assert.equal(status, 0, err);
  const report = JSON.parse(out) as { reprojections: { to: string }[]; features: { dropped: number } };
  assert.deepEqual(
    report.reprojections.map(({ to }) => to),
    ['EPSG:25832', 'EPSG:4326'],
  );
  assert.ok(report.features.dropped > 0, 'points have no inside');
});

test('a pipeline file says all that a request can', async () => {
  writeFileSync(place('steps.json'), '[{"type":"reproject","params":{"epsg":25832,"zone":1}}]');
  const refused = await geomill(['convert', sample, 'piped.geojson', '--pipeline', 'steps.json']);
  assert.equal(refused.status, 1);
  assert.match(refused.err, /'--pipeline, step 1, zone' is not a parameter of reproject; it has epsg, crs/);
  writeFileSync(place('steps.json'), '{"transformations":[{"type":"reproject","epsg":25832}]}');
  const { status, err } = await geomill(['convert', sample, 'piped.geojson', '--pipeline', 'steps.json']);
  assert.equal(status, 0, err);
  const missing = await geomill(['convert', sample, 'x.geojson', '--pipeline', 'none.json']);
  assert.deepEqual([missing.status, /none\.json/.test(missing.err)], [1, true]);
});

test('a file whose format is not known from its name is refused with the format it is, or the flag to use', async () => {
  const cases: [argv: string[], expected: RegExp][] = [
    [
      ['convert', 'a.gml', 'a.gpkg'],
      /'a.gml': GML is not supported; convert it with 'ogr2ogr out\.gpkg in\.gml'/,
    ],
    [['convert', sample, 'a.dwg'], /'a.dwg': DWG can be read but not written; write a \.dxf/],
    [
      ['convert', 'roads.shx', 'a.gpkg'],
      /one file of a shapefile without the others is not supported; use its \.shp/,
    ],
    [
      ['convert', join(import.meta.dirname, '../../../LICENSE'), 'a.gpkg'],
      /cannot tell the format of '.*LICENSE' from its extension; it looks like .*; use --from with one of geojson/,
    ],
    [['convert', '-', 'a.gpkg'], /standard input and output have no name to tell the format; use --from/],
  ];
  for (const [argv, expected] of cases) {
    const { status, err } = await geomill(argv);
    assert.equal(status, 2, err);
    assert.match(err, expected);
  }
});

test('a .dbf alone is a table, and without one it says what is wrong', async () => {
  writeFileSync(join(directory, 'alone.dbf'), 'x'.repeat(100));
  const { status, err } = await geomill(['convert', 'alone.dbf', 'a.gpkg', '--from', 'shp']);
  assert.equal(status, 1);
  assert.match(err, /alone\.dbf: it declares a head of/);
  writeFileSync(join(directory, 'table.csv'), 'name,n\nÄpfel,7\nb,8\n');
  const written = await geomill(['convert', 'table.csv', 'table.dbf']);
  assert.equal(written.status, 0, written.err);
  assert.ok(existsSync(join(directory, 'table.cpg')) && !existsSync(join(directory, 'table.shp')));
  const read = await geomill(['convert', 'table.dbf', 'again.csv']);
  assert.equal(read.status, 0, read.err);
  assert.equal(readFileSync(join(directory, 'again.csv'), 'utf8'), 'name,n\nÄpfel,7\nb,8\n');
  const replaced = await geomill(['convert', 'table.csv', 'table.dbf']);
  assert.match(replaced.err, /'table\.dbf' exists; say --overwrite to replace it/);
});

test('a .dbf is not written beside the .shp of another file', async () => {
  writeFileSync(join(directory, 'shapes.shp'), '');
  const { status, err } = await geomill(['convert', sample, 'shapes.dbf']);
  assert.equal(status, 1);
  assert.match(err, /cannot write '.*shapes\.dbf': 'shapes\.shp' is beside it/);
});

test('a mask or pipeline that cannot be read is refused in words, not with codes of the system', async () => {
  for (const argv of [
    ['--clip', 'nosuch'],
    ['--pipeline', 'nosuch'],
  ]) {
    const { status, err } = await geomill(['convert', sample, 'a.gpkg', ...argv]);
    assert.equal(status, 1);
    assert.match(err, /^geomill: cannot open 'nosuch': there is no such file$/m);
  }
  const { err } = await geomill(['convert', sample, 'a.gpkg', '--clip', '.']);
  assert.match(err, /it is a directory/);
});

test('messages on the command line name flags, not fields of a request', async () => {
  const box = await geomill(['convert', sample, 'a.gpkg', '--filter', '471000,5933000,472000,5934000']);
  assert.match(box.err, /state the CRS of another box with '--bbox-crs'/);
  const inMetres = ['--filter', '471000,5933000,472000,5933200', '--bbox-crs', 'EPSG:25832'];
  const elsewhere = await geomill(['convert', sample, 'box.gpkg', ...inMetres]);
  assert.match(elsewhere.err, /^geomill: '--bbox-crs' must be EPSG:4326 or the CRS of the data here/m);
  const there = await geomill(['convert', sample, 'box.gpkg', '--reproject', 'EPSG:25832', ...inMetres]);
  assert.equal(there.status, 0, there.err);
  const merged = await geomill(['convert', sample, 'union.geojson', '--buffer', '200m', '--union']);
  assert.match(merged.err, /choose which with '--aggregate'/);
  const sum = await geomill(['convert', sample, 'sum.geojson', '--union', '--aggregate', 'name=sum']);
  assert.match(sum.err, /choose another function with '--aggregate'/);
});

test('a comma before a closing bracket is named as what is wrong', async () => {
  const texts = [
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1,},"geometry":null}]}',
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":null, }]}',
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":{"b":1,}},"geometry":null}]}',
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":null},\n]}',
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2,]}}]}',
  ];
  for (const text of texts) {
    const { status, err } = await geomill(['convert', '-', 'comma.csv', '--from', 'geojson', '--overwrite'], {
      input: text,
    });
    assert.equal(status, 1, text);
    assert.match(err, /the comma before this '[}\]]' has nothing after it; remove it/, text);
  }
});
