import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { combineCrc32 } from '../../src/io/crc32-combine.ts';
import { UnpackBudget } from '../../src/io/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '../../src/io/zip-read.ts';
import { ZipWriter } from '../../src/io/zip-write.ts';
import { DEFAULT_INPUT_LIMITS } from '../support/limits.ts';

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
