/** Where segments of an upload are merged with those before them, and which records of them are refused. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { BLOCK_BYTES, parsePlace, SegmentedFile, type SegmentFiles } from '../src/storage/segments.ts';

/** Lengths of the segments after pieces of these lengths, each of which is made durable, and their bytes. */
async function segmentsOf(offset: number, lengths: readonly number[]) {
  const stored = new Map<string, Buffer>();
  const files: SegmentFiles = {
    write: async (name, chunks) => void stored.set(name, Buffer.concat(chunks)),
    read: async (name) => stored.get(name) ?? null,
    remove: async (name) => void stored.delete(name),
  };
  const file = new SegmentedFile(files, 0, null);
  let place = '';
  let end = 0;
  for (const length of [...(offset === 0 ? [] : [offset]), ...lengths]) {
    await file.write(new Uint8Array(length).fill(length));
    place = await file.sync();
    file.recorded();
    end += length;
  }
  return parsePlace(place, end).map(({ byteLength }) => byteLength);
}

for (const offset of [0, BLOCK_BYTES])
  test(`a segment is at least twice as long as the next one of its block, from ${offset}`, async () => {
    const before = offset === 0 ? [] : [BLOCK_BYTES];
    for (const [lengths, expected] of [
      [
        [1000, 500],
        [1000, 500],
      ],
      [[1000, 501], [1501]],
      [
        [1000, 500, 250],
        [1000, 500, 250],
      ],
      [[1000, 500, 251], [1751]],
      [[1000, 400, 300], [1700]],
      [
        [1000, 400, 100],
        [1000, 400, 100],
      ],
      [
        [3000, 400, 300],
        [3000, 700],
      ],
    ] as const)
      assert.deepEqual(await segmentsOf(offset, lengths), [...before, ...expected], lengths.join());
  });

test('a block that is complete is one segment', async () => {
  assert.deepEqual(await segmentsOf(0, [BLOCK_BYTES - 10, 4, 6]), [BLOCK_BYTES]);
  assert.deepEqual(await segmentsOf(0, [BLOCK_BYTES - 10, 4, 7]), [BLOCK_BYTES, 1]);
});

test('a piece is not longer than a block', async () => {
  await assert.rejects(segmentsOf(0, [BLOCK_BYTES + 1]), { code: 'INTERNAL' });
});

test('a record lists segments of all bytes that it counts', () => {
  const suffix = '0123456789ab';
  assert.equal(parsePlace(`${suffix}:5 ${suffix}:6`, 11).length, 2);
  assert.deepEqual(parsePlace(suffix, BLOCK_BYTES).map(({ start, byteLength }) => [start, byteLength]), [[0, BLOCK_BYTES]]); // biome-ignore format: one line
  for (const [place, byteLength] of [
    [`${suffix}:5`, 6],
    [`${suffix}:5`, 4],
    [null, 1],
    [`${suffix}:x`, 5],
    [suffix.slice(1), BLOCK_BYTES],
  ] as const)
    assert.throws(() => parsePlace(place, byteLength), { code: 'INTERNAL' }, String(place));
});
