import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  type AttributeColumn,
  ColumnBuilder,
  nullColumn,
  valueAt,
} from '../../core/src/columns/attribute-column.ts';
import { batchBuffers, type FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import {
  type FieldMapping,
  type FoundField,
  mapBatch,
  mapFields,
  widenedTarget,
} from '../../core/src/columns/field-mapping.ts';
import type { Field, FieldType, OpenType } from '../../core/src/columns/schema.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '../../core/src/geometry/geometry-column.ts';

function fields(...names: string[]): Field[] {
  return names.map((name) => ({ name, type: 'string' }));
}

function pairs(mapping: FieldMapping): string[] {
  return mapping.fields.map(({ name }, i) => `${name}=${mapping.sources[i]}`);
}

test('matches fields by their exact names first, then ignoring case', () => {
  const mapping = mapFields(fields('name', 'Area', 'Übung', 'none'), fields('ÜBUNG', 'NAME', 'name', 'area'));
  assert.deepEqual(pairs(mapping), ['name=name', 'Area=area', 'Übung=ÜBUNG', 'none=null']);
  assert.deepEqual(mapping.dropped, ['NAME']);
  assert.deepEqual(mapping.renamed, [
    { from: 'area', to: 'Area' },
    { from: 'ÜBUNG', to: 'Übung' },
  ]);
});

test('matches names that two fields of a side share except for case exactly or not at all', () => {
  assert.deepEqual(pairs(mapFields(fields('Name'), fields('NAME', 'name'))), ['Name=null']);
  assert.deepEqual(pairs(mapFields(fields('NAME', 'name'), fields('Name'))), ['NAME=null', 'name=null']);
  assert.deepEqual(pairs(mapFields(fields('NAME', 'name'), fields('Name', 'name'))), [
    'NAME=Name',
    'name=name',
  ]);
  assert.deepEqual(mapFields(fields('Name'), fields('NAME', 'name')).dropped, ['NAME', 'name']);
});

test('compares names including blanks and independent of the locale', () => {
  assert.deepEqual(pairs(mapFields(fields('a ', 'TITLE'), fields('a', 'title'))), ['a =null', 'TITLE=title']);
  assert.deepEqual(pairs(mapFields(fields('constructor', '__proto__'), [])), [
    'constructor=null',
    '__proto__=null',
  ]);
});

const fieldNames = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'ß', 'É'), maxLength: 3 }),
);

test('maps every field of the source to one field of the target or reports it as dropped', () => {
  fc.assert(
    fc.property(fieldNames, fieldNames, (target, source) => {
      const mapping = mapFields(fields(...target), fields(...source));
      const used = mapping.sources.filter((name) => name !== null);
      assert.deepEqual([...used, ...mapping.dropped].sort(), [...source].sort());
      assert.equal(new Set(used).size, used.length);
      target.forEach((name, i) => {
        if (source.includes(name)) assert.equal(mapping.sources[i], name);
      });
      assert.deepEqual(structuredClone(mapping), mapping);
    }),
  );
});

function batchOf(columns: readonly (readonly [string, AttributeColumn])[], rowCount: number): FeatureBatch {
  const geometry = new GeometryBuilder('XY', rowCount, 8);
  for (let row = 0; row < rowCount; row++) geometry.endFeature(GEOMETRY_TYPE.none);
  const ids = new ColumnBuilder('int64');
  for (let row = 0; row < rowCount; row++) ids.appendBigInt(BigInt(row));
  return {
    rowCount,
    geometry: geometry.finish(),
    fields: columns.map(([name, { type }]) => ({ name, type })),
    columns: columns.map(([, column]) => column),
    ids: ids.finish(),
  };
}

function texts(...values: (string | null)[]): AttributeColumn {
  const builder = new ColumnBuilder('string');
  for (const value of values) value === null ? builder.appendNull() : builder.appendText(value);
  return builder.finish();
}

function integers(...values: number[]): AttributeColumn {
  return { type: 'int32', values: Int32Array.from(values), validity: null };
}

function valuesOf(batch: FeatureBatch): Record<string, unknown> {
  return Object.fromEntries(
    batch.fields.map(({ name }, i) => [
      name,
      Array.from({ length: batch.rowCount }, (_, row) => valueAt(batch.columns[i], row)),
    ]),
  );
}

const TARGET: readonly Field[] = [
  { name: 'count', type: 'int32' },
  { name: 'Name', type: 'string' },
  { name: 'day', type: 'date' },
];

test("a mapped batch has the target's fields in order and type, and lost values are counted per field", () => {
  const source = batchOf(
    [
      ['other', texts('a', 'b', 'c')],
      ['NAME', integers(1, 2, 3)],
      ['count', texts('7', 'seven', null)],
    ],
    3,
  );
  const { batch, failures } = mapBatch(source, mapFields(TARGET, source.fields), { keepIds: true });
  assert.deepEqual(batch.fields, TARGET);
  assert.deepEqual(valuesOf(batch), {
    count: [7, null, null],
    Name: ['1', '2', '3'],
    day: [null, null, null],
  });
  assert.deepEqual(failures, [{ fieldIndex: 0, count: 1, firstRows: [1] }]);
  assert.equal(batch.ids, source.ids);
  assert.equal(batch.geometry, source.geometry);
});

