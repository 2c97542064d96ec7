import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  type Feature,
  featuresIn,
  pointAt,
  readRows,
  writeFile,
  writeGeojson,
} from '../../../test/support/combine.ts';
import { type Converted, combineFiles, makeWorkspace } from '../../../test/support/convert.ts';
import type { Finding } from '../../core/src/messages/findings.ts';

const propertiesIn = ({ outputPath }: Converted): unknown[] =>
  featuresIn(outputPath).map(({ properties }) => properties);

function findingsOf({ report }: Converted, code: Finding['code']): readonly Finding[] {
  return report.warnings.filter((warning) => warning.code === code);
}

/** Appends GeoJSON files of these features to one another. */
async function appended(workspace: string, ...files: readonly (readonly Feature[])[]): Promise<Converted> {
  const paths = files.map((features, i) =>
    writeGeojson(join(workspace, `${'abcdefgh'[i]}.geojson`), features),
  );
  return combineFiles(paths, workspace, { operation: 'append', from: 'geojson', to: 'geojson' });
}

test('the output has the fields of the target, in its order; others are dropped and named with their files', async () => {
  using workspace = makeWorkspace();
  const converted = await appended(
    workspace.path,
    [pointAt([0, 0], { b: 'x', a: 1 })],
    [pointAt([1, 0], { a: 2, extra: 1, b: 'y' })],
    [pointAt([2, 0], { extra: 1, A: 3, more: 2 })],
  );
  assert.deepEqual(propertiesIn(converted), [
    { b: 'x', a: 1 },
    { b: 'y', a: 2 },
    { b: null, a: 3 },
  ]);
  assert.deepEqual(
    findingsOf(converted, 'FIELD_NOT_APPENDED').map(({ params }) => [params.field, params.files]),
    [
      ['extra', "'b.geojson', 'c.geojson'"],
      ['more', "'c.geojson'"],
    ],
  );
  assert.deepEqual(converted.report.fields.renamed, [{ layer: 'a', from: 'A', to: 'a' }]);
  assert.deepEqual(
    converted.report.fields.dropped.map(({ field }) => field),
    ['extra', 'more'],
  );
});

test('values that the type of the target cannot hold are null, counted with file, record and field', async () => {
  using workspace = makeWorkspace();
  const converted = await appended(
    workspace.path,
    [pointAt([0, 0], { n: 1, t: 'x' })],
    [
      pointAt([1, 0], { n: '2', t: 2 }),
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((n) => pointAt([1, 0], { n })),
    ],
  );
  assert.deepEqual(propertiesIn(converted).slice(0, 3), [
    { n: 1, t: 'x' },
    { n: 2, t: '2' },
    { n: null, t: null },
  ]);
  const [finding, ...none] = findingsOf(converted, 'VALUE_NOT_APPENDED');
  assert.deepEqual(none, []);
  assert.equal(finding.count, 7);
  assert.deepEqual(finding.params, { field: 'n', source: "'b.geojson'", type: 'int32' });
  assert.deepEqual(
    finding.places,
    [2, 3, 4, 5, 6].map((record) => ({ file: 'b.geojson', layer: 'b', record, field: 'n' })),
  );
});

test('numbers of a target without declared types widen to those appended; a field without values takes their type', async () => {
  using workspace = makeWorkspace();
  const converted = await appended(
    workspace.path,
    [pointAt([0, 0], { n: 1, nothing: null })],
    [pointAt([1, 0], { n: 0.5, nothing: true })],
  );
  assert.deepEqual(propertiesIn(converted), [
    { n: 1, nothing: null },
    { n: 0.5, nothing: true },
  ]);
  assert.deepEqual(findingsOf(converted, 'VALUE_NOT_APPENDED'), []);
});

test('declared types of a target hold: a half is no integer there', async () => {
  using workspace = makeWorkspace();
  const target = await writeFile(workspace.path, 'a', 'gpkg', [pointAt([0, 0], { n: 1 })]);
  const more = await writeFile(workspace.path, 'b', 'gpkg', [
    pointAt([1, 0], { n: 0.5 }),
    pointAt([2, 0], { n: 2 }),
  ]);
  const converted = await combineFiles([target, more], workspace.path, {
    operation: 'append',
    from: 'gpkg',
    to: 'geojson',
  });
  assert.deepEqual(propertiesIn(converted), [{ n: 1 }, { n: null }, { n: 2 }]);
  assert.equal(findingsOf(converted, 'VALUE_NOT_APPENDED')[0].count, 1);
});

