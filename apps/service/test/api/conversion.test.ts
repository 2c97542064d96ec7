/** The whole service with its real runners: sandbox, codecs, PROJ. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import {
  GeomillClient,
  type GeomillProblem,
  type JobFailed,
  type SubmitJobConfig,
} from '../../../../packages/client/src/client.ts';
import { onePoint } from '../../../../test/support/raw-shapefile.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { GEOJSON_TO_GEOJSON, startTestService, submit, submitJob } from '../../../../test/support/service.ts';

const service = await startTestService({ runner: null, settings: { MAX_UNZIP_RATIO: '100' } });
test.after(() => service[Symbol.asyncDispose]());

const sample = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.geojson'), 'utf8');
const wait = { prefer: 'wait=60' };

const client = new GeomillClient({ baseUrl: service.url, fetch: checkedFetch as typeof globalThis.fetch });
const input = { name: 'harbour.geojson', data: sample };

test('the sample becomes a zip of shapefiles in another CRS', async () => {
  const config = { input: { format: 'geojson' }, output: { format: 'shp', epsg: 25832 } };
  const response = await submit(service, {
    config,
    file: sample,
    fileName: 'harbour.geojson',
    headers: wait,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="harbour.zip"');
  assert.equal(bytes.subarray(0, 4).toString('latin1'), 'PK\x03\x04');
  for (const member of ['harbour_points.shp', 'harbour_lines.prj', 'harbour_polygons.dbf'])
    assert.ok(bytes.includes(member), member);
});

test('a job that fails for want of a CRS suggests systems that fit', async () => {
  const response = await submit(service, {
    config: { input: { format: 'shp' }, output: { format: 'csv' } },
    file: onePoint(530_000, 180_000),
    fileName: 'survey.shp',
    headers: wait,
  });
  assert.equal(response.status, 400);
  const { type, suggestions } = (await response.json()) as {
    type: string;
    suggestions: { crs: string; name: string }[];
  };
  assert.equal(type, 'urn:geomill:error:crs-missing');
  assert.ok(suggestions.length <= 5);
  assert.ok(
    suggestions.some(({ crs, name }) => crs === 'EPSG:27700' && name === 'OSGB36 / British National Grid'),
  );
});

test('the client has the suggestions of a refused request, of a job that failed, and of a dry run', async () => {
  const input = { name: 'survey.shp', data: new Uint8Array(onePoint(530_000, 180_000)) };
  const config = { input: { format: 'shp' }, output: { format: 'csv' } } as const;
  const job = await client.submit({ input, config });
  const isBritish = ({ crs }: { readonly crs: string }) => crs === 'EPSG:27700';
  await assert.rejects(job.wait(), (error: JobFailed) => error.suggestions.some(isBritish));
  await assert.rejects(
    client.transform('shp', { input, config: { output_format: 'csv' } }),
    (error: GeomillProblem) => error.suggestions.some(isBritish),
  );
  const { output: dryRun } = await client.inspect({ input, config });
  assert.ok(dryRun !== null && 'error' in dryRun && dryRun.error.suggestions?.some(isBritish));
});

test('an error proposes values for the config, with which the job succeeds', async () => {
  const rows = 'id,geom_wkt\n1,POINT (8.5 53.5)\n2,POINT (8.5)\n';
  const cases = [
    [
      { name: 'rows.csv', data: rows },
      { path: 'csv_options.on_error', value: 'skip' },
    ],
    [
      { name: 'old.csv', data: Buffer.from('lon,lat,name\n8.5,53.5,B\xfcsum\n', 'latin1') },
      { path: 'csv_options.encoding', value: 'windows-1252' },
    ],
  ] as const;
  for (const [input, fix] of cases) {
    const config = { input: { format: 'csv', epsg: 4326 }, output: { format: 'geojson' } } as const;
    const job = await client.submit({ input, config });
    await assert.rejects(job.wait(), (error: JobFailed) => {
      assert.deepEqual(error.fixes, [fix]);
      return true;
    });
    await assert.rejects(
      client.transform('csv', { input, config: { input_crs: 'EPSG:4326', output_format: 'geojson' } }),
      (error: GeomillProblem) => error.fixes[0].value === fix.value,
    );
    const options = { [fix.path.replace('csv_options.', '')]: fix.value };
    const mended = { ...config, input: { ...config.input, ...options } } as typeof config;
    const { report } = await (await client.submit({ input, config: mended })).wait();
    assert.ok((report?.features.written ?? 0) > 0);
  }
});

test('the report says what was done', async () => {
  const config = { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 } } as const;
  const { report } = await (await client.submit({ input, config })).wait();
  assert.equal(report?.features.read, 10);
  assert.equal(report.features.written, 10);
  assert.deepEqual(
    report.reprojections.map(({ from, to }) => [from, to]),
    [['EPSG:4326', 'EPSG:25832']],
  );
});

test('a chain of transformations is done in the order of the request, each in its CRS', async () => {
  const config: SubmitJobConfig = {
    input: { format: 'geojson' },
    output: { format: 'csv', epsg: 4326 },
    transformations: [
      { type: 'reproject', params: { epsg: 25832 } },
      { type: 'buffer', distance: 100, units: 'meters' },
    ],
  };
  const job = await client.submit({ input, config });
  const { report } = await job.wait();
  assert.deepEqual(
    report?.reprojections.map(({ from, to }) => [from, to]),
    [
      ['EPSG:4326', 'EPSG:25832'],
      ['EPSG:25832', 'EPSG:4326'],
    ],
  );
  const output = await (await job.download()).text();
  assert.equal(output.match(/POLYGON/g)?.length, 10);
});

test('a CRS of a step that does not exist is refused with the path of the step', async () => {
  const config = {
    ...GEOJSON_TO_GEOJSON,
    transformations: [{ type: 'reproject', params: { epsg: 999999 } }],
  };
  const response = await submit(service, { config, file: sample });
  assert.equal(response.status, 400);
  const { detail } = (await response.json()) as { detail: string };
  assert.match(detail, /^'transformations\[0\]\.params\.epsg': unknown .* 'EPSG:999999'/);
});

test('a field that no feature has fails the job with the fields there are', async () => {
  const config = { ...GEOJSON_TO_GEOJSON, transformations: [{ type: 'dissolve', by: ['owner'] }] };
  const id = await submitJob(service, { config, file: sample });
  const { state, error } = await service.ended(id);
  assert.equal(state, 'FAILED');
  assert.deepEqual(error?.params, {
    field: 'owner',
    where: ["layer 'roads' at ", { field: 'transformations[0]' }],
    known: "'name', 'kind', 'built', 'depth_m', 'open'",
    hint: '',
  });
});

test('a mask of megabytes is taken, and the state of its job is told without reading it', async () => {
  const ring = Array.from({ length: 100_000 }, (_, i) => {
    const angle = (i / 50_000) * Math.PI;
    return [Math.cos(angle) * 170, Math.sin(angle) * 80];
  });
  ring[ring.length - 1] = ring[0];
  const mask = { type: 'Polygon', coordinates: [ring] };
  const config = { ...GEOJSON_TO_GEOJSON, transformations: [{ type: 'clip', clipping_geojson: mask }] };
  assert.ok(JSON.stringify(config).length > 3e6);
  const id = await submitJob(service, { config, file: sample });
  const { state, report } = await service.ended(id);
  assert.ok(report !== null && 'features' in report);
  assert.deepEqual([state, report.features.written], ['SUCCESS', 10]);
});

/** A zip archive with one entry of any name, also of one that no zip program would write. */
function zipOf(name: string, content: string): Uint8Array<ArrayBuffer> {
  const unpacked = Buffer.from(content);
  const data = deflateRawSync(unpacked);
  const nameBytes = Buffer.from(name);
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(8, 4);
  header.writeUInt32LE(crc32(unpacked), 10);
  header.writeUInt32LE(data.length, 14);
  header.writeUInt32LE(unpacked.length, 18);
  header.writeUInt16LE(nameBytes.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, nameBytes, data]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00', 'latin1'),
    header,
    Buffer.alloc(14),
    nameBytes,
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return new Uint8Array(Buffer.concat([local, central, end]));
}

