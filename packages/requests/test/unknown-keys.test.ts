/** Unknown keys of a request that look like known ones are refused; others are warnings unless the request is strict. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { formats } from '../../formats/src/registry.ts';
import { transformations } from '../../operations/src/registry.ts';
import type { Endpoint } from '../src/config-fields.ts';
import { parseJobRequest } from '../src/parse-job-request.ts';

const JOB: Endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' };
const registries = { formats, transformations };
const plain = { input: { format: 'csv', epsg: 4326 }, output: { format: 'geojson' } };
const parse = (config: object, endpoint = JOB) => parseJobRequest(config, endpoint, registries);

const refused: readonly (readonly [config: object, message: RegExp])[] = [
  [
    { ...plain, output: { formats: 'geojson' } },
    /'output\.formats' is an unknown key; did you mean 'output\.format'\?/,
  ],
  [{ input_format: 'csv', input_epsg: 4326, outputFormat: 'shp' }, /did you mean 'output_format'\?/],
  [{ ...plain, Output: { format: 'shp' } }, /'Output' is an unknown key; did you mean 'output'\?/],
  [{ ...plain, transformation: [] }, /did you mean 'transformations'\?/],
  [{ ...plain, output: { ...plain.output, transformations: [] } }, /did you mean 'transformations'\?/],
  [{ ...plain, precision: 9 }, /'precision' is an unknown key; did you mean 'output\.precision'\?/],
  [{ ...plain, epsg: 25832 }, /did you mean '(?:input|output)\.epsg' or '(?:input|output)\.epsg'\?/],
  [{ ...plain, csv_options: { delimeter: ';' } }, /did you mean 'csv_options\.delimiter'\?/],
  [{ ...plain, csvOptions: {} }, /did you mean 'csv_options'\?/],
  [{ ...plain, output: { ...plain.output, toFile: false } }, /did you mean 'output\.to_file'\?/],
  [
    { ...plain, transformations: [{ type: 'buffer', distanse: 1, units: 'meters', distance: 1 }] },
    /'distance'\?/,
  ],
  [{ ...plain, transformations: [{ type: 'envelope', param: {} }] }, /did you mean 'params'\?/],
  [{ ...plain, strict: true, colour: 'red' }, /'colour' is an unknown key; remove it/],
  [
    { ...plain, strict: true, input: { ...plain.input, a: 1, b: 2 } },
    /'input\.a' is an unknown key, as are 1 more/,
  ],
  [{ ...plain, strict: 'yes' }, /'strict' must be true or false/],
];

for (const [config, message] of refused)
  test(`${JSON.stringify(config)} is refused with what is meant`, () => {
    assert.throws(() => parse(config), message);
  });

test('keys of other operations and formats, and keys that resemble nothing, are warnings', () => {
  for (const extra of [{ append_crs_mapping: 4326 }, { crs_policy: 'x' }, { colour: 1 }, { note: 1 }])
    assert.equal(parse({ ...plain, ...extra }).findings.list().length, 1, JSON.stringify(extra));
  const gpkgOption = { ...plain, output: { format: 'geojson', spatial_index: false } };
  assert.equal(parse(gpkgOption).findings.list().length, 1);
  assert.equal(parse({ ...plain, strict: true }).findings.list().length, 0);
});

test('no key of a correct config is refused, whatever its spelling is', () => {
  const spelled: readonly object[] = [
    { input_format: 'csv', input_crs: 4326, output_format: 'shp', output_crs: 4326, layer: 'a' },
    {
      input: { format: 'csv', crs: 4326, layers: ['a'], delimiter: ';' },
      output: { format: 'csv', crs: 'source' },
    },
  ];
  for (const config of spelled) assert.equal(parse({ ...config, strict: true }).findings.list().length, 0);
});

test('unknown keys are compared in bounded time', () => {
  const many = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, i) => [`output_forma${'x'.repeat(20)}${i}`, 1]),
  );
  assert.equal(parse({ ...plain, ...many }).findings.list().length, 21);
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (key) => {
      try {
        parse({ ...plain, [key]: null });
      } catch (error) {
        assert.match(String(error), /CONFIG_INVALID|unknown key|must be/);
      }
    }),
  );
});
