/** Messages about requests name the field as the client wrote it, and what to do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { CrsSearch } from '../../../packages/crs-search/src/crs-search.ts';
import { formats, inputFormats } from '../../../packages/formats/src/registry.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import type { Endpoint } from '../../../packages/requests/src/config-fields.ts';
import { parseJobRequest } from '../../../packages/requests/src/parse-job-request.ts';
import { refuseUnknownCodes } from '../src/http/known-crs.ts';

const JOB: Endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' };

function parse(config: unknown, endpoint: Endpoint = JOB) {
  return parseJobRequest(config, endpoint, { formats, transformations });
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof GeomillError) return error.message;
    throw error;
  }
  return 'nothing was refused';
}

for (const { id, name, inputCrs } of inputFormats.filter((format) => format.inputCrs === 'request'))
  test(`${id} without a CRS (${inputCrs}): the message begins with the field that is required`, () => {
    const output = { format: 'gpkg' };
    const text = `for ${id}: ${name} does not store its CRS (EPSG:4326 for longitude and latitude)`;
    const cases: readonly (readonly [config: unknown, field: string, endpoint?: Endpoint])[] = [
      [{ input: { format: id }, output }, 'input.epsg'],
      [{ input: { format: id, epsg: null }, output }, 'input.epsg'],
      [{ input_format: id, output_format: 'gpkg' }, 'input_epsg'],
      [{ input_format: id, output }, 'input_epsg'],
      [{ inputs: [{ format: id }], outputs: [output] }, 'inputs[0].epsg'],
      [{ output_format: 'gpkg' }, 'input_crs', { operation: 'transform', inputFormat: id, spelling: 'flat' }],
      [{ output_format: 'gpkg' }, 'input_crs', { operation: 'append', inputFormat: id, spelling: 'flat' }],
      [
        { output_format: 'gpkg' },
        'input_crs_mapping',
        { operation: 'merge', inputFormat: id, spelling: 'flat' },
      ],
    ];
    for (const [config, field, endpoint] of cases)
      assert.equal(
        messageOf(() => parse(config, endpoint)),
        `field '${field}' is required ${text}`,
      );
  });

test('the manual shows the text of the response', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8');
  const detail = messageOf(() => parse({ input: { format: 'csv' }, output: { format: 'gpkg' } }));
  assert.ok(manual.includes(`"detail":"${detail}"`), detail);
});

test('a flat request is answered with flat names', () => {
  const flat = { input_format: 'csv', input_epsg: 'EPSG:4326', output_format: 'gpkg' };
  assert.match(
    messageOf(() => parse({ ...flat, input_epsg: 'x' })),
    /'input_epsg'/,
  );
  assert.match(
    messageOf(() => parse({ ...flat, input_crs: 'x', input_epsg: undefined })),
    /'input_crs'/,
  );
  assert.match(
    messageOf(() => parse({ ...flat, output_crs: 'x' })),
    /'output_crs'/,
  );
  assert.match(
    messageOf(() => parse({ ...flat, output_format: 'nothing' })),
    /'output_format'/,
  );
  assert.match(
    messageOf(() => parse({ ...flat, input_url: 'https://a.example/b.csv' })),
    /'input_url'.*INPUT_URL_HOSTS/,
  );
});

test('a step without a type says that the type is required', () => {
  const base = { input: { format: 'geojson' }, output: { format: 'gpkg' } };
  for (const step of [{}, { params: {} }, { type: null }, { distance: 5, units: 'meters' }])
    assert.match(
      messageOf(() => parse({ ...base, transformations: [step] })),
      /^'transformations\[0\]\.type' is required: .*buffer/,
    );
  assert.match(
    messageOf(() => parse({ ...base, steps: [{}], input: undefined, inputs: [base.input] })),
    /'steps\[0\]\.type'/,
  );
  assert.match(
    messageOf(() => parse({ ...base, transformations: [{ type: 'x' }] })),
    /unknown transformation 'x'/,
  );
});

test('an EPSG code that no system has is refused when the request arrives', () => {
  const search = new CrsSearch();
  const refusal = (config: unknown, endpoint?: Endpoint): string =>
    messageOf(() => refuseUnknownCodes(parse(config, endpoint).forFiles(2), search));
  const [input, output] = [{ format: 'gpkg' }, { format: 'gpkg' }];
  const cases: readonly (readonly [config: unknown, field: string, endpoint?: Endpoint])[] = [
    [{ input, output: { ...output, epsg: 999999 } }, 'output.epsg'],
    [{ input, output: { ...output, crs: ' epsg:999999 ' } }, 'output.crs'],
    [{ input: { ...input, epsg: '999999' }, output }, 'input.epsg'],
    [{ input, output, transformations: [{ type: 'reproject', epsg: 999999 }] }, 'transformations[0].epsg'],
    [
      { input, output, transformations: [{ type: 'reproject', params: { crs: 'EPSG:999999' } }] },
      'transformations[0].params.crs',
    ],
    [
      { output_format: 'gpkg', output_crs: 'EPSG:999999' },
      'output_crs',
      { operation: 'transform', inputFormat: 'shp', spelling: 'flat' },
    ],
    [
      { output_format: 'gpkg', input_crs_mapping: ['EPSG:4326', 'EPSG:999999'] },
      'input_crs_mapping[1]',
      { operation: 'merge', inputFormat: 'shp', spelling: 'flat' },
    ],
  ];
  for (const [config, field, endpoint] of cases)
    assert.match(
      refusal(config, endpoint),
      new RegExp(`^'${field.replace(/[[\]]/g, '\\$&')}': unknown coordinate reference system 'EPSG:999999'`),
    );
  for (const epsg of [4326, 25832, 5514, 102100, 102003, 4978, 'source', 'local', null])
    assert.equal(refusal({ input, output: { ...output, epsg } }), 'nothing was refused', String(epsg));
});
