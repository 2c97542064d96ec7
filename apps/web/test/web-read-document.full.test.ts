import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { GeomillClient } from '../../../packages/client/src/client.ts';
import { startTestService } from '../../../test/support/service.ts';
import { copyAs } from '../copy/commands.ts';
import { EMPTY_DOCUMENT, jobDocument, type WorkspaceDocument } from '../model/document.ts';
import { formatOfName, groupFiles, isUsed } from '../model/grouping.ts';
import {
  decodePipeline,
  encodePipeline,
  MAX_LINK_LENGTH,
  pipelineOf,
  portableDocument,
} from '../model/link.ts';
import { readPasted } from '../model/pasted.ts';
import { DocumentProblem, looksLikeDocument, parseDocument, readDocument } from '../model/read-document.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = new GeomillClient({ baseUrl: service.url });
const known = { formats: await client.formats(), transformations: await client.transformations() };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const fileName = text
  .filter((name) => !/[/\\]/.test(name) && name !== '-' && !URL.canParse(`${name}.x`))
  .map((name) => `${name}.zip`);
const crs = fc.constantFrom('EPSG:25832', 'EPSG:4326', 'local');
const documents: fc.Arbitrary<WorkspaceDocument> = fc.record({
  operation: fc.constant('transform' as const),
  inputs: fc.uniqueArray(
    fc.record({
      path: fileName,
      format: fc.constantFrom('shp', 'gpkg', 'dxf'),
      crs: fc.option(crs),
      layers: fc.option(fc.array(text, { minLength: 1, maxLength: 3 })),
      options: fc.constant({}),
    }),
    { selector: ({ path }) => path, maxLength: 4 },
  ),
  steps: fc
    .array(
      fc.constantFrom<[string, Record<string, unknown>]>(
        ['centroid', {}],
        ['buffer', { distance: 25, units: 'meters' }],
        ['select', { rename: { '<b>': 'ß"\u202e' } }],
        ['dissolve', { by: ['ключ', 'مفتاح'] }],
      ),
      { maxLength: 6 },
    )
    .map((steps) => steps.map(([type, params], i) => ({ key: i + 1, type, params, enabled: true }))),
  output: fc.record({
    format: fc.constantFrom('gpkg', 'dxf', 'csv'),
    crs: fc.constantFrom('EPSG:25832', 'source', 'local'),
    name: fc.option(text.filter((name) => !/[/\\.]/.test(name) && name !== '-' && !URL.canParse(name))),
    options: fc.constant({}),
  }),
});

test('a document comes back from its link as it was, if it is not too long for one', () => {
  fc.assert(
    fc.property(documents, (given) => {
      // fast-check makes objects without prototype.
      const document = structuredClone(given);
      const value = encodePipeline(document);
      if (value === null) return;
      assert.ok(value.length <= MAX_LINK_LENGTH);
      assert.match(value, /^[\w-]*$/);
      assert.deepEqual(parseDocument(decodePipeline(value), known), document);
      const plain = encodeURIComponent(JSON.stringify(portableDocument(document)));
      assert.deepEqual(parseDocument(decodePipeline(plain), known), document);
    }),
  );
});

/** A document whose last steps use files, of which some are converted too. */
const withStepFiles = fc
  .tuple(
    documents,
    fc.array(fc.tuple(fileName, fc.option(crs.filter((one) => one !== 'local'))), { maxLength: 3 }),
  )
  .map(([document, files]) => {
    const taken = new Set(document.inputs.map(({ path }) => path));
    const masks = files
      .filter(([path], i) => !taken.has(path) && files.findIndex((one) => one[0] === path) === i)
      .map(([path, ofMask]) => ({
        path,
        format: 'shp',
        crs: ofMask,
        layers: null,
        options: {},
        isForSteps: true as const,
      }));
    const inputs = [...document.inputs, ...masks];
    const used = inputs.filter(({ crs: one }) => one !== 'local');
    const steps = used.map(({ path }, i) => ({
      key: document.steps.length + i + 1,
      type: i % 2 === 0 ? 'clip' : 'erase',
      params: i % 3 === 0 ? { mask_layer: path } : {},
      enabled: true,
      file: { part: 'mask', path },
    }));
    return { ...document, inputs, steps: [...document.steps, ...steps] };
  });

test('the files of steps come back from a link as sources for steps alone', () => {
  fc.assert(
    fc.property(withStepFiles, (given) => {
      const document = structuredClone(given);
      const plain = encodeURIComponent(JSON.stringify(portableDocument(document)));
      assert.deepEqual(parseDocument(decodePipeline(plain), known), document);
    }),
  );
});

