/** The versioned API with its real runners: what only the content of a file tells is a 4xx that names the file, too. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isOutputFormat } from '../../../../packages/formats/src/format.ts';
import { inputFormats } from '../../../../packages/formats/src/registry.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { expectProblem } from '../../../../test/support/problem.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { changeDatabase, contentOf } from '../../../../test/support/rich-gpkg.ts';
import { type FormPart, postForm, postJson, startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({ runner: null });
test.after(() => service[Symbol.asyncDispose]());

const sample = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.geojson'));
const collection = JSON.parse(sample.toString()) as { features: { geometry: { type: string } }[] };
const CRS = 'EPSG:25832';

const formats = inputFormats.filter(isOutputFormat);

/** The sample in each format, made by the service itself. */
const samples = new Map<string, Uint8Array<ArrayBuffer>>();
for (const { id } of formats) {
  const response = await postForm(service, '/v1/transform/geojson', {
    parts: [['file', sample, 'harbour.geojson']],
    config: { output_format: id, output_crs: CRS },
  });
  assert.equal(response.status, 200);
  samples.set(id, new Uint8Array(await response.arrayBuffer()));
}

const part = (name: string, format: string, fileName = `harbour.${format}`): FormPart => {
  const bytes = samples.get(format);
  assert.ok(bytes !== undefined);
  return [name, bytes, fileName];
};

/** A config with the CRS keys of an operation where the format needs them. */
function configFor(format: string, operation: string, more: object = {}): object {
  const needsCrs = formats.find(({ id }) => id === format)?.inputCrs === 'request';
  const keys = {
    transform: { input_crs: CRS },
    append: { input_crs: CRS, append_crs_mapping: CRS },
    merge: { input_crs_mapping: CRS },
  }[operation];
  return { ...(needsCrs ? keys : {}), output_format: 'geojson', ...more };
}

for (const { id } of formats) {
  test(`${id} goes in and GeoJSON comes out, as a file, inline, appended and merged`, async () => {
    const rows: [string, string, FormPart[], object][] = [
      ['transform', '', [part('file', id)], {}],
      ['transform', '', [part('file', id)], { to_file: false }],
      ['append', '/append', [part('file', id), part('files', id, 'more')], {}],
      ['merge', '/merge', [part('files', id), part('files', id, 'more')], {}],
    ];
    const counts: number[] = [];
    for (const [operation, path, parts, more] of rows) {
      const response = await postForm(service, `/v1/transform/${id}${path}`, {
        parts,
        config: configFor(id, operation, more),
      });
      assert.equal(response.status, 200, `${operation} ${await response.clone().text()}`);
      const { type, features } = (await response.json()) as { type: string; features: unknown[] };
      assert.equal(type, 'FeatureCollection');
      counts.push(features.length);
    }
    const [once, inline, ...twice] = counts;
    assert.ok(once >= collection.features.length);
    assert.deepEqual([inline, ...twice], [once, 2 * once, 2 * once]);
  });

  test(`files of another format than ${id} are refused by name`, async () => {
    const other = id === 'gpkg' ? 'csv' : 'gpkg';
    const name = `really.${other}`;
    const rows: [string, string, FormPart[]][] = [
      ['transform', '', [part('file', other, name)]],
      ['append', '/append', [part('file', id), part('files', other, name)]],
      ['merge', '/merge', [part('files', id), part('files', other, name)]],
    ];
    for (const [operation, path, parts] of rows) {
      const response = await postForm(service, `/v1/transform/${id}${path}`, {
        parts,
        config: configFor(id, operation),
      });
      const problem = (await response.clone().json()) as { type: string };
      assert.equal(problem.type, 'urn:geomill:error:input-wrong-format', JSON.stringify(problem));
      await expectProblem(response, 400, new RegExp(`${name} is not .*: it looks like`));
    }
  });
}

test('a CRS that contradicts the file is refused by the key it stands under', async () => {
  const wrong = 'EPSG:3857';
  const rows: [string, FormPart[], object, RegExp][] = [
    ['', [part('file', 'shp')], { input_crs: wrong }, /'input_crs' is EPSG:3857, but /],
    [
      '/append',
      [part('file', 'shp'), part('files', 'shp'), part('files', 'shp')],
      { append_crs_mapping: [null, wrong] },
      /'append_crs_mapping\[1\]' is EPSG:3857, but /,
    ],
    [
      '/merge',
      [part('files', 'shp'), part('files', 'shp')],
      { input_crs_mapping: [CRS, wrong] },
      /'input_crs_mapping\[1\]' is EPSG:3857, but /,
    ],
  ];
  for (const [path, parts, keys, detail] of rows) {
    const config = { output_format: 'gpkg', ...keys };
    await expectProblem(await postForm(service, `/v1/transform/shp${path}`, { parts, config }), 400, detail);
  }
});

test('a CRS that no output can be in is refused by the key it stands under', async () => {
  const rows: [number, RegExp][] = [
    [
      4978,
      /^'output_crs': unknown coordinate reference system 'EPSG:4978'.*geocentric CRS, in which x and y without z are not a position/,
    ],
    [5773, /^'output_crs': unknown coordinate reference system 'EPSG:5773'.*vertical CRS/],
  ];
  for (const [code, detail] of rows) {
    const config = { output_format: 'csv', output_crs: code };
    const options = { parts: [part('file', 'geojson')], config };
    await expectProblem(await postForm(service, '/v1/transform/geojson', options), 400, detail);
  }
});

