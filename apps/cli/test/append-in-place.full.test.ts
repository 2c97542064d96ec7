/** A file that a command updates in place may be changed by another program meanwhile. Its changes are never overwritten. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { pointAt, writeFile, writeGeojson } from '../../../test/support/combine.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import {
  changeDatabase,
  contentOf,
  requireSound,
  writeRichGeopackage,
} from '../../../test/support/rich-gpkg.ts';
import { type Ended, runCli } from '../../../test/support/run-cli.ts';

const skip = process.platform === 'win32' ? 'named pipes are files on POSIX systems only' : false;
const CSV = 'geom_wkt,n\nPOINT(9 50),7\n';

/** Runs a command that reads the named pipe `pipe`; `meanwhile` runs when the command has opened it. */
async function runWith(
  argv: readonly string[],
  pipe: string,
  content: string | Uint8Array,
  meanwhile: () => void | Promise<void>,
): Promise<Ended> {
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const ended = runCli(argv, {});
  // Opening a pipe for writing waits until it is opened for reading; a command that ends before never opens it.
  const writer: FileHandle | Ended = await Promise.race([open(pipe, 'w'), ended]);
  if ('status' in writer) throw new Error(`the command did not read ${pipe}: ${writer.err}`);
  await meanwhile();
  await writer.writeFile(content);
  await writer.close();
  return await ended;
}

const remains = (workspace: { entries(): string[] }): string[] =>
  workspace.entries().filter((name) => /part|-wal|-shm|-journal/.test(name));

test('an append of files with several formats sees what another program saves meanwhile', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const first = writeGeojson(join(workspace.path, 'first.geojson'), [pointAt([9, 50], { n: 6 })]);
  const pipe = join(workspace.path, 'second.csv');
  const argv = ['append', master, first, pipe, '--out', master, '--overwrite', '--layer', 'roads'];
  const { status, err } = await runWith([...argv, '--append-crs', 'EPSG:4326'], pipe, CSV, () =>
    changeDatabase(master, (database) => database.exec("INSERT INTO lookup VALUES (3, 'saved', 3)")),
  );
  assert.equal(status, 1, err);
  assert.match(err, /'master\.gpkg' was created or changed by another program/);
  const { roads, lookup } = contentOf(master);
  assert.deepEqual([roads.length, lookup.length], [3, 3]);
  assert.deepEqual(remains(workspace), []);
});

for (const format of ['geojson', 'csv', 'shp', 'gpkg', 'dxf'])
  test(`an append in place of ${format} never overwrites a file that was changed meanwhile`, {
    skip,
  }, async () => {
    using workspace = makeWorkspace();
    const features = [pointAt([9, 50], { n: 1 })];
    const target = await writeFile(workspace.path, 'target', format, features);
    const other = readFileSync(await writeFile(workspace.path, 'other', format, features));
    const pipe = join(workspace.path, `pipe${/\.\w+$/.exec(target)?.[0]}`);
    const changed = join(workspace.path, 'changed');
    copyFileSync(target, changed);
    // As editors save: another file takes the name.
    const argv = ['append', target, pipe, '--out', target, '--overwrite', '--from-crs', 'EPSG:4326'];
    // Of a drawing only the features are written again.
    if (format === 'dxf') argv.push('--drop-other-content');
    const { status, err } = await runWith(argv, pipe, other, () => renameSync(changed, target));
    assert.equal(status, 1, err);
    assert.match(err, /was created or changed by another program/);
    assert.deepEqual(remains(workspace), []);
    const again = join(workspace.path, `again${/\.\w+$/.exec(target)?.[0]}`);
    writeFileSync(again, other);
    const done = await runCli(argv.with(2, again), {});
    assert.equal(done.status, 0, done.err);
  });

test('the same holds for layers added with --update, compressed files and the files of a shapefile', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const input = JSON.stringify({ type: 'FeatureCollection', features: [pointAt([9, 50], { n: 1 })] });
  const inputs = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([9, 50], { n: 1 })]);
  const update = await writeRichGeopackage(workspace.path);
  const gzipped = join(workspace.path, 'all.geojson.gz');
  const loose = join(workspace.path, 'loose.shp');
  for (const file of [gzipped, loose]) assert.equal((await runCli(['convert', inputs, file], {})).status, 0);
  const shapes = join(workspace.path, 'more.zip');
  assert.equal((await runCli(['convert', inputs, shapes], {})).status, 0);
  const pipe = (name: string): string => join(workspace.path, name);
  const cases = [
    { argv: ['convert', pipe('new.geojson'), update, '--update'], at: update, input },
    { argv: ['append', gzipped, pipe('b.geojson'), '--out', gzipped, '--overwrite'], at: gzipped, input },
    {
      argv: ['append', loose, pipe('b.zip'), '--out', loose, '--overwrite'],
      at: loose.replace('.shp', '.dbf'),
      input: readFileSync(shapes),
    },
  ];
  for (const { argv, at, input: content } of cases) {
    const saved = readFileSync(at);
    const fifo = argv.find((one) => /new\.geojson|b\.\w+$/.test(one)) as string;
    const { status, err } = await runWith(argv, fifo, content, () => writeFileSync(at, saved));
    assert.equal(status, 1, err);
    assert.match(err, /was created or changed by another program/);
    assert.deepEqual(readFileSync(at), saved);
  }
  assert.deepEqual(remains(workspace), []);
});

