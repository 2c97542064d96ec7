/** Uploads as inputs of jobs: in forms, plain fields, JSON bodies and job documents, for every operation, and as masks. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../../../packages/core/src/messages/errors.ts';
import { TestCredentials } from '../../../../test/support/credentials.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { expectProblem } from '../../../../test/support/problem.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import {
  postForm,
  postJson,
  startTestService,
  submitJob,
  type TestService,
} from '../../../../test/support/service.ts';
import { appendTo, newUpload, uploadForm } from '../../../../test/support/tus.ts';
import { SANDBOX_LEVELS } from '../../src/sandbox/sandbox.ts';

const SAMPLES = join(import.meta.dirname, '../../../../samples');
const service = await startTestService();
const real = await startTestService({ runner: null, settings: { RUNNERS: '1' } });
test.after(async () => {
  await service[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
});

const upload = async (content: string, name?: string): Promise<string> =>
  (await uploadForm(service, content, name)).id;
const toCsv = { output_format: 'csv' };

async function outputText(response: Response): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return text;
}

function inputsOf({ config }: TestService): string[] {
  return readdirSync(join(config.dataDirectory, 'inputs'));
}

test('the input of a job can be an upload, however the config is sent', async () => {
  const id = await upload('abc', 'Häuser.geojson');
  const nested = { input: { format: 'geojson', upload: id }, output: { format: 'csv' } };
  const document = { inputs: [{ format: 'geojson', upload: id }], outputs: [{ format: 'csv' }] };
  const wait = { prefer: 'wait=20' };
  const form = (config: object) => postForm(service, '/transform', { parts: [], config, headers: wait });
  const versioned = '/v1/transform/geojson';
  const answers = [
    await form(nested),
    await form(document),
    await form({ input_format: 'geojson', input_upload: id, ...toCsv }),
    await postForm(service, '/transform', {
      parts: [
        ['input_upload', id],
        ['input_format', 'geojson'],
        ['output_format', 'csv'],
      ],
      headers: wait,
    }),
    await postForm(service, versioned, { parts: [], config: { input_upload: id, ...toCsv } }),
    await postJson(service, versioned, { input_upload: id, ...toCsv }),
    await postJson(service, '/v1/transform/shp', { input_upload: id, ...toCsv }),
  ];
  for (const answer of answers) {
    assert.match(answer.headers.get('content-disposition') ?? '', /filename\*=UTF-8''H%C3%A4user\.csv/);
    assert.equal(await outputText(answer), outputOf('abc'));
  }
  assert.deepEqual(inputsOf(service), []);
});

test('append and merge take uploads, alone and beside files of the request', async () => {
  const [a, b, c] = [await upload('a'), await upload('b'), await upload('c')];
  const path = '/v1/transform/gpkg';
  const rows: [string, [string, string, string][], object, string][] = [
    ['append', [], { target_upload: a, append_uploads: [b, c] }, 'a+b+c'],
    ['append', [['file', 't', 't.gpkg']], { append_uploads: [b] }, 't+b'],
    ['append', [['files', 'f', 'f.gpkg']], { target_upload: a, append_uploads: [b] }, 'a+f+b'],
    ['merge', [], { input_uploads: [c, a, c] }, 'c+a+c'],
    ['merge', [['files', 'f', 'f.gpkg']], { input_uploads: [a] }, 'f+a'],
  ];
  for (const [operation, parts, names, expected] of rows) {
    const config = { ...names, ...toCsv };
    const sent = await postForm(service, `${path}/${operation}`, { parts, config });
    assert.equal(await outputText(sent), outputOf(expected));
    if (parts.length > 0) continue;
    assert.equal(
      await outputText(await postJson(service, `${path}/${operation}`, config)),
      outputOf(expected),
    );
  }
  const document = {
    operation: 'append',
    inputs: [{ format: 'gpkg', upload: a }, { upload: c }],
    outputs: [{ format: 'csv' }],
  };
  assert.equal(await outputText(await postJson(service, `${path}/append`, document)), outputOf('a+c'));
  const mixed = { ...document, inputs: [{ format: 'gpkg', upload: a }, { upload: c }, { epsg: 4326 }] };
  await expectProblem(
    await postJson(service, `${path}/append`, mixed),
    400,
    /'inputs\[2\]\.upload' is missing; either all of these inputs are uploads or none/,
  );
});

test('a job keeps its input when the upload is deleted, and a rerun takes another upload', async () => {
  const id = await upload('wait 300 a');
  const job = await submitJob(service, {
    config: { input: { format: 'geojson', upload: id }, output: { format: 'csv' } },
    file: null,
  });
  assert.equal((await fetch(`${service.url}/v1/uploads/${id}`, { method: 'DELETE' })).status, 204);
  assert.equal((await service.ended(job)).state, 'SUCCESS');
  const other = await upload('other');
  const again = await postJson(service, `/v1/jobs/${job}/rerun?async=false`, { input_upload: other });
  assert.equal(await outputText(again), outputOf('other'));
  await expectProblem(
    await postJson(service, `/v1/jobs/${job}/rerun`, { input_upload: id }),
    400,
    /'input_upload': there is no upload/,
  );
});

test('a rerun of an append or a merge takes uploads under the names of any rerun', async () => {
  const [a, b] = [await upload('a'), await upload('b')];
  const rows: [string, object, object, string][] = [
    [
      'append',
      { target_upload: a, append_uploads: [a] },
      { input_upload: b, input_uploads: [a, b] },
      'b+a+b',
    ],
    ['merge', { input_uploads: [a, a] }, { input_uploads: [b, a] }, 'b+a'],
  ];
  for (const [operation, first, inputs, expected] of rows) {
    const config = { ...toCsv, ...first };
    const sent = await postJson(service, `/v1/transform/gpkg/${operation}?async=true`, config);
    const { task_id: id } = (await sent.json()) as { task_id: string };
    const again = await postJson(service, `/v1/jobs/${id}/rerun?async=false`, inputs);
    assert.equal(await outputText(again), outputOf(expected), operation);
  }
});

test('a mask that was an upload is sent again as a part once the upload is gone', async () => {
  const polygon = '{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}';
  const [mask, kept] = [await upload(polygon, 'm.geojson'), await upload(polygon, 'k.geojson')];
  const submitted = (...transformations: object[]): Promise<string> =>
    submitJob(service, {
      config: { input: { format: 'geojson' }, transformations, output: { format: 'csv' } },
    });
  const clip = { type: 'clip', mask_upload: mask, mask_filter: "a = 'b'" };
  const erase = { type: 'erase', mask_upload: mask };
  const one = await submitted(clip, erase);
  const two = await submitted({ type: 'clip', mask_upload: kept }, erase);
  const path = (id: string): string => `/v1/jobs/${id}/rerun`;
  const rerun = (id: string, parts: readonly string[], key?: string): Promise<Response> =>
    postForm(service, path(id), {
      parts: [['file', 'y'], ...parts.map((part) => [part, polygon, 'm.geojson'] as const)],
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const idOf = async (response: Response): Promise<string> => {
    const { job_id: id } = (await response.json()) as { job_id: string };
    await service.ended(id);
    return id;
  };
  const before = await idOf(await rerun(one, [], 'before'));
  await expectProblem(await rerun(one, ['mask']), 400, /no step uses part 'mask'/);
  assert.equal((await fetch(`${service.url}/v1/uploads/${mask}`, { method: 'DELETE' })).status, 204);
  const gone =
    /'transformations\[0\]\.mask_upload' of job '[^']+' is no longer stored; send .* as part 'mask'/;
  await expectProblem(await rerun(one, []), 410, gone);
  await expectProblem(await postJson(service, path(one), { input_geojson: {} }), 410, gone);
  await expectProblem(
    await rerun(two, []),
    410,
    /'transformations\[1\]\.mask_upload' .* as part 'mask_step2'/,
  );
  const again = await idOf(await rerun(one, ['mask'], 'after'));
  const { request, inputs } = await service.ended(again);
  const [step] = request.transformations;
  assert.deepEqual(step.params, { mask: 'mask', mask_filter: "a = 'b'" });
  assert.equal(step.file?.features?.where, "a = 'b'");
  assert.deepEqual(
    inputs.map(({ stepInput }) => stepInput),
    [undefined, 'mask'],
  );
  assert.equal(await idOf(await rerun(one, ['mask'], 'after')), again);
  assert.equal(await idOf(await rerun(one, [], 'before')), before);
  assert.equal((await rerun(one, [], 'after')).status, 422);
  const mixed = await service.ended(await idOf(await rerun(two, ['mask_step2'])));
  assert.deepEqual(
    mixed.inputs.map(({ stepInput }) => stepInput),
    [undefined, 'mask_step2', `upload ${kept}`],
  );
  assert.equal((await rerun(again, ['mask'])).status, 202);
});

test('the files of a request and the uploads that it names have one limit', async () => {
  await using small = await startTestService({ settings: { MAX_UPLOAD: '1000' } });
  const ids: string[] = [];
  for (const letter of ['a', 'b']) ids.push((await uploadForm(small, letter.repeat(600))).id);
  const merge = (parts: [string, string, string][], uploads: string[]): Promise<Response> =>
    postForm(small, '/v1/transform/gpkg/merge', { parts, config: { input_uploads: uploads, ...toCsv } });
  await expectProblem(await merge([], ids), 413, /1000 bytes \(MAX_UPLOAD\)/);
  await expectProblem(await merge([['files', 'x'.repeat(401), 'f.gpkg']], ids.slice(1)), 413, /MAX_UPLOAD/);
  assert.deepEqual(inputsOf(small), []);
  assert.equal((await merge([['files', 'x'.repeat(400), 'f.gpkg']], ids.slice(1))).status, 200);
});

test('one upload serves many jobs at the same time', async () => {
  const id = await upload('many');
  const config = { input_upload: id, ...toCsv };
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => postJson(service, '/v1/transform/csv', { ...config, input_crs: 4326 })),
  );
  for (const answer of answers) assert.equal(await outputText(answer), outputOf('many'));
});

test('a repeated request gets its job although the upload is gone; another upload is another request', async () => {
  const id = await upload('once');
  const headers = { 'idempotency-key': 'u1' };
  const send = (upload_id: string) =>
    postJson(service, '/v1/transform/geojson?async=true', { input_upload: upload_id, ...toCsv }, headers);
  const first = (await (await send(id)).json()) as { task_id: string };
  await service.ended(first.task_id);
  assert.equal((await fetch(`${service.url}/v1/uploads/${id}`, { method: 'DELETE' })).status, 204);
  assert.equal(((await (await send(id)).json()) as { task_id: string }).task_id, first.task_id);
  await expectProblem(await send(await upload('once')), 422, /u1/);
});

test('uploads that cannot be used are named with what to do, and leave nothing behind', async () => {
  const unfinished = (await newUpload(service, 10)).split('/').at(-1)!;
  const url = await newUpload(service, 10);
  await appendTo(url, 0, 'abcd');
  const half = url.split('/').at(-1)!;
  const empty = (await newUpload(service, 0)).split('/').at(-1)!;
  const id = await upload('x');
  const json = (path: string, body: object) => postJson(service, path, { ...toCsv, ...body });
  const unknown = '00000000-0000-4000-8000-000000000000';
  const geojson = '/v1/transform/geojson';
  const rows: [Promise<Response>, number, RegExp][] = [
    [
      json(geojson, { input_upload: unknown }),
      400,
      /'input_upload': there is no upload '0+-0.*POST \/v1\/uploads/,
    ],
    [json(geojson, { input_upload: '../x' }), 400, /there is no upload '\.\.\/x'/],
    [json(geojson, { input_upload: half }), 409, /'input_upload': upload '.*' has 4 of 10 bytes/],
    [json(geojson, { input_upload: unfinished }), 409, /has 0 of 10 bytes; send the rest first/],
    [json(geojson, { input_upload: empty }), 400, /is empty/],
    [json(geojson, { input_upload: 7 }), 400, /'input_upload' must be the id of an upload, not 7/],
    [json(geojson, { input_upload: 'x'.repeat(101) }), 400, /'input_upload' must have at most 100/],
    [
      json(geojson, { input_upload: id, input_geojson: {} }),
      400,
      /'input_geojson' and 'input_upload' both state/,
    ],
    [json(geojson, {}), 400, /'input_geojson' in the body is required/],
    [json('/v1/transform/shp', {}), 400, /no input: add 'input_url' or 'input_upload', or send a form/],
    [json('/v1/transform/shp/append', { target_upload: id }), 400, /add 'append_uploads'/],
    [json('/v1/transform/shp/append', { append_uploads: [id] }), 400, /add 'target_upload'/],
    [json('/v1/transform/shp/merge', {}), 400, /add 'input_uploads'/],
    [json('/v1/transform/shp/merge', { input_uploads: id }), 400, /must be a list of ids of uploads/],
    [
      json('/v1/transform/shp/merge', { input_uploads: [id, unknown] }),
      400,
      /'input_uploads\[1\]': there is no/,
    ],
    [json('/v1/transform/shp/merge', { input_uploads: [] }), 400, /input_uploads/],
    [
      postForm(service, geojson, {
        parts: [['file', 'x', 'a.json']],
        config: { input_upload: id, ...toCsv },
      }),
      400,
      /part 'file' and 'input_upload' both state the input/,
    ],
    [
      postForm(service, '/transform', {
        parts: [],
        config: { input: { format: 'csv', epsg: 4326, upload: unknown }, output: { format: 'csv' } },
      }),
      400,
      /'input\.upload': there is no upload/,
    ],
    [
      json(geojson, { input_upload: id, transformations: [{ type: 'clip', mask_upload: unknown }] }),
      400,
      /'transformations\[0\]\.mask_upload': there is no upload/,
    ],
    [
      json(geojson, {
        input_upload: id,
        transformations: [{ type: 'clip', mask_upload: id, mask: 'mask_a' }],
      }),
      400,
      /'transformations\[0\]\.mask_upload' contradicts/,
    ],
  ];
  for (const [answer, status, detail] of rows) await expectProblem(await answer, status, detail);
  assert.deepEqual(inputsOf(service), []);
});

test('uploads of another account cannot be used, and are told like unknown ones', async () => {
  await using open = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(open.config.dataDirectory);
  const [ann, bob, admin] = [
    { apikey: (await credentials.key('ann')).secret },
    { apikey: (await credentials.key('bob')).secret },
    { apikey: (await credentials.key('root', ['jobs:read', 'jobs:write', 'admin'])).secret },
  ];
  const { id } = await uploadForm(open, 'secret', 'a.geojson', ann);
  const use = async (name: string, headers: Record<string, string>): Promise<string> => {
    const response = await postJson(open, '/v1/transform/geojson', { input_upload: name, ...toCsv }, headers);
    return `${response.status} ${(await response.text()).replaceAll(name, 'ID')}`;
  };
  const unknown = await use('00000000-0000-4000-8000-000000000000', bob);
  assert.match(unknown, /^400 /);
  assert.equal(await use(id, bob), unknown);
  assert.equal(await use(id, admin), unknown);
  assert.equal(await use(id, ann), `200 ${outputOf('secret')}`);
});

test('an upload and the jobs that use it count in the storage of the account', async () => {
  await using limited = await startTestService({ settings: { MAX_OWNER_STORAGE: '5000', RUNNERS: '1' } });
  const { id } = await uploadForm(limited, `wait 100000 ${'x'.repeat(1500)}`);
  const send = () => postJson(limited, '/v1/transform/geojson?async=true', { input_upload: id, ...toCsv });
  assert.equal((await send()).status, 202);
  await expectProblem(await send(), 429, /no room/);
  assert.equal(inputsOf(limited).length, 1);
});

test('a real conversion, an inspection and masks from uploads', async () => {
  const sample = (name: string) => uploadForm(real, new Uint8Array(readFileSync(join(SAMPLES, name))), name);
  const [geojson, gpkg, zip] = [
    await sample('harbour.geojson'),
    await sample('harbour.gpkg'),
    await sample('harbour.zip'),
  ];
  const direct = await postForm(real, '/v1/transform/shp', {
    parts: [['file', new Uint8Array(readFileSync(join(SAMPLES, 'harbour.zip'))), 'harbour.zip']],
    config: { output_format: 'geojson' },
  });
  const byUpload = await postJson(real, '/v1/transform/shp', {
    input_upload: zip.id,
    output_format: 'geojson',
  });
  assert.equal(await outputText(byUpload), await outputText(direct));
  const inspected = await postJson(real, '/v1/inspect', { input: { format: 'gpkg', upload: gpkg.id } });
  assert.match(await outputText(inspected), /"harbour"/);
  const clip = { type: 'clip', mask_layer: 'harbour', mask_filter: "kind = 'basin'" };
  const config = { input_upload: geojson.id, output_format: 'geojson' };
  const steps = [
    { ...clip, mask_upload: gpkg.id },
    { type: 'erase', params: { mask_upload: gpkg.id, mask_filter: "kind = 'none'" } },
  ];
  const byMask = await postJson(real, '/v1/transform/geojson', {
    ...config,
    transformations: steps.slice(0, 1),
  });
  const byPart = await postForm(real, '/v1/transform/geojson', {
    parts: [['mask', new Uint8Array(readFileSync(join(SAMPLES, 'harbour.gpkg'))), 'harbour.gpkg']],
    config: { ...config, transformations: [clip] },
  });
  const clipped = await outputText(byMask);
  assert.equal(clipped, await outputText(byPart));
  assert.match(clipped, /"type":"Feature"/);
  // The same upload for several steps; an error names the parameter of the step.
  const wrong = [
    { ...clip, mask_upload: gpkg.id },
    { ...clip, mask_upload: gpkg.id, mask_layer: 'nothing' },
  ];
  await expectProblem(
    await postJson(real, '/v1/transform/geojson', { ...config, transformations: wrong }),
    400,
    /nothing/,
  );
  assert.deepEqual(inputsOf(real), []);
});

for (const level of SANDBOX_LEVELS)
  test(`level ${level}: jobs of several runners read one upload at the same time`, async (context) => {
    const root = mkdtempSync(join(tmpdir(), 'geomill-test-'));
    chmodSync(root, 0o711);
    const dataDirectory = join(root, 'data');
    mkdirSync(dataDirectory);
    try {
      const settings = { RUNNER_SANDBOX: level, RUNNERS: '2', RUNNER_THREADS: '1' };
      const start = startTestService({ runner: null, settings, dataDirectory });
      const isolated = await start.catch((error: unknown) => {
        if (!(error instanceof GeomillError) || error.code !== 'SETTING_INVALID') throw error;
        return null;
      });
      if (isolated === null) return context.skip(`level ${level} cannot be built here`);
      await using running = isolated;
      const content = new Uint8Array(readFileSync(join(SAMPLES, 'harbour.zip')));
      const { id } = await uploadForm(running, content, 'harbour.zip');
      const send = () =>
        postJson(running, '/v1/transform/shp', { input_upload: id, output_format: 'geojson' });
      const texts = await Promise.all(Array.from({ length: 8 }, async () => outputText(await send())));
      assert.equal(new Set(texts).size, 1);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
