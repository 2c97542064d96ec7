/** The schemas that the document tells of configs, held against the parser: what it takes they take, and the other way. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parseEpsg } from '../../src/crs/crs.ts';
import { formats } from '../../src/formats/registry.ts';
import { CONFIG_FIELDS, type Surface } from '../../src/http/config-fields.ts';
import { configSchema, jsonBodySchema, jsonDocumentsOf } from '../../src/http/config-schema.ts';
import { parseJobRequest } from '../../src/http/parse-job-request.ts';
import { transformations } from '../../src/transformations/registry.ts';

const registries = { formats, transformations };
const noUrls = { hosts: [], privateNetworks: [] };

/** Steps have schemas and tests of their own, which take longer to compile than everything else here. */
const TransformationStep = { type: 'object', required: ['type'] };

function validatorOf(schema: object): ValidateFunction {
  return new Ajv2020({ strict: false }).compile({
    ...schema,
    components: { schemas: { TransformationStep } },
  });
}

const surfaces: Surface[] = (['transform', 'append', 'merge', 'inspect'] as const).flatMap((operation) => [
  { operation, inputFormat: null, spelling: 'nested' as const },
  { operation, inputFormat: null, spelling: 'flat' as const },
  ...formats.map(({ id }) => ({ operation, inputFormat: id, spelling: 'flat' as const })),
]);

test('every surface has a schema that compiles, with a description of every field', () => {
  for (const surface of surfaces) {
    const schema = configSchema(surface, registries);
    validatorOf(schema);
    const told = JSON.stringify(schema);
    assert.ok(
      told.includes(surface.spelling === 'flat' ? '"output_format"' : '"output"'),
      told.slice(0, 200),
    );
    const properties = Object.entries(schema.properties as Record<string, Record<string, unknown>>);
    for (const [name, { description, properties: inner, anyOf }] of properties)
      assert.ok(description ?? inner ?? anyOf, `${surface.operation} ${name}`);
  }
  for (const surface of surfaces) {
    const documents = jsonDocumentsOf(surface);
    if (documents !== null) validatorOf(jsonBodySchema(surface, documents, registries));
  }
});

test('a config of every field is taken by schema and parser, with nothing left over', () => {
  for (const surface of surfaces) {
    const crs =
      surface.operation === 'merge' ? {} : { [surface.spelling === 'flat' ? 'input_crs' : 'epsg']: 4326 };
    const mapping = {
      ...(surface.operation === 'append' ? { append_crs_mapping: ['EPSG:28350', 4326] } : {}),
      ...(surface.operation === 'merge' ? { input_crs_mapping: 'epsg:28350' } : {}),
    };
    const steps = [{ type: 'buffer', params: { distance: 1, units: 'meters' } }, { type: 'union' }];
    const common = { ...mapping, transformations: steps };
    const format = surface.inputFormat === null ? { input_format: 'shp' } : {};
    const config =
      surface.spelling === 'flat'
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
    const validate = validatorOf(configSchema(surface, registries));
    assert.ok(validate(config), `${JSON.stringify(surface)} ${JSON.stringify(validate.errors)}`);
    const parsed = parseJobRequest(config, surface, registries, noUrls);
    assert.deepEqual(parsed.findings.list(), []);
    const request = parsed.forFiles(surface.operation === 'append' ? 3 : 1);
    assert.equal(request.output?.toFile, false);
    assert.equal(request.operation, surface.operation);
  }
});

test('what is required is refused by both when it is missing', () => {
  for (const surface of surfaces) {
    const schema = configSchema(surface, registries);
    const isEmptyFine = validatorOf(schema)({});
    let isTaken = true;
    try {
      parseJobRequest({}, surface, registries, noUrls);
    } catch {
      isTaken = false;
    }
    assert.equal(isEmptyFine, isTaken, JSON.stringify(surface));
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
