/** Outputs that are split by the values of a field: the parts are the whole, whatever the format, the values and the batches. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { inOrder } from '../../../test/support/formats.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { readZipMembers } from '../../../test/support/zip-members.ts';
import { isOutputFormat } from '../../formats/src/format.ts';
import { inputFormatById } from '../../formats/src/format-by-id.ts';
import { inputFormats } from '../../formats/src/registry.ts';
import { filter } from '../../operations/src/filter/record.ts';
import { checkedStep } from '../../operations/src/requested-steps.ts';
import { select } from '../../operations/src/select/record.ts';
import type { SplitBy } from '../../operations/src/split_by/record.ts';
import { ChunkSpool } from '../src/chunk-spool.ts';
import type { ConversionReport } from '../src/report.ts';

type Value = string | number | boolean | null;

/** Features at (n, n) in their order, with a number and a value. */
function collection(values: readonly (Value | undefined)[]): string {
  const features = values.map((value, n) => ({
    type: 'Feature',
    properties: { n, ...(value === undefined ? {} : { value }) },
    geometry: { type: 'Point', coordinates: [n % 180, n % 90] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

async function split(
  workspace: string,
  values: readonly (Value | undefined)[],
  options: Pick<ConvertOptions, 'to' | 'split'> & Partial<ConvertOptions>,
): Promise<{ readonly report: ConversionReport; readonly outputPath: string }> {
  const path = join(workspace, 'all.geojson');
  writeFileSync(path, collection(values));
  return convertFile(path, workspace, { from: 'geojson', writeOptions: inOrder(options.to), ...options });
}

/** The numbers of the features of each layer of a file, in their order. */
async function numbersIn(format: string, path: string): Promise<Map<string, number[]>> {
  const reader = await inputFormatById(format, 'input.format').loadReader();
  const { layers } = await readFileLayers(reader, path);
  return new Map(
    layers.map(({ source, rows }) => [source.name, rows.map(({ properties }) => Number(properties.n))]),
  );
}

const layersOf = ({ output }: ConversionReport) => output.layers ?? [];

/** The text of a value, and whether there is one. */
const textOf = (value: Value | undefined): string | null => (value == null ? null : String(value));

const anyValue: fc.Arbitrary<Value | undefined> = fc.oneof(
  fc.constantFrom<Value | undefined>(
    '',
    'a/b',
    'a:b',
    'A_B',
    'NUL',
    ' ',
    '.',
    'null',
    null,
    undefined,
    true,
    false,
    1,
    '1',
    2.5,
  ),
  fc.integer({ min: -3, max: 3 }),
  fc.string({ unit: 'binary', maxLength: 3 }).map((text) => text.toWellFormed()),
);

for (const { id, parts: usual } of inputFormats.filter(isOutputFormat))
  for (const into of usual === 'layers' ? (['layers', 'files'] as const) : (['files'] as const)) {
    // CAD layers are read back by other programs: test/oracle/split-gdal.full.test.ts.
    if (id === 'dxf' && into === 'layers') continue;
    test(`the parts of a ${id} output split into ${into} are its features, each value in one`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyValue, { maxLength: 30 }), async (values) => {
          using workspace = makeWorkspace();
          const field = 'value';
          if (!values.some((value) => value !== undefined)) values = [...values, 'x'];
          const { report, outputPath } = await split(workspace.path, values, {
            to: id,
            split: { field, into, inDirectory: into === 'files' },
          });
          const expected = Map.groupBy(values.keys(), (n) => textOf(values[n]));
          const written = layersOf(report);
          assert.deepEqual(
            written.map(({ value, features }) => [value, features]),
            [...expected].map(([value, numbers]) => [value, numbers.length]),
          );
          assert.equal(report.features.written, values.length);
          const found = into === 'layers' ? await numbersIn(id, outputPath) : new Map<string, number[]>();
          for (const { name, files: [file] = [] } of written) {
            if (file === undefined) continue;
            const inFile = await numbersIn(id, join(workspace.path, 'parts', file));
            assert.equal(inFile.size, 1);
            found.set(name, [...inFile.values()][0]);
          }
          // A file of one layer need not store its name.
          const [only] = found.values();
          assert.deepEqual(
            written.map(({ name, value = '' }) => [value, written.length === 1 ? only : found.get(name)]),
            [...expected],
          );
          const names = written.map(({ name }) => name.normalize('NFC').toLowerCase());
          assert.equal(new Set(names).size, names.length);
        }),
        { numRuns: 12 },
      );
    });
  }

test('threads and batches change nothing: the parts of a large input are in order', async () => {
  const values = Array.from({ length: 60_000 }, (_, n) => `class ${(n * 7) % 13}`);
  const outputs: string[][] = [];
  for (const [threads, field] of [
    [1, 'value'],
    [2, 'value'],
    [2, "'class ' || split_part(value, ' ', 2)"],
  ] as const) {
    // biome-ignore format: one line
    using workspace = makeWorkspace();
    const { report } = await split(workspace.path, values, {
      to: 'geojson',
      threads,
      split: { field, into: 'files', inDirectory: true },
    });
    assert.equal(layersOf(report).length, 13);
    outputs.push(
      layersOf(report).map(({ files: [file] = [''] }) =>
        readFileSync(join(workspace.path, 'parts', file), 'utf8'),
      ),
    );
  }
  assert.deepEqual(outputs[1], outputs[0]);
  assert.deepEqual(outputs[2], outputs[0]);
  for (const [i, text] of outputs[0].entries()) {
    const { features } = JSON.parse(text) as { features: { properties: { n: number; value: string } }[] };
    const own = [...values.keys()].filter((n) => values[n] === values[i]);
    assert.deepEqual(
      features.map(({ properties }) => properties),
      own.map((n) => ({ n, value: values[n] })),
    );
  }
});

test('plain text is divided as it is read: numbers and texts of one column, in all batches', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'mixed.csv');
  const cells = ['1', '1.50', '01', 'x', '1', ''];
  writeFileSync(path, `code,WKT\n${cells.map((cell) => `${cell},POINT (1 2)\n`).join('')}`);
  const { report } = await convertFile(path, workspace.path, {
    from: 'csv',
    fromCrs: 'EPSG:4326',
    to: 'gpkg',
    split: { field: 'code', into: 'layers' },
  });
  assert.deepEqual(
    layersOf(report).map(({ name, value, features }) => [name, value, features]),
    [
      ['1', '1', 2],
      ['1.50', '1.50', 1],
      ['01', '01', 1],
      ['x', 'x', 1],
      ['null', null, 1],
    ],
  );
});