test('inputs and files of steps that are fetched come back from a link, also those whose URLs end alike', () => {
  const service = 'https://host.example/arcgis/rest/services/Roads/FeatureServer';
  const text = JSON.stringify({
    inputs: [{ url: `${service}/0` }, { url: `${service}/1?where=a%3D1` }],
    steps: [
      { type: 'clip', mask: 'https://host.example/a%20b.geojson' },
      { type: 'erase', mask_url: `${service}/1?where=a%3D1` },
    ],
  });
  const document = parseDocument(text, known);
  assert.deepEqual(
    document.inputs.map(({ path, format }) => [path, format]),
    [
      ['Roads', 'esrijson'],
      ['Roads (2)', 'esrijson'],
      ['a b.geojson', 'geojson'],
    ],
  );
  assert.deepEqual(
    document.steps.map(({ file }) => file?.path),
    ['a b.geojson', 'Roads (2)'],
  );
  assert.deepEqual(parseDocument(JSON.stringify(portableDocument(document)), known), document);
  const [first] = copyAs('curl', document, {
    serviceUrl: 'http://here',
    outputExtension: '.gpkg',
    crsRule: null,
  }).split('\n\n');
  assert.match(first, /"mask_url":"https:\/\/host\.example\/a%20b\.geojson"/);
  assert.ok(!first.includes(' -F '));
});

test('a file of a step that is read in another way than the input keeps its parameters', () => {
  const document = {
    inputs: [{ path: 'a.csv', epsg: 2056 }],
    steps: [
      { type: 'clip', mask: 'masks/a.csv', mask_crs: 'EPSG:2056', mask_format: 'csv' },
      {
        type: 'clip',
        params: { mask: 'b.csv', mask_crs: '+proj=longlat', mask_options: { delimiter: ';' } },
      },
      { type: 'erase', mask: 'b.csv', mask_options: { delimiter: ',' }, mask_layer: 'x' },
      { type: 'erase', mask: 'mask' },
    ],
  };
  const { inputs, steps } = readDocument(document, known);
  assert.deepEqual(
    inputs.map(({ path, options, isForSteps }) => [path, options, isForSteps]),
    [
      ['a.csv', {}, undefined],
      ['b.csv', { delimiter: ';' }, true],
    ],
  );
  assert.deepEqual(
    steps.map(({ file, params }) => [file?.path, params]),
    [
      ['a.csv', {}],
      ['b.csv', { mask_crs: '+proj=longlat' }],
      ['b.csv', { mask_options: { delimiter: ',' }, mask_layer: 'x' }],
      ['mask', {}],
    ],
  );
});

test('any JSON is a document or a DocumentProblem', () => {
  const member = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()));
  const values = fc.record(
    { inputs: member, steps: member, outputs: member, input: member, operation: member },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(values, fc.jsonValue()), (value) => {
      try {
        readDocument(value, known);
      } catch (error) {
        assert.ok(error instanceof DocumentProblem, String(error));
        assert.match(error.message, /^['A-Z].*\.$|^The job document/s);
      }
    }),
  );
});

test('reads what the page copies as a job document', () => {
  const document: WorkspaceDocument = {
    ...EMPTY_DOCUMENT,
    inputs: [{ path: 'a.csv', format: 'csv', crs: 'EPSG:4326', layers: null, options: { delimiter: ';' } }],
    steps: [{ key: 1, type: 'centroid', params: {}, enabled: true }],
    output: { format: 'dxf', crs: 'source', name: 'a', options: { decimals: 2 } },
  };
  assert.deepEqual(readDocument(jobDocument(document, 'a.dxf', null), known), document);
});

test('reads the request of a job, with the defaults that the service filled in', () => {
  const request = {
    input: { format: 'csv', epsg: 'EPSG:4326', delimiter: ',' },
    transformations: [{ type: 'buffer', params: { distance: 10, units: 'meters', end_cap: 'round' } }],
    output: { format: 'gpkg', epsg: 'source', to_file: true },
  };
  const { inputs, steps, output } = readDocument(request, known);
  assert.deepEqual(inputs[0].options, { delimiter: ',' });
  assert.deepEqual(steps[0].params, request.transformations[0].params);
  assert.deepEqual(output, { format: 'gpkg', crs: 'source', name: null, options: {} });
});

