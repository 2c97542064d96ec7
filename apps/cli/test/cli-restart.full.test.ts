/** Commands that read large files start again with settings with which they need less memory (apps/cli/src/restart.ts). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ENTRANCE } from '../../../test/support/program.ts';

const VARIABLE = 'MALLOC_MMAP_THRESHOLD_';
const UNION = JSON.stringify([{ type: 'union' }]);
const isPossible = process.platform === 'linux' && process.execve !== undefined;

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const large = join(directory, 'large.geojson');
const output = join(directory, 'out.geojson');
const log = join(directory, 'starts');
const logger = join(directory, 'log.cjs');

const square = (x: number): object => ({
  type: 'Feature',
  properties: {},
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [x, 0],
        [x + 1, 0],
        [x + 1, 1],
        [x, 1],
        [x, 0],
      ],
    ],
  },
});
const text = JSON.stringify({ type: 'FeatureCollection', features: [square(0), square(1), square(5)] });
// White space is read fast.
writeFileSync(large, Buffer.concat([Buffer.alloc(64 << 20, ' '), Buffer.from(text)]));
writeFileSync(
  logger,
  `const { appendFileSync } = require('node:fs');
   if (require('node:worker_threads').isMainThread)
     appendFileSync(${JSON.stringify(log)}, [process.pid, process.env.${VARIABLE} ?? 'unset', ...process.execArgv].join(' ') + '\\n');`,
);

/** Starts of the process that ran the command: its id and settings. The command has to succeed. */
function startsOf(argv: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): string[] {
  writeFileSync(log, '');
  const { [VARIABLE]: _, ...inherited } = process.env;
  const ran = spawnSync(process.execPath, [ENTRANCE, ...argv], {
    cwd: directory,
    env: { ...inherited, NODE_OPTIONS: `--require ${logger}`, ...env },
    input,
    encoding: 'utf8',
  });
  assert.equal(ran.status, 0, ran.stderr);
  assert.doesNotMatch(ran.stderr, /Warning/);
  return readFileSync(log, 'utf8').trimEnd().split('\n');
}

function featuresOf(path: string): number {
  return JSON.parse(readFileSync(path, 'utf8')).features.length;
}

test('a union of a large file starts again, once, in the same process', { skip: !isPossible }, () => {
  const [first, second, ...more] = startsOf(['convert', large, output, '--union', '--quiet']);
  assert.deepEqual(more, []);
  const [pid] = first.split(' ');
  assert.equal(first, `${pid} unset`);
  assert.equal(second, `${pid} 1048576 --max-semi-space-size=4`);
  assert.equal(featuresOf(output), 2);
});

test('a job document with a large input starts again', { skip: !isPossible }, () => {
  const document = { inputs: [{ path: large }], steps: JSON.parse(UNION), outputs: [{ path: output }] };
  writeFileSync(join(directory, 'job.json'), JSON.stringify(document));
  assert.equal(startsOf(['run', 'job.json', '--overwrite', '--quiet']).length, 2);
  assert.equal(featuresOf(output), 2);
});

test('a command that has read standard input, or that the user set, does not start again', () => {
  const argv = ['convert', large, output, '--overwrite', '--quiet'];
  assert.equal(startsOf([...argv, '--pipeline', '-'], UNION).length, 1);
  assert.equal(featuresOf(output), 2);
  assert.equal(startsOf([...argv, '--union'], '', { [VARIABLE]: '131072' }).length, 1);
});

test('a plain conversion of this size does not start again', () => {
  assert.equal(startsOf(['convert', large, output, '--overwrite', '--quiet']).length, 1);
  assert.equal(featuresOf(output), 3);
});