test('an output is split by an expression, which is no field of it', async () => {
  const values = ['Ax', 'b', null, 'a', 'BB', 'A', 'c%'];
  const cases: readonly (readonly [SplitBy, readonly (readonly [string | null, number])[]])[] = [
    ['lower(left(value, 1))', [['a', 3], ['b', 2], [null, 1], ['c', 1]]],
    [{ op: '>', args: [{ op: 'char_length', args: [{ property: 'value' }] }, 1] }, [['true', 3], ['false', 3], [null, 1]]],
    ['(row() - 1) div 4', [['0', 4], ['1', 3]]],
    ["case when x() < 2 then 'west' else 'east' end", [['west', 2], ['east', 5]]],
    ["s_intersects(geometry, bbox(-1, -1, 3.5, 3.5))", [['true', 4], ['false', 3]]],
    [{ property: 'value' }, [['Ax', 1], ['b', 1], [null, 1], ['a', 1], ['BB', 1], ['A', 1], ['c%', 1]]],
  ]; // biome-ignore format: one line each
  for (const [field, expected] of cases)
    for (const toCrs of ['EPSG:4326', 'EPSG:3857']) {
      using workspace = makeWorkspace();
      const options = { to: 'gpkg', toCrs, split: { field, into: 'layers' } } as const;
      const { report, outputPath } = await split(workspace.path, values, options);
      assert.deepEqual(
        layersOf(report).map(({ value, features }) => [value, features]),
        expected,
      );
      assert.deepEqual(
        [report.steps, report.fields, report.warnings],
        [[], { renamed: [], retyped: [], dropped: [] }, []],
      );
      const reader = await inputFormatById('gpkg', 'input.format').loadReader();
      const { layers } = await readFileLayers(reader, outputPath);
      for (const { fields } of layers)
        assert.deepEqual(
          fields.map(({ name }) => name),
          ['n', 'value'],
        );
    }
});

