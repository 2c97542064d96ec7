import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { columnOf } from '../../../test/support/columns.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import {
  batchArbitrary,
  type Geometry,
  geometryColumn,
  type Position,
  type Simple,
} from '../../../test/support/geometry-arbitrary.ts';
import { type ReadLayer, readFileLayers } from '../../../test/support/read-layers.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { writeShp } from '../../../test/support/shp-write.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { Field, FieldType } from '../../core/src/columns/schema.ts';
import { emptyStatistics } from '../../core/src/columns/statistics.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { hasM, hasZ } from '../../core/src/geometry/geometry-column.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/shp/read.ts';
import { dbfFieldNames, writer } from '../src/shp/write.ts';

type Value = boolean | number | bigint | string | Uint8Array | null;
type Column = readonly [name: string, type: FieldType, values: readonly Value[]];

function makeBatch(geometries: readonly Geometry[], columns: readonly Column[]): FeatureBatch {
  return {
    rowCount: geometries.length,
    geometry: geometryColumn(geometries),
    fields: columns.map(([name, type]): Field => ({ name, type })),
    columns: columns.map(([, type, values]) => columnOf(type, values)),
    ids: null,
  };
}

const at = (x: number, y: number, z = 0, m = 0): Position => [x, y, z, m];
const point = (x: number, y: number): Geometry => ({
  ordinates: 'XY',
  shape: { kind: 1, isMulti: false, parts: [[[at(x, y)]]] },
});
const noGeometry: Geometry = { ordinates: 'XY', shape: null };
const points = (count: number): Geometry[] => Array.from({ length: count }, (_, i) => point(i, i));
const line: Simple = { kind: 2, isMulti: false, parts: [[[at(0, 0), at(1, 1)]]] };
const polygon: Simple = {
  kind: 3,
  isMulti: false,
  parts: [
    [
      [at(0, 0), at(10, 0), at(10, 10), at(0, 10), at(0, 0)],
      [at(2, 2), at(2, 4), at(4, 4), at(4, 2), at(2, 2)],
    ],
  ],
};

async function roundTrip(
  batches: readonly FeatureBatch[],
): Promise<{ layers: readonly ReadLayer[]; codes: Record<string, number>; files: string[] }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.zip');
  const { findings } = await writeShp(path, [{ name: 'in', batches }]);
  const { layers, findings: readFindings } = await readFileLayers(reader, path);
  assert.deepEqual(
    readFindings.filter(({ code }) => code !== 'RINGS_REORDERED' && code !== 'GEOMETRY_DEGENERATE'),
    [],
  );
  return {
    layers,
    codes: Object.fromEntries(findings.map(({ code, count }) => [code, count])),
    files: readdirSync(workspace.path),
  };
}

const valuesOf = (layer: ReadLayer, name: string): unknown[] =>
  layer.rows.map(({ properties }) => properties[name]);
const typeOf = (layer: ReadLayer, name: string): string | undefined =>
  layer.fields.find((field) => field.name === name)?.type;

