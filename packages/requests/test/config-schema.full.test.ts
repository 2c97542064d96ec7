/** The schemas that the document tells of configs, held against the parser: what it takes they take, and the other way. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parseEpsg } from '../../core/src/crs/crs.ts';
import { formats, inputFormats } from '../../formats/src/registry.ts';
import { transformations } from '../../operations/src/registry.ts';
import { CONFIG_FIELDS, type Endpoint } from '../src/config-fields.ts';
import { configSchema, jsonBodySchema, jsonDocumentsOf } from '../src/config-schema.ts';
import { parseJobRequest } from '../src/parse-job-request.ts';

const registries = { formats, transformations };

/** Steps have schemas and tests of their own, which take longer to compile than everything else here. */
const TransformationStep = { type: 'object', required: ['type'] };

function validatorOf(schema: object): ValidateFunction {
  return new Ajv2020({ strict: false }).compile({
    ...schema,
    components: { schemas: { TransformationStep } },
  });
}

const endpoints: Endpoint[] = (['transform', 'append', 'merge', 'inspect'] as const).flatMap((operation) => [
  { operation, inputFormat: null, spelling: 'nested' as const },
  { operation, inputFormat: null, spelling: 'flat' as const },
  ...inputFormats.map(({ id }) => ({ operation, inputFormat: id, spelling: 'flat' as const })),
]);

test('every endpoint has a schema that compiles, with a description of every field', () => {
  for (const endpoint of endpoints) {
    const schema = configSchema(endpoint, registries);
    validatorOf(schema);
    const told = JSON.stringify(schema);
    assert.ok(
      told.includes(endpoint.spelling === 'flat' ? '"output_format"' : '"output"'),
      told.slice(0, 200),
    );
    const properties = Object.entries(schema.properties as Record<string, Record<string, unknown>>);
    for (const [name, { description, properties: inner, anyOf }] of properties)
      assert.ok(description ?? inner ?? anyOf, `${endpoint.operation} ${name}`);
  }
  for (const endpoint of endpoints) {
    const documents = jsonDocumentsOf(endpoint);
    if (documents !== null) validatorOf(jsonBodySchema(endpoint, documents, registries));
  }
});

test('a config of every field is taken by schema and parser, with nothing left over', () => {
  for (const endpoint of endpoints) {
    const crs =
      endpoint.operation === 'merge' ? {} : { [endpoint.spelling === 'flat' ? 'input_crs' : 'epsg']: 4326 };
    const mapping = {
      ...(endpoint.operation === 'append' ? { append_crs_mapping: ['EPSG:28350', 4326] } : {}),
      ...(endpoint.operation === 'merge' ? { input_crs_mapping: 'epsg:28350' } : {}),
    };
    const steps = [{ type: 'buffer', params: { distance: 1, units: 'meters' } }, { type: 'union' }];
    const common = { ...mapping, transformations: steps };
    const format = endpoint.inputFormat === null ? { input_format: 'shp' } : {};
    const config =
      endpoint.spelling === 'flat'
        ? {
            ...format,
            ...crs,
            ...common,
            input_layer: 'a',
            output_format: 'geojson',
            output_crs: '3857',
            to_file: false,
          }
        : {
            ...common,
            input: { format: 'shp', ...crs, layer: ['a', 'b'] },
            output: { format: 'geojson', epsg: 3857, to_file: false, bbox: true },
          };
    const validate = validatorOf(configSchema(endpoint, registries));
    assert.ok(validate(config), `${JSON.stringify(endpoint)} ${JSON.stringify(validate.errors)}`);
    const parsed = parseJobRequest(config, endpoint, registries);
    assert.deepEqual(parsed.findings.list(), []);
    const request = parsed.forFiles(endpoint.operation === 'append' ? 3 : 1);
    assert.equal(request.output?.toFile, false);
    assert.equal(request.operation, endpoint.operation);
  }
});

test('what is required is refused by both when it is missing', () => {
  for (const endpoint of endpoints) {
    const schema = configSchema(endpoint, registries);
    const isEmptyFine = validatorOf(schema)({});
    let isTaken = true;
    try {
      parseJobRequest({}, endpoint, registries);
    } catch {
      isTaken = false;
    }
    assert.equal(isEmptyFine, isTaken, JSON.stringify(endpoint));
  }
});

test('the schema of a CRS takes what the parser of EPSG codes takes', () => {
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(CONFIG_FIELDS.outputCrs.schema());
  const code = fc.oneof(
    fc.integer({ min: -5, max: 999_999_999 }),
    fc.nat(99_999).map((n) => `EPSG:${n + 1}`),
    fc.nat(99_999).map((n) => ` epsg:${n + 1} `),
    fc.stringMatching(/^(?:epsg:|EPSG:|Epsg:|)[0-9a-z ]{0,11}$/),
    fc.double(),
    fc.constantFrom(true, null, {}, [4326]),
  );
  fc.assert(
    fc.property(code, (value) => {
      let isTaken = true;
      try {
        parseEpsg(value, 'x');
      } catch {
        isTaken = false;
      }
      // Code 0 is none, which a pattern would say at the price of being read by nobody.
      if (typeof value === 'string' && /^\D*0+\s*$/.test(value)) return;
      assert.equal(validate(value), isTaken, JSON.stringify(value));
    }),
  );
});
