/** Limits and sums at the value where they begin to hold, and one step before. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { UnpackBudget } from '../../../packages/io/src/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '../../../packages/io/src/zip-read.ts';
import { FREE_POSITIONS, LayerGrowth } from '../../../packages/pipeline/src/growth.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { AttemptLimiter, PASSWORD_RULES } from '../src/accounts/attempt-limiter.ts';

const step = { type: 'grow', path: 'transformations[0]' };
const refused = { code: 'OUTPUT_FACTOR_EXCEEDED' };
const batch = (positionsIn: number, positionsOut: number) => ({ positionsIn, positionsOut });

test('the positions of all batches that a step made count, not those of the last batch', () => {
  const growth = new LayerGrowth(2);
  growth.add(0, step, batch(1_000_000, FREE_POSITIONS));
  assert.throws(() => growth.add(0, step, batch(1_000_000, 1)), refused);
});

test('the positions of all batches that a step got count', () => {
  const growth = new LayerGrowth(2);
  growth.add(0, step, batch(4_000_000, FREE_POSITIONS));
  growth.add(0, step, batch(1, 3_000_002));
  assert.throws(() => growth.add(0, step, batch(0, 1)), refused);
});

test('exactly the factor is allowed, and one position more is not', () => {
  const growth = new LayerGrowth(3);
  growth.add(0, step, batch(FREE_POSITIONS, 3 * FREE_POSITIONS));
  assert.throws(() => growth.add(0, step, batch(0, 1)), refused);
});

test('each step counts by itself', () => {
  const growth = new LayerGrowth(1);
  for (const number of [0, 1, 2]) growth.add(number, step, batch(1, FREE_POSITIONS));
  assert.throws(() => growth.add(2, step, batch(0, 1)), refused);
});

/** An archive of one entry that states other sizes than it has. */
function lyingZip(path: string, bytes: Buffer, statedBytes: number): void {
  const name = Buffer.from('a.bin');
  const packed = deflateRawSync(bytes);
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(8, 2);
  fields.writeUInt32LE(crc32(bytes.subarray(0, statedBytes)), 8);
  fields.writeUInt32LE(packed.length, 12);
  fields.writeUInt32LE(statedBytes, 16);
  fields.writeUInt16LE(name.length, 20);
  const local = Buffer.concat([Buffer.from('504b03041400', 'hex'), fields, Buffer.alloc(2), name, packed]);
  const central = Buffer.concat([Buffer.from('504b010214001400', 'hex'), fields, Buffer.alloc(16), name]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  writeFileSync(path, Buffer.concat([local, central, end]));
}

async function unpackLying(directory: string, bytes: Buffer, statedBytes: number): Promise<string> {
  const archive = join(directory, 'a.zip');
  const target = join(directory, 'a.bin');
  lyingZip(archive, bytes, statedBytes);
  const budget = new UnpackBudget({ ...DEFAULT_INPUT_LIMITS, unzipRatio: Number.POSITIVE_INFINITY });
  const [entry] = await readZipDirectory(archive, 'a.zip', budget);
  await unpackEntry(archive, entry, 'a.zip', target);
  return target;
}

for (const [what, statedBytes, bytes] of [
  ['small', 1000, 1 << 20],
  ['large', 9 << 20, 40 << 20],
] as const) {
  test(`unpacking of a ${what} entry ends at the size that the archive states`, async () => {
    using workspace = makeWorkspace();
    await assert.rejects(unpackLying(workspace.path, Buffer.alloc(bytes, 7), statedBytes), {
      code: 'ZIP_INVALID',
    });
    const target = join(workspace.path, 'a.bin');
    const written = existsSync(target) ? statSync(target).size : 0;
    assert.ok(written <= statedBytes, `${written} bytes were written`);
  });

  test(`a ${what} entry of exactly the size that the archive states is unpacked`, async () => {
    using workspace = makeWorkspace();
    const content = Buffer.alloc(statedBytes, 7);
    assert.ok(readFileSync(await unpackLying(workspace.path, content, statedBytes)).equals(content));
  });

  test(`a ${what} entry of fewer bytes than the archive states is refused`, async () => {
    using workspace = makeWorkspace();
    await assert.rejects(
      unpackLying(workspace.path, Buffer.alloc(statedBytes - 1, 7), statedBytes),
      /fewer bytes/,
    );
  });
}

test('the limits of unpacking hold at their value', () => {
  const limits = { ...DEFAULT_INPUT_LIMITS, unzippedBytes: 1000, unzipRatio: 10, zipEntries: 3 };
  const total = { bytes: 0 };
  const budget = new UnpackBudget(limits, total);
  budget.countBytes('a', 600);
  budget.countBytes('a', 400);
  assert.equal(total.bytes, 1000);
  assert.throws(() => budget.countBytes('a', 1), /is 1001; the limit is 1000 \(MAX_UNZIPPED\)/);
  budget.countEntries('a', 2);
  budget.countEntries('a', 1);
  assert.throws(() => budget.countEntries('a', 1), /is 4; the limit is 3 \(MAX_ZIP_ENTRIES\)/);
  const free = 8 << 20;
  budget.checkRatio('a', free, 1);
  budget.checkRatio('a', free + 10, (free + 10) / 10);
  assert.throws(() => budget.checkRatio('a', free + 11, (free + 10) / 10), /MAX_UNZIP_RATIO/);
  assert.throws(() => budget.checkRatio('a', free + 1, 1), /MAX_UNZIP_RATIO/);
});

test('subjects whose failures were all forgiven take the place of no other', () => {
  const limiter = new AttemptLimiter({ ...PASSWORD_RULES, maxSubjects: 2 }, () => 0);
  for (let i = 0; i < 100; i++) limiter.fail('guessed');
  const waitMs = limiter.waitMs('guessed');
  assert.ok(waitMs > 0);
  for (const subject of ['a', 'b', 'c']) {
    limiter.fail(subject);
    limiter.forgive(subject);
  }
  assert.equal(limiter.waitMs('guessed'), waitMs);
});