test('a text that is the name of a field is that field, whatever else it could mean', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'odd.csv');
  writeFileSync(path, 'a,b,a+b,lower(b),(,WKT\n1,X,7,own,p,POINT (1 2)\n2,Y,7,own,q,POINT (1 2)\n');
  const expected = { 'a+b': ['7'], 'lower(b)': ['own'], '(': ['p', 'q'], 'a*10': ['10', '20'] };
  for (const [field, values] of Object.entries(expected)) {
    const { report } = await convertFile(path, workspace.path, {
      from: 'csv',
      fromCrs: 'EPSG:4326',
      to: 'gpkg',
      outputName: `by-${values.length}${values[0]}`,
      split: { field, into: 'layers' },
    });
    assert.deepEqual(
      layersOf(report).map(({ value }) => value),
      values,
    );
  }
});

test('an expression without values is an error that says where', async () => {
  using workspace = makeWorkspace();
  const refused: readonly (readonly [SplitBy, RegExp])[] = [
    ['lower(valeu)', /output\.split_by.* has no field 'valeu' \(did you mean 'value'\?\)/],
    ['lower(value', /output\.split_by.*\)/],
    ['lowr(value)', /'lowr' is not a function/],
    ["boundary('x')", /output\.split_by/],
    [{ op: 'buffer', args: [] }, /'buffer' is not a function/],
  ];
  for (const [field, message] of refused)
    await assert.rejects(
      split(workspace.path, ['a'], { to: 'gpkg', split: { field, into: 'layers' } }),
      { message },
      JSON.stringify(field),
    );
  const many = Array.from({ length: 1001 }, (_, n) => n);
  await assert.rejects(
    split(workspace.path, many, { to: 'gpkg', split: { field: 'n + 1', into: 'layers' } }),
    { message: /'output.split_by' has at least 1001 different values/ },
  );
  assert.deepEqual(readdirSync(join(workspace.path, 'out')), []);
});

test('the names of parts are safe, bounded and different on every file system', async () => {
  using workspace = makeWorkspace();
  const values = [
    'a/b',
    'a:b',
    'A_B',
    'con',
    'CON_',
    'com1.txt',
    '',
    ' ',
    null,
    'null',
    '..',
    'x'.repeat(300),
    '\u202eabc',
    '\u00fc',
    'u\u0308',
  ];
  const { report } = await split(workspace.path, values, {
    to: 'csv',
    split: { field: 'value', into: 'files', inDirectory: true, prefix: 'b'.repeat(200) },
    layerName: 'p/q',
  });
  const prefix = `${'b'.repeat(60)}_p_q_`;
  assert.deepEqual(
    layersOf(report).map(({ files: [file] = [''] }) =>
      file.startsWith(prefix) ? file.slice(prefix.length) : file,
    ),
    [
      'a_b.csv',
      'a_b_1.csv',
      'A_B_2.csv',
      'con_.csv',
      'CON__1.csv',
      'com1_.txt.csv',
      'empty.csv',
      'empty_1.csv',
      'null.csv',
      'null_1.csv',
      'empty_2.csv',
      `${'x'.repeat(100)}.csv`,
      '_abc.csv',
      '\u00fc.csv',
      'u\u0308_1.csv',
    ],
  );
  assert.deepEqual(
    readdirSync(join(workspace.path, 'parts')).sort(),
    layersOf(report)
      .flatMap(({ files = [] }) => files)
      .sort(),
  );
});

