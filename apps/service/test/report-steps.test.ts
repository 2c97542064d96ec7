/** Counts of a report: read = written + dropped + merged - generated, step by step and in total, whatever the steps. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import fc from 'fast-check';
import { formats } from '../../../packages/formats/src/registry.ts';
import { exampleStep } from '../../../packages/operations/src/parts/example-step.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import {
  checkedStep,
  parseSteps,
  type RequestedStep,
} from '../../../packages/operations/src/requested-steps.ts';
import type { ConversionReport, StepReport } from '../../../packages/pipeline/src/report.ts';
import { reportDocument, requestDocument } from '../../../packages/pipeline/src/report-document.ts';
import type { JobRequest } from '../../../packages/pipeline/src/request.ts';
import { parseJobRequest } from '../../../packages/requests/src/parse-job-request.ts';
import {
  type Feature,
  featuresIn,
  readRows,
  writeFile,
  writeGeojson,
} from '../../../test/support/combine.ts';
import {
  type ConvertOptions,
  combineFiles,
  convertFile,
  makeWorkspace,
  requestFor,
} from '../../../test/support/convert.ts';
import { catalogue } from '../src/catalogue.ts';

const total = (step: StepReport): number => step.dropped.reduce((sum, { features }) => sum + features, 0);

/** Checks the sums of a report, and its first and last count against those of the files. */
function checkCounts(report: ConversionReport, read: number, written: number): void {
  const { features, steps = [], output } = report;
  const { merged = 0, generated = 0, dropped } = features;
  assert.deepEqual([features.read, features.written], [read, written]);
  assert.equal(read, written + dropped + merged - generated);
  let current = read;
  for (const step of steps) {
    assert.equal(step.featuresIn, current, `${step.type} gets what the step before it gives`);
    assert.equal(step.featuresIn, step.featuresOut + total(step) + step.merged - step.generated, step.type);
    for (const { features: count } of step.dropped) assert.ok(count > 0);
    assert.ok(step.merged >= 0 && step.generated >= 0 && step.seconds >= 0);
    current = step.featuresOut;
  }
  const inSteps = steps.reduce((sum, step) => sum + total(step), 0);
  assert.equal(written, current - (dropped - inSteps), 'the output format drops the rest');
  const sums = [steps.reduce((sum, step) => sum + step.merged, 0), steps.reduce((sum, step) => sum + step.generated, 0)]; // biome-ignore format: one line
  assert.deepEqual(sums, [merged, generated]);
  assert.equal(
    (output.layers ?? []).reduce((sum, layer) => sum + layer.features, 0),
    written,
  );
}

/** The second source of the steps that need one. */
const directory = makeWorkspace();
after(() => directory[Symbol.dispose]());
const SOURCE = writeGeojson(
  join(directory.path, 'zones.geojson'),
  [8.55, 8.56, 8.57].map((x, i) => ({
    type: 'Feature',
    properties: { name: `zone ${i}`, code: ['Ahlen', 'Ahlen', 'Celle'][i], pop: i, population: i },
    geometry: { type: 'Polygon', coordinates: [[[x, 53.53], [x + 0.015, 53.53], [x, 53.56], [x, 53.53]]] },
  })),
); // biome-ignore format: a triangle
const stepInputs = { [SOURCE]: { path: SOURCE, name: 'zones.geojson' } };

/** A step of each transformation; all fields that they name are in the features. */
const STEPS: readonly RequestedStep[] = transformations.map((record) => {
  const { fileParameter } = record;
  const { params = {} } = exampleStep(record);
  const upload = `${fileParameter?.part}_upload`;
  if (fileParameter === undefined || !(upload in params))
    return parseSteps([exampleStep(record)], 'transformations', transformations)[0];
  const { [upload]: _, ...others } = params;
  return checkedStep(record, { ...others, [fileParameter.part]: SOURCE }, 'step', transformations);
});
const TO_METRES: RequestedStep = { type: 'reproject', params: { epsg: 25832 } };

const degrees = (from: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 400 }).map((n) => from + n / 10_000);
const position = fc.tuple(degrees(8.55), degrees(53.53));
const ring = fc.tuple(position, fc.integer({ min: 1, max: 90 })).map(([[x, y], size]) => [
  [x, y],
  [x + size / 10_000, y],
  [x, y + size / 10_000],
  [x, y],
]);
const geometry: fc.Arbitrary<Feature['geometry']> = fc.oneof(
  fc.constant(null),
  position.map((coordinates) => ({ type: 'Point', coordinates })),
  fc.array(position, { maxLength: 3 }).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  fc
    .array(position, { minLength: 2, maxLength: 4 })
    .map((coordinates) => ({ type: 'LineString', coordinates })),
  ring.map((one) => ({ type: 'Polygon', coordinates: [one] })),
  fc
    .array(ring, { maxLength: 3 })
    .map((rings) => ({ type: 'MultiPolygon', coordinates: rings.map((one) => [one]) })),
);
const features = fc
  .array(fc.tuple(geometry, fc.constantFrom('Ahlen', 'Bonn', null), fc.nat(20)), {
    minLength: 1,
    maxLength: 9,
  })
  .map((list) =>
    list.map(([shape, name, pop], i): Feature => {
      const properties = {
        name,
        pop,
        zone: pop % 3,
        kind: name,
        population: pop,
        POP_EST: pop,
        shape_area: 1,
        code: name,
        vehicle: name,
        time: pop,
      };
      return { type: 'Feature', id: i + 1, properties, geometry: shape };
    }),
  );