test('takes formats by their other names, and paths by their file names', () => {
  const { inputs, output } = readDocument(
    {
      inputs: [{ path: 'data\\2024/roads.zip', format: 'Shapefile', epsg: 25832, layer: 'roads' }],
      outputs: [{ path: 'out/roads.gpkg' }],
    },
    known,
  );
  assert.equal(inputs[0].path, 'roads.zip');
  assert.equal(inputs[0].format, 'shp');
  assert.equal(inputs[0].crs, 'EPSG:25832');
  assert.deepEqual(inputs[0].layers, ['roads']);
  assert.deepEqual([output.format, output.name, output.crs], ['gpkg', 'roads', 'EPSG:4326']);
});

const REFUSED: readonly [string, unknown, RegExp][] = [
  ['unknown key', { inputs: [], colour: 1 }, /Unknown key 'colour'; supported: operation, inputs/],
  ['unknown key of a config', { input: {}, output: {}, steps: [] }, /Unknown key 'steps'/],
  ['read option', { inputs: [{ path: 'a.gpkg', blocks: 1 }] }, /'inputs\[0\]\.blocks'/],
  ['write option', { outputs: [{ format: 'csv', hatch: 1 }] }, /'outputs\[0\]\.hatch'/],
  ['step', { steps: [{ type: 'explode_all' }] }, /unknown step "explode_all"; supported: affine, buffer/],
  ['parameter', { steps: [{ type: 'buffer', params: { widht: 1 } }] }, /'steps\[0\]\.params\.widht'/],
  [
    'parameter twice',
    { steps: [{ type: 'filter', where: 'a = 1', params: { where: 'a = 2' } }] },
    /Remove one/,
  ],
  ['format', { outputs: [{ format: 'gml' }] }, /unknown format "gml"; supported: geojson/],
  ['CRS', { outputs: [{ format: 'gpkg', epsg: 'UTM' }] }, /"UTM"; write an EPSG code/],
  ['two outputs', { outputs: [{ format: 'csv' }, { format: 'csv' }] }, /at most 1/],
  ['same names', { inputs: [{ path: 'a/x.csv' }, { path: 'b/x.csv' }] }, /Two inputs have the file name/],
  ['upload', { inputs: [{ format: 'csv', upload: 'x' }] }, /'inputs\[0\]\.upload'/],
  ['script address', { inputs: [{ format: 'csv', url: 'javascript:alert(1)' }] }, /not an http/],
  ['strict', { strict: true }, /'strict' is not supported here/],
  ['depth', JSON.parse(`{"steps":${'['.repeat(5000)}${']'.repeat(5000)}}`), /deeper than 40/],
];

for (const [title, value, message] of REFUSED)
  test(`refuses a document with: ${title}`, () => {
    assert.throws(() => readDocument(value, known), { message });
  });

test('refuses texts that are too long or no JSON, and damaged links', () => {
  assert.throws(() => parseDocument(' '.repeat(1_000_001), known), /limit is 1,000,000/);
  assert.throws(() => parseDocument('{', known), /not JSON/);
  assert.throws(() => decodePipeline('%'), /damaged/);
  assert.throws(() => decodePipeline('a'.repeat(200_000)), /longer than/);
});

test('finds the pipeline in the fragment before that in the query', () => {
  assert.equal(pipelineOf({ hash: '#pipeline=a', search: '?pipeline=b' }), 'a');
  assert.equal(pipelineOf({ hash: '#x', search: '?x=1&pipeline=b' }), 'b');
  assert.equal(pipelineOf({ hash: '', search: '?xpipeline=b' }), null);
});

test('GeoJSON with foreign members is no document', () => {
  assert.equal(looksLikeDocument({ type: 'FeatureCollection', features: [], inputs: [] }), false);
  assert.equal(looksLikeDocument({ steps: [] }), true);
});

test('pasted text is recognized', () => {
  assert.equal(readPasted(' https://example.org/a.zip\n').kind, 'url');
  assert.equal(readPasted('{"steps":[]}').kind, 'document');
  const point = readPasted('{"type":"Point","coordinates":[1,2]}');
  assert.ok(point.kind === 'file');
  assert.equal(JSON.parse(point.text).features[0].geometry.type, 'Point');
  assert.deepEqual(
    readPasted('SRID=25832;POINT Z(1 2 3)\r\nSRID=25832;GEOMETRYCOLLECTION(\n POINT(1 2),\nPOINT(3 4))'),
    {
      kind: 'wkt',
      name: 'pasted.csv',
      text: 'wkt\n"POINT Z(1 2 3)"\n"GEOMETRYCOLLECTION( POINT(1 2), POINT(3 4))"\n',
      crs: 'EPSG:25832',
    },
  );
  assert.throws(() => readPasted('SRID=1;POINT(1 2)\nPOINT(1 2)'), /different SRIDs/);
  assert.throws(() => readPasted('hello'), /not GeoJSON, WKT/);
  assert.throws(() => readPasted('{"a":1}'), /neither GeoJSON nor/);
  assert.throws(() => readPasted('{"a"'), /begins like JSON/);
});