test('more values than the limit are an error that names the field and the count, and nothing is written', async () => {
  using workspace = makeWorkspace();
  const values = Array.from({ length: 1001 }, (_, n) => n);
  await assert.rejects(
    split(workspace.path, values, { to: 'gpkg', split: { field: 'value', into: 'layers' } }),
    (error: Error) => {
      assert.match(error.message, /'value' has at least 1001 different values.*at most 1000 parts/);
      return true;
    },
  );
  assert.deepEqual(readdirSync(join(workspace.path, 'out')), []);
  await assert.rejects(
    split(workspace.path, ['x'.repeat(10_001)], { to: 'gpkg', split: { field: 'value', into: 'layers' } }),
    { code: 'SPLIT_VALUE_TOO_LONG' },
  );
});

test('a field that is missing is an error with what was meant, also after the steps and in one of several layers', async () => {
  using workspace = makeWorkspace();
  const output = { to: 'gpkg', split: { field: 'valeu', into: 'layers' } } as const;
  await assert.rejects(split(workspace.path, ['a'], output), {
    message:
      "layer 'all' at output.split_by has no field 'valeu' (did you mean 'value'?); its fields: 'n', 'value'",
  });
  await assert.rejects(
    split(workspace.path, ['a'], { ...output, to: 'geojson', split: { field: 'valeu', into: 'files' } }),
    {
      code: 'FIELD_UNKNOWN',
    },
  );
  const dropped = [checkedStep(select, { drop: ['value'] }, '--drop')];
  await assert.rejects(
    split(workspace.path, ['a'], {
      ...output,
      split: { field: 'value', into: 'layers' },
      transformations: dropped,
    }),
    { code: 'FIELD_UNKNOWN' },
  );
  assert.deepEqual(readdirSync(join(workspace.path, 'out')), []);
});

test('steps come before the split, and an empty layer is kept as one part with its fields', async () => {
  using workspace = makeWorkspace();
  const having = (where: string) => [checkedStep(filter, { where }, '--filter')];
  const options = { to: 'gpkg', split: { field: 'value', into: 'layers' } } as const;
  const some = await split(workspace.path, ['a', 'b', 'a', 'c'], {
    ...options,
    transformations: having("value <> 'b'"),
  });
  assert.deepEqual(layersOf(some.report), [
    { name: 'a', features: 2, value: 'a' },
    { name: 'c', features: 1, value: 'c' },
  ]);
  const none = await split(workspace.path, ['a'], {
    ...options,
    outputName: 'none',
    transformations: having("value = 'z'"),
  });
  assert.deepEqual(layersOf(none.report), [{ name: 'all', features: 0 }]);
  const reader = await inputFormatById('gpkg', 'input.format').loadReader();
  const { layers } = await readFileLayers(reader, none.outputPath);
  assert.deepEqual(
    layers.map(({ source, fields }) => [source.name, fields.map(({ name }) => name)]),
    [['all', ['n', 'value']]],
  );
});