const shpToGeojson = { input: { format: 'shp' }, output: { format: 'geojson' } };
const failures: [string, unknown, string | Uint8Array<ArrayBuffer>, RegExp][] = [
  ['GeoJSON that is cut', undefined, sample.slice(0, 700), /GeoJSON byte \d+/],
  [
    'a CSV with half a position',
    { input: { format: 'csv', epsg: 4326 }, output: { format: 'shp' } },
    'a,lat\n1,2\n',
    /geom_wkt/,
  ],
  [
    'an EPSG code that does not exist',
    { input: { format: 'geojson' }, output: { format: 'csv', epsg: 999999 } },
    sample,
    /999999/,
  ],
  ['a file that is not a zip', shpToGeojson, 'PK nonsense', /zip/i],
  ['a zip with a name that leads outside', shpToGeojson, zipOf('../../evil.shp', 'x'), /\.\.\/evil\.shp/],
  ['a zip without a shapefile', shpToGeojson, zipOf('readme.txt', 'x'), /\.shp/],
  ['a zip bomb', shpToGeojson, zipOf('a.shp', '\0'.repeat(20_000_000)), /limit is 100.*MAX_UNZIP_RATIO/],
];

for (const [name, config, file, message] of failures) {
  test(`failed with a reason: ${name}`, async () => {
    const response = await submit(service, { config, file, headers: wait });
    const problem = (await response.json()) as { detail: string };
    assert.ok(response.status >= 400 && response.status < 500, JSON.stringify(problem));
    assert.match(problem.detail, message);
  });
}

test('an output can be a sequence of features, by its format or by an option', async () => {
  const requests = [
    [{ format: 'geojsonl' }, 'harbour.geojsonl', 'application/x-ndjson'],
    [{ format: 'geojson', sequence: true }, 'harbour.geojsonl', 'application/x-ndjson'],
    [{ format: 'GeoJSONSeq' }, 'harbour.geojsons', 'application/geo+json-seq'],
  ] as const;
  for (const [output, fileName, mediaType] of requests) {
    const config = { input: { format: 'geojson' }, output };
    const response = await submit(service, {
      config,
      file: sample,
      fileName: 'harbour.geojson',
      headers: wait,
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get('content-type'), mediaType);
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="${fileName}"`);
    assert.equal(text.trimEnd().split('\n').length, 10);
  }
  for (const output of [
    { format: 'geojsonl', to_file: false },
    { format: 'geojsonl', sequence: 'rs' },
  ]) {
    const config = { input: { format: 'geojson' }, output };
    const response = await submit(service, { config, file: sample });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /output\.(to_file|sequence)/);
  }
});

test('a gzip file is unpacked, and the output is named without .gz', async () => {
  const config = { input: { format: 'geojson' }, output: { format: 'csv' } };
  const file = gzipSync(sample);
  const response = await submit(service, { config, file, fileName: 'harbour.geojson.gz', headers: wait });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="harbour.csv"');
  const bomb = { config, file: gzipSync(Buffer.alloc(20 << 20, 32)), headers: wait };
  assert.match(await (await submit(service, bomb)).text(), /MAX_UNZIP_RATIO/);
});
