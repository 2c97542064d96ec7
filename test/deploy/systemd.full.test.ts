/** The units in deploy/systemd. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { DEPLOY, processConfig } from '../support/deployment.ts';

const DIRECTORY = join(DEPLOY, 'systemd');
const UNITS = readdirSync(DIRECTORY);
/** Of geomill.service, in which runners need system calls of bubblewrap; 0 is best, 10 worst. */
const MAX_EXPOSURE = 2.7;

/** Values of each option, in their order; `%i` is 1. */
function optionsOf(unit: string): Map<string, string[]> {
  const options = new Map<string, string[]>();
  for (const line of readFileSync(join(DIRECTORY, unit), 'utf8').split('\n')) {
    const found = /^(\w+)=(.*)$/.exec(line);
    if (found === null) {
      assert.match(line, /^(#.*|\[\w+\]|)$/, `${unit}: ${line}`);
      continue;
    }
    const [, name, value] = found;
    options.set(name, [...(options.get(name) ?? []), value.replaceAll('%i', '1')]);
  }
  return options;
}

test('there is a unit for one process, and one for each role', () => {
  assert.deepEqual(UNITS, ['geomill-api.service', 'geomill-worker@.service', 'geomill.service']);
});

for (const unit of UNITS)
  test(`${unit}: settings are valid, and a stop is not cut short`, () => {
    const options = optionsOf(unit);
    const only = (name: string): string => {
      const values = options.get(name) ?? [];
      assert.equal(values.length, 1, `${name} in ${unit}`);
      return values[0];
    };
    const role = / serve(?: --role (\w+))?$/.exec(only('ExecStart'))?.[1];
    assert.equal(role, /geomill-(\w+)/.exec(unit)?.[1]);
    const pairs = (options.get('Environment') ?? []).flatMap((value) => value.split(' '));
    const environment = Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
    const config = processConfig(environment, unit);
    assert.ok(Number(only('TimeoutStopSec')) >= config.shutdownDelaySeconds + config.graceSeconds + 5);
    assert.equal(only('KillMode'), 'mixed', 'only the service gets SIGTERM');
    // Directories of a user that exists while the unit runs; each process has its own.
    assert.equal(config.dataDirectory, `/var/lib/${only('StateDirectory')}`);
    assert.equal(environment.NODE_COMPILE_CACHE, `/var/cache/${only('CacheDirectory')}`);
    assert.equal(only('DynamicUser'), 'yes');
    const file = only('EnvironmentFile');
    // Without a database there is no process of one role, so there the file is required.
    assert.equal(file, role === undefined ? '-/etc/geomill.env' : '/etc/geomill.env');
    if (role !== undefined)
      assert.equal(config.auth, 'required', 'the limits of accounts hold in all processes');
  });

test('the units share their sandboxing; only those that run jobs may create namespaces', () => {
  const sandboxing = UNITS.map((unit) => {
    const options = optionsOf(unit);
    const own =
      /^(Description|ExecStart|Environment|EnvironmentFile|TimeoutStopSec|TasksMax|RestartSec|\w+Directory)$/;
    return new Map([...options].filter(([name]) => !own.test(name)));
  });
  const [api, worker, all] = sandboxing;
  assert.deepEqual(worker, all);
  assert.deepEqual(api.get('RestrictNamespaces'), ['yes']);
  assert.deepEqual(api.get('SystemCallFilter'), ['@system-service']);
  for (const name of ['RestrictNamespaces', 'SystemCallFilter']) api.set(name, all.get(name) ?? []);
  assert.deepEqual(api, all);
});

test('systemd accepts the units', (context) => {
  if (spawnSync('systemd-analyze', ['--version']).error !== undefined) return context.skip('no systemd here');
  const directory = mkdtempSync(join(tmpdir(), 'geomill-units-'));
  const node = join(directory, 'opt/geomill/node_modules/.bin/node');
  try {
    mkdirSync(join(node, '..'), { recursive: true });
    writeFileSync(node, '', { mode: 0o755 });
    for (const unit of UNITS) {
      const copy = join(directory, unit.replace('@', '@1'));
      copyFileSync(join(DIRECTORY, unit), copy);
      const text = readFileSync(copy, 'utf8').replace('ExecStart=', `ExecStart=${directory}`);
      writeFileSync(copy, text);
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, ''], unit);
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', copy], {
        encoding: 'utf8',
      });
      const exposure = Number(/Overall exposure level for \S+ (\d+\.\d+)/.exec(stdout)?.[1]);
      assert.ok(exposure <= MAX_EXPOSURE, `${unit}: ${exposure}`);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});