test('shapefiles are loose members of one zip, with the same columns and the kinds of geometry of each part', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'kinds.geojson');
  const point = { type: 'Point', coordinates: [1, 2] };
  const line = { type: 'LineString', coordinates: [[1, 2], [3, 4]] }; // biome-ignore format: one line
  const features = [
    { type: 'Feature', properties: { k: 'a', long_field_name: 'x' }, geometry: point },
    { type: 'Feature', properties: { k: 'a', long_field_name: 'much longer' }, geometry: line },
    { type: 'Feature', properties: { k: 'a_points', long_field_name: 'x' }, geometry: line },
  ];
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const { report, outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'shp',
    split: { field: 'k', into: 'files' },
  });
  assert.equal(report.output.mediaType, 'application/zip');
  const members = await readZipMembers(readFileSync(outputPath));
  const stems = [...new Set(members.map(({ name }) => name.replace(/\.\w+$/, '')))];
  assert.deepEqual(stems.sort(), ['a_lines', 'a_points', 'a_points_1']);
  assert.deepEqual(
    report.output.layers?.map(({ files }) => files),
    [['a_lines.shp', 'a_points_1.shp'], ['a_points.shp']],
  );
  const heads = members
    .filter(({ name }) => name.endsWith('.dbf'))
    .map(({ bytes }) => bytes.slice(8, 96).join());
  assert.equal(new Set(heads).size, 1);
  // The parts have the same fields, so a renamed field is reported once, under the name of the layer.
  assert.deepEqual(report.fields.renamed, [{ layer: 'kinds', from: 'long_field_name', to: 'long_field' }]);
  assert.deepEqual(readdirSync(join(workspace.path, 'scratch')), []);
});

test('a conversion that fails leaves neither files nor a part of an archive', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'areas.geojson');
  const ring = [[0, 0], [1, 0], [1, 1], [0, 0]]; // biome-ignore format: one line
  const areas = [
    { type: 'Point', coordinates: [1, 2] },
    { type: 'Polygon', coordinates: [ring] },
  ];
  const features = areas.map((geometry, k) => ({ type: 'Feature', properties: { k }, geometry }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const options = { from: 'geojson', to: 'csv', writeOptions: { geometry: 'xy' } } as const;
  const into = 'files';
  await assert.rejects(convertFile(path, workspace.path, { ...options, split: { field: 'k', into } }), {
    code: 'CSV_POINTS_ONLY',
  });
  const refused = { from: 'geojson', to: 'shp', failOn: 'changed', fromCrs: null } as const;
  writeFileSync(
    path,
    JSON.stringify({ type: 'FeatureCollection', features: features.slice(1) }).replace(
      '"k"',
      '"a_long_name"',
    ),
  );
  await assert.rejects(
    convertFile(path, workspace.path, { ...refused, split: { field: 'a_long_name', into } }),
    { code: 'FINDINGS_REFUSED' },
  );
  await assert.rejects(
    convertFile(path, workspace.path, {
      ...refused,
      split: { field: 'a_long_name', into, inDirectory: true },
    }),
    { code: 'FINDINGS_REFUSED' },
  );
  assert.deepEqual(readdirSync(join(workspace.path, 'out')), []);
  assert.deepEqual(readdirSync(join(workspace.path, 'parts')), []);
  assert.deepEqual(readdirSync(join(workspace.path, 'scratch')), []);
});

test('a split that is not possible is refused with what to do instead', async () => {
  using workspace = makeWorkspace();
  const refused = (to: string, more: Partial<ConvertOptions>): Promise<void> =>
    assert.rejects(split(workspace.path, ['a'], { to, split: { field: 'value', into: 'layers' }, ...more }), {
      code: 'SPLIT_NOT_POSSIBLE',
    });
  await refused('csv', {});
  await refused('shp', {});
  await refused('dxf', { writeOptions: { layer_field: 'value' } });
});

test('chunks beyond the memory wait in a file, in the order of their parts', () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'chunks');
  const spool = new ChunkSpool(path, 3, 500);
  const chunkOf = (n: number) => ({ n, bytes: Uint8Array.of(n, n + 1), big: BigInt64Array.of(BigInt(n)) });
  for (let n = 0; n < 100; n++) spool.append(n % 2, chunkOf(n));
  assert.ok(existsSync(path));
  for (const part of [1, 0, 2]) {
    const numbers = Array.from({ length: part === 2 ? 0 : 50 }, (_, i) => 2 * i + part);
    assert.deepEqual([...spool.chunks(part)], numbers.map(chunkOf));
  }
  spool.discard();
  assert.ok(!existsSync(path));
});
