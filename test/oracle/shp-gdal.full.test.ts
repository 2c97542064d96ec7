/** GDAL reads what the shp writer makes, without a warning and with the same counts, types, values and CRS. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { ColumnBuilder } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import type { FieldType } from '../../packages/core/src/columns/schema.ts';
import type { Dimensions } from '../../packages/core/src/geometry/geometry-column.ts';
import { makeWorkspace } from '../support/convert.ts';
import { type Geometry, geometryColumn, type Position, type Simple } from '../support/geometry-arbitrary.ts';
import { writeShp } from '../support/shp-write.ts';
import { type GdalLayer, gdalFacts, withoutGdal } from './gdal-facts.ts';

const skip = withoutGdal;

async function gdalLayers(path: string): Promise<readonly GdalLayer[]> {
  const { layers, warnings } = await gdalFacts(path);
  assert.deepEqual(warnings, [], 'GDAL warns');
  return [...layers].sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Value = boolean | number | bigint | string | null;

function makeBatch(
  geometries: readonly Geometry[],
  columns: readonly (readonly [name: string, type: FieldType, values: readonly Value[]])[],
): FeatureBatch {
  return {
    rowCount: geometries.length,
    geometry: geometryColumn(geometries),
    fields: columns.map(([name, type]) => ({ name, type })),
    columns: columns.map(([, type, values]) => {
      const builder = new ColumnBuilder(type);
      for (const value of values) {
        if (value === null) builder.appendNull();
        else if (typeof value === 'string') builder.appendText(value);
        else if (typeof value === 'bigint') builder.appendBigInt(value);
        else builder.appendNumber(Number(value));
      }
      return builder.finish();
    }),
    ids: null,
  };
}

const at = (x: number, y: number, z = 5, m = 7): Position => [x, y, z, m];
const geometry = (shape: Geometry['shape'], ordinates: Dimensions = 'XY'): Geometry => ({ ordinates, shape });
const shapes: Readonly<Record<string, Simple>> = {
  point: { kind: 1, isMulti: false, parts: [[[at(1, 2)]]] },
  points: { kind: 1, isMulti: true, parts: [[[at(1, 2)]], [[at(3, 4)]]] },
  line: { kind: 2, isMulti: false, parts: [[[at(0, 0), at(1, 1)]]] },
  lines: { kind: 2, isMulti: true, parts: [[[at(0, 0), at(1, 1)]], [[at(2, 2), at(3, 3), at(4, 4)]]] },
  polygon: {
    kind: 3,
    isMulti: false,
    parts: [
      [
        [at(0, 0), at(10, 0), at(10, 10), at(0, 10), at(0, 0)],
        [at(2, 2), at(4, 2), at(4, 4), at(2, 4), at(2, 2)],
      ],
    ],
  },
  polygons: {
    kind: 3,
    isMulti: true,
    parts: [[[at(0, 0), at(0, 1), at(1, 1), at(0, 0)]], [[at(5, 5), at(5, 6), at(6, 6), at(5, 5)]]],
  },
};

const values: readonly (readonly [name: string, type: FieldType, values: readonly Value[], gdal: string])[] =
  [
    ['small', 'int32', [-12, 7, null], 'Integer'],
    ['large', 'int64', [1n, 123_456_789_012_345_678n, null], 'Integer64'],
    ['price', 'float64', [1.25, -1000.5, null], 'Real'],
    ['whole', 'float64', [1, 2, null], 'Real'],
    ['wild', 'float64', [1e-300, -1.2345678901234568e-300, null], 'Real'],
    ['third', 'float64', [1 / 3, 1e22, null], 'Real'],
    ['text', 'string', ['Zürich 北京', '007', null], 'String'],
    ['Straße', 'string', ['a', 'b', null], 'String'],
    ['time', 'datetime', ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.123+02:00', null], 'String'],
    ['day', 'date', ['2024-02-29', '1850-01-01', null], 'Date'],
  ];

test('GDAL reads every type with its values and nulls', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'types.zip');
  const rows = [geometry(shapes.point), geometry(shapes.point), geometry(null)];
  const batch = makeBatch(
    rows,
    values.map(([name, type, list]) => [name, type, list] as const),
  );
  await writeShp(path, [{ name: 'in', batches: [batch] }]);
  const [layer] = await gdalLayers(path);
  assert.equal(layer.epsg, '4326');
  assert.deepEqual(
    layer.fields.map(({ name, type }) => [name, type]),
    values.map(([name, , , type]) => [name, type]),
  );
  for (const [i, [name, type, list]] of values.entries()) {
    const expected = list.map((value) => {
      if (value === null || typeof value === 'boolean') return null;
      if (type === 'float64') return value;
      return type === 'date' ? String(value).replaceAll('-', '/') : String(value);
    });
    assert.deepEqual(
      layer.rows.map((row) => row.values[i]),
      expected,
      name,
    );
  }
});

test('GDAL reads logical fields', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'flags.zip');
  const rows = [geometry(shapes.point), geometry(shapes.point), geometry(null)];
  await writeShp(path, [
    { name: 'in', batches: [makeBatch(rows, [['flag', 'boolean', [true, false, null]]])] },
  ]);
  const [layer] = await gdalLayers(path);
  // GDAL before 3.7 shows logical fields as text.
  const plain = layer.rows.map((row) => String(row.values[0]).replace('1', 'T').replace('0', 'F'));
  assert.deepEqual(plain, ['T', 'F', 'null']);
});

const expectations: readonly (readonly [shape: string, dimensions: Dimensions, type: string, wkt: string])[] =
  [
    ['point', 'XY', 'Point', 'POINT (1 2)'],
    ['point', 'XYZ', '3D Point', 'POINT Z (1 2 5)'],
    ['point', 'XYM', 'Measured Point', 'POINT M (1 2 7)'],
    ['point', 'XYZM', '3D Measured Point', 'POINT ZM (1 2 5 7)'],
    ['points', 'XY', 'Multi Point', 'MULTIPOINT ((1 2),(3 4))'],
    ['points', 'XYZM', '3D Measured Multi Point', 'MULTIPOINT ZM ((1 2 5 7),(3 4 5 7))'],
    ['line', 'XY', 'Line String', 'LINESTRING (0 0,1 1)'],
    ['line', 'XYZ', '3D Line String', 'LINESTRING Z (0 0 5,1 1 5)'],
    ['lines', 'XYM', 'Measured Line String', 'MULTILINESTRING M ((0 0 7,1 1 7),(2 2 7,3 3 7,4 4 7))'],
    ['polygon', 'XY', 'Polygon', 'POLYGON ((0 0,0 10,10 10,10 0,0 0),(2 2,4 2,4 4,2 4,2 2))'],
    [
      'polygon',
      'XYZM',
      '3D Measured Polygon',
      'POLYGON ZM ((0 0 5 7,0 10 5 7,10 10 5 7,10 0 5 7,0 0 5 7),(2 2 5 7,4 2 5 7,4 4 5 7,2 4 5 7,2 2 5 7))',
    ],
    ['polygons', 'XY', 'Polygon', 'MULTIPOLYGON (((0 0,0 1,1 1,0 0)),((5 5,5 6,6 6,5 5)))'],
  ];

for (const [shape, dimensions, type, wkt] of expectations) {
  test(`GDAL reads ${shape} in ${dimensions}`, { skip }, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'shapes.zip');
    // In a batch of its own the second row has other ordinates than the first.
    const batches = [
      makeBatch([geometry(shapes[shape], dimensions)], [['n', 'int32', [1]]]),
      makeBatch([geometry(null)], [['n', 'int32', [2]]]),
    ];
    await writeShp(path, [{ name: 'in', batches }]);
    const [layer] = await gdalLayers(path);
    assert.equal(layer.geometryType, type);
    assert.deepEqual(
      layer.rows.map((row) => row.geometry),
      [wkt, null],
    );
  });
}

test('GDAL reads a shapefile per geometry kind, including empty ones', { skip }, async () => {
  using workspace = makeWorkspace();
  const mixed = join(workspace.path, 'mixed.zip');
  const rows = [
    geometry(shapes.line),
    geometry(shapes.point),
    geometry({ members: [shapes.polygon, shapes.point] }),
  ];
  await writeShp(mixed, [{ name: 'in', batches: [makeBatch(rows, [['n', 'int32', [1, 2, 3]]])] }]);
  assert.deepEqual(
    (await gdalLayers(mixed)).map(({ name, rows: found }) => [name, found.map((row) => row.values[0])]),
    [
      ['mixed_lines', ['1']],
      ['mixed_points', ['2', '3']],
      ['mixed_polygons', ['3']],
    ],
  );
  const empty = join(workspace.path, 'empty.zip');
  await writeShp(empty, [{ name: 'in', batches: [makeBatch([], [])] }]);
  assert.deepEqual(
    (await gdalLayers(empty)).map(({ name, rows: found, fields }) => [
      name,
      found.length,
      fields.map((f) => f.name),
    ]),
    [['empty', 0, ['FID']]],
  );
});