test('ids of the target are kept, those of what is appended are not, which is told once per file', async () => {
  using workspace = makeWorkspace();
  const converted = await appended(
    workspace.path,
    [pointAt([0, 0], {}, 7)],
    [pointAt([1, 0], {}, 7), pointAt([1, 0], {}, 8), pointAt([1, 0], {})],
    [pointAt([2, 0], {})],
  );
  assert.deepEqual(
    featuresIn(converted.outputPath).map(({ id }) => id),
    [7, undefined, undefined, undefined, undefined],
  );
  assert.deepEqual(
    findingsOf(converted, 'IDS_NOT_APPENDED').map(({ params, count }) => [params.source, count]),
    [["'b.geojson'", 2]],
  );
});

test('a field id of the target takes the ids of what is appended, if it can hold them', async () => {
  using workspace = makeWorkspace();
  const run = async (
    name: string,
    target: readonly Feature[],
    ...files: readonly (readonly Feature[])[]
  ): Promise<readonly [unknown, unknown]> => {
    const converted = await appended(join(workspace.path, name), target, ...files);
    const lost = findingsOf(converted, 'IDS_NOT_APPENDED').map(({ params, count }) => [params.source, count]);
    return [propertiesIn(converted), lost];
  };
  const ids = [pointAt([1, 0], {}, 'AT'), pointAt([1, 0], {}, 8), pointAt([1, 0], {})];
  assert.deepEqual(await run('texts', [pointAt([0, 0], { ID: 'CH' })], ids), [
    [{ ID: 'CH' }, { ID: 'AT' }, { ID: '8' }, { ID: null }],
    [],
  ]);
  // Beyond 32 bits: the field is as wide as the ids need.
  assert.deepEqual(await run('numbers', [pointAt([0, 0], { id: 7 })], [pointAt([1, 0], {}, 5e9)], ids), [
    [{ id: 7 }, { id: 5e9 }, { id: null }, { id: 8 }, { id: null }],
    [["'c.geojson'", 1]],
  ]);
  // A field of the file itself is what it is.
  assert.deepEqual(await run('own', [pointAt([0, 0], { id: 'CH' })], [pointAt([1, 0], { Id: 'DE' }, 'AT')]), [
    [{ id: 'CH' }, { id: 'DE' }],
    [["'b.geojson'", 1]],
  ]);
  assert.deepEqual(await run('two', [pointAt([0, 0], { Id: 1, ID: 2 })], [pointAt([1, 0], {}, 3)]), [
    [
      { Id: 1, ID: 2 },
      { Id: null, ID: null },
    ],
    [["'b.geojson'", 1]],
  ]);
});

for (const format of ['geojson', 'dxf'])
  test(`a column ID of a GeoPackage takes the ids of appended ${format}`, async () => {
    using workspace = makeWorkspace();
    const target = await writeFile(workspace.path, 'target', 'gpkg', [pointAt([9, 50], { ID: 'CH', n: 1 })]);
    const more = await writeFile(workspace.path, 'more', format, [pointAt([9, 50], { n: 2 }, 'AT')]);
    const converted = await combineFiles([target, more], workspace.path, {
      operation: 'append',
      from: format,
      targetFormat: 'gpkg',
      to: 'gpkg',
      toCrs: 'EPSG:4326',
      fileCrs: [null, format === 'dxf' ? 'EPSG:4326' : null],
    });
    const { target: rows } = await readRows('gpkg', converted.outputPath);
    assert.deepEqual(
      rows.map(({ properties }) => properties),
      [
        { ID: 'CH', n: 1 },
        { ID: 'AT', n: 2 },
      ],
    );
    assert.deepEqual(findingsOf(converted, 'IDS_NOT_APPENDED'), []);
  });

test('appended rows of a GeoPackage get numbers of their own behind those of the target', async () => {
  using workspace = makeWorkspace();
  const target = await writeFile(workspace.path, 'a', 'gpkg', [pointAt([0, 0], { n: 1 }, 5)]);
  const more = await writeFile(workspace.path, 'b', 'gpkg', [pointAt([1, 0], { n: 2 }, 5)]);
  const options = { operation: 'append', from: 'gpkg', to: 'gpkg' } as const;
  const { outputPath } = await combineFiles([target, more], workspace.path, options);
  const { a } = await readRows('gpkg', outputPath);
  assert.deepEqual(
    a.map(({ id, properties }) => [Number(id), properties.n]),
    [
      [5, 1],
      [6, 2],
    ],
  );
});