const convert = (list: readonly Feature[], workspace: string, options: Partial<ConvertOptions>) =>
  convertFile(writeGeojson(join(workspace, 'in.geojson'), list), workspace, {
    from: 'geojson',
    to: 'geojson',
    stepInputs,
    ...options,
  });

for (const step of STEPS)
  test(`the counts of ${step.type} add up, and name the features that the output has`, async () => {
    const code = await transformations.find(({ id }) => id === step.type)?.load();
    await fc.assert(
      fc.asyncProperty(features, async (list) => {
        using workspace = makeWorkspace();
        const { report, outputPath } = await convert(list, workspace.path, {
          transformations: [TO_METRES, step],
        });
        const found = featuresIn(outputPath);
        checkCounts(report, list.length, found.length);
        const [, own] = report.steps ?? [];
        assert.equal(own.type, step.type);
        if (code?.kind === 'collecting' || (code?.kind === 'serial' && code.merges === true)) return;
        const kept = found.filter(({ id }) => id !== undefined).map(({ id }) => Number(id));
        assert.ok(kept.every((id) => id >= 1 && id <= list.length));
        assert.equal(new Set(kept).size, kept.length);
        assert.equal(list.length - kept.length, total(own), 'each feature that is gone is dropped');
        assert.equal(found.length - kept.length, own.generated, 'each additional feature is generated');
        assert.equal(own.merged, 0);
      }),
      { numRuns: 6 },
    );
  });

test('the counts of any steps in a row add up, to every format', async () => {
  const steps = fc.array(fc.constantFrom(...STEPS.filter(({ type }) => type !== 'reproject')), {
    maxLength: 4,
  });
  const formats = fc.constantFrom('geojson', 'csv', 'gpkg', 'dxf');
  await fc.assert(
    fc.asyncProperty(features, steps, formats, async (list, chain, to) => {
      using workspace = makeWorkspace();
      const options = { transformations: [TO_METRES, ...chain], to, toCrs: 'EPSG:25832' };
      const { report, outputPath } = await convert(list, workspace.path, options).catch((error: Error) => {
        // A field that an earlier step removed.
        assert.match(error.message, /has no field/);
        return { report: null, outputPath: '' };
      });
      if (report === null) return;
      const written = Object.values(await readRows(to, outputPath)).flat().length;
      checkCounts(report, list.length, written);
    }),
    { numRuns: 20 },
  );
});

test('the counts of appended and merged files of several layers add up', async () => {
  const list = fc.sample(features, { seed: 5, numRuns: 6 });
  for (const operation of ['append', 'merge'] as const)
    for (const to of ['gpkg', 'dxf']) {
      using workspace = makeWorkspace();
      const files = await Promise.all(
        list.map((some, i) => writeFile(workspace.path, `f${i}`, 'gpkg', some)),
      );
      const { report, outputPath } = await combineFiles(files, workspace.path, {
        operation,
        from: 'gpkg',
        to,
        toCrs: 'EPSG:25832',
        layers: operation === 'append' ? ['f0'] : undefined,
        transformations: parseSteps([{ type: 'explode' }, { type: 'union' }], 't', transformations),
      }).catch((error: Error) => assert.fail(error.message));
      const written = Object.values(await readRows(to, outputPath)).flat().length;
      checkCounts(report, report.input.layers.reduce((sum, layer) => sum + layer.features, 0), written); // biome-ignore format: one line
    }
});

test('threads and partitions change no count', async () => {
  using workspace = makeWorkspace();
  const list = Array.from({ length: 20_000 }, (_, i): Feature => {
    const at = [8.5 + (i % 100) / 1000, 53.5 + Math.floor(i / 100) / 1000];
    const coordinates = i % 4 === 0 ? [at, [at[0] + 1, at[1]]] : at;
    const type = i % 4 === 0 ? 'MultiPoint' : 'Point';
    return { type: 'Feature', id: i, properties: { pop: i % 10 }, geometry: { type, coordinates } };
  });
  const chain = parseSteps(
    [{ type: 'filter', where: 'pop > 1' }, { type: 'explode' }, { type: 'dissolve', by: ['pop'] }],
    't',
    transformations,
  );
  const counts = [];
  for (const threads of [1, 3]) {
    const directory = join(workspace.path, String(threads));
    const { report, outputPath } = await convert(list, directory, { transformations: chain, threads });
    checkCounts(report, 20_000, featuresIn(outputPath).length);
    counts.push(report.steps?.map((step) => ({ ...step, seconds: 0 })));
  }
  assert.deepEqual(counts[0], counts[1]);
  const none = { seconds: 0, crs: ['EPSG:4326'], dropped: [], merged: 0, generated: 0 };
  assert.deepEqual(counts[0], [
    { ...none, type: 'filter', featuresIn: 20_000, featuresOut: 16_000, dropped: [{ reason: 'FILTERED', features: 4000 }] },
    { ...none, type: 'explode', featuresIn: 16_000, featuresOut: 20_000, generated: 4000 },
    { ...none, type: 'dissolve', featuresIn: 20_000, featuresOut: 8, merged: 19_992 },
  ]); // biome-ignore format: a table
});

