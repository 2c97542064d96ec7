/** Parts of a conversion as processes: killed, paused and run twice, and the scripts of engines. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { after, before } from 'node:test';
import { seededRandom } from '../../../bench/data.ts';
import { BatchCampaign, batchInput } from '../../../test/batch/campaign.ts';
import { DEPLOY } from '../../../test/support/deployment.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { runCli } from '../../../test/support/run-cli.ts';

const directory = mkdtempSync(join(tmpdir(), 'geomill-divided-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const within = (...names: string[]): string => join(directory, ...names);
const commands = within('bin');

function script(name: string, text: string): void {
  writeFileSync(join(commands, name), text);
  chmodSync(join(commands, name), 0o755);
}

before(async () => {
  mkdirSync(commands);
  script('geomill', `#!/bin/sh\nexec "${process.execPath}" "${ENTRANCE}" "$@"\n`);
  // Runs the tasks of a job one after the other, before it prints the number of the job.
  script(
    'sbatch',
    `#!/bin/bash
array= wrap= pass=
while [ $# -gt 0 ]; do
  case $1 in
    --array=*) array=\${1#*=} ;;
    --export=ALL,*) pass=\${1#*ALL,} ;;
    --wrap) wrap=$2; shift ;;
    --*) ;;
    *) echo "unknown: $1" >&2; exit 1 ;;
  esac
  shift
done
echo "$array $pass" >> "$SBATCH_LOG"
last=\${array%%%*}
last=\${last#0-}
for i in $(seq 0 "\${last:-0}"); do
  env \${array:+SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$i} $pass sh -c "$wrap" >&2 || exit 1
done
echo "7;cluster"
`,
  );
  writeFileSync(within('in.geojson'), batchInput());
  const { status, err } = await runCli(['convert', within('in.geojson'), within('one.csv'), '--quiet'], {});
  assert.equal(status, 0, err);
});

/** The script of an engine, in a directory of its own with the stand-ins first in PATH. */
function runScript(name: string, shell: string, engine: string): string {
  const own = within(name);
  mkdirSync(own);
  const env = {
    PATH: [commands, process.env.PATH].join(delimiter),
    SBATCH_LOG: join(own, 'log'),
    HOME: own,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  };
  const options = { cwd: own, env, encoding: 'utf8' } as const;
  const plan = ['../in.geojson', 'out.csv', '--parts', '2', '--work', 'w $x'];
  const divided = spawnSync('geomill', ['divide', ...plan, '--on', engine], options);
  assert.equal(divided.status, 0, divided.stderr);
  const { status, stderr, stdout } = spawnSync(shell, ['-c', divided.stdout], options);
  assert.equal(status, 0, stderr + stdout);
  assert.ok(readFileSync(join(own, 'out.csv')).equals(readFileSync(within('one.csv'))));
  assert.equal(existsSync(join(own, 'w $x')), false);
  return own;
}

test('the script for SLURM gives the bytes of one machine', () => {
  const own = runScript('slurm', 'bash', 'slurm');
  const lines = readFileSync(join(own, 'log'), 'utf8').trimEnd().split('\n').slice(0, 3);
  assert.deepEqual(lines, ['0-1%20 GEOMILL_PASS=1', '0-1%20 GEOMILL_PASS=2', '0-1%20 GEOMILL_PASS=3']);
});

const noParallel = spawnSync('parallel', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU parallel')
  ? false
  : 'GNU parallel is not installed';

test('the script for GNU parallel gives the bytes of one machine', { skip: noParallel }, () => {
  runScript('parallel', 'sh', 'parallel');
});

test('the scripts of deploy/batch are right for their shells', () => {
  for (const [shell, file] of [
    ['bash', 'slurm.sh'],
    ['bash', 'aws-batch.sh'],
    ['sh', 'parallel.sh'],
  ]) {
    const { status, stderr } = spawnSync(shell, ['-n', join(DEPLOY, 'batch', file)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
});

test('a part that is killed, paused or run twice changes nothing', async () => {
  const campaign = new BatchCampaign(seededRandom(7));
  try {
    const { problems } = await campaign.round(3, 2);
    assert.deepEqual(problems, []);
  } finally {
    campaign.remove();
  }
});