test('accepts batches of one source that differ in fields, order and types', () => {
  const mapping = mapFields(TARGET, fields('day', 'count', 'name'));
  const batches = [
    batchOf([['day', texts('2024-01-01')]], 1),
    batchOf(
      [
        ['name', texts('x')],
        ['unsurveyed', texts('y')],
        ['count', { type: 'float64', values: Float64Array.of(2), validity: null }],
      ],
      1,
    ),
    batchOf([['name', nullColumn('json', 1)]], 1),
  ];
  const mapped = batches.map((batch) => mapBatch(batch, mapping, { keepIds: true }));
  assert.deepEqual(
    mapped.map(({ batch }) => valuesOf(batch)),
    [
      { count: [null], Name: [null], day: ['2024-01-01'] },
      { count: [2], Name: ['x'], day: [null] },
      { count: [null], Name: [null], day: [null] },
    ],
  );
  assert.ok(mapped.every(({ failures }) => failures.length === 0));
});

test('passes columns of the right type on unchanged, and the batch can still be transferred', () => {
  const source = batchOf(
    [
      ['Name', texts('x', null)],
      ['count', integers(1, 2)],
    ],
    2,
  );
  const { batch } = mapBatch(source, mapFields(TARGET, source.fields), { keepIds: false });
  assert.equal(batch.columns[0], source.columns[1]);
  assert.equal(batch.columns[1], source.columns[0]);
  assert.equal(batch.ids, null);
  const expected = valuesOf(batch);
  const moved = structuredClone(batch, { transfer: batchBuffers(batch) });
  assert.deepEqual(valuesOf(moved), expected);
});

function found(type: OpenType, integersExact = true): FoundField {
  return { name: 'value', type, integersExact };
}

function widened(
  target: FoundField,
  sources: readonly FoundField[],
  mixed: 'json' | 'string' = 'json',
): FieldType {
  return widenedTarget(
    [target],
    sources.map((field) => [field]),
    mixed,
  )[0].type;
}

test('a field of inferred integers gets the widest number type that is appended', () => {
  assert.equal(widened(found('int32'), [found('float64')]), 'float64');
  assert.equal(widened(found('int32'), [found('int64')]), 'int64');
  assert.equal(widened(found('int32'), [found('int64'), found('float64')]), 'float64');
  assert.equal(widened(found('int64'), [found('int32')]), 'int64');
  assert.equal(widened(found('float64'), [found('int32')]), 'float64');
});

test('integers beyond 2^53 never become floats, for any order of files', () => {
  const large = found('int64', false);
  assert.equal(widened(large, [found('float64')]), 'json');
  assert.equal(widened(large, [found('float64')], 'string'), 'string');
  assert.equal(widened(found('int32'), [large, found('float64')]), 'json');
  assert.equal(widened(found('int32'), [found('float64'), large]), 'json');
  assert.equal(widened(found('int32'), [large]), 'int64');
});

test('a field of dates accepts other texts, and keeps its type for dates', () => {
  assert.equal(widened(found('date'), [found('string')]), 'string');
  assert.equal(widened(found('date'), [found('datetime')]), 'string');
  assert.equal(widened(found('datetime'), [found('date')]), 'datetime');
  assert.equal(widened(found('datetime'), [found('date'), found('string')]), 'string');
});

test('a field without values gets the type of the appended values, or text if they have none', () => {
  assert.equal(widened(found('null'), [found('null'), found('boolean')]), 'boolean');
  assert.equal(widened(found('null'), [found('int32'), found('float64')]), 'float64');
  assert.equal(widened(found('null'), [found('int32'), found('date')]), 'json');
  assert.equal(widened(found('null'), [found('int32'), found('date')], 'string'), 'string');
  assert.equal(widened(found('null'), [found('null')]), 'string');
  assert.equal(widened(found('null'), []), 'string');
});

test('other kinds of values do not change the type of a field', () => {
  for (const type of ['int32', 'int64', 'float64', 'boolean', 'string', 'json'] as const) {
    for (const source of ['string', 'date', 'boolean', 'json', 'binary', 'null'] as const)
      assert.equal(widened(found(type), [found(source)]), type);
  }
  assert.equal(widened(found('string'), [found('int32')]), 'string');
  assert.equal(widened(found('date'), [found('int32')]), 'date');
});

test('a field is widened only by the field mapped to it, even if their names differ in case', () => {
  const target: FoundField[] = [
    { name: 'Id', type: 'int32', integersExact: true },
    { name: 'size', type: 'int32', integersExact: true },
  ];
  const source: FoundField[] = [
    { name: 'extra', type: 'float64', integersExact: true },
    { name: 'ID', type: 'float64', integersExact: true },
  ];
  assert.deepEqual(widenedTarget(target, [source], 'json'), [
    { name: 'Id', type: 'float64' },
    { name: 'size', type: 'int32' },
  ]);
});
