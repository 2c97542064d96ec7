import assert from 'node:assert/strict';
import test from 'node:test';
import type { FieldType } from '../../core/src/columns/schema.ts';
import { emptyStatistics } from '../../core/src/columns/statistics.ts';
import type { SourceLayer } from '../../formats/src/reader.ts';
import { declaredTogether } from '../src/declared-statistics.ts';

function layerOf(fields: readonly (readonly [string, FieldType, number])[], rowCount: number): SourceLayer {
  const declaredStatistics = emptyStatistics();
  declaredStatistics.rowCount = rowCount;
  declaredStatistics.geometry.typeCounts[1] = rowCount;
  for (const [name, type, maxLength] of fields)
    declaredStatistics.fields.push({
      name,
      type,
      nonNullCount: rowCount,
      maxLength,
      maxDecimals: 0,
      integersExact: true,
      hasNested: false,
    });
  return {
    name: 'a',
    fields: fields.map(([name, type]) => ({ name, type })),
    featureCount: rowCount,
    declaredStatistics,
    crs: 'EPSG:4326',
    crsMissingReason: '',
    encoding: null,
    partitions: [],
    state: null,
  };
}

test('appended values count with the widths of the fields they are mapped to', () => {
  const target = layerOf(
    [
      ['name', 'string', 10],
      ['pop', 'int32', 3],
    ],
    5,
  );
  const more = layerOf(
    [
      ['POP', 'int32', 7],
      ['other', 'string', 99],
    ],
    2,
  );
  const together = declaredTogether('append', [target, more], []);
  assert.equal(together?.rowCount, 7);
  assert.equal(together?.geometry.typeCounts[1], 7);
  assert.deepEqual(
    together?.fields.map(({ name, maxLength, nonNullCount }) => [name, maxLength, nonNullCount]),
    [
      ['name', 10, 5],
      ['pop', 7, 7],
    ],
  );
});

test('a merge counts only geometries', () => {
  const together = declaredTogether('merge', [layerOf([['a', 'string', 9]], 1), layerOf([], 2)], []);
  assert.equal(together?.rowCount, 3);
  assert.deepEqual(together?.fields, []);
});

test('needs a pass over the data if a value changes its type or a file declares nothing', () => {
  const target = layerOf([['pop', 'string', 3]], 5);
  assert.equal(declaredTogether('append', [target, layerOf([['pop', 'int32', 3]], 1)], []), null);
  const silent = { ...layerOf([['pop', 'string', 3]], 1), declaredStatistics: null };
  assert.equal(declaredTogether('append', [target, silent], []), null);
  assert.equal(declaredTogether('transform', [silent], []), null);
});