test('values and nulls of every type survive writing and reading', async () => {
  const columns: Column[] = [
    ['flag', 'boolean', [true, false, null]],
    ['small', 'int32', [-12, 7, null]],
    ['wide', 'int32', [-2_147_483_648, 2_147_483_647, null]],
    ['large', 'int64', [1n, -2n, null]],
    ['exact', 'int64', [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, null]],
    ['price', 'float64', [1.25, -1000.5, null]],
    ['whole', 'float64', [1, 2, null]],
    ['wild', 'float64', [1e-300, -1.2345678901234568e-300, null]],
    ['third', 'float64', [1 / 3, 1e22, null]],
    ['text', 'string', ['Zürich', '007', null]],
    ['day', 'date', ['2024-02-29', '0001-01-01', null]],
    ['time', 'datetime', ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.123+02:00', null]],
    ['tags', 'json', ['["a",1]', '"say \\"hi\\""', null]],
  ];
  const { layers, codes } = await roundTrip([makeBatch([point(1, 1), point(2, 2), noGeometry], columns)]);
  const [layer] = layers;
  assert.deepEqual(valuesOf(layer, 'flag'), [true, false, null]);
  assert.deepEqual(valuesOf(layer, 'small'), [-12, 7, null]);
  assert.deepEqual(valuesOf(layer, 'wide'), [-2_147_483_648, 2_147_483_647, null]);
  assert.deepEqual(valuesOf(layer, 'large'), [1, -2, null]);
  assert.equal(typeOf(layer, 'large'), 'int64');
  assert.deepEqual(valuesOf(layer, 'exact'), [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, null]);
  assert.deepEqual(valuesOf(layer, 'price'), [1.25, -1000.5, null]);
  assert.deepEqual(valuesOf(layer, 'whole'), [1, 2, null]);
  assert.equal(typeOf(layer, 'whole'), 'float64');
  assert.deepEqual(valuesOf(layer, 'wild'), [1e-300, -1.2345678901234568e-300, null]);
  assert.deepEqual(valuesOf(layer, 'third'), [1 / 3, 1e22, null]);
  assert.deepEqual(valuesOf(layer, 'text'), ['Zürich', '007', null]);
  assert.deepEqual(valuesOf(layer, 'day'), ['2024-02-29', '0001-01-01', null]);
  assert.equal(typeOf(layer, 'day'), 'date');
  assert.deepEqual(valuesOf(layer, 'time'), ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.123+02:00', null]);
  assert.deepEqual(valuesOf(layer, 'tags'), ['["a",1]', 'say "hi"', null]);
  assert.equal(codes.FIELD_RETYPED, 1, 'datetime and json are told each as a kind of its own');
});

test('truncates text to 254 bytes between characters and counts it', async () => {
  const long = `${'a'.repeat(253)}é`;
  const emoji = '😀'.repeat(64);
  const { layers, codes } = await roundTrip([
    makeBatch(points(3), [['text', 'string', [long, emoji, 'b'.repeat(254)]]]),
  ]);
  assert.deepEqual(valuesOf(layers[0], 'text'), ['a'.repeat(253), '😀'.repeat(63), 'b'.repeat(254)]);
  assert.equal(codes.TEXT_CUT, 2);
});

test('truncates names to 10 bytes and keeps them unique ignoring case', () => {
  assert.deepEqual(dbfFieldNames(['long_field_name', 'long_field', 'long_field_two']), [
    'long_fie_1',
    'long_field',
    'long_fie_2',
  ]);
  assert.deepEqual(dbfFieldNames(['Name', 'name', 'NAME']), ['Name', 'name_1', 'NAME_2']);
  assert.deepEqual(dbfFieldNames(['straßenname', 'Straßennamen']), ['straßenna', 'Straßen_1']);
  assert.deepEqual(dbfFieldNames(['', ' ', 'a\0b']), ['field', 'field_1', 'a_b']);
});

test('makes any names unique and short', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 14 }), { maxLength: 30 }), (names) => {
      const result = dbfFieldNames(names);
      assert.equal(new Set(result.map((name) => name.toLowerCase())).size, names.length);
      for (const name of result) {
        assert.ok(Buffer.byteLength(name) <= 10 && name.length > 0, name);
        assert.ok(!name.includes('\ufffd') || names.some((given) => given.includes('\ufffd')));
      }
    }),
  );
});

test('finds short names for 254 equal long names', () => {
  const names = dbfFieldNames(Array.from({ length: 254 }, (_, i) => `a_very_long_field_name_${i}`));
  assert.equal(new Set(names).size, 254);
  assert.equal(names.at(-1), 'a_very_253');
});

test('writes a shapefile per geometry kind, splits collections, and writes nulls to the first', async () => {
  const collection: Geometry = {
    ordinates: 'XY',
    shape: { members: [line, polygon, { kind: 1, isMulti: true, parts: [[[at(5, 5)]], [[at(6, 6)]]] }] },
  };
  const batch = makeBatch(
    [
      point(1, 2),
      { ordinates: 'XY', shape: line },
      noGeometry,
      collection,
      { ordinates: 'XY', shape: polygon },
    ],
    [['n', 'int32', [1, 2, 3, 4, 5]]],
  );
  const { layers, codes, files } = await roundTrip([batch, batch]);
  assert.deepEqual(files, ['out.zip']);
  assert.deepEqual(
    layers.map(({ source }) => source.name),
    ['out_lines', 'out_points', 'out_polygons'],
  );
  const rows = layers.map((layer) => layer.rows.map((row) => [row.properties.n, row.geometry]));
  const ring = '(0 0,0 10,10 10,10 0,0 0),(2 2,4 2,4 4,2 4,2 2)';
  assert.deepEqual(rows[0].slice(0, 2), [
    [2, 'LINESTRING (0 0,1 1)'],
    [4, 'LINESTRING (0 0,1 1)'],
  ]);
  assert.deepEqual(rows[1].slice(0, 3), [
    [1, 'MULTIPOINT ((1 2))'],
    [3, null],
    [4, 'MULTIPOINT ((5 5),(6 6))'],
  ]);
  assert.deepEqual(rows[2].slice(0, 2), [
    [4, `POLYGON (${ring})`],
    [5, `POLYGON (${ring})`],
  ]);
  for (const list of rows) assert.deepEqual(list.slice(list.length / 2), list.slice(0, list.length / 2));
  assert.equal(codes.COLLECTION_SPLIT, 2);
  assert.equal(codes.FILE_SPLIT, 1);
});

