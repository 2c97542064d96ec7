/** Exit statuses of all commands, and what happens when the reader of standard output ends first. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { ENTRANCE } from '../../../test/support/program.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { commands } from '../src/commands.ts';
import { EXIT } from '../src/exit-status.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
const HARBOUR = join(SAMPLES, 'harbour.gpkg');
const directory = mkdtempSync(join(tmpdir(), 'geomill-exit-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const inDirectory = (name: string): string => join(directory, name);

/** Runs a command whose reader of standard output has gone before the command starts. */
async function withoutReader(
  argv: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | null; readonly err: string }> {
  const child = spawn(process.execPath, [ENTRANCE, ...argv], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, err };
}

for (const name of Object.keys(commands)) {
  test(`${name}: help is 0, an unknown flag is 2, and help without a reader ends silently`, async () => {
    const [helped, refused, unread] = await Promise.all([
      runCli([name, '--help'], {}),
      runCli([name, '--no-such-flag'], {}),
      withoutReader([name, '--help']),
    ]);
    assert.deepEqual([helped.status, helped.err], [EXIT.success, '']);
    assert.equal(refused.status, EXIT.usage, refused.err);
    assert.deepEqual(unread, { status: EXIT.closedOutput, err: '' });
  });
}

test('commands that print data end silently if nobody reads it, and leave nothing behind', async () => {
  const temporary = inDirectory('tmp');
  mkdirSync(temporary);
  const out = inDirectory('job.gpkg');
  writeFileSync(
    inDirectory('job.json'),
    JSON.stringify({ inputs: [{ path: HARBOUR }], outputs: [{ path: '-', format: 'csv' }] }),
  );
  const cases: readonly (readonly string[])[] = [
    ['version'],
    ['--help'],
    ['help', 'buffer'],
    ['formats'],
    ['formats', '--json'],
    ['info', HARBOUR],
    ['info', HARBOUR, '--json'],
    ['crs', 'utm 32'],
    ['completions', 'bash'],
    ['convert', HARBOUR, '-', '--to', 'geojson', '--quiet'],
    ['convert', HARBOUR, '-', '--to', 'gpkg', '--quiet'],
    ['merge', HARBOUR, HARBOUR, '--out', '-', '--to', 'csv', '--quiet'],
    ['append', HARBOUR, HARBOUR, '--out', '-', '--to', 'csv', '--quiet'],
    ['run', inDirectory('job.json'), '--quiet'],
    ['convert', HARBOUR, out, '--json'],
  ];
  for (const argv of cases)
    assert.deepEqual(
      await withoutReader(argv, { TMPDIR: temporary }),
      { status: EXIT.closedOutput, err: '' },
      argv.join(' '),
    );
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('geomill')),
    [],
  );
});

test('a reader that takes the first bytes of a large output ends the command silently', async () => {
  const rows = Array.from({ length: 40_000 }, (_, i) => `${i},${(i % 360) - 180},${i % 90}`);
  writeFileSync(inDirectory('big.csv'), `id,lon,lat\n${rows.join('\n')}\n`);
  const command = `"$0" "$1" convert big.csv - --to geojson --quiet | head -c 30; echo " \${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', command, process.execPath, ENTRANCE], { cwd: directory });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  await once(child, 'close');
  assert.equal(err, '');
  assert.match(out, new RegExp(` ${EXIT.closedOutput}\n$`));
});

test('what exists and is not to be replaced is 2, whatever the command', async () => {
  const taken = inDirectory('taken.gpkg');
  assert.equal((await runCli(['convert', HARBOUR, taken], {})).status, EXIT.success);
  mkdirSync(inDirectory('out'));
  assert.equal((await runCli(['convert', HARBOUR, inDirectory('out/harbour.csv')], {})).status, EXIT.success);
  writeFileSync(inDirectory('out/quay.csv'), 'mine');
  writeFileSync(
    inDirectory('exists.json'),
    JSON.stringify({ inputs: [{ path: HARBOUR }], outputs: [{ path: taken }] }),
  );
  mkdirSync(inDirectory('data'));
  const cases: readonly (readonly string[])[] = [
    ['convert', HARBOUR, taken],
    ['convert', HARBOUR, taken, '--update'],
    ['convert', HARBOUR, '--out-dir', inDirectory('out'), '--to', 'csv'],
    ['convert', HARBOUR, '--out-dir', inDirectory('out'), '--to', 'csv', '--split-by', 'kind'],
    ['append', taken, HARBOUR, '--out', taken],
    ['merge', HARBOUR, HARBOUR, '--out', taken],
    ['run', inDirectory('exists.json')],
    ['submit', 'http://127.0.0.1:9', HARBOUR, taken],
  ];
  for (const argv of cases) {
    const { status, err } = await runCli(argv, { DATA_DIR: inDirectory('data') });
    assert.equal(status, EXIT.usage, `${argv.join(' ')}: ${err}`);
    assert.match(err, /exist|already|is the target/, argv.join(' '));
  }
});

test('other statuses: an input at fault is 1, a setting is 2, a service that is down is 3', async () => {
  writeFileSync(inDirectory('broken.geojson'), '{"type":');
  const cases: readonly (readonly [
    argv: readonly string[],
    status: number,
    settings?: Record<string, string>,
  ])[] = [
    [['convert', inDirectory('broken.geojson'), inDirectory('x.csv')], EXIT.userFault],
    [['info', inDirectory('missing.gpkg')], EXIT.userFault],
    [['crs', 'zzzzzz'], EXIT.userFault],
    [['submit', 'http://127.0.0.1:9', HARBOUR, inDirectory('x.csv')], EXIT.userFault],
    [['nothing'], EXIT.usage],
    [[], EXIT.usage],
    [['info', HARBOUR], EXIT.usage, { MAX_FEATURES: 'many' }],
    [
      ['serve'],
      EXIT.ourFault,
      { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d', STORE_URL: `file://${directory}` },
    ],
  ];
  for (const [argv, status, settings = {}] of cases) {
    const ended = await runCli(argv, { DATA_DIR: inDirectory('data'), PORT: '0', ...settings });
    assert.equal(ended.status, status, `${argv.join(' ')}: ${ended.err}`);
    assert.doesNotMatch(ended.err, /\n\s+at /);
  }
});