test('texts of a CSV that look like numbers are appended to a text field as they are written', async () => {
  using workspace = makeWorkspace();
  const put = (name: string, rows: string): string => {
    const path = join(workspace.path, name);
    writeFileSync(path, `geom_wkt,code,n\n${rows}`);
    return path;
  };
  const paths = [
    put('a.csv', 'POINT(0 0),007,1\nPOINT(0 1),x,2\n'),
    put('b.csv', 'POINT(1 0),1.50,2.5\nPOINT(1 1),2,1e3\n'),
    put('c.csv', 'POINT(2 0),TRUE,x\nPOINT(2 1),true,3\n'),
  ];
  const options = { operation: 'append', from: 'csv', to: 'csv', fromCrs: 'EPSG:4326' } as const;
  const converted = await combineFiles(paths, workspace.path, options);
  const [layer] = Object.values(await readRows('csv', converted.outputPath));
  assert.deepEqual(
    layer.map(({ properties }) => properties),
    [
      { code: '007', n: 1 },
      { code: 'x', n: 2 },
      { code: '1.50', n: 2.5 },
      { code: '2', n: 1000 },
      { code: 'TRUE', n: null },
      { code: 'true', n: 3 },
    ],
  );
  const [finding] = findingsOf(converted, 'VALUE_NOT_APPENDED');
  assert.deepEqual(finding.places, [{ file: 'c.csv', layer: 'c', record: 1, field: 'n' }]);
});

test('transformations see target and appended features together, in the CRS of the target', async () => {
  using workspace = makeWorkspace();
  const square = (x: number, more: object = {}): Feature => ({
    type: 'Feature',
    properties: { n: x, ...more },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [x, 0],
          [x + 1, 0],
          [x + 1, 1],
          [x, 1],
          [x, 0],
        ],
      ],
    },
  });
  const target = writeGeojson(join(workspace.path, 'a.geojson'), [square(0), square(5)]);
  const more = writeGeojson(join(workspace.path, 'b.geojson'), [square(1, { lost: 1 }), square(8)]);
  const run = (type: string): Promise<Converted> =>
    combineFiles([target, more], workspace.path, {
      operation: 'append',
      from: 'geojson',
      to: 'geojson',
      outputName: type,
      transformations: [{ type, params: {} }],
    });
  assert.deepEqual(propertiesIn(await run('union')), [{ n: 0 }, { n: 5 }, { n: 8 }]);
  assert.equal(featuresIn((await run('dissolve')).outputPath).length, 1);
});

test('a target without features gives its fields where the file declares them, and none where it does not', async () => {
  using workspace = makeWorkspace();
  const more = [pointAt([1, 0], { n: 1 })];
  const none = await appended(workspace.path, [], more);
  assert.deepEqual(propertiesIn(none), [{}]);
  assert.equal(findingsOf(none, 'FIELD_NOT_APPENDED').length, 1);
  const put = (name: string, text: string): string => {
    writeFileSync(join(workspace.path, name), text);
    return join(workspace.path, name);
  };
  const csv = await combineFiles(
    [put('t.csv', 'geom_wkt,n\n'), put('m.csv', 'geom_wkt,n\nPOINT(1 0),1.5\n')],
    workspace.path,
    { operation: 'append', from: 'csv', to: 'geojson', fromCrs: 'EPSG:4326', outputName: 'csv' },
  );
  assert.deepEqual(propertiesIn(csv), [{ n: 1.5 }]);
  const nothing = await appended(workspace.path, [pointAt([1, 0], { n: 1 })], [], []);
  assert.deepEqual(propertiesIn(nothing), [{ n: 1 }]);
});

test('features with and without Z are appended to one another', async () => {
  using workspace = makeWorkspace();
  const converted = await appended(workspace.path, [pointAt([0, 0], {})], [pointAt([1, 0, 5], {})]);
  assert.deepEqual(
    featuresIn(converted.outputPath).map(({ geometry }) => geometry?.coordinates),
    [
      [0, 0],
      [1, 0, 5],
    ],
  );
});

test('says nothing about row numbers of appended GeoPackages, which are no ids', async () => {
  using workspace = makeWorkspace();
  const target = await writeFile(workspace.path, 'a', 'gpkg', [pointAt([0, 0], { n: 1 })]);
  const more = await writeFile(workspace.path, 'b', 'gpkg', [pointAt([1, 0], { n: 2 })]);
  const options = { operation: 'append', from: 'gpkg', to: 'geojson' } as const;
  const { report } = await combineFiles([target, more], workspace.path, options);
  assert.deepEqual(report.warnings, []);
});
