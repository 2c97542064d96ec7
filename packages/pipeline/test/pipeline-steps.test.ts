/** How features go through a chain: which batches steps see, in which CRS, and what the report says of it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { exampleSteps } from '../../../test/support/example-steps.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { outputFormats } from '../../formats/src/registry.ts';
import type { Progress } from '../src/report.ts';

/** More than four partitions of the size that is usual with steps, fewer than threads are started for. */
const MANY = 9000;

interface PointFile {
  readonly features: readonly {
    readonly geometry: { readonly type: string; readonly coordinates: readonly unknown[] };
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
}

function points(count: number): string {
  const features = Array.from({ length: count }, (_, i) => {
    const name = `number ${i} of a few`;
    return `{"type":"Feature","properties":{"n":${i},"name":"${name}"},"geometry":{"type":"Point","coordinates":[${i / 1000},50]}}`;
  });
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`;
}

async function run(
  workspace: string,
  content: string,
  options: Partial<ConvertOptions> & Pick<ConvertOptions, 'transformations'>,
) {
  const from = options.from ?? 'geojson';
  const path = join(workspace, `in.${from}`);
  writeFileSync(path, content);
  const { registry, log } = exampleSteps();
  const converted = await convertFile(path, workspace, { from, to: 'geojson', registry, ...options });
  return { ...converted, log, output: readFileSync(converted.outputPath, 'utf8') };
}

function refusal(code: string, message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof GeomillError && error.code === code && message.test(error.message);
}

test('streaming steps run in their order, in every partition, and keep the order of features', async () => {
  using workspace = makeWorkspace();
  const transformations = [
    { type: 'shift', params: { dx: 10 } },
    { type: 'even', params: {} },
  ];
  const { output, report, log } = await run(workspace.path, points(MANY), { transformations });
  const { features } = JSON.parse(output) as PointFile;
  assert.equal(features.length, MANY / 2);
  assert.deepEqual(
    features.map(({ properties }) => properties.n),
    Array.from({ length: MANY / 2 }, (_, i) => i * 2),
  );
  assert.deepEqual(features[1].geometry.coordinates, [10.002, 50]);
  assert.ok(log.batches.length > 6, 'there were several partitions');
  assert.deepEqual(report.features, {
    read: MANY,
    written: MANY / 2,
    dropped: MANY / 2,
    merged: 0,
    generated: 0,
    skipped: 0,
    repaired: 0,
    split: 0,
  });
});

test('places of findings of a step count the features that reached it through the whole layer', async () => {
  using workspace = makeWorkspace();
  const transformations = [
    { type: 'even', params: {} },
    { type: 'even', params: {} },
  ];
  const { report } = await run(workspace.path, points(10), { transformations });
  const [warning] = report.warnings;
  assert.deepEqual(
    warning.places.map(({ record }) => record),
    [2, 4, 6, 8, 10],
  );
  assert.equal(warning.count, 5, 'the second step dropped nothing');
});

test('a step prepared once per layer knows where it stands and its CRS', async () => {
  using workspace = makeWorkspace();
  const transformations = [
    { type: 'shift', params: { dx: 0 } },
    { type: 'even', params: {}, path: 'transformations[1].params' },
  ];
  const { log } = await run(workspace.path, points(MANY), { transformations });
  assert.deepEqual(
    log.settings.map(({ path, layerName, crs }) => [path, layerName, crs.definition]),
    [
      ['transformations[0]', 'in', 'EPSG:4326'],
      ['transformations[1].params', 'in', 'EPSG:4326'],
    ],
  );
  const there = Float64Array.of(7, 50);
  log.settings[0].fromWgs84(there, 'XY');
  assert.deepEqual([...there], [7, 50], 'the data is in EPSG:4326 already');
});

test('a collecting step gets all features of the layer with the same fields, and steps go on behind it', async () => {
  using workspace = makeWorkspace();
  const transformations = [
    { type: 'even', params: {} },
    { type: 'gather', params: {} },
    { type: 'gather', params: {} },
  ];
  const content = points(MANY).replace('"n":0,', '"n":0,"late":true,');
  const { output, report, log } = await run(workspace.path, content, { transformations });
  const { features } = JSON.parse(output) as PointFile;
  assert.equal(features.length, 1);
  assert.equal(features[0].geometry.coordinates.length, MANY / 2);
  assert.deepEqual(features[0].properties, { count: 1 }, 'the second one met one feature');
  assert.equal(report.features.written, 1);
  const gathered = log.batches.filter(({ step }) => step === 'gather');
  assert.ok(gathered.length > 3);
  for (const { fields } of gathered.slice(0, -1)) assert.deepEqual(fields, gathered[0].fields);
});

test('a collecting step that gives nothing leaves an empty layer and a word about it', async () => {
  using workspace = makeWorkspace();
  const odd = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[1,2]}}]}`;
  for (const { id: to } of outputFormats) {
    using own = makeWorkspace();
    const { report } = await run(own.path, odd, {
      transformations: [
        { type: 'even', params: {} },
        { type: 'gather', params: {} },
      ],
      to,
      toCrs: null,
    });
    assert.ok(
      report.warnings.some(({ code }) => code === 'RESULT_EMPTY'),
      to,
    );
  }
  assert.deepEqual(workspace.entries(), []);
});

