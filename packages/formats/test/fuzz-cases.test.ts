/** The fuzzer's own laws: a case is made from its seed and number alone, and no format or mutation is left out. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../../bench/data.ts';
import { makeCase, operations } from '../../../test/fuzz/cases.ts';
import { readMaterial } from '../../../test/fuzz/material.ts';
import { MUTATIONS, mutationNames } from '../../../test/fuzz/mutations.ts';
import { readZipMembers, storedZip } from '../../../test/support/zip-members.ts';
import { inputFormats } from '../src/registry.ts';

const material = await readMaterial(async () => null);
const caseOf = (seed: number, index: number) => makeCase(seed, index, material, () => ['name']);

test('the same seed and number make the same request', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), fc.nat(100_000), (seed, index) => {
      assert.deepEqual(caseOf(seed, index), caseOf(seed, index));
    }),
    { numRuns: 50 },
  );
});

test('some hundred cases apply every mutation to every format, and every operation', () => {
  const cases = Array.from({ length: 2000 }, (_, index) => caseOf(1, index));
  for (const { id } of inputFormats) {
    const ofFormat = cases.filter(({ format }) => format === id);
    const applied = new Set(ofFormat.flatMap(({ mutations }) => mutations));
    assert.deepEqual([...applied].sort(), [...mutationNames].sort(), id);
    assert.deepEqual(new Set(ofFormat.map(({ operation }) => operation)), new Set(operations), id);
  }
  const inputs = new Set(cases.map(({ files }) => Buffer.from(files[0].bytes).toString('base64')));
  assert.ok(inputs.size > 600, `${inputs.size} different inputs`);
});

test('every mutation copes with any bytes and leaves what it was given as it was', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(),
      (bytes, donor, seed) => {
        for (const name of mutationNames) {
          const before = bytes.slice();
          const result = MUTATIONS[name](bytes, seededRandom(seed), donor);
          assert.deepEqual(bytes, before, name);
          assert.ok(result.length <= 1 << 20, name);
        }
      },
    ),
  );
});

test('a zip that is written is read again', async () => {
  const members = [
    { name: 'a/ä.txt', bytes: new TextEncoder().encode('some text') },
    { name: 'empty', bytes: new Uint8Array(0) },
  ];
  assert.deepEqual(await readZipMembers(Buffer.from(storedZip(members))), members);
});
