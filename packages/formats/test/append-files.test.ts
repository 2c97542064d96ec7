/** Append and merge over files: their CRSs, layers, formats and number, and what is wrong with one of them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import {
  type Feature,
  featuresIn,
  pointAt,
  readRows,
  writeFile,
  writeGeojson,
} from '../../../test/support/combine.ts';
import { combineFiles, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { inOrder, statedCrs } from '../../../test/support/formats.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { isOutputFormat } from '../src/format.ts';
import { inputFormats } from '../src/registry.ts';

test('every file has its own CRS, and the steps work in that of the target', async () => {
  using workspace = makeWorkspace();
  const at = (x: number) => [pointAt([x, 45], { x })];
  const paths = [
    await writeFile(workspace.path, 'a', 'shp', at(3), 'EPSG:32631'),
    await writeFile(workspace.path, 'b', 'shp', at(3.1), 'EPSG:3857'),
    await writeFile(workspace.path, 'c', 'shp', at(3.2), 'EPSG:4326'),
    await writeFile(workspace.path, 'd', 'shp', at(3.3), 'EPSG:3857'),
  ];
  const converted = await combineFiles(paths, workspace.path, {
    operation: 'append',
    from: 'shp',
    to: 'geojson',
    transformations: [{ type: 'buffer', params: { distance: 1000, units: 'meters' } }],
  });
  const centres = featuresIn(converted.outputPath).map(({ geometry }) => {
    const [ring] = (geometry ?? { coordinates: [] }).coordinates as number[][][];
    const xs = ring.map(([x]) => x);
    return (Math.min(...xs) + Math.max(...xs)) / 2;
  });
  centres.forEach((x, i) => {
    assert.ok(Math.abs(x - (3 + i / 10)) < 1e-4, `${x}`);
  });
  assert.deepEqual(
    converted.report.input.layers.map(({ file, crs }) => [file.slice(0, 1), crs]),
    [
      ['a', 'EPSG:32631'],
      ['b', 'EPSG:3857'],
      ['c', 'EPSG:4326'],
      ['d', 'EPSG:3857'],
    ],
  );
  assert.deepEqual(
    converted.report.reprojections.map(({ from, to }) => `${from} ${to}`),
    [
      'EPSG:32631 EPSG:4326',
      'EPSG:3857 EPSG:32631',
      'EPSG:32631 EPSG:4326',
      'EPSG:4326 EPSG:32631',
      'EPSG:32631 EPSG:4326',
    ],
  );
});

test('a file whose CRS is not known, or is stated wrongly, is named with the path of the request', async () => {
  using workspace = makeWorkspace();
  const csv = join(workspace.path, 'a.csv');
  writeFileSync(csv, 'geom_wkt\nPOINT(0 0)\n');
  const missing = combineFiles([csv, csv], workspace.path, {
    operation: 'append',
    from: 'csv',
    to: 'geojson',
    fileCrs: ['EPSG:4326', null],
  });
  await assert.rejects(missing, {
    message:
      "field 'append_crs_mapping[0]' is required for csv: CSV does not store its CRS (EPSG:4326 for longitude and latitude)",
  });
  const shp = await writeFile(workspace.path, 'b', 'shp', [pointAt([3, 45], {})], 'EPSG:32631');
  const conflict = combineFiles([shp, shp], workspace.path, {
    operation: 'append',
    from: 'shp',
    to: 'geojson',
    fileCrs: [null, 'EPSG:4326'],
  });
  await assert.rejects(conflict, (error) => {
    assert.ok(error instanceof GeomillError);
    assert.equal(error.location?.file, 'b.zip (2)');
    assert.match(
      error.message,
      /^'append_crs_mapping\[0\]' is EPSG:4326, but layer 'b' of 'b.zip \(2\)' states/,
    );
    return true;
  });
});

test('a broken file fails the whole under its name, at opening and behind it', async () => {
  using workspace = makeWorkspace();
  const good = writeGeojson(join(workspace.path, 'a.geojson'), [pointAt([0, 0], {})]);
  for (const text of ['', '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":7}]}']) {
    const broken = join(workspace.path, 'broken.geojson');
    writeFileSync(broken, text);
    const options = { operation: 'append', from: 'geojson', to: 'csv' } as const;
    await assert.rejects(combineFiles([good, broken], workspace.path, options), (error) => {
      assert.ok(error instanceof GeomillError);
      assert.equal(error.location?.file, 'broken.geojson');
      return true;
    });
    assert.deepEqual(
      workspace.entries().filter((name) => name.startsWith('out/')),
      [],
    );
  }
});

test('layers are appended by name, whatever its case, and stay apart', async () => {
  using workspace = makeWorkspace();
  const layersOf = async (name: string, x: number): Promise<string> => {
    return writeFile(workspace.path, name, 'shp', [
      pointAt([x, 0], { n: x }),
      {
        type: 'Feature',
        properties: { n: x },
        geometry: {
          type: 'LineString',
          coordinates: [
            [x, 0],
            [x, 1],
          ],
        },
      },
    ]);
  };
  const paths = [await layersOf('town', 1), await layersOf('Town', 2)];
  const options = { operation: 'append', from: 'shp', to: 'gpkg' } as const;
  const converted = await combineFiles(paths, workspace.path, options);
  const rows = await readRows('gpkg', converted.outputPath);
  assert.deepEqual(
    Object.entries(rows).map(([name, own]) => [name, own.map(({ properties }) => properties.n)]),
    [
      ['town_lines', [1, 2]],
      ['town_points', [1, 2]],
    ],
  );
  assert.equal(converted.report.features.appended, 2);
});

test('hundreds of small files are appended in order', async () => {
  using workspace = makeWorkspace();
  const paths = Array.from({ length: 300 }, (_, i) =>
    writeGeojson(join(workspace.path, `${i}.geojson`), [pointAt([i / 10, 0], { i })]),
  );
  const options = { operation: 'append', from: 'geojson', to: 'csv' } as const;
  const { report, outputPath } = await combineFiles(paths, workspace.path, options);
  assert.deepEqual(
    [report.features.read, report.features.written, report.features.appended],
    [300, 300, 299],
  );
  assert.equal(report.input.files.length, 300);
  const [layer] = Object.values(await readRows('csv', outputPath));
  assert.deepEqual(
    layer.map(({ properties }) => properties.i),
    paths.map((_, i) => i),
  );
});

for (const { id: from, outputFields: kept } of inputFormats.filter(isOutputFormat)) {
  test(`${from} files are appended and merged into every format that can be read`, async () => {
    using workspace = makeWorkspace();
    const paths = [
      await writeFile(workspace.path, 'a', from, [pointAt([1, 1], { n: 1 }), pointAt([2, 1], { n: 2 })]),
      await writeFile(workspace.path, 'b', from, [pointAt([3, 1], { n: 3, extra: 'x' })]),
    ];
    const fromCrs = statedCrs(from);
    for (const { id: to, outputFields } of inputFormats.filter(isOutputFormat)) {
      for (const operation of ['append', 'merge'] as const) {
        const outputName = `${operation}-${to}`;
        const options = { operation, from, to, fromCrs, outputName, writeOptions: inOrder(to) };
        const { report, outputPath } = await combineFiles(paths, workspace.path, options);
        assert.deepEqual([report.features.read, report.features.written], [3, 3], outputName);
        const layers = Object.values(await readRows(to, outputPath));
        assert.equal(layers.length, 1);
        const [rows] = layers;
        assert.deepEqual(
          rows.map(({ geometry }) => geometry?.replace(/^(\w+)\s*Z?\s*/, '')),
          ['(1 1)', '(2 1)', '(3 1)'],
          outputName,
        );
        const values = rows.map(({ properties }) => properties.n);
        const areKept = operation === 'append' && kept !== 'none' && outputFields !== 'none';
        const expected = areKept ? [1, 2, 3] : [undefined, undefined, undefined];
        assert.deepEqual(values, expected, outputName);
      }
    }
  });
}

