/** Polygons to clip and erase by: in the parameters, small or large, and as a part of a form. With the real runners. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillClient, type SubmitJobConfig } from '../../src/client/client.ts';
import { checkedFetch } from '../support/response-check.ts';
import { postForm, postJson, startTestService } from '../support/service.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-masks-'));
const service = await startTestService({
  runner: null,
  dataDirectory,
  settings: { MAX_MASK: '20 MiB', RUNNERS: '1' },
});
test.after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const sample = readFileSync(join(import.meta.dirname, '..', '..', 'samples', 'harbour.geojson'), 'utf8');
const toGeojson = { output_format: 'geojson' };

/** Around Europe, as a ring of so many positions. */
function mask(positions: number): object {
  const ring = Array.from({ length: positions }, (_, i) => {
    const angle = (i / (positions - 1)) * 2 * Math.PI;
    return [10 + Math.cos(angle) * 20, 50 + Math.sin(angle) * 20];
  });
  ring[positions - 1] = ring[0];
  return { type: 'Feature', properties: null, geometry: { type: 'Polygon', coordinates: [ring] } };
}

const SMALL = mask(5);
/** 5 MB. */
const LARGE = mask(130_000);
const sizes = { small: SMALL, large: LARGE };

async function countOf(response: Response): Promise<number> {
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return (JSON.parse(text) as { features: unknown[] }).features.length;
}

async function refusal(response: Response, status: number, detail: RegExp): Promise<void> {
  const problem = (await response.json()) as { detail?: string };
  assert.equal(response.status, status, JSON.stringify(problem).slice(0, 500));
  assert.match(String(problem.detail), detail);
}