test('gives each file of layers that are split a name of its own', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.zip');
  const mixed = makeBatch([point(1, 1), { ordinates: 'XY', shape: line }], []);
  await writeShp(path, [
    { name: 'a', batches: [mixed] },
    { name: 'A_points', batches: [makeBatch(points(3), [])] },
    { name: 'b_lines', batches: [makeBatch(points(4), [])] },
    { name: 'b', batches: [mixed] },
  ]);
  const { layers } = await readFileLayers(reader, path);
  assert.deepEqual(layers.map(({ source, rows }) => [source.name, rows.length]).sort(), [
    ['A_points_1', 3],
    ['a_lines', 1],
    ['a_points', 1],
    ['b_1_lines', 1],
    ['b_1_points', 1],
    ['b_lines', 4],
  ]);
});

test('writes valid files for a layer without rows and for one with only nulls', async () => {
  for (const geometries of [[], [noGeometry, noGeometry]]) {
    const { layers } = await roundTrip([makeBatch(geometries, [])]);
    assert.equal(layers[0].rows.length, geometries.length);
    assert.deepEqual(
      valuesOf(layers[0], 'FID'),
      geometries.map((_, i) => i),
    );
  }
});

test('gives a layer without fields a running number across batches', async () => {
  const { layers } = await roundTrip([makeBatch(points(7), []), makeBatch(points(5), [])]);
  assert.deepEqual(
    valuesOf(layers[0], 'FID'),
    Array.from({ length: 12 }, (_, i) => i),
  );
});

test('record numbers, index and headers agree across batches', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'loose.shp');
  const shapes: Geometry[] = [noGeometry, { ordinates: 'XY', shape: polygon }, noGeometry];
  const batch = makeBatch(shapes, [['n', 'int32', [1, 2, 3]]]);
  const { output } = await writeShp(path, [{ name: 'in', batches: [batch, batch] }]);
  assert.equal(output.path, path);
  assert.deepEqual(workspace.entries(), ['loose.cpg', 'loose.dbf', 'loose.prj', 'loose.shp', 'loose.shx']);
  const shp = readFileSync(path);
  const shx = readFileSync(join(workspace.path, 'loose.shx'));
  assert.equal(shp.readInt32BE(24) * 2, shp.length);
  assert.equal(shx.readInt32BE(24) * 2, shx.length);
  assert.deepEqual(
    [36, 44, 52, 60].map((offset) => shp.readDoubleLE(offset)),
    [0, 0, 10, 10],
  );
  let offset = 100;
  for (let record = 1; record <= 6; record++) {
    assert.equal(shp.readInt32BE(offset), record);
    assert.equal(shx.readInt32BE(92 + record * 8) * 2, offset);
    const words = shp.readInt32BE(offset + 4);
    assert.equal(shx.readInt32BE(96 + record * 8), words);
    assert.equal(shp.readInt32LE(offset + 8), record % 3 === 2 ? 5 : 0);
    if (record % 3 !== 2) assert.equal(words, 2, 'a null record has a content of 4 bytes');
    offset += 8 + words * 2;
  }
  assert.equal(offset, shp.length);
});

test('drops binary fields and reports dropped ids', async () => {
  using workspace = makeWorkspace();
  const batch = makeBatch(points(1), [
    ['blob', 'binary', [Uint8Array.of(1)]],
    ['n', 'int32', [1]],
  ]);
  const ids = makeBatch(points(1), [['id', 'string', ['a']]]).columns[0];
  const { findings } = await writeShp(
    join(workspace.path, 'o.zip'),
    [{ name: 'in', batches: [{ ...batch, ids }] }],
    null,
  );
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['FIELD_DROPPED', 'IDS_DROPPED', 'CRS_NOT_WRITTEN'],
  );
});

test('rejects 256 fields', async () => {
  using workspace = makeWorkspace();
  const columns = Array.from({ length: 256 }, (_, i): Column => [`f${i}`, 'int32', [i]]);
  await assert.rejects(
    writeShp(join(workspace.path, 'o.zip'), [{ name: 'in', batches: [makeBatch(points(1), columns)] }]),
    (error: unknown) => error instanceof GeomillError && error.code === 'SHP_TOO_MANY_FIELDS',
  );
  assert.deepEqual(workspace.entries(), []);
});