/** Values that a reader of GeoJSON finds a type in; nulls and missing ones among them. */
const VALUE = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -1000, max: 1000 }),
  // Integers beyond 2^53 beside fractions are no numbers to a reader of GeoJSON, but a mixture of values.
  fc.double({ min: -1e12, max: 1e12, noNaN: true }),
);

const FEATURE = fc
  .record({
    x: fc.integer({ min: -170, max: 170 }),
    n: fc.option(VALUE, { nil: undefined }),
    t: fc.string({ maxLength: 5 }),
  })
  .map(({ x, n, t }) => pointAt([x, 0], n === undefined ? { t } : { n, t }));

test('appending files is as converting one file with the features of all of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(FEATURE, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
      async (rest) => {
        using workspace = makeWorkspace();
        // With a value in each field: those of the target are the ones that count.
        const files = [[pointAt([0, 0], { n: 0, t: 'x' })], ...rest];
        const paths = files.map((features, i) =>
          writeGeojson(join(workspace.path, `${i}.geojson`), features),
        );
        const whole = writeGeojson(join(workspace.path, 'whole.geojson'), files.flat());
        const to = { from: 'geojson', to: 'csv' } as const;
        const appended = await combineFiles(paths, workspace.path, { ...to, operation: 'append' });
        const merged = await combineFiles(paths, workspace.path, {
          ...to,
          operation: 'merge',
          outputName: 'merged',
        });
        const converted = await convertFile(whole, workspace.path, { ...to, outputName: 'whole' });
        const text = (path: string): string => readFileSync(path, 'utf8');
        assert.equal(text(appended.outputPath), text(converted.outputPath));
        assert.equal(merged.report.features.written, files.flat().length);
        assert.equal(text(merged.outputPath).trim().split(/\r?\n/).length, files.flat().length + 1);
      },
    ),
    { numRuns: 40 },
  );
});

