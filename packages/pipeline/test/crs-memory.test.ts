/** PROJ's answers that the command line keeps: with them a conversion gives the same result as without. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { KeptCrsMemory } from '../../../apps/cli/src/crs-memory.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { CrsAnswerMissing, type CrsMemory, CrsService } from '../src/crs-service.ts';
import type { ConversionReport } from '../src/report.ts';

/** 4267 to 27700: more than one operation; the grad and foot of 2154 and 2263: other units. */
const PAIRS = [
  ['EPSG:4326', 'EPSG:25832'],
  ['EPSG:27700', 'EPSG:4267'],
  ['EPSG:2154', 'EPSG:2263'],
  ['EPSG:25832', 'EPSG:25832'],
] as const;

async function askAll(service: CrsService): Promise<unknown[]> {
  await service.prepare(PAIRS.flat());
  return PAIRS.flatMap(([from, to]) => [
    service.describe(from, 'test'),
    service.describe(to, 'test'),
    service.extentOf(from),
    service.equivalent(from, to),
    service.recipe(from, to),
    service.operation(from, to),
  ]);
}

test('answers are the same after they were kept and read again, without PROJ', async () => {
  using workspace = makeWorkspace();
  const asked = await askAll(new CrsService(null));
  const kept = new KeptCrsMemory(null, workspace.path);
  assert.deepEqual(await askAll(new CrsService(null, kept)), asked);
  kept.keep();
  const again = new CrsService(null, new KeptCrsMemory(null, workspace.path));
  assert.deepEqual(await askAll(again), asked);
  assert.throws(() => again.extentOf('EPSG:2056'), CrsAnswerMissing, 'PROJ is not loaded');
});

const CONVERSIONS: readonly Omit<ConvertOptions, 'from'>[] = [
  { to: 'gpkg', fromCrs: 'EPSG:25832', toCrs: 'EPSG:25832' },
  { to: 'geojson', fromCrs: 'EPSG:25832', toCrs: 'EPSG:4326' },
  { to: 'csv', fromCrs: 'EPSG:27700', toCrs: 'EPSG:3857' },
  {
    to: 'geojson',
    fromCrs: 'EPSG:25832',
    toCrs: 'EPSG:3857',
    transformations: [
      { type: 'reproject', params: { crs: 'EPSG:25833' } },
      { type: 'buffer', params: { distance: 10, units: 'meters', geodesic: true } },
    ] as never,
  },
];

function withoutTimes(report: ConversionReport): unknown {
  return JSON.parse(
    JSON.stringify(report, (key, value) => (/(?:_ms|Ms|seconds)$/i.test(key) ? null : value)),
  );
}

test('conversions with kept answers, and with a part of them, give the same bytes and reports', async () => {
  using workspace = makeWorkspace();
  const points = join(workspace.path, 'p.csv');
  writeFileSync(points, 'geom_wkt,name\nPOINT (500000 250000),a\nPOINT (510000 260000),b\n');
  const run = async (options: Omit<ConvertOptions, 'from'>, crsMemory?: CrsMemory): Promise<unknown[]> => {
    using own = makeWorkspace();
    const { report, outputPath } = await convertFile(points, own.path, {
      from: 'csv',
      ...options,
      crsMemory,
    });
    return [withoutTimes(report), options.to === 'gpkg' ? null : readFileSync(outputPath)];
  };
  for (const options of CONVERSIONS) {
    const plain = await run(options);
    const memory: CrsMemory = { descriptions: new Map(), extents: new Map(), pairs: new Map() };
    assert.deepEqual(await run(options, memory), plain);
    assert.ok(memory.descriptions.size > 0);
    assert.deepEqual(await run(options, memory), plain);
    memory.pairs.clear();
    assert.deepEqual(await run(options, memory), plain);
    memory.extents.clear();
    assert.deepEqual(await run(options, memory), plain);
  }
});

test('a file that is damaged, of another version or that others can write is not believed', () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'crs.json');
  const wrong = new KeptCrsMemory(null, workspace.path);
  wrong.extents.set('EPSG:25832', null);
  wrong.keep();
  const believed = (): number => new KeptCrsMemory(null, workspace.path).extents.size;
  assert.equal(believed(), 1);
  if (process.platform !== 'win32') {
    chmodSync(path, 0o666);
    assert.equal(believed(), 0);
    chmodSync(path, 0o600);
  }
  const text = readFileSync(path, 'utf8');
  for (const damaged of ['', '{', 'null', '[]', text.slice(0, -5), text.replace('geomill ', 'geomill 9')]) {
    writeFileSync(path, damaged);
    assert.equal(believed(), 0, damaged);
  }
});

test('a directory that cannot be made or written costs nothing but the answers', () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'file');
  writeFileSync(file, '');
  const memory = new KeptCrsMemory(null, join(file, 'below'));
  memory.extents.set('EPSG:25832', null);
  memory.keep();
  assert.equal(new KeptCrsMemory(null, join(file, 'below')).extents.size, 0);
});
