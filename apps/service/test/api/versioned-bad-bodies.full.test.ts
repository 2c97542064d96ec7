/** Every JSON body that is not what its path wants is a 4xx problem that names the member and the fix, and leaves no file. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { expectProblem } from '../../../../test/support/problem.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { postJson, startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({
  settings: { MAX_CONFIG: '2 KiB', MAX_FILES: '4', MAX_JSON_BODY: '50 KiB' },
});
test.after(() => service[Symbol.asyncDispose]());

const toCsv = { output_format: 'csv' };
const one = { type: 'FeatureCollection', features: [] };

/** Name, path below /v1/transform/geojson, body, status, detail. */
const bodies: [string, string, unknown, number, RegExp][] = [
  [
    'no document',
    '',
    { output_format: 'csv', geojson: one },
    400,
    /'input_geojson' in the body is required.*'output_format', 'geojson'/,
  ],
  ['an empty object', '', {}, 400, /'output_format' is required/],
  [
    'a document that is a text',
    '',
    { input_geojson: '{}', ...toCsv },
    400,
    /'input_geojson' in the body must be a JSON object, not a string/,
  ],
  [
    'a document that is a list',
    '',
    { input_geojson: [one], ...toCsv },
    400,
    /'input_geojson' in the body must be a JSON object, not an array/,
  ],
  ['no output format', '', { input_geojson: one }, 400, /'output_format' is required/],
  [
    'append without target',
    '/append',
    { append_geojson_list: [one], ...toCsv },
    400,
    /'target_geojson' in the body is required/,
  ],
  [
    'append without files',
    '/append',
    { target_geojson: one, ...toCsv },
    400,
    /'append_geojson_list' in the body is required/,
  ],
  [
    'append of an empty list',
    '/append',
    { target_geojson: one, append_geojson_list: [], ...toCsv },
    400,
    /'append_geojson_list' in the body is empty/,
  ],
  [
    'append of no list',
    '/append',
    { target_geojson: one, append_geojson_list: one, ...toCsv },
    400,
    /'append_geojson_list' in the body must be a list of JSON objects, not an object/,
  ],
  [
    'append of what is no object',
    '/append',
    { target_geojson: one, append_geojson_list: [one, 7], ...toCsv },
    400,
    /'append_geojson_list\[1\]' in the body must be a JSON object, not a number/,
  ],
  [
    'merge without files',
    '/merge',
    { target_geojson: one, ...toCsv },
    400,
    /'input_geojson_list' in the body is required/,
  ],
  [
    'the body of another path',
    '/merge',
    { input_geojson: one, ...toCsv },
    400,
    /'input_geojson_list' in the body is required/,
  ],
  [
    'a list of CRS of another length',
    '/merge',
    { input_geojson_list: [one], input_crs_mapping: [4326, 4326], ...toCsv },
    400,
    /'input_crs_mapping' lists 2 CRS for 1 file;/,
  ],
  [
    'a member that came twice',
    '',
    '{"input_geojson":{},"input_geojson":{}}',
    400,
    /'input_geojson' in the body came more than once/,
  ],
  [
    'a truncated document',
    '',
    '{"output_format":"csv","input_geojson":{"type":"Feat',
    400,
    /ended early: at byte 52, within 'input_geojson'/,
  ],
  ['a body that ends behind a document', '', '{"input_geojson":{}', 400, /ended early/],
  ['an empty body', '', '', 400, /ended early: it is empty/],
  [
    'what is no JSON',
    '',
    'input_geojson=7',
    400,
    /cannot be parsed at line 1, column 1 \(byte 0\): expected '\{'/,
  ],
  ['a list', '', '[1]', 400, /must be a JSON object/],
  ['something behind the body', '', '{"input_geojson":{}} x', 400, /expected the end of the body/],
  [
    'a config too large',
    '',
    { input_geojson: one, output_format: 'x'.repeat(3000) },
    413,
    /without its documents.*MAX_CONFIG/,
  ],
  [
    'too many documents',
    '/merge',
    { input_geojson_list: [one, one, one, one, one], ...toCsv },
    413,
    /MAX_FILES/,
  ],
  [
    'a body above the limit',
    '',
    { input_geojson: { type: 'x'.repeat(60_000) }, ...toCsv },
    413,
    /the JSON body is declared as 6\d+ bytes; the limit is 51200 bytes \(MAX_JSON_BODY\)/,
  ],
];

for (const [name, path, body, status, detail] of bodies)
  test(`refused JSON body: ${name}`, async () => {
    await expectProblem(await postJson(service, `/v1/transform/geojson${path}`, body), status, detail);
  });

test('nothing is left of what was refused', async () => {
  // Last of all tests of this file: they run in order.
  const directory = join(service.config.dataDirectory, 'inputs');
  while (readdirSync(directory).length > 0) await fetch(`${service.url}/healthz`);
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'outputs')), []);
});
