/** What a machine has, cgroups of both versions included, and how many runners that carries. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { type CapacitySettings, planCapacity } from '../src/settings/capacity.ts';
import { readConfig } from '../src/settings/config.ts';
import { type Machine, readMachine } from '../src/settings/machine.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const UNSET: CapacitySettings = { runners: null, runnerThreads: null, runnerMemoryBytes: null };

function machine(cores: number, memoryBytes: number): Machine {
  return { cores, memoryBytes, coresAreLimited: false, memoryIsLimited: false };
}

const HARDWARE = { cores: 8, memoryBytes: 32 * GiB };

function machineWith(files: Readonly<Record<string, string>>): Machine {
  const root = mkdtempSync(join(tmpdir(), 'geomill-machine-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), `${text}\n`);
    }
    return readMachine(root, HARDWARE);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('limits of cgroups count, of either version and of every group around the own one', () => {
  const cases: [what: string, files: Record<string, string>, cores: number, memoryGiB: number][] = [
    ['no cgroups at all', {}, 8, 32],
    ['version 2, no limits', { 'proc/self/cgroup': '0::/a', 'sys/fs/cgroup/a/memory.max': 'max' }, 8, 32],
    [
      'a container with version 2',
      {
        'proc/self/cgroup': '0::/',
        'sys/fs/cgroup/cpu.max': '250000 100000',
        'sys/fs/cgroup/memory.max': String(4 * GiB),
      },
      2,
      4,
    ],
    [
      'a unit of systemd in a slice that is limited',
      {
        'proc/self/cgroup': '0::/mill.slice/geo mill.service',
        'sys/fs/cgroup/mill.slice/cpu.max': '600000 100000',
        'sys/fs/cgroup/mill.slice/memory.max': String(6 * GiB),
        'sys/fs/cgroup/mill.slice/geo mill.service/cpu.max': 'max 100000',
        'sys/fs/cgroup/mill.slice/geo mill.service/memory.max': 'max',
        'sys/fs/cgroup/mill.slice/geo mill.service/memory.high': String(5 * GiB),
      },
      6,
      5,
    ],
    ['half a processor', { 'proc/self/cgroup': '0::/', 'sys/fs/cgroup/cpu.max': '50000 100000' }, 1, 32],
    ['more than there is', { 'proc/self/cgroup': '0::/', 'sys/fs/cgroup/cpu.max': '6400000 100000' }, 8, 32],
    [
      'a container with version 1, its group under the name that the host gave it',
      {
        'proc/self/cgroup': '4:memory:/docker/1234\n3:cpu,cpuacct:/docker/1234\n1:name=systemd:/docker/1234',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': String(3 * GiB),
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '300000',
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000',
      },
      3,
      3,
    ],
    [
      'version 1 without limits',
      {
        'proc/self/cgroup': '4:memory:/\n3:cpu:/\n0::/',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
      },
      8,
      32,
    ],
    ['what cannot be read', { 'proc/self/cgroup': 'x', 'sys/fs/cgroup/cpu.max': 'lots' }, 8, 32],
  ];
  for (const [what, files, cores, memoryGiB] of cases) {
    const found = machineWith(files);
    assert.deepEqual([found.cores, found.memoryBytes / GiB], [cores, memoryGiB], what);
    assert.equal(found.memoryIsLimited, memoryGiB < 32, what);
  }
});

test('runners, threads and memory that are not set follow from the machine', () => {
  const rows: [cores: number, memory: number, runners: number, threads: number, runnerMemory: number][] = [
    [2, 24 * GiB, 2, 2, 2 * GiB],
    [4, 16 * GiB, 4, 4, 2 * GiB],
    [16, 64 * GiB, 16, 4, 2 * GiB],
    [16, 8 * GiB, 3, 10, 2 * GiB],
    [4, 4 * GiB, 1, 4, 2 * GiB],
    [8, 2 * GiB, 1, 8, 1536 * MiB],
    [1, 1 * GiB, 1, 1, 512 * MiB],
    [2, 512 * MiB, 1, 2, 256 * MiB],
  ];
  for (const [cores, memory, ...expected] of rows) {
    const { runners, runnerThreads, runnerMemoryBytes, warnings } = planCapacity(
      UNSET,
      machine(cores, memory),
    );
    assert.deepEqual(
      [runners, runnerThreads, runnerMemoryBytes],
      expected,
      `${cores} cores, ${memory / GiB} GiB`,
    );
    assert.deepEqual(warnings, []);
  }
});

test('whatever the machine, runners at full fit into its memory and do not crowd its processors', () => {
  const cores = fc.integer({ min: 1, max: 2048 });
  const memory = fc.integer({ min: 256, max: 4 * 1024 * 1024 }).map((mebibytes) => mebibytes * MiB);
  const set = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
  const settings = fc.record({
    runners: set(fc.integer({ min: 1, max: 1024 })),
    runnerThreads: set(fc.integer({ min: 1, max: 1024 })),
    runnerMemoryBytes: set(fc.integer({ min: 128, max: 1 << 20 }).map((mebibytes) => mebibytes * MiB)),
  });
  fc.assert(
    fc.property(cores, memory, settings, (coreCount, memoryBytes, given) => {
      const found = machine(coreCount, memoryBytes);
      const all = planCapacity(UNSET, found);
      const service = Math.min(memoryBytes / 2, Math.max(512 * MiB, memoryBytes / 10));
      assert.ok(all.runners * all.runnerMemoryBytes <= memoryBytes - service);
      assert.ok(all.runners * all.runnerThreads <= Math.max(2 * coreCount, 4 * all.runners));
      assert.ok(all.runners <= coreCount && all.runnerThreads <= coreCount);
      assert.deepEqual(all.warnings, []);

      const plan = planCapacity(given, found);
      for (const key of ['runners', 'runnerThreads', 'runnerMemoryBytes'] as const) {
        assert.equal(plan[key], given[key] ?? plan[key], 'what is set wins');
        assert.ok(Number.isSafeInteger(plan[key]) && plan[key] >= 1);
      }
      assert.ok(plan.runnerMemoryBytes >= 128 * MiB);
      const exceeds = plan.runners * plan.runnerMemoryBytes > memoryBytes;
      assert.equal(
        plan.warnings.some((text) => text.startsWith('RUNNERS x RUNNER_MEMORY')),
        exceeds,
      );
    }),
  );
});

test('a setting that exceeds the machine holds and is warned about; the choice is explained', () => {
  const config = readConfig(
    { RUNNERS: '8', RUNNER_THREADS: '6', RUNNER_MEMORY: '4 GiB' },
    machine(4, 8 * GiB),
  );
  assert.deepEqual([config.runners, config.runnerThreads, config.runnerMemoryBytes], [8, 6, 4 * GiB]);
  assert.deepEqual(
    config.capacity.warnings.map((text) => /^\S+( x \S+)?/.exec(text)?.[0]),
    ['RUNNERS x RUNNER_MEMORY', 'RUNNERS=8', 'RUNNER_THREADS=6'],
  );
  const limited = readConfig({ RUNNERS: '1' }, { ...machine(2, 6 * GiB), memoryIsLimited: true });
  assert.equal(
    limited.capacity.text,
    '2 cores and 6 GiB of memory (limit of its cgroup): RUNNERS=1 (set), RUNNER_THREADS=2 (derived), RUNNER_MEMORY=2 GiB (derived)',
  );
  assert.deepEqual(limited.capacity.warnings, []);
});
