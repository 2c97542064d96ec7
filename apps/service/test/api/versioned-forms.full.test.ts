/** Forms of the versioned API, with the fake runner: their parts, their configs, what a key of idempotency covers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import {
  type FormPart,
  type FormSubmission,
  postForm,
  startTestService,
} from '../../../../test/support/service.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const post = (path: string, submission: FormSubmission) => postForm(service, path, submission);

const CRS = 'EPSG:28350';
const file = (content: string, fileName = 'roads.x'): FormPart => ['file', content, fileName];
const files = (...contents: string[]): FormPart[] =>
  contents.map((content, i) => ['files', content, `more-${i}.x`]);

/** The job behind an answer, by its Link. */
async function jobOf(response: Response): Promise<Awaited<ReturnType<typeof service.ended>>> {
  const id = /\/v1\/jobs\/([\w-]+)>/.exec(String(response.headers.get('link')))?.[1];
  return service.ended(String(id));
}

test('CRS are stated one for all, or one for each file', async () => {
  const rows: [string, object, number, (string | null)[], string[]][] = [
    ['shp', { input_crs: 28350 }, 0, [CRS], ['input_crs']],
    ['shp', { input: { epsg: '28350' } }, 0, [CRS], ['input.epsg']],
    ['shp', {}, 0, [null], ['input_crs']],
    [
      'dxf/append',
      { input_crs: 'EPSG:4326', append_crs_mapping: CRS },
      2,
      ['EPSG:4326', CRS, CRS],
      ['input_crs', 'append_crs_mapping', 'append_crs_mapping'],
    ],
    [
      'shp/append',
      { append_crs_mapping: [null, 28350] },
      2,
      [null, null, CRS],
      ['input_crs', 'append_crs_mapping[0]', 'append_crs_mapping[1]'],
    ],
    [
      'gpkg/append',
      {},
      2,
      [null, null, null],
      ['input_crs', 'append_crs_mapping[0]', 'append_crs_mapping[1]'],
    ],
    ['csv/merge', { input_crs_mapping: 'epsg:28350' }, 1, [CRS, CRS], Array(2).fill('input_crs_mapping')],
    [
      'csv/merge',
      { input_crs_mapping: ['28350', 4326] },
      1,
      [CRS, 'EPSG:4326'],
      ['input_crs_mapping[0]', 'input_crs_mapping[1]'],
    ],
  ];
  for (const [path, keys, more, crs, paths] of rows) {
    const response = await post(`/v1/transform/${path}`, {
      parts: [file('a'), ...files(...Array(more).fill('b'))],
      config: { output_format: 'csv', ...keys },
    });
    assert.equal(response.status, 200, await response.clone().text());
    const { request } = await jobOf(response);
    assert.deepEqual(
      request.input.files,
      crs.map((text, i) => ({ crs: text, crsPath: paths[i] })),
      path,
    );
  }
});

test('the config may come first or last, under either name, nested or flat', async () => {
  const spellings = [
    { output_format: 'CSV', output_crs: 3857, input_layer: 'a' },
    { input_format: 'shapefile', output: { format: 'csv', epsg: 3857 }, input: { layer: ['a'] } },
  ];
  for (const [i, spelling] of spellings.entries())
    for (const name of ['config', 'payload']) {
      const text = JSON.stringify(spelling);
      const parts: FormPart[] = i === 0 ? [[name, text], file('a')] : [file('a'), [name, text]];
      const response = await post('/v1/transform/shp', { parts });
      assert.equal(response.status, 200, await response.clone().text());
      const { request } = await jobOf(response);
      assert.deepEqual(request.output, {
        format: 'csv',
        crs: 'EPSG:3857',
        crsPath: i === 0 ? 'output_crs' : 'output.epsg',
        toFile: true,
        options: {},
      });
      assert.deepEqual(request.input.layers, ['a']);
    }
});

test('a merge takes a part file too, as the first of all', async () => {
  const response = await post('/v1/transform/gpkg/merge', {
    parts: [...files('b', 'c'), file('a')],
    config: { output_format: 'csv' },
  });
  assert.equal(await response.text(), outputOf('a+b+c'));
  const job = await jobOf(response);
  assert.deepEqual(
    job.inputs.map(({ name, fileIndex }) => [name, fileIndex]),
    [
      ['roads.x', 2],
      ['more-0.x', 0],
      ['more-1.x', 1],
    ],
  );
});

test('parts that mean nothing are counted in a header and told in the report', async () => {
  const response = await post('/v1/transform/shp', {
    parts: [file('a'), ['extra', 'content', 'extra.zip'], ['note', 'hello']],
    config: { output_format: 'csv' },
  });
  assert.equal(response.headers.get('geomill-warnings'), '2;info=2;changed=0;lost=0');
  const job = await jobOf(response);
  assert.deepEqual(
    job.report?.warnings.map(({ message }) => message),
    ["'extra' is an unknown form part and was ignored", "'note' is an unknown form part and was ignored"],
  );
});

test('an Idempotency-Key covers path, config, names and files', async () => {
  const headers = { 'idempotency-key': 'v1' };
  const send = (path: string, parts: FormPart[], format = 'csv') =>
    post(`/v1/transform/${path}`, { parts, config: { output_format: format }, headers });
  const parts = [file('a'), ...files('b', 'c')];
  const first = await jobOf(await send('gpkg/append', parts));
  assert.equal((await jobOf(await send('gpkg/append', parts))).id, first.id);
  const others: [string, FormPart[], string?][] = [
    ['gpkg/merge', parts],
    ['shp/append', parts],
    ['gpkg/append', [file('a'), ...files('c', 'b')]],
    ['gpkg/append', [file('a', 'other.x'), ...files('b', 'c')]],
    ['gpkg/append', [file('a'), ...files('b')]],
    ['gpkg/append', parts, 'shp'],
  ];
  for (const other of others) assert.equal((await send(...other)).status, 422, JSON.stringify(other));
});