test('steps that name a field which is not there fail the job before they run, with the fields there are', async () => {
  using workspace = makeWorkspace();
  const content = points(10).replaceAll('"n":', '"m":');
  await assert.rejects(
    run(workspace.path, content, {
      transformations: [
        { type: 'shift', params: { dx: 1 } },
        { type: 'even', params: {} },
      ],
    }),
    refusal('FIELD_UNKNOWN', /layer 'in' at transformations\[1\] has no field 'n'.*'m', 'name'/),
  );
});

test('steps see the fields of all features, also where a batch has none of a field', async () => {
  using workspace = makeWorkspace();
  // Only the features of the first partition have `n`.
  const content = points(MANY).replace(/"n":(\d{4})/g, '"other":$1');
  const { report, log } = await run(workspace.path, content, {
    transformations: [{ type: 'even', params: {} }],
  });
  assert.equal(report.features.read, MANY);
  for (const { fields } of log.batches)
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['n', 'name', 'other'],
    );
});

test('steps see the types that a CSV has by all its rows, and texts as they were written', async () => {
  using workspace = makeWorkspace();
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i},${i === 19_998 ? 'x' : `${i}.50`},POINT(1 2)`);
  const content = `n,code,geom_wkt\n${rows.join('\n')}\n`;
  const { output, log } = await run(workspace.path, content, {
    from: 'csv',
    fromCrs: 'EPSG:4326',
    to: 'csv',
    transformations: [{ type: 'even', params: {} }],
  });
  assert.ok(log.batches.length > 1);
  for (const { fields } of log.batches)
    assert.deepEqual(fields, [
      { name: 'n', type: 'int32' },
      { name: 'code', type: 'string' },
    ]);
  assert.match(output, /^2,2\.50,/m);
});

test('statistics that a writer needs are those of what comes out of the steps', async () => {
  using workspace = makeWorkspace();
  const { report, outputPath } = await run(workspace.path, points(MANY), {
    to: 'shp',
    transformations: [
      { type: 'even', params: {} },
      { type: 'gather', params: {} },
    ],
  });
  assert.equal(report.features.written, 1);
  using second = makeWorkspace();
  const back = await convertFile(outputPath, second.path, { from: 'shp', to: 'geojson' });
  const { features } = JSON.parse(readFileSync(back.outputPath, 'utf8')) as PointFile;
  assert.deepEqual([features[0].geometry.type, features[0].properties], ['MultiPoint', { count: MANY / 2 }]);
});

test('each step works in the CRS of its place, and the report tells every reprojection', async () => {
  using workspace = makeWorkspace();
  const { transformations: house } = await import('../../operations/src/registry.ts');
  const { registry, log } = exampleSteps();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(10));
  const { report, outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'geojson',
    registry: [...registry, ...house],
    transformations: [
      { type: 'reproject', params: { epsg: 25832 } },
      { type: 'shift', params: { dx: 1000 } },
      { type: 'reproject', params: { epsg: 25833 } },
      { type: 'reproject', params: { crs: 'EPSG:3857' } },
      { type: 'shift', params: { dx: 0 } },
    ],
  });
  assert.deepEqual(
    log.settings.map(({ crs }) => crs.definition),
    ['EPSG:25832', 'EPSG:3857'],
  );
  assert.deepEqual(
    report.reprojections.map(({ from, to }) => `${from} ${to}`),
    ['EPSG:4326 EPSG:25832', 'EPSG:25832 EPSG:3857', 'EPSG:3857 EPSG:4326'],
  );
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as PointFile;
  const [x, y] = features[9].geometry.coordinates as number[];
  assert.ok(Math.abs(x - 0.009 - 1000 / 71_700) < 0.001 && Math.abs(y - 50) < 0.01, `${x} ${y}`);
  const there = Float64Array.of(9, 50);
  log.settings[0].fromWgs84(there, 'XY');
  assert.ok(Math.abs(there[0] - 500_000) < 1, 'the central meridian of zone 32');
  log.settings[0].toWgs84(there, 'XY');
  assert.ok(Math.abs(there[0] - 9) < 1e-9);
});

test('progress never falls and moves during a collecting step', async () => {
  using workspace = makeWorkspace();
  const told: Progress[] = [];
  await run(workspace.path, points(MANY), {
    transformations: [{ type: 'gather', params: {} }],
    onProgress: (progress) => told.push(progress),
  });
  const fractions = told.map(({ fraction }) => fraction);
  assert.deepEqual(
    fractions,
    fractions.toSorted((a, b) => a - b),
  );
  assert.ok(
    new Set(told.filter(({ stage }) => stage === 'collecting').map(({ fraction }) => fraction)).size > 6,
  );
  assert.ok((told.at(-1)?.fraction ?? 0) > 0.9);
});

test('a conversion that is cancelled within a collecting step ends as cancelled, without an output', async () => {
  using workspace = makeWorkspace();
  const abort = new AbortController();
  await assert.rejects(
    run(workspace.path, points(MANY), {
      transformations: [{ type: 'gather', params: {} }],
      signal: abort.signal,
      onProgress: ({ stage }) => {
        if (stage === 'collecting') abort.abort();
      },
    }),
    refusal('CANCELLED', /cancelled/),
  );
  assert.deepEqual(
    workspace.entries().filter((name) => name.startsWith('out/')),
    [],
  );
});
