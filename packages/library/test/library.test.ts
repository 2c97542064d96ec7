/** The library in this process: every kind of input and output, errors, and what a call leaves behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import {
  append,
  type ConvertJob,
  convert,
  createConverter,
  crs,
  type Feature,
  formats,
  GeomillError,
  type Input,
  inspect,
  join as joinParts,
  merge,
  plan,
  type RunOptions,
  read,
  runPart,
  steps,
  write,
} from '../src/library.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HARBOUR = join(ROOT, 'samples', 'harbour.geojson');
const work = mkdtempSync(join(tmpdir(), 'geomill-library-'));
const temporaryDirectory = mkdtempSync(join(tmpdir(), 'geomill-library-'));
after(() => {
  rmSync(work, { recursive: true });
  rmSync(temporaryDirectory, { recursive: true });
});

const run: RunOptions = { temporaryDirectory };
const quay: Feature = {
  type: 'Feature',
  id: 1,
  properties: { name: 'Nordkai' },
  geometry: { type: 'Point', coordinates: [10, 54] },
};
const bytes = new TextEncoder().encode(JSON.stringify(quay));

const textOf = async (job: ConvertJob, options = run): Promise<string> => {
  const { files } = await convert(job, options);
  return new TextDecoder().decode(await files[0].bytes());
};

async function failureOf(work: Promise<unknown>): Promise<GeomillError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GeomillError, String(error));
  assert.deepEqual(readdirSync(temporaryDirectory), []);
  return error;
}

async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function* each<Item>(...items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

const inputs: Readonly<Record<string, Input>> = {
  'a feature': quay,
  'a list of features': [quay],
  'an iterable of features': new Set([quay]),
  'an async iterable of features': each(quay),
  'a collection': { type: 'FeatureCollection', features: [quay] },
  bytes,
  'a Blob': new Blob([bytes]),
  'a File': new File([bytes], 'quay.geojson'),
  'an async iterable of bytes': each(bytes.subarray(0, 10), bytes.subarray(10)),
  'the body of a response': new Response(bytes).body as ReadableStream<Uint8Array>,
  'data with options': { data: bytes, format: 'geojson', name: 'quay' },
};

for (const [kind, input] of Object.entries(inputs))
  test(`converts ${kind}`, async () => {
    assert.equal(
      await textOf({ input, output: { format: 'csv' } }),
      'id,name,geom_wkt\n1,Nordkai,POINT (10 54)\n',
    );
    assert.deepEqual(readdirSync(temporaryDirectory), []);
  });

test('converts a path and a file: URL alike', async () => {
  const output = { format: 'kml' } as const;
  const expected = await textOf({ input: HARBOUR, output });
  for (const input of [pathToFileURL(HARBOUR), pathToFileURL(HARBOUR).href, { path: HARBOUR }])
    assert.equal(await textOf({ input, output }), expected);
});

test('an output without a path is returned as bytes, a Blob and a stream', async () => {
  const { files, report } = await convert({ input: HARBOUR, output: { format: 'geojsonl' } }, run);
  const [file] = files;
  assert.deepEqual(
    [file.name, file.path, file.mediaType],
    ['harbour.geojsonl', null, 'application/x-ndjson'],
  );
  const content = await file.bytes();
  assert.equal(content.length, file.byteLength);
  const blob = await file.blob();
  assert.equal(blob.type, file.mediaType);
  assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), content);
  assert.deepEqual(new Uint8Array(await new Response(file.stream()).arrayBuffer()), content);
  assert.equal(report.features.written, 10);
});

test('an output with a path is written there, compressed if its name says so', async () => {
  const path = join(work, 'harbour.csv.gz');
  const { files, report } = await convert({ input: HARBOUR, output: path }, run);
  assert.deepEqual([files[0].path, files[0].mediaType], [path, 'application/gzip']);
  assert.equal(report.output.byte_length, readFileSync(path).length);
  assert.match(gunzipSync(readFileSync(path)).toString(), /^id,name,kind/);
  assert.deepEqual(Buffer.from(await files[0].bytes()), readFileSync(path));
});

test('all files of an output are returned', async () => {
  const shp = await convert({ input: { data: [quay] }, output: join(work, 'quay.shp') }, run);
  const names = shp.files.map(({ name }) => name).sort();
  assert.deepEqual(names, ['quay.cpg', 'quay.dbf', 'quay.prj', 'quay.shp', 'quay.shx']);
  const split = await convert({ input: HARBOUR, output: { format: 'geojson', split_by: 'kind' } }, run);
  assert.ok(split.files.some(({ name }) => name === 'quay.geojson'));
});

test('a sidecar in memory is JSON beside the file, or a member of an archive', async () => {
  const typesOf = async (name?: string): Promise<readonly (readonly [string, string])[]> => {
    const output = { format: 'csv', sidecar: true, ...(name === undefined ? {} : { name }) } as const;
    const { files } = await convert({ input: HARBOUR, output }, run);
    return files.map((file) => [file.name, file.mediaType] as const);
  };
  assert.deepEqual(await typesOf(), [['harbour.zip', 'application/zip']]);
  assert.deepEqual(await typesOf('quays.csv'), [
    ['quays.csv', 'text/csv; charset=utf-8; header=present'],
    ['quays.geomill.json', 'application/json'],
  ]);
});

test('a file is replaced only if the job says so, and never if it is the input', async () => {
  const path = join(work, 'kept.geojson');
  writeFileSync(path, JSON.stringify(quay));
  const refused = await failureOf(convert({ input: HARBOUR, output: path }, run));
  assert.equal(refused.code, 'CONFIG_INVALID');
  assert.match(refused.message, /exists; set 'output.overwrite' to true/);
  assert.equal(readFileSync(path, 'utf8'), JSON.stringify(quay));
  const itself = await failureOf(convert({ input: path, output: { path, overwrite: true } }, run));
  assert.match(itself.message, /is the input itself/);
  await convert({ input: HARBOUR, output: { path, overwrite: true } }, run);
  assert.match(readFileSync(path, 'utf8'), /Nordkai/);
});

test('append adds to the first input, also of another format, and merge makes one layer', async () => {
  const first = join(work, 'first.gpkg');
  await convert({ input: [quay], output: first }, run);
  const appended = await append({ inputs: [first, [quay], [quay]], output: { format: 'gpkg' } }, run);
  assert.equal(appended.report.features.written, 3);
  await append({ inputs: [first, first], output: { path: first, overwrite: true } }, run);
  const merged = await merge(
    { inputs: [first, [quay]], attributes: 'union', output: { format: 'csv' } },
    run,
  );
  assert.equal(merged.report.features.written, 3);
  assert.match(new TextDecoder().decode(await merged.files[0].bytes()), /^name,id,geom_wkt\n/);
});

test('append takes files of several formats for a target of which all is kept', async () => {
  const target = join(work, 'several.gpkg');
  await convert({ input: [quay], output: target }, run);
  const table = { data: new TextEncoder().encode('name,lon,lat\nCsv,3,4\n'), name: 'more.csv' };
  const inputs = [target, [quay], table, { data: bytes, name: 'a.geojson' }];
  const { files, report } = await append({ inputs, output: { format: 'gpkg' } }, run);
  assert.deepEqual([report.features.written, report.features.appended, report.input.files.length], [4, 3, 4]);
  const names = (await listOf(read(await files[0].bytes(), run))).map(({ properties }) => properties?.name);
  assert.deepEqual(names.sort(), ['Csv', 'Nordkai', 'Nordkai', 'Nordkai']);
  const mixed = await failureOf(append({ inputs: [[quay], table, target], output: { format: 'kml' } }, run));
  assert.match(
    mixed.message,
    /'inputs\[0\]' is geojson and 'inputs\[1\]' is csv; .* appended to a GeoPackage/,
  );
});

test('an append that replaces its target loses other content of it only if the job says so', async () => {
  const path = join(work, 'layers.gpkg');
  await convert({ input: HARBOUR, output: { path, format: 'gpkg', split_by: 'kind' } }, run);
  const before = readFileSync(path);
  const { layers } = await inspect(path, run);
  const inputs = [{ path, layer: layers[0].name }, path];
  const output = { path, overwrite: true, crs: 'EPSG:25832' };
  const refused = await failureOf(append({ inputs, output }, run));
  assert.match(refused.message, /set 'output\.drop_other_content' to true|output\.drop_other_content/);
  assert.deepEqual(readFileSync(path), before);
  await append({ inputs, output: { ...output, drop_other_content: true } }, run);
  assert.equal((await inspect(path, run)).layers.length, 1);
});

test('inspect describes an input, and what a conversion would lose', async () => {
  const found = await inspect(HARBOUR, run);
  assert.deepEqual([found.format, found.layers[0].features], ['geojson', 10]);
  const output = { format: 'dxf', crs: 'EPSG:25832' } as const;
  const { output: dryRun } = await inspect({ input: [quay], output }, run);
  assert.ok(dryRun !== null && 'features' in dryRun);
});

test('read gives features in any CRS, and columns with the same fields in every batch', async () => {
  const features = await listOf(read(HARBOUR, run));
  assert.equal(features.length, 10);
  assert.equal(features[0].properties?.name, 'Nordkai');
  const [projected] = await listOf(read([quay], { ...run, crs: 'EPSG:25832' }));
  assert.ok(projected.geometry !== null && 'coordinates' in projected.geometry);
  assert.ok(Number(projected.geometry.coordinates[0]) > 500_000);
  const [batch] = await listOf(read(HARBOUR, { ...run, as: 'columns' }));
  assert.equal(batch.rowCount, 10);
  const { built } = batch.columns;
  assert.ok('values' in built && Number(built.values[0]) === 1911);
  assert.ok('offsets' in batch.geometry && batch.geometry.offsets[10] === batch.geometry.bytes.length);
});

test('a reader that stops early leaves nothing behind', async () => {
  for await (const { type } of read(HARBOUR, run)) {
    assert.equal(type, 'Feature');
    break;
  }
  assert.deepEqual(readdirSync(temporaryDirectory), []);
});

test('write makes a file of features', async () => {
  const path = join(work, 'quay.dxf');
  const { report } = await write(path, each(quay, quay), { ...run, crs: 'EPSG:25832' });
  assert.equal(report.output.crs, 'EPSG:25832');
  assert.equal(report.features.written, 2);
  assert.ok(existsSync(path));
});

test('errors name the members of the job', async () => {
  const output = { format: 'gpkg' } as const;
  const wrong: readonly (readonly [ConvertJob, code: string, message: RegExp])[] = [
    [{ input: join(work, 'none.shp'), output }, 'FILE_NOT_FOUND', /none\.shp/],
    [{ input: [quay], output: { format: 'gpkg', crs: 'EPSG:99999' } }, 'CRS_UNKNOWN', /'output\.crs'/],
    [
      { input: new Uint8Array([1, 2, 3]), output },
      'CONFIG_INVALID',
      /cannot tell the format.*'input\.format'/,
    ],
    [
      { input: [quay], output: 'https://example.org/a.kml?key=secret' },
      'CONFIG_INVALID',
      /'output\.path' is the URL '[^?]*', and must be the path of a file/,
    ],
    [{ input: [quay], output: join(work, 'a.xyz') }, 'CONFIG_INVALID', /cannot tell the format of/],
    [{ input: [quay], output: join(work, 'none', 'a.gpkg') }, 'OUTPUT_NOT_WRITABLE', /no directory/],
    [{ input: [{ type: 'Point' }] as unknown as Feature[], output }, 'CONFIG_INVALID', /entry 1 of 'input'/],
    [{ input: undefined as unknown as Input, output }, 'CONFIG_INVALID', /'input' is required/],
  ];
  for (const [job, code, message] of wrong) {
    const error = await failureOf(convert(job, run));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /secret/);
  }
  const step = { type: 'buffer', params: {} } as unknown as NonNullable<ConvertJob['steps']>[number];
  const error = await failureOf(convert({ input: [quay], steps: [step], output }, run));
  assert.match(error.message, /^'steps\[0\]\.params\.distance'/);
});

test('an error has the location and the systems that may be meant', async () => {
  const broken = new TextEncoder().encode('a,geom_wkt\n1,POINT (1 2)\n2,POINT (1\n');
  const input = { data: broken, format: 'csv', epsg: 4326 } as const;
  const { location } = await failureOf(convert({ input, output: { format: 'gpkg' } }, run));
  assert.equal(location?.line, 3);
});

test('an abort before and during a call rejects with CANCELLED and leaves nothing behind', async () => {
  const path = join(work, 'aborted.gpkg');
  const before = await failureOf(
    convert({ input: HARBOUR, output: path }, { ...run, signal: AbortSignal.abort() }),
  );
  assert.equal(before.code, 'CANCELLED');
  const abort = new AbortController();
  async function* endless(): AsyncGenerator<Feature> {
    for (let i = 0; ; i++) {
      if (i === 1000) abort.abort();
      yield quay;
    }
  }
  const during = await failureOf(
    convert({ input: endless(), output: path }, { ...run, signal: abort.signal }),
  );
  assert.equal(during.code, 'CANCELLED');
  const atWork = new AbortController();
  const onProgress = (): void => atWork.abort();
  const late = convert({ input: HARBOUR, output: path }, { ...run, signal: atWork.signal, onProgress });
  assert.equal((await failureOf(late)).code, 'CANCELLED');
  assert.deepEqual(readdirSync(work).filter((name) => name.startsWith('aborted')), []); // biome-ignore format: one line
});

test('calls at the same time do not disturb each other', async () => {
  const names = ['csv', 'kml', 'gpkg', 'geojson', 'fgb'];
  const jobs = names.map((name): ConvertJob => ({ input: HARBOUR, output: join(work, `both.${name}`) }));
  const failing = failureOfOthers(convert({ input: bytes.subarray(0, 20), output: { format: 'csv' } }, run));
  const all = await Promise.all(jobs.map((job) => convert(job, run)));
  for (const { report } of all) assert.equal(report.features.written, 10);
  await failing;
  const path = join(work, 'same.gpkg');
  const same = await Promise.allSettled([1, 2].map(() => convert({ input: HARBOUR, output: path }, run)));
  assert.deepEqual(same.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.deepEqual(readdirSync(work).filter((name) => name.startsWith('same')), ['same.gpkg']); // biome-ignore format: one line
});

async function failureOfOthers(work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => error instanceof GeomillError);
}

test('a converter has the same functions', async () => {
  await using converter = createConverter({ threads: 2 });
  const { report } = await converter.convert({ input: HARBOUR, output: { format: 'csv' } }, run);
  assert.equal(report.features.written, 10);
  assert.equal((await converter.inspect(HARBOUR, run)).layers.length, 1);
});

test('a conversion in parts makes the same file, also with parts that were lost', async () => {
  const path = join(work, 'many.geojsonl');
  const line = (id: number): string =>
    JSON.stringify({ ...quay, id, properties: { text: 'x'.repeat(2000) } });
  writeFileSync(path, Array.from({ length: 2500 }, (_, i) => `${line(i)}\n`).join(''));
  const job: ConvertJob = { input: path, output: { format: 'geojson', crs: 'EPSG:4326' } };
  const whole = await textOf(job);
  const planned = structuredClone(await plan(job, { ...run, partBytes: 1 << 20 }));
  assert.ok(planned.parts.length >= 3, `${planned.parts.length} parts`);
  assert.deepEqual(readdirSync(temporaryDirectory), []);
  const results = await Promise.all(planned.parts.map((part) => runPart(part, { ...run, threads: 1 })));
  for (const given of [results, results.slice(1).reverse(), []]) {
    const { files, report } = await joinParts(planned, structuredClone(given), run);
    assert.equal(new TextDecoder().decode(await files[0].bytes()) === whole, true);
    assert.equal(report.features.written, 2500);
  }
  const small = await plan({ input: HARBOUR, output: { format: 'csv' } }, run);
  assert.deepEqual(small.parts, []);
  const other = await plan({ input: path, output: { format: 'kml' } }, { ...run, partBytes: 1 << 20 });
  assert.deepEqual(other.parts, []);
  assert.equal((await joinParts(other, [], run)).report.features.written, 2500);
  assert.equal(
    (await failureOf(plan({ input: [quay], output: { format: 'csv' } }, run))).code,
    'CONFIG_INVALID',
  );
  assert.deepEqual(readdirSync(temporaryDirectory), []);
});

test('the lists are those of the records', () => {
  assert.ok(formats.some(({ id, input, output }) => id === 'gpkg' && input && output));
  assert.ok(steps.some(({ id, parameters }) => id === 'buffer' && 'properties' in parameters));
  assert.equal(crs('EPSG:25832')[0].name, 'ETRS89 / UTM zone 32N');
  assert.equal(crs('lv95', { near: [7.4, 46.9], limit: 1 })[0].code, 'EPSG:2056');
});
