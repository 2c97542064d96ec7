/** Chains in worker threads: the same results as in one thread, and an end when they are cancelled. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { cpuMsOf } from '../../../test/support/growth.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { UnpackBudget } from '../../io/src/unpack-budget.ts';
import { isStored, readZipDirectory } from '../../io/src/zip-read.ts';
import { threadsForBinary } from '../src/executors.ts';
import type { Progress } from '../src/report.ts';
import { newThreads, type ThreadSource } from '../src/threads.ts';

/** A file of this many points is cut into more partitions than are read without threads. */
const MANY = 20_000;

const swap = { type: 'swap_xy', params: {} };
const reproject = { type: 'reproject', params: { epsg: 25832 } };
const buffer = {
  type: 'buffer',
  params: {
    distance: 2,
    units: 'meters',
    quadrant_segments: 2,
    end_cap: 'round',
    join: 'round',
    mitre_limit: 5,
    simplify_tolerance: 0,
    geodesic: false,
  },
};

function points(count: number): string {
  const features = Array.from({ length: count }, (_, i) => {
    const position = `[${9 + (i % 200) / 10_000},${50 + Math.floor(i / 200) / 10_000}]`;
    return `{"type":"Feature","id":${i},"properties":{"n":${i},"pad":"${'x'.repeat(20)}"},"geometry":{"type":"Point","coordinates":${position}}}`;
  });
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`;
}

interface Output {
  readonly features: readonly {
    readonly id: number;
    readonly geometry: { readonly type: string };
    readonly properties: { readonly n: number };
  }[];
}

test('threads write the same archive as one thread, and store it on request', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(MANY));
  const archives: Buffer[][] = [];
  for (const threads of [1, 2]) {
    const { outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'shp', threads });
    const bytes = readFileSync(outputPath);
    const entries = await readZipDirectory(outputPath, 'out.zip', new UnpackBudget(DEFAULT_INPUT_LIMITS));
    archives.push(
      // Headers have the time of the writing.
      entries.map(({ name, headerOffset, packedBytes }) => {
        const start = headerOffset + 30 + name.length;
        return bytes.subarray(start, start + packedBytes);
      }),
    );
  }
  assert.ok(archives[0].some(({ length }) => length > 100_000));
  assert.deepEqual(archives[0], archives[1]);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'shp',
    writeOptions: { compression: 'store' },
  });
  const stored = await readZipDirectory(outputPath, 'out.zip', new UnpackBudget(DEFAULT_INPUT_LIMITS));
  assert.ok(stored.every((entry) => isStored(entry)));
  // 28 bytes a point, and the header.
  assert.equal(stored[0].unpackedBytes, 100 + 28 * MANY);
});

test('a conversion of binary records leaves a core to the main thread while it is short', () => {
  const megabytes = (count: number): number => count << 20;
  assert.deepEqual(
    [1, 2, 4, 16].map((threads) => threadsForBinary(threads, megabytes(160))),
    [1, 1, 3, 3],
  );
  assert.deepEqual(
    [1, 2, 4, 16].map((threads) => threadsForBinary(threads, megabytes(10))),
    [1, 1, 1, 1],
  );
  assert.equal(threadsForBinary(2, megabytes(300)), 2);
});

test('a conversion of binary records writes the same bytes with any number of threads', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  // More than 8 MB of records: threads are started before the file is opened.
  writeFileSync(path, points(30_000).replaceAll('xxxx', 'long text '.repeat(7)));
  const gpkg = join(workspace.path, 'in.gpkg');
  renameSync(
    (await convertFile(path, workspace.path, { from: 'geojson', to: 'gpkg', threads: 2 })).outputPath,
    gpkg,
  );
  const outputs: Buffer[] = [];
  for (const threads of [1, 2, 4]) {
    const { outputPath } = await convertFile(gpkg, workspace.path, {
      from: 'gpkg',
      to: 'flatgeobuf',
      threads,
    });
    outputs.push(readFileSync(outputPath));
  }
  assert.ok(outputs[0].length > 8 << 20);
  assert.ok(outputs.every((output) => output.equals(outputs[0])));
});

test('threads end before a file is completed that is completed without them', async () => {
  for (const [to, isComplete] of [
    ['flatgeobuf', false],
    ['geojson', false],
    ['shp', true],
  ] as const) {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.geojson');
    writeFileSync(path, points(MANY));
    const outDirectory = join(workspace.path, 'out');
    let files: readonly string[] | null = null;
    const threadSource: ThreadSource = {
      ...newThreads,
      giveBack(threads, idle) {
        files = readdirSync(outDirectory);
        return newThreads.giveBack(threads, idle);
      },
    };
    const options = { from: 'geojson', to, threads: 2, threadSource, transformations: [swap] };
    const { outputPath } = await convertFile(path, workspace.path, options);
    assert.equal(dirname(outputPath), outDirectory);
    assert.equal(files!.includes(basename(outputPath)), isComplete, to);
  }
});

test('a chain in threads gives every feature once, in order, with its id', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(MANY));
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'geojson',
    transformations: [reproject, buffer],
    threads: 2,
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as Output;
  assert.deepEqual(
    features.map(({ id }) => id),
    Array.from({ length: MANY }, (_, i) => i),
  );
  assert.ok(features.every(({ geometry }) => geometry.type === 'Polygon'));
  assert.deepEqual(
    report.reprojections.map(({ from, to }) => `${from} ${to}`),
    ['EPSG:4326 EPSG:25832', 'EPSG:25832 EPSG:4326'],
  );
});

test('a collecting step in threads gets all features, and steps go on behind it', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(MANY));
  const wide = { ...buffer, params: { ...buffer.params, distance: 12 } };
  const told: Progress[] = [];
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'geojson',
    transformations: [
      reproject,
      wide,
      { type: 'union', params: { aggregate: { n: 'count' } } },
      { type: 'centroid', params: {} },
    ],
    threads: 2,
    onProgress: (progress) => told.push(progress),
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as Output;
  assert.deepEqual(
    features.map(({ geometry, properties }) => [geometry.type, properties.n]),
    [['Point', MANY]],
  );
  assert.deepEqual([report.features.read, report.features.written], [MANY, 1]);
  const fractions = told.map(({ fraction }) => fraction);
  assert.deepEqual(
    fractions,
    fractions.toSorted((a, b) => a - b),
  );
});

test('a chain in threads that is cancelled ends at once', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(MANY));
  const conversion = { from: 'geojson', to: 'geojson', transformations: [reproject, buffer], threads: 2 };
  const tenth = join(workspace.path, 'tenth.geojson');
  writeFileSync(tenth, points(MANY / 10));
  const tenthMs = await cpuMsOf(() =>
    convertFile(tenth, workspace.path, { ...conversion, outputName: 'tenth' }),
  );
  const abort = new AbortController();
  const told: number[] = [];
  const cancelledMs = await cpuMsOf(() =>
    assert.rejects(
      convertFile(path, workspace.path, {
        ...conversion,
        signal: abort.signal,
        onProgress: ({ stage, fraction }) => {
          if (stage !== 'converting') return;
          told.push(fraction);
          abort.abort();
        },
      }),
      (error) => error instanceof GeomillError && error.code === 'CANCELLED',
    ),
  );
  // Of the first partition of each thread, at most; and the threads have done far less than a tenth of the work.
  assert.ok(told.length <= 3, `${told}`);
  assert.ok(cancelledMs < tenthMs, `${cancelledMs} ms, and ${tenthMs} ms for a tenth`);
  assert.deepEqual(
    workspace.entries().filter((name) => name.startsWith('out/') && !name.startsWith('out/tenth')),
    [],
  );
});
