import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { deflateWords } from '../src/deflate-words.ts';
import { codeLengths } from '../src/huffman.ts';
import { UnpackBudget } from '../src/unpack-budget.ts';
import { combineCrc32 } from '../src/zip-member.ts';
import { type Packer, packPiece } from '../src/zip-pack.ts';
import { isStored, readZipDirectory, unpackEntry } from '../src/zip-read.ts';
import { ZipWriter } from '../src/zip-write.ts';

test('combines the CRCs of two byte ranges', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
      const whole = new Uint8Array([...a, ...b]);
      assert.equal(combineCrc32(crc32(a), crc32(b), b.length), crc32(whole));
    }),
  );
});

test('combines CRCs over more than 2^31 bytes', () => {
  // Appending n zero bytes twice equals appending 2n.
  const first = crc32('abc');
  const zeros = (count: number): number => combineZeros(count);
  const half = combineCrc32(combineCrc32(first, zeros(2 ** 31), 2 ** 31), zeros(2 ** 31), 2 ** 31);
  assert.equal(half, combineCrc32(first, zeros(2 ** 32), 2 ** 32));
});

/** CRC of a power of two of zero bytes, by doubling. */
function combineZeros(count: number): number {
  let crc = crc32(new Uint8Array(1));
  for (let length = 1; length < count; length *= 2) crc = combineCrc32(crc, crc, length);
  return crc;
}