test('without --overwrite an output that appears meanwhile stays', { skip }, async () => {
  using workspace = makeWorkspace();
  const [pipe, out] = ['in.csv', 'out.gpkg'].map((name) => join(workspace.path, name));
  const { status, err } = await runWith(['convert', pipe, out, '--from-crs', 'EPSG:4326'], pipe, CSV, () =>
    writeFileSync(out, 'mine'),
  );
  assert.equal(status, 1, err);
  assert.match(err, /'out\.gpkg' was created or changed by another program/);
  assert.equal(readFileSync(out, 'utf8'), 'mine');
});

test('of two appends at once to one file, the one that ends last is refused', { skip }, async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const more = join(workspace.path, 'more.csv');
  writeFileSync(more, CSV);
  const pipe = join(workspace.path, 'pipe.csv');
  const argv = (file: string): string[] =>
    ['append', master, file, '--out', master, '--overwrite', '--layer', 'roads'].concat(
      '--append-crs',
      '4326',
    );
  const { status, err } = await runWith(argv(pipe), pipe, CSV, async () => {
    const done = await runCli(argv(more), {});
    assert.equal(done.status, 0, done.err);
  });
  assert.equal(status, 1);
  assert.match(err, /was created or changed by another program/);
  assert.equal(contentOf(master).roads.length, 4);
  requireSound(master, ['roads']);
});

test('a database that another program is about to change is left alone, before and after the work', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const bytes = readFileSync(master);
  const pipe = join(workspace.path, 'pipe.csv');
  const argv = [
    'append',
    master,
    pipe,
    '--out',
    master,
    '--overwrite',
    '--layer',
    'roads',
    '--append-crs',
    '4326',
  ];
  using other = new DatabaseSync(master);
  const late = await runWith(argv, pipe, CSV, () => other.exec('BEGIN IMMEDIATE'));
  assert.equal(late.status, 1, late.err);
  assert.match(late.err, /'master\.gpkg' is being changed by another program; wait/);
  const file = join(workspace.path, 'file.csv');
  writeFileSync(file, CSV);
  const early = await runCli(argv.with(2, file), {});
  assert.match(early.err, /is being changed by another program/);
  assert.deepEqual(readFileSync(master), bytes);
  other.exec('ROLLBACK');
  assert.equal((await runCli(argv.with(2, file), {})).status, 0);
});

test('a GeoPackage with a log is not replaced: the log would be applied to its successor', async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([9, 50], { n: 1 })]);
  using other = new DatabaseSync(master);
  other.exec('PRAGMA journal_mode = WAL; UPDATE lookup SET v = 5');
  const bytes = readFileSync(master);
  const { status, err } = await runCli(['convert', input, master, '--overwrite'], {});
  assert.equal(status, 1);
  assert.match(
    err,
    /'master\.gpkg' is open in another program, which keeps its last changes in 'master\.gpkg-wal'/,
  );
  assert.deepEqual(readFileSync(master), bytes);
  assert.ok(existsSync(`${master}-wal`));
});

test('a file that is updated keeps its permissions', { skip }, async () => {
  using workspace = makeWorkspace();
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([9, 50], { n: 1 })]);
  for (const format of ['geojson', 'gpkg', 'shp']) {
    const target = await writeFile(workspace.path, 'target', format, [pointAt([9, 50], { n: 1 })]);
    chmodSync(target, 0o640);
    const more = await writeFile(workspace.path, 'more', format, [pointAt([9, 50], { n: 2 })]);
    const argv = ['append', target, format === 'gpkg' ? input : more, '--out', target, '--overwrite'];
    const { status, err } = await runCli(argv, {});
    assert.equal(status, 0, err);
    assert.equal(statSync(target).mode & 0o777, 0o640);
  }
});

test('a shapefile that is replaced leaves no index of its earlier features', async () => {
  using workspace = makeWorkspace();
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([9, 50], { n: 1 })]);
  const out = join(workspace.path, 'out.shp');
  for (const extension of ['.shp', '.qix', '.sbn', '.qpj'])
    writeFileSync(out.replace('.shp', extension), 'old');
  const { status, err } = await runCli(['convert', input, out, '--overwrite'], {});
  assert.equal(status, 0, err);
  assert.deepEqual(
    workspace.entries().filter((name) => name.startsWith('out.')),
    ['out.cpg', 'out.dbf', 'out.prj', 'out.shp', 'out.shx'],
  );
});
