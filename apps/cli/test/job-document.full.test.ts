/** Job documents give the same result from the command line and from the service, and errors name their paths. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';
import { asGeomillError } from '../../../packages/core/src/messages/errors.ts';
import { schemaCheck } from '../../../packages/core/src/schemas/schema-check.ts';
import { formats } from '../../../packages/formats/src/registry.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import { parseJobRequest } from '../../../packages/requests/src/parse-job-request.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { readConfig } from '../../service/src/settings/config.ts';
import { errorForm, run } from '../src/run.ts';
import { errorLine } from '../src/wording.ts';

const samples = join(import.meta.dirname, '../../../samples');
const sample = join(samples, 'harbour.geojson');
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const inDirectory = (name: string): string => join(directory, name);

async function runDocument(document: unknown, ...argv: string[]): Promise<void> {
  const file = inDirectory('job.json');
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  assert.equal(await run([file, '--quiet', ...argv], readConfig({})), 0);
}

async function refusal(document: unknown): Promise<string> {
  try {
    await runDocument(document);
  } catch (error) {
    return errorLine(asGeomillError(error), errorForm);
  }
  throw new Error(`${JSON.stringify(document)} was accepted`);
}

const steps = [{ type: 'buffer', distance: 25, units: 'meters' }, { type: 'union' }];
const out = (name: string, more: object = {}): object => ({ path: inDirectory(name), ...more });

test('a document with several outputs runs each of them; names decide the formats', async () => {
  const outputs = [out('a.csv', { epsg: 25832 }), out('b.geojsonl.gz'), out('c.dat', { format: 'geojson' })];
  await runDocument({ inputs: [{ path: sample }], steps, outputs });
  assert.match(readFileSync(inDirectory('a.csv'), 'utf8'), /POLYGON \(\(4\d{5}/);
  const lines = gunzipSync(readFileSync(inDirectory('b.geojsonl.gz')))
    .toString()
    .trim()
    .split('\n');
  const { features } = JSON.parse(readFileSync(inDirectory('c.dat'), 'utf8'));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    features,
  );
});

test('inputs without a format have that of their names, and those of several formats can be merged', async () => {
  const inputs = [{ path: sample }, { path: join(samples, 'harbour.csv'), epsg: 25832 }];
  await runDocument({ operation: 'merge', inputs, outputs: [out('both.geojsonl')] });
  assert.equal(readFileSync(inDirectory('both.geojsonl'), 'utf8').trim().split('\n').length, 20);
  assert.match(
    await refusal({ operation: 'append', inputs, outputs: [out('both.kml')] }),
    /'inputs\[0\]' is geojson and 'inputs\[1\]' is csv/,
  );
});

test('append and merge take several inputs with a CRS each', async () => {
  const inputs = [
    { path: join(samples, 'harbour.csv'), epsg: 25832 },
    { path: join(samples, 'harbour.csv'), epsg: 'EPSG:25832' },
  ];
  await runDocument({ operation: 'append', inputs, outputs: [out('twice.geojsonl')] });
  const twice = readFileSync(inDirectory('twice.geojsonl'), 'utf8').trim().split('\n');
  await runDocument({ operation: 'merge', inputs, outputs: [out('merged.geojsonl')] });
  const merged = readFileSync(inDirectory('merged.geojsonl'), 'utf8').trim().split('\n');
  assert.equal(twice.length, 20);
  assert.equal(merged.length, 20);
});

test('errors name the path in the document, and nothing is written if one output is wrong', async () => {
  const inputs = [{ path: sample }];
  const good = out('never.gpkg');
  const cases: readonly (readonly [document: unknown, message: RegExp])[] = [
    ['{"inputs": [],\n}', /job\.json is not valid JSON at line 2, column 1: .*remove the comma before it/],
    [[], /'document' must be a JSON object/],
    [{ outputs: [good] }, /'inputs' is required/],
    [{ inputs, outputs: [] }, /'outputs' must be a list with at least one object/],
    [{ inputs: [{}], outputs: [good] }, /'inputs\[0\]\.path' is required/],
    [{ inputs, outputs: [good, {}] }, /'outputs\[1\]\.path' is required/],
    [{ inputs, outputs: [good, out('x.gpkg', { epsg: 'utm' })] }, /'outputs\[1\]\.epsg': unknown coordinate/],
    [
      { inputs, outputs: [good, out('x.gpkg', { formt: 'shp' })] },
      /'outputs\[1\]\.formt' is an unknown key; did you mean/,
    ],
    [
      { inputs, steps: [{ type: 'bufer' }], outputs: [good] },
      /'steps\[0\]\.type': unknown transformation 'bufer' \(did you mean 'buffer'\?\)/,
    ],
    [
      { inputs: [{ path: join(samples, 'harbour.csv') }], outputs: [good] },
      /harbour.* is unknown .*set 'inputs\[0\]\.epsg'/,
    ],
    [{ inputs: [inputs[0], inputs[0]], outputs: [good] }, /'inputs' has 2 entries, but transform takes one/],
    [{ operation: 'join', inputs, outputs: [good] }, /'operation' must be transform, append, merge/],
    [
      { operation: 'append', inputs: [inputs[0], { path: sample, layer: 'a' }], outputs: [good] },
      /'inputs\[1\]\.layer' is possible only in/,
    ],
    [{ inputs, input: inputs[0], outputs: [good] }, /'input' contradicts 'inputs'/],
    [{ inputs, outputs: [out('x.gml')] }, /GML is not supported/],
  ];
  for (const [document, message] of cases) assert.match(await refusal(document), message);
  assert.ok(!existsSync(inDirectory('never.gpkg')));
});

test('messages name members of the document instead of flags', async () => {
  const inputs = [{ path: sample }];
  const layered = join(import.meta.dirname, '../../../test/fixtures/gpkg/crs-three.gpkg');
  const unnamed = inDirectory('unnamed');
  writeFileSync(unnamed, 'x');
  const good = out('never.gpkg');
  const cases: readonly (readonly [document: unknown, message: RegExp])[] = [
    [
      { inputs, outputs: [good, { path: 'noending' }] },
      /'noending' .*; set 'outputs\[1\]\.format' to one of geojson, /,
    ],
    [{ inputs: [{ path: unnamed }], outputs: [good] }, /set 'inputs\[0\]\.format' to one of geojson, /],
    [{ inputs: [{ path: '-' }], outputs: [good] }, /set 'inputs\[0\]\.format' to one of /],
    [
      { inputs, outputs: [good, { path: 'x', format: 'gml' }] },
      /'outputs\[1\]\.format': unknown format 'gml'/,
    ],
    [
      { inputs: [{ path: sample, format: 'gml' }], outputs: [good] },
      /'inputs\[0\]\.format': unknown format 'gml'/,
    ],
    // A template names the member, not a parameter.
    [
      {
        inputs: [{ path: layered }],
        outputs: [out('two.gpkg', { layer_name: 'one' })],
      },
      /'outputs\[0\]\.layer_name' 'one' is for one layer.*'inputs\[0\]\.layer'/,
    ],
  ];
  for (const [document, message] of cases) {
    const text = await refusal(document);
    assert.match(text, message);
    assert.doesNotMatch(text, /--(?:to|from|layer)/);
  }
});

test('--json prints one object with the path and report of each output', async () => {
  const inputs = [{ path: sample }];
  const printed = async (outputs: readonly object[]) => {
    writeFileSync(inDirectory('printed.json'), JSON.stringify({ inputs, outputs }));
    const { status, out: text } = await runCli(['run', inDirectory('printed.json'), '--json'], {});
    const document = JSON.parse(text) as {
      outputs: { path: string; report?: { output: { format: string } }; error?: { code: string } }[];
    };
    assert.deepEqual(Object.keys(document), ['outputs']);
    return {
      status,
      results: document.outputs.map(({ path, report, error }) => [
        path,
        report?.output.format ?? error?.code,
      ]),
    };
  };
  assert.deepEqual(await printed([out('p1.csv'), out('p2.geojson')]), {
    status: 0,
    results: [
      [inDirectory('p1.csv'), 'csv'],
      [inDirectory('p2.geojson'), 'geojson'],
    ],
  });
  const one = await printed([out('p3.csv')]);
  assert.deepEqual(one.results, [[inDirectory('p3.csv'), 'csv']], 'the same form for one output');
  // The second one fails only when it is run.
  assert.deepEqual(await printed([out('p4.csv'), out('p5.csv', { epsg: 'local' }), out('p6.csv')]), {
    status: 1,
    results: [
      [inDirectory('p4.csv'), 'csv'],
      [inDirectory('p5.csv'), 'CRS_NO_OPERATION'],
    ],
  });
  assert.equal(existsSync(inDirectory('p6.csv')), false);
});

test('an output without epsg keeps the CRS, as convert does; over HTTP it is in EPSG:4326', async () => {
  const inputs = [{ path: join(samples, 'harbour.csv'), epsg: 25832 }];
  await runDocument({ inputs, outputs: [out('degrees.csv', { epsg: 4326 }), out('metres.csv')] });
  const firstX = (name: string): number =>
    Number(/\((-?[\d.]+) /.exec(readFileSync(inDirectory(name), 'utf8'))?.[1]);
  assert.ok(Math.abs(firstX('degrees.csv')) <= 180);
  assert.ok(firstX('metres.csv') > 1000);
  const endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' } as const;
  const document = { inputs: [{ format: 'csv', epsg: 25832 }], outputs: [{ format: 'csv' }] };
  const { forFiles } = parseJobRequest(document, endpoint, { formats, transformations });
  assert.equal(forFiles(1).output?.crs, null, 'the default of the service, EPSG:4326');
});

test('steps in a config that is no document are a key to correct', () => {
  const registries = { formats, transformations };
  const flat = { operation: 'transform', inputFormat: 'geojson', spelling: 'flat' } as const;
  assert.throws(
    () => parseJobRequest({ steps, output_format: 'csv' }, flat, registries),
    /'steps' is an unknown key; did you mean 'transformations'\?/,
  );
  const nested = { operation: 'transform', inputFormat: null, spelling: 'nested' } as const;
  assert.throws(
    () => parseJobRequest({ steps, input: { format: 'geojson' } }, nested, registries),
    /'steps' is an unknown key; did you mean 'transformations'\?/,
  );
  const whole = { steps, input: { format: 'geojson' }, output: { format: 'csv' } };
  assert.equal(parseJobRequest(whole, nested, registries).steps.length, 2);
});

test('outputs are checked before the first is written', async () => {
  const inputs = [{ path: sample }];
  const exists = inDirectory('exists.csv');
  writeFileSync(exists, '');
  const refused = async (outputs: readonly object[], message: RegExp, first: string): Promise<void> => {
    assert.match(await refusal({ inputs, outputs }), message);
    assert.equal(existsSync(inDirectory(first)), false);
  };
  await refused([out('n1.csv'), out('N1.csv')], /'outputs\[1\]\.path' is '.*' again/, 'n1.csv');
  await refused([out('n2.csv'), { path: exists }], /exists; say --overwrite/, 'n2.csv');
  assert.match(await refusal({ inputs: [{ path: 'a\0b' }], outputs: [out('n3.csv')] }), /null character/);
  const long = `${'a'.repeat(5000)}.geojson`;
  assert.match(await refusal({ inputs: [{ path: long }], outputs: [out('n3.csv')] }), /name is too long/);
  await assert.rejects(
    runDocument({ inputs, outputs: [{ path: inDirectory('job.json'), format: 'geojson' }] }, '--overwrite'),
    /is the input itself/,
  );
});

test('the key operation alone does not make a config a document', () => {
  const endpoint = { operation: 'transform', inputFormat: 'geojson', spelling: 'flat' } as const;
  const { findings } = parseJobRequest({ operation: 'transform', output_format: 'csv' }, endpoint, {
    formats,
    transformations,
  });
  assert.deepEqual(
    findings.list().map(({ code }) => code),
    ['UNKNOWN_KEY'],
  );
});

test('a document for a transform can be inspected', () => {
  const endpoint = { operation: 'inspect', inputFormat: null, spelling: 'nested' } as const;
  const document = { inputs: [{ format: 'geojson' }], outputs: [{ format: 'csv' }] };
  const { forFiles } = parseJobRequest(document, endpoint, { formats, transformations });
  assert.equal(forFiles(1).output?.format, 'csv');
});

test('the service takes the same document: the request is that of the config', () => {
  const endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' } as const;
  const registries = { formats, transformations };
  const document = {
    inputs: [{ path: 'a.csv', format: 'csv', epsg: 28350, delimiter: ';' }],
    steps,
    outputs: [{ path: 'b.shp', format: 'shp', epsg: 25832 }],
    strict: true,
  };
  const config = {
    input: { format: 'csv', epsg: 28350, delimiter: ';' },
    transformations: steps,
    output: { format: 'shp', epsg: 25832 },
    strict: true,
  };
  const parsed = parseJobRequest(document, endpoint, registries);
  assert.deepEqual(parsed.forFiles(1), parseJobRequest(config, endpoint, registries).forFiles(1));
  assert.deepEqual(
    parsed.findings.list().map(({ code, count }) => [code, count]),
    [
      ['PATH_IGNORED', 1],
      ['PATH_IGNORED', 1],
    ],
  );
  const two = { ...document, outputs: [...document.outputs, ...document.outputs] };
  assert.throws(
    () => parseJobRequest(two, endpoint, registries),
    /'outputs' has 2 entries; a job has one output/,
  );
  assert.throws(
    () => parseJobRequest({ ...document, outputs: [{ format: 'gml' }] }, endpoint, registries),
    /'outputs\[0\]\.format': unknown format/,
  );
  const append = { ...document, operation: 'append' };
  assert.throws(
    () => parseJobRequest(append, endpoint, registries),
    /'operation' is append, but the request is a transform/,
  );
});

test('the published schema accepts the documents that run, and refuses others', () => {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/job.schema.json'), 'utf8'));
  const { $schema: _, ...own } = schema;
  const check = schemaCheck(own);
  assert.equal(
    check({ inputs: [{ path: sample }], steps, outputs: [out('a.csv', { epsg: 25832 })], fail_on: 'lost' }),
    null,
  );
  assert.notEqual(check({ inputs: [], outputs: [{ path: 'a' }] }), null);
  assert.notEqual(check({ inputs: [{ path: 'a' }], outputs: [{ path: 'b', format: 'gml' }] }), null);
  assert.notEqual(check({ operation: 'join', inputs: [{ path: 'a' }], outputs: [{ path: 'b' }] }), null);
});