test('a layer of an unnamed document is called as the output is', async () => {
  const rows: [string, object, string][] = [
    ['', { input_geojson: collection }, 'output'],
    ['', { input_geojson: { ...collection, name: 'quays' } }, 'quays'],
    ['/append', { target_geojson: collection, append_geojson_list: [collection] }, 'output'],
    ['/merge', { input_geojson_list: [collection] }, 'merged'],
  ];
  for (const [path, documents, expected] of rows) {
    const response = await postJson(service, `/v1/transform/geojson${path}`, {
      ...documents,
      output_format: 'geojson',
    });
    const { name } = (await response.json()) as { name: string };
    assert.equal(name, expected, path);
  }
});

test('documents of a JSON body are read as files of their own', async () => {
  const inline = { output_format: 'geojson', to_file: false };
  const [point] = collection.features.filter(({ geometry }) => geometry.type === 'Point');
  const rows: [string, object, number][] = [
    ['', { input_geojson: collection }, collection.features.length],
    ['', { input_geojson: point }, 1],
    ['/append', { target_geojson: point, append_geojson_list: [point, point] }, 3],
    ['/merge', { target_geojson: point, input_geojson_list: [point] }, 2],
  ];
  for (const [path, documents, count] of rows) {
    const response = await postJson(service, `/v1/transform/geojson${path}`, { ...documents, ...inline });
    assert.equal(response.status, 200, await response.clone().text());
    const { features } = (await response.json()) as { features: unknown[] };
    assert.equal(features.length, count, path);
  }
});

test('a document that is not GeoJSON is rejected with its location in the body', async () => {
  const response = await postJson(service, '/v1/transform/geojson/append', {
    target_geojson: collection,
    append_geojson_list: [collection, { type: 'Topology' }],
    output_format: 'shp',
  });
  await expectProblem(response, 400, /append_geojson_list\[1\]/);
});

test('an output names its warnings, and its report has them', async () => {
  const response = await postForm(service, '/v1/transform/geojson', {
    parts: [['file', sample, 'harbour.geojson']],
    config: { output_format: 'geojson', output_crs: CRS, colour: 'red' },
  });
  assert.ok(Number.parseInt(response.headers.get('geomill-warnings') ?? '', 10) >= 2);
  const link = /<(.*)>/.exec(String(response.headers.get('link')))?.[1];
  const { warnings } = (await (await fetch(String(link))).json()) as { warnings: { code: string }[] };
  assert.equal(warnings.length, Number.parseInt(response.headers.get('geomill-warnings') ?? '', 10));
  for (const code of ['UNKNOWN_KEY', 'CRS_OUTPUT_FIXED'])
    assert.ok(
      warnings.some((w) => w.code === code),
      code,
    );
});

test('a job with fail_on fails with the findings that it may not have, and has no output', async () => {
  const submit = (failOn: string): Promise<Response> =>
    postForm(service, '/v1/transform/geojson', {
      parts: [['file', sample, 'harbour.geojson']],
      config: { output_format: 'geojson', output_crs: CRS, fail_on: failOn },
    });
  await expectProblem(await submit('changed'), 400, /'fail_on' \(changed\) refuses: .*\(CRS_OUTPUT_FIXED\)/);
  await expectProblem(await submit('never'), 400, /'fail_on' must be "changed" or "lost", not "never"/);
  const { jobs } = (await (await fetch(`${service.url}/v1/jobs?limit=1`)).json()) as { jobs: object[] };
  assert.ok(!('url' in (jobs[0] as { output: object }).output));
  assert.equal((await submit('lost')).status, 200);
});

test('an append to a GeoPackage keeps what else is in it', async () => {
  using workspace = makeWorkspace();
  const target = join(workspace.path, 'master.gpkg');
  writeFileSync(target, samples.get('gpkg') as Uint8Array);
  changeDatabase(target, (database) =>
    database.exec("CREATE TABLE notes (t TEXT); INSERT INTO notes VALUES ('kept')"),
  );
  const before = contentOf(target);
  const append = async (config: object): Promise<ReturnType<typeof contentOf>> => {
    const response = await postForm(service, '/v1/transform/gpkg/append', {
      parts: [['file', readFileSync(target), 'master.gpkg'], part('files', 'gpkg', 'more.gpkg')],
      config: { output_format: 'gpkg', ...config },
    });
    assert.equal(response.status, 200);
    const path = join(workspace.path, 'answer.gpkg');
    writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
    return contentOf(path);
  };
  const kept = await append({});
  assert.deepEqual([kept.notes, kept.schema], [before.notes, before.schema]);
  assert.equal(kept.harbour.length, 2 * before.harbour.length);
  assert.deepEqual(kept.harbour.slice(0, before.harbour.length), before.harbour);
  assert.equal('notes' in (await append({ output_crs: 'EPSG:3857' })), false);
});