test('writes members that grow at the same time, with heads set last, whole and in order', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-zip-'));
  try {
    const path = join(directory, 'out.zip');
    const zip = new ZipWriter(path);
    const names = ['a.shp', 'ä/b.dbf', 'empty'];
    const members = names.map((name, i) => zip.addMember(name, i === 2 ? 0 : 100));
    const expected: Buffer[][] = [[], [], []];
    let seed = 1;
    for (let round = 0; round < 12; round++) {
      for (const i of [0, 1]) {
        // Small ones are compressed at once, large ones in the background: the order must be kept.
        const bytes = Buffer.alloc(round % 3 === 0 ? 1000 : 700_000);
        for (let k = 0; k < bytes.length; k++) {
          seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
          bytes[k] = (seed >> 16) & 15;
        }
        expected[i].push(Buffer.from(bytes));
        members[i].append(bytes);
      }
    }
    for (const i of [0, 1]) {
      const head = Buffer.alloc(100, i + 1);
      expected[i].unshift(head);
      members[i].setHead(head);
    }
    const byteLength = await zip.finish();
    assert.equal(byteLength, readFileSync(path).length);
    assert.deepEqual(readdirSync(directory), ['out.zip'], 'nothing is left beside it');
    const entries = await readZipDirectory(path, 'out.zip', new UnpackBudget(DEFAULT_INPUT_LIMITS));
    assert.deepEqual(
      entries.map(({ name }) => name),
      names,
    );
    for (const [i, entry] of entries.entries()) {
      const { path: unpacked } = await unpackEntry(path, entry, 'out.zip', join(directory, `${i}`));
      assert.ok(readFileSync(unpacked).equals(Buffer.concat(expected[i])), names[i]);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('leaves no file after an abort', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-zip-'));
  try {
    const zip = new ZipWriter(join(directory, 'out.zip'));
    const member = zip.addMember('a', 0);
    let seed = 1;
    const noise = Uint8Array.from({ length: 3 << 20 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      return seed >> 16;
    });
    member.append(noise.subarray(0, 60_000));
    member.append(noise);
    member.append(noise.slice());
    member.append(noise.slice());
    member.append(noise.slice());
    zip.abort();
    assert.deepEqual(readdirSync(directory), []);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Words with repetitions near and far, runs, and noise, in shares that `kind` selects. */
function words(count: number, kind: number, seed: number): Uint8Array<ArrayBuffer> {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return state >>> 8;
  };
  const result = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const choice = (random() >>> 3) % 8;
    const before = i - 1 - (random() % 20_000);
    if (choice < kind % 5 && before >= 0) result[i] = result[before];
    else if (choice < 6) result[i] = (kind << 24) | (random() & (kind > 4 ? 0xff : 0xffffff));
    else result[i] = kind === 7 ? 0 : random() * 1024;
  }
  return new Uint8Array(result.buffer);
}

function inflated(packed: Uint8Array): Uint8Array {
  return inflateRawSync(Buffer.concat([packed, Uint8Array.of(3, 0)]));
}

test('deflates words so that zlib restores them, whatever they are', () => {
  for (const count of [0, 1, 2, 3, 64, 65, 66, 70_000, 200_000])
    for (let kind = 0; kind < 8; kind++) {
      const bytes = words(count, kind, 1 + kind);
      const packed = deflateWords(bytes);
      assert.ok(Buffer.from(bytes).equals(inflated(packed)), `${count} words of kind ${kind}`);
      assert.ok(packed.length <= bytes.length * 1.13 + 1024, `${packed.length} bytes of ${bytes.length}`);
    }
});

test('deflates the coordinates of a line nearly as well as zlib does at level 1', () => {
  const position = Float64Array.of(8, 47);
  const line = Float64Array.from({ length: 100_000 }, (_, i) => {
    position[i % 2] += Math.sin(i * i) * 1e-4;
    return Math.round(position[i % 2] * 1e7) / 1e7;
  });
  const bytes = new Uint8Array(line.buffer);
  const { packed } = packPiece(bytes, 'words');
  const { length } = packPiece(bytes, 'bytes').packed;
  assert.ok(packed.length < 1.2 * length, `${packed.length}, zlib ${length}`);
  assert.ok(Buffer.from(bytes).equals(inflated(packed)));
});

test('makes prefix codes that are complete and at most 15 bits long', () => {
  // Fibonacci numbers make the deepest tree.
  const counts = new Uint32Array(286);
  for (let i = 0, a = 1, b = 1; i < 40; i++, [a, b] = [b, a + b]) counts[i * 7] = a;
  const lengths = codeLengths(counts);
  assert.equal(Math.max(...lengths), 15);
  assert.deepEqual(
    [...lengths].map((length) => length > 0),
    [...counts].map((count) => count > 0),
  );
  assert.equal(
    lengths.reduce((sum, length) => sum + (length === 0 ? 0 : 2 ** -length), 0),
    1,
  );
});

test('writes the same bytes with a packer, whose pieces come back in any order, and none twice', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-zip-'));
  try {
    const results: unknown[][] = [];
    const waiting: (() => void)[] = [];
    const backwards: Packer = {
      pack: (bytes, content) =>
        new Promise((resolve) => {
          const done = packPiece(bytes, content);
          bytes.buffer.transfer();
          waiting.push(() => resolve(done));
        }),
    };
    for (const packer of [undefined, backwards]) {
      const path = join(directory, `${results.length}.zip`);
      const zip = new ZipWriter(path, { packer });
      const [shp, dbf] = [zip.addMember('a.shp', 100, 'words'), zip.addMember('a.dbf', 33)];
      for (let round = 0; round < 15; round++) {
        shp.append(words(30_000 + round, round % 8, round + 1));
        dbf.append(words(20_000, 7 - (round % 8), round + 1).subarray(0, 79_999));
        dbf.append(words(10, 3, round));
      }
      for (const release of waiting.reverse()) release();
      await zip.finish();
      const entries = await readZipDirectory(path, 'out.zip', new UnpackBudget(DEFAULT_INPUT_LIMITS));
      // Local headers have the time of the writing.
      const bytes = readFileSync(path);
      results.push(
        entries.map(({ name, crc32: crc, headerOffset, packedBytes }) => {
          const start = headerOffset + 30 + name.length;
          return { name, crc, headerOffset, packed: bytes.subarray(start, start + packedBytes) };
        }),
      );
      for (const entry of entries)
        await unpackEntry(path, entry, 'out.zip', join(directory, `${results.length}-${entry.name}`));
    }
    assert.deepEqual(results[0], results[1]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('fails with the error of a packer, and leaves no file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-zip-'));
  try {
    const packer: Packer = { pack: () => Promise.reject(new RangeError('no memory')) };
    const zip = new ZipWriter(join(directory, 'out.zip'), { packer });
    zip.addMember('a.shp', 0).append(new Uint8Array(100_000));
    await assert.rejects(zip.finish(), /no memory/);
    zip.abort();
    assert.deepEqual(readdirSync(directory), []);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('stores members without compression', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-zip-'));
  try {
    const path = join(directory, 'out.zip');
    const zip = new ZipWriter(path, { isStored: true });
    const member = zip.addMember('a.shp', 4, 'words');
    const body = words(100_000, 2, 9);
    member.append(body);
    member.append(Uint8Array.of(7));
    zip.addMember('empty', 0);
    member.setHead(Uint8Array.of(1, 2, 3, 4));
    await zip.finish();
    const [entry, empty] = await readZipDirectory(path, 'out.zip', new UnpackBudget(DEFAULT_INPUT_LIMITS));
    assert.ok(isStored(entry) && isStored(empty));
    const {
      path: inPlace,
      start,
      byteLength,
    } = await unpackEntry(path, entry, 'out.zip', join(directory, 'x'));
    assert.equal(inPlace, path);
    const read = readFileSync(path).subarray(start, start + byteLength);
    assert.ok(read.equals(Buffer.concat([Uint8Array.of(1, 2, 3, 4), body, Uint8Array.of(7)])));
    assert.deepEqual(readdirSync(directory), ['out.zip']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