test('a document names formats by every name that requests have', () => {
  for (const { id, aliases, input, output } of known.formats)
    for (const name of [id, ...aliases]) {
      const document = {
        ...(input ? { inputs: [{ path: 'a', format: name.toUpperCase() }] } : {}),
        ...(output ? { outputs: [{ path: 'b', format: name }] } : {}),
      };
      const read = readDocument(document, known);
      if (input) assert.equal(read.inputs[0].format, id);
      if (output) assert.equal(read.output.format, id);
    }
});

test('read options can be in the group of their format', () => {
  const grouped = known.formats.filter(({ input, read_options_key: key }) => input && key !== null);
  assert.ok(grouped.length > 1);
  for (const { id, read_options_key: key, read_options: schema } of grouped) {
    const [name] = Object.keys(schema.properties as object);
    const document = { inputs: [{ path: 'a', format: id, [key as string]: { [name]: 'x' } }] };
    assert.deepEqual(readDocument(document, known).inputs[0].options, { [name]: 'x' }, id);
  }
  const other = { inputs: [{ path: 'a.geojson', xlsx_options: {} }] };
  assert.throws(() => readDocument(other, known), /Unknown key 'inputs\[0\]\.xlsx_options'/);
});

test('an output states a CRS unless its format has one of its own', () => {
  for (const rule of known.formats.filter(({ output }) => output)) {
    const { id, fixed_output_crs: fixed } = rule;
    const outputOf = (options: object) => {
      const output = { ...EMPTY_DOCUMENT.output, format: id, crs: 'EPSG:2056', options: { ...options } };
      return (jobDocument({ ...EMPTY_DOCUMENT, output }, 'out', rule).outputs as { epsg?: string }[])[0].epsg;
    };
    assert.equal(outputOf({}), fixed === null ? 'EPSG:2056' : undefined, id);
    const unless = fixed?.unless ?? null;
    if (unless !== null) assert.equal(outputOf({ [unless]: 'requested' }), 'EPSG:2056', id);
  }
  assert.ok(known.formats.filter(({ fixed_output_crs: fixed }) => fixed?.unless === null).length > 0);
});

test('files that together are one input become one zip, and others beside them stay', async () => {
  const names = [
    'roads.shp',
    'ROADS.dbf',
    'roads.shx',
    'roads.prj',
    'roads.cpg',
    'roads.sbn',
    'b.dbf',
    'c.csv',
  ];
  const sources = await groupFiles(
    names.map((name) => new File(['x'], name)),
    known.formats,
  );
  assert.deepEqual(
    sources.map(({ name }) => name),
    ['roads.zip', 'roads.sbn', 'b.dbf', 'c.csv'],
  );
  assert.deepEqual(
    ['x.cpg', 'x.shp', 'x.json', 'x.sbn', 'x.kml'].filter((name) => isUsed(name, known.formats)),
    ['x.cpg', 'x.shp', 'x.json', 'x.kml'],
  );
});

test('the files of a folder that is an input become one zip with the folder; the longest extension decides', async () => {
  const inFolder = (path: string): File =>
    Object.defineProperty(new File(['x'], path.split('/').at(-1) ?? ''), 'webkitRelativePath', {
      value: path,
    });
  const paths = [
    'city/roads.gdb/a00000001.gdbtable',
    'city/roads.gdb/gdb',
    'city/parks.gdb/a00000001.gdbtable',
    'city/list.csv',
  ];
  const sources = await groupFiles(paths.map(inFolder), known.formats);
  assert.deepEqual(
    sources.map(({ name }) => name),
    ['roads.gdb.zip', 'parks.gdb.zip', 'list.csv'],
  );
  const zip = Buffer.from(await sources[0].content.arrayBuffer()).toString('latin1');
  assert.match(zip, /roads\.gdb\/a00000001\.gdbtable/);
  assert.equal(formatOfName('city.gdb.zip', known.formats), 'filegdb');
  assert.equal(formatOfName('city.zip', known.formats), 'shp');
});