test('records that are not read are counted as skipped, beside the features', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.csv');
  writeFileSync(path, 'geom_wkt,a\nPOINT (1 2),1\nPOINT (x),2\n"POINT (3 4)",3\n');
  const { report } = await convertFile(path, workspace.path, {
    from: 'csv',
    to: 'geojson',
    fromCrs: 'EPSG:4326',
    readOptions: { on_error: 'skip' },
  });
  checkCounts(report, 2, 2);
  assert.deepEqual([report.features.skipped, report.features.dropped], [1, 0]);
});

test('the document of a report has one sentence, keys in snake_case, and the parameters and the request as they were', async () => {
  using workspace = makeWorkspace();
  const options = {
    from: 'geojson',
    to: 'shp',
    toCrs: 'EPSG:25832',
    transformations: parseSteps(
      [{ type: 'dissolve', by: ['userKey'], aggregate: { popCount: 'sum' } }],
      't',
      transformations,
    ),
  };
  const list = [1, 2, 3].map((id): Feature => {
    const point = { type: 'Point', coordinates: [8 + id / 10, 53] };
    return { type: 'Feature', id, properties: { userKey: 'a', popCount: id }, geometry: point };
  });
  const { report } = await convert(list, workspace.path, options);
  const document = reportDocument(report, requestFor(options), catalogue) as Readonly<
    Record<string, unknown>
  >;
  assert.equal(
    document.summary,
    "3 features read from 'in.geojson', 1 written as shp in EPSG:25832 (2 merged); no warnings",
  );
  const [step] = document.steps as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual([step.features_in, step.features_out, step.merged], [3, 1, 2]);
  assert.deepEqual(step.parameters, options.transformations[0].params);
  const { transformations: steps, output } = document.request as Readonly<Record<string, unknown>>;
  assert.deepEqual(steps, options.transformations.map(({ type, params }) => ({ type, params }))); // biome-ignore format: one line
  assert.deepEqual(output, { format: 'shp', epsg: 'EPSG:25832', to_file: true });
  // A runner is not trusted: it may report steps that nobody asked for.
  const untrusted = { ...report, steps: [...(report.steps ?? []), ...(report.steps ?? [])] };
  const more = reportDocument(untrusted, requestFor(options), catalogue) as {
    steps: { parameters: unknown }[];
  };
  assert.deepEqual(more.steps.map(({ parameters }) => parameters), [step.parameters, null]); // biome-ignore format: one line
  const { steps: _, request, ...rest } = document;
  const keys = [...JSON.stringify(rest).matchAll(/"(\w+)":/g)].map(([, key]) => key);
  assert.deepEqual(
    keys.filter((key) => key !== key.toLowerCase()),
    [],
  );
});

test('the request of a report means the same when it is sent again', () => {
  const steps = [{ type: 'buffer', params: { distance: 5, units: 'meters' } }];
  const output = { format: 'gpkg', epsg: 25832, layer_name: 'all' };
  const configs = {
    transform: {
      input: { format: 'csv', epsg: 4326, csv_options: { delimiter: ';' } },
      fail_on: 'lost',
      strict: true,
    },
    append: { input: { format: 'dxf', crs: 25832 }, append_crs_mapping: ['25832', 4326] },
    merge: { input: { format: 'shp', layer: 'a' }, input_crs_mapping: [null, 4326, null] },
    inspect: { input: { format: 'geojson' } },
  };
  for (const [name, config] of Object.entries(configs)) {
    const operation = name as keyof typeof configs;
    const endpoint = { operation, inputFormat: null, spelling: 'nested' } as const;
    const parse = (value: unknown): { request: JobRequest; codes: string[] } => {
      const { forFiles, findings } = parseJobRequest(value, endpoint, { formats, transformations });
      return { request: forFiles(3), codes: findings.list().map(({ code }) => code) };
    };
    const first = parse({ ...config, output, transformations: steps });
    const again = parse(JSON.parse(JSON.stringify(requestDocument(first.request))));
    assert.deepEqual(again.codes, [], operation);
    const meaning = (request: JobRequest): unknown =>
      JSON.parse(JSON.stringify(request, (key, value) => (key === 'crsPath' ? undefined : value)));
    assert.deepEqual(meaning(again.request), meaning(first.request));
  }
});
