/** Polygons to clip and erase by: in the parameters, small or large, and as a part of a form. With the real runners. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import {
  type FeatureCollection,
  GeomillClient,
  type SubmitJobConfig,
  type TransformConfigs,
} from '../../../../packages/client/src/client.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { postForm, postJson, startTestService } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';

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

const sample = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.geojson'), 'utf8');
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
    const steps = [
      { type: 'clip' as const, mask: 'mask_a' },
      { type: 'erase' as const, mask: 'mask_a', mask_crs: 4326 },
    ];
    const mask = { mask_a: { name: 'a.geojson', data: JSON.stringify(value) } };
    const erased = await client.submit({ input, config: { ...config, transformations: steps }, mask });
    assert.equal((await erased.wait()).report?.features.written, 0);
    const clipped = await client.transform('geojson', {
      input: JSON.parse(sample) as FeatureCollection,
      config: { ...toGeojson, transformations: [{ type: 'clip' }] } as TransformConfigs['geojson'],
      mask: new Blob([JSON.stringify(value)]),
    });
    assert.equal((await clipped.json<FeatureCollection>()).features.length, 10);
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
    /'transformations\[0\]\.clipping_geojson' is required for clip: Area to keep.*send a file as part 'mask'/,
  );
  await refusal(
    await send([{ type: 'clip', clipping_geojson: SMALL }], [['mask', JSON.stringify(SMALL)]]),
    400,
    /no step uses part 'mask'; add one \(clip without 'clipping_geojson', erase without/,
  );
  const twice = [
    ['mask', '{}'],
    ['mask', '{}'],
  ] as const;
  await refusal(await send([{ type: 'clip' }], twice), 400, /part 'mask' was sent more than once/);
  const body = { ...toGeojson, input_geojson: JSON.parse(sample), transformations: [{ type: 'clip' }] };
  await refusal(await postJson(service, '/v1/transform/geojson', body), 400, /is required for clip/);
});

test('a part that is no mask fails the job', async () => {
  const broken: readonly (readonly [string, RegExp])[] = [
    ['{"type":', /m\.geojson/],
    ['[1]', /m\.geojson/],
    [`{"a":${'['.repeat(1_000_000)}`, /m\.geojson/],
    [
      '{"type":"LineString","coordinates":[[1,2],[3,4]]}',
      /'transformations\[0\]\.mask' has a LineString; a mask has polygons alone/,
    ],
    ['{"type":"FeatureCollection","features":[]}', /'transformations\[0\]\.mask' has no polygon/],
    [
      JSON.stringify({ type: 'Polygon', coordinates: [[[0, 0], [9, 0], [500_000, 9], [0, 0]]] }), // biome-ignore format: one line
      /'transformations\[0\]\.mask' has the position \(500000, 9\), which is not a longitude and latitude; state the CRS of its coordinates with 'transformations\[0\]\.mask_crs'/,
    ],
  ];
  for (const [text, detail] of broken)
    await refusal(await send([{ type: 'clip' }], [['mask', text]]), 400, detail);
});

test('polygons in a config above their limit are refused; a file counts towards the upload alone', async () => {
  const large = JSON.stringify({ type: 'Polygon', coordinates: 'x'.repeat(21 << 20) });
  const spaces = JSON.stringify(SMALL) + ' '.repeat(21 << 20);
  assert.equal(await countOf(await send([{ type: 'clip' }], [['mask', spaces]])), 10);
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
  // They are removed after the result is recorded.
  const inputs = join(dataDirectory, 'inputs');
  await until('no input is left', () => readdirSync(inputs).length === 0);
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

const gpkg = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.gpkg'));

/** Sends a form whose parts are files of any kind. */
const sendFiles = (
  transformations: readonly object[],
  parts: readonly (readonly [string, Uint8Array<ArrayBuffer> | string, string])[],
): Promise<Response> =>
  postForm(service, '/v1/transform/geojson', {
    parts: [['file', sample, 'harbour.geojson'], ...parts],
    config: { ...toGeojson, transformations },
    headers: { prefer: 'wait=60' },
  });

test('a mask comes in any format, known by its name, its content or the step; a condition chooses of its features', async () => {
  const where = "kind = 'basin'";
  const expected = await countOf(
    await sendFiles([{ type: 'clip', mask_filter: where }], [['mask', gpkg, 'harbour.gpkg']]),
  );
  assert.ok(expected > 0 && expected < 10, `${expected}`);
  const step = { type: 'clip', mask: 'mask_basins', mask_filter: where };
  for (const [more, name] of [
    [{}, 'upload'],
    [{ mask_format: 'gpkg' }, 'upload.zip'],
    [{ mask_crs: 'EPSG:25832' }, 'a.gpkg'],
  ] as const)
    assert.equal(
      await countOf(await sendFiles([{ ...step, ...more }], [['mask_basins', gpkg, name]])),
      expected,
    );
});