const send = (
  transformations: readonly object[],
  parts: readonly (readonly [string, string])[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  postForm(service, '/v1/transform/geojson', {
    parts: [
      ['file', sample, 'harbour.geojson'],
      ...parts.map(([name, text]) => [name, text, 'm.geojson'] as const),
    ],
    config: { ...toGeojson, transformations },
    headers: { prefer: 'wait=60', ...headers },
  });

for (const [size, value] of Object.entries(sizes)) {
  test(`a ${size} mask clips and erases from a form, beside the type and under params`, async () => {
    assert.equal(await countOf(await send([{ type: 'clip', clipping_geojson: value }])), 10);
    assert.equal(await countOf(await send([{ type: 'erase', params: { erasing_geojson: value } }])), 0);
  });

  test(`a ${size} mask clips in a JSON body`, async () => {
    const body = {
      transformations: [{ type: 'erase', erasing_geojson: value }],
      input_geojson: JSON.parse(sample),
      ...toGeojson,
    };
    assert.equal(
      await countOf(await postJson(service, '/v1/transform/geojson', body, { prefer: 'wait=60' })),
      0,
    );
  });

  test(`a ${size} mask is sent by the client`, async () => {
    const client = new GeomillClient({
      baseUrl: service.url,
      fetch: checkedFetch as typeof globalThis.fetch,
    });
    const config: SubmitJobConfig = {
      input: { format: 'geojson' },
      output: { format: 'geojson' },
      transformations: [
        { type: 'clip' as const, params: { clipping_geojson: value as Record<string, unknown> } },
      ],
    };
    const input = { name: 'harbour.geojson', data: sample };
    const { report } = await (await client.submit({ input, config })).wait();
    assert.equal(report?.features.written, 10);
  });

  test(`what is wrong with a ${size} mask is told with its path`, async () => {
    const wrong = structuredClone(value) as { geometry: { coordinates: number[][][] } };
    wrong.geometry.coordinates[0][2] = [500_000, 5_600_000];
    const path =
      /'transformations\[1\]\.params\.clipping_geojson\.geometry\.coordinates\[0\]\[2\]' is \(500000, 5600000\)/;
    const steps = [{ type: 'union' }, { type: 'clip', params: { clipping_geojson: wrong } }];
    await refusal(await send(steps), 400, path);
  });
}

test('a part of the form holds the mask of the steps that have none, before or behind the config', async () => {
  const config = { ...toGeojson, transformations: [{ type: 'clip' }, { type: 'erase', params: {} }] };
  const file = ['file', sample, 'harbour.geojson'] as const;
  const maskPart = ['mask', JSON.stringify(LARGE), 'mask.geojson'] as const;
  const configPart = ['config', JSON.stringify(config)] as const;
  for (const parts of [
    [configPart, file, maskPart],
    [maskPart, file, configPart],
  ]) {
    const response = await postForm(service, '/v1/transform/geojson', {
      parts,
      headers: { prefer: 'wait=60' },
    });
    assert.equal(await countOf(response), 0);
  }
  const clipped = await send(
    [{ type: 'clip' }, { type: 'erase', erasing_geojson: mask(5) }],
    [['mask', JSON.stringify(SMALL)]],
  );
  assert.equal(await countOf(clipped), 0);
});

test('a part and the steps must fit', async () => {
  await refusal(
    await send([{ type: 'clip' }]),
    400,
    /'transformations\[0\]\.clipping_geojson' is required for clip: Area to keep.*send it as part 'mask'/,
  );
  await refusal(
    await send([{ type: 'clip', clipping_geojson: SMALL }], [['mask', JSON.stringify(SMALL)]]),
    400,
    /part 'mask' came, but no step takes it; add one \(clip without 'clipping_geojson', erase without/,
  );
  const twice = [
    ['mask', '{}'],
    ['mask', '{}'],
  ] as const;
  await refusal(await send([{ type: 'clip' }], twice), 400, /part 'mask' was sent more than once/);
  const body = { ...toGeojson, input_geojson: JSON.parse(sample), transformations: [{ type: 'clip' }] };
  await refusal(await postJson(service, '/v1/transform/geojson', body), 400, /is required for clip/);
});

test('a part that is no mask fails the job with its name', async () => {
  const broken: readonly (readonly [string, RegExp])[] = [
    ['{"type":', /'mask' is not valid JSON: /],
    ['[1]', /'mask' must be a GeoJSON Polygon/],
    [
      `{"a":${'['.repeat(1_000_000)}`,
      /'mask' is not valid JSON: at byte \d+: arrays and objects are nested deeper/,
    ],
    ['{"type":"LineString","coordinates":[]}', /'mask\.type' is "LineString"/],
  ];
  for (const [text, detail] of broken)
    await refusal(await send([{ type: 'clip' }], [['mask', text]]), 400, detail);
});

test('a mask above its limit is refused, wherever it is', async () => {
  const large = JSON.stringify({ type: 'Polygon', coordinates: 'x'.repeat(21 << 20) });
  await refusal(
    await send([{ type: 'clip' }], [['mask', large]]),
    413,
    /'mask' is more than 20971520 bytes.*MAX_MASK/,
  );
  await refusal(
    await send([{ type: 'clip', clipping_geojson: JSON.parse(large) }]),
    413,
    /'transformations\[0\]\.clipping_geojson' is more than .*MAX_MASK/,
  );
});

test('a large mask is an input of the job, but none of its files, and goes with them', async () => {
  const steps = [{ type: 'clip', clipping_geojson: LARGE }];
  const headers = { prefer: 'respond-async', 'idempotency-key': 'masks' };
  const { task_id: id } = (await (await send(steps, [], headers)).json()) as { task_id: string };
  const again = (await (await send(steps, [], headers)).json()) as { task_id: string };
  assert.equal(again.task_id, id);
  const other = [{ type: 'clip', clipping_geojson: mask(130_001) }];
  await refusal(await send(other, [], headers), 422, /Idempotency-Key/i);
  const job = await service.ended(id);
  assert.equal(job.state, 'SUCCESS');
  assert.deepEqual(
    job.inputs.map(({ name, stepInput }) => [name, stepInput]),
    [
      ['harbour.geojson', undefined],
      ['transformations[0].clipping_geojson', 'transformations[0].clipping_geojson'],
    ],
  );
  assert.ok(JSON.stringify(job.request).length < 2000, 'the request in the database is small');
  const told = (await (await checkedFetch(`${service.url}/v1/jobs/${id}`)).json()) as {
    input: { files: unknown[] };
  };
  assert.equal(told.input.files.length, 1);
  assert.deepEqual(readdirSync(join(dataDirectory, 'inputs')), []);
});

test('a mask that comes twice in one step is refused', async () => {
  const text = JSON.stringify(LARGE);
  const config = `{"output_format":"csv","transformations":[{"type":"clip","clipping_geojson":${text},"clipping_geojson":${text}}]}`;
  const response = await postForm(service, '/v1/transform/geojson', {
    parts: [['file', sample, 'harbour.geojson']],
    config,
  });
  await refusal(response, 400, /came more than once/);
});