test('files that are cut into many partitions are appended in threads as without them', async () => {
  using workspace = makeWorkspace();
  const paths = [0, 1, 2].map((file) => {
    const features = Array.from({ length: 9000 }, (_, i) =>
      pointAt([i / 100, file], {
        n: file * 9000 + i,
        t: `${'x'.repeat(100)}${i}`,
        half: i === 8999 ? 0.5 : i,
      }),
    );
    return writeGeojson(join(workspace.path, `${file}.geojson`), features);
  });
  const outputs: string[] = [];
  for (const threads of [1, 2]) {
    const options = { operation: 'append', from: 'geojson', to: 'csv', threads } as const;
    const outputName = `threads-${threads}`;
    const { report, outputPath } = await combineFiles(paths, workspace.path, { ...options, outputName });
    assert.equal(report.features.written, 27_000);
    assert.deepEqual(report.warnings, []);
    outputs.push(readFileSync(outputPath, 'utf8'));
  }
  assert.equal(outputs[0], outputs[1]);
});

test('a merge reads no attributes where a reader can leave them out, and makes one layer of all kinds', async () => {
  using workspace = makeWorkspace();
  const line: Feature = {
    type: 'Feature',
    properties: { name: 'line' },
    geometry: {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
  };
  const paths = [
    writeGeojson(join(workspace.path, 'a.geojson'), [pointAt([0, 0], { n: 1 }, 4), line]),
    writeGeojson(join(workspace.path, 'b.geojson'), [pointAt([0, 0, 5], { n: 'x' }, 4)]),
  ];
  const options = { operation: 'merge', from: 'geojson', outputName: 'merged' } as const;
  const geojson = await combineFiles(paths, workspace.path, { ...options, to: 'geojson' });
  assert.deepEqual(
    featuresIn(geojson.outputPath).map(({ id, properties, geometry }) => [id, properties, geometry?.type]),
    [
      [undefined, {}, 'Point'],
      [undefined, {}, 'LineString'],
      [undefined, {}, 'Point'],
    ],
  );
  assert.deepEqual(
    geojson.report.warnings.map(({ code }) => code),
    ['ATTRIBUTES_NOT_MERGED'],
  );
  const shp = await combineFiles(paths, workspace.path, { ...options, to: 'shp' });
  assert.deepEqual(Object.keys(await readRows('shp', shp.outputPath)).sort(), [
    'merged_lines',
    'merged_points',
  ]);
  const gpkg = await combineFiles(paths, workspace.path, { ...options, to: 'gpkg' });
  assert.deepEqual(Object.keys(await readRows('gpkg', gpkg.outputPath)), ['merged']);
});