test('several steps name several masks, and share one', async () => {
  const steps = [
    { type: 'clip', mask: 'mask_area' },
    { type: 'erase', params: { mask: 'mask_none' } },
    { type: 'clip', mask: 'mask_area' },
  ];
  const far = { type: 'Polygon', coordinates: [[[-50, 0], [-40, 0], [-40, 9], [-50, 0]]] }; // biome-ignore format: one line
  const both = [
    ['mask_area', JSON.stringify(SMALL), 'area.json'],
    ['mask_none', JSON.stringify(far), 'none.geojson'],
  ] as const;
  assert.equal(await countOf(await sendFiles(steps, both)), 10);
  await refusal(await sendFiles(steps, [both[0]]), 400, /send a file as part 'mask_none'/);
  await refusal(
    await sendFiles(steps, [...both, ['mask_more', '{}', 'm.json']]),
    400,
    /no step uses part 'mask_more'; add one \(clip with 'mask' set to 'mask_more'/,
  );
});

test('what is wrong with the parameters of a mask is told before the job is queued', async () => {
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ mask: '../etc/passwd' }, /'transformations\[0\]\.mask' names the part of the form/],
    [{ mask: 'file' }, /names the part of the form/],
    [{ mask_crs: 'nosuch' }, /nosuch/],
    [{ mask_filter: 'a >' }, /'transformations\[0\]\.mask_filter' /],
    [{ mask_format: 7 }, /mask_format/],
    [
      { mask_layer: 'a', clipping_geojson: SMALL },
      /is about a file, but 'transformations\[0\]\.clipping_geojson' has the value/,
    ],
  ];
  for (const [step, detail] of refused)
    await refusal(await sendFiles([{ type: 'clip', ...step }], [['mask', gpkg, 'm.gpkg']]), 400, detail);
  const body = {
    ...toGeojson,
    input_geojson: JSON.parse(sample),
    transformations: [{ type: 'clip', mask: 'mask' }],
  };
  await refusal(
    await postJson(service, '/v1/transform/geojson', body),
    400,
    /is about a file, which only a form can have/,
  );
});

test('what is wrong with the file of a mask fails the job with the next step', async () => {
  const layers = await sendFiles([{ type: 'clip', mask_layer: 'nosuch' }], [['mask', gpkg, 'm.gpkg']]);
  await refusal(layers, 400, /no layer 'nosuch'; its layers: /);
  const noCrs = 'wkt,n\n"POLYGON ((0 0, 1 0, 1 1, 0 0))",1\n';
  const csv = [['mask', noCrs.replace('wkt', 'geom_wkt'), 'm.csv']] as const;
  await refusal(
    await sendFiles([{ type: 'clip' }], csv),
    400,
    /^field 'transformations\[0\]\.mask_crs' is required for csv: /,
  );
  assert.equal(await countOf(await sendFiles([{ type: 'erase', mask_crs: 4326 }], csv)), 10);
  const german = [['mask', noCrs.replace('wkt,n', 'geom_wkt;n').replace('",1', '";"1,5"'), 'm.csv']] as const;
  const read = { mask_crs: 4326, mask_options: { delimiter: ';', decimal_comma: true } };
  const chosen = { type: 'erase', ...read, mask_filter: 'n > 1' };
  assert.equal(await countOf(await sendFiles([chosen], german)), 10);
  for (const [options, detail] of [
    [
      { delimeter: ';' },
      /mask_options\.delimeter' is not an option for reading csv \(did you mean 'delimiter'/,
    ],
    [{ decimal_comma: 7 }, /mask_options\.decimal_comma' must be boolean/],
  ] as const)
    await refusal(await sendFiles([{ ...chosen, mask_options: options }], german), 400, detail);
  const steps: readonly (readonly [object, RegExp])[] = [
    [{ mask_format: 'nosuch' }, /'transformations\[0\]\.mask_format': unknown format 'nosuch'/],
    [{ mask_filter: 'nosuch > 1' }, /no field 'nosuch'/],
    [{ mask_filter: 'name > 1' }, /'transformations\[0\]\.mask_filter' /],
    [{ mask_filter: "kind = 'nosuch'" }, /'transformations\[0\]\.mask' has no polygon/],
  ];
  for (const [step, detail] of steps)
    await refusal(await sendFiles([{ type: 'clip', ...step }], [['mask', gpkg, 'm.gpkg']]), 400, detail);
  await refusal(
    await sendFiles([{ type: 'clip' }], [['mask', 'what is it?', 'mask']]),
    400,
    /whose format neither its name nor its content tells/,
  );
});
