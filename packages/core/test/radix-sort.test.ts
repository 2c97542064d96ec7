import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { BLOCK, RadixSorter } from '../src/bytes/radix-sort.ts';

const key = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 5 }));

test('sorts a range of keys, and keeps the order of equal ones', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), fc.nat(300), fc.nat(300), (keys, a, b) => {
      const start = Math.min(a, b, keys.length);
      const end = Math.min(Math.max(a, b), keys.length);
      const sorter = new RadixSorter(keys.length);
      sorter.keys.set(keys);
      keys.forEach((_, i) => {
        sorter.order[i] = i;
      });
      sorter.sort(start, end);
      const expected = keys.map((_, i) => i);
      const sorted = expected.slice(start, end).sort((i, j) => keys[i] - keys[j]);
      expected.splice(start, sorted.length, ...sorted);
      assert.deepEqual([...sorter.order], expected);
    }),
  );
});

test('sorts more keys than a block has', () => {
  const count = 3 * BLOCK + 1;
  const sorter = new RadixSorter(count);
  for (let i = 0; i < count; i++) {
    sorter.keys[i] = Math.imul(i, 2_654_435_761);
    sorter.order[i] = i;
  }
  const keys = sorter.keys.slice();
  sorter.sort(0, count);
  for (let i = 1; i < count; i++) assert.ok(keys[sorter.order[i - 1]] < keys[sorter.order[i]]);
});