test('names shapefiles after their layers, unique and valid as file names', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'o.zip');
  const batches = [makeBatch(points(1), [['n', 'int32', [1]]])];
  await writeShp(
    path,
    ['a/b', 'A_b', 'ok'].map((name) => ({ name, batches })),
  );
  const { layers } = await readFileLayers(reader, path);
  assert.deepEqual(layers.map(({ source }) => source.name).sort(), ['A_b_1', 'a_b', 'ok']);
});

test('rejects a layer that cannot fit before writing', () => {
  const statistics = emptyStatistics();
  statistics.rowCount = 200_000_000;
  statistics.geometry.kindCounts[1] = 200_000_000;
  statistics.geometry.positionCount = 200_000_000;
  const findings = new Findings();
  const crs = { name: 'x', wktEsri: 'x' } as CrsDescription;
  assert.throws(
    () =>
      writer.plan([{ name: 'in', fields: [], statistics, crs, coordinatesComputed: false }], {
        name: 'out',
        options: {},
        findings,
      }),
    (error: unknown) => error instanceof GeomillError && error.code === 'SHP_TOO_LARGE',
  );
});

/**
 * The value after a round trip through a shapefile: blanks around a text and empty texts are lost, a zero byte ends it.
 */
function expectedValue(value: unknown, type: FieldType): unknown {
  if (type === 'json' && value !== null) value = typeof value === 'string' ? value : JSON.stringify(value);
  if (typeof value !== 'string') return value;
  const bytes = Buffer.from(value).subarray(0, 254);
  const text = bytes
    .toString()
    .split('\0')[0]
    .replace(/^ +| +$/g, '');
  return text === '' ? null : text;
}

test('attributes survive as far as a shapefile can store them', async () => {
  await fc.assert(
    fc.asyncProperty(batchArbitrary, async (batch) => {
      // Geometry has separate tests; here it would only spread rows over files.
      const geometries = batch.rowCount === 0 ? [] : points(batch.rowCount);
      const plain: FeatureBatch = { ...batch, geometry: geometryColumn(geometries) };
      const { layers } = await roundTrip([plain]);
      const expected = batchRows(batch).map(({ properties }) =>
        batch.fields.map(({ name, type }) => expectedValue(properties[name], type)),
      );
      const found = layers[0].rows.map(({ properties }) =>
        batch.fields.map(({ name }) => properties[name.slice(0, 10)]),
      );
      assert.deepEqual(found, expected);
    }),
    { numRuns: 60 },
  );
});

const ordinate = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }).map((v) => v + 0);
const position = fc.tuple(ordinate, ordinate, ordinate, ordinate);
const shapes = {
  1: fc.array(
    position.map((p) => [[p]]),
    { minLength: 1, maxLength: 4 },
  ),
  2: fc.array(
    fc.array(position, { minLength: 2, maxLength: 5 }).map((l) => [l]),
    { minLength: 1, maxLength: 4 },
  ),
} as const;

for (const kind of [1, 2] as const) {
  test(`any ${kind === 1 ? 'points' : 'lines'} survive with all positions, Z and M`, async () => {
    const geometry = fc.tuple(fc.constantFrom('XY', 'XYZ', 'XYM', 'XYZM'), shapes[kind]).map(
      ([ordinates, parts]): Geometry => ({
        ordinates,
        shape: { kind, isMulti: kind === 1 || parts.length > 1, parts },
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(geometry, { minLength: 1, maxLength: 6 }), async (geometries) => {
        const batch = makeBatch(geometries, []);
        const { dimensions } = batch.geometry;
        const { layers } = await roundTrip([batch]);
        // A .shp cannot store a missing Z of single features.
        const filled = geometries.map(({ ordinates, shape }): Geometry => {
          const z = hasZ(ordinates);
          const parts = (shape as Simple).parts.map((part) =>
            part.map((ring) =>
              ring.map(
                ([x, y, height, m]): Position => [x, y, z ? height : 0, hasM(ordinates) ? m : Number.NaN],
              ),
            ),
          );
          return { ordinates: dimensions, shape: { ...(shape as Simple), parts } };
        });
        const expected = batchRows(makeBatch(filled, []));
        assert.deepEqual(
          layers[0].rows.map((row) => row.geometry),
          expected.map((row) => row.geometry),
        );
      }),
      { numRuns: 40 },
    );
  });
}
