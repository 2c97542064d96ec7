/** Limits and guards of archives and samples at the value where they begin to hold, and one step before. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { failure } from '../../core/src/messages/errors.ts';
import { generalErrors } from '../../core/src/messages/general-errors.ts';
import type { ByteSink } from '../src/byte-sink.ts';
import { TextSamples } from '../src/text-samples.ts';
import { writeEnd } from '../src/zip-directory.ts';
import { ZipWriter } from '../src/zip-write.ts';

/** What an archive whose pieces cannot be compressed is rejected with. */
async function finishWith(thrown: Error): Promise<unknown> {
  using workspace = makeWorkspace();
  const packer = { pack: () => Promise.reject(thrown) };
  const zip = new ZipWriter(join(workspace.path, 'a.zip'), { packer });
  zip.addMember('a.txt', 0).append(new Uint8Array(1 << 20));
  return zip.finish().then(
    () => null,
    (error: unknown) => error,
  );
}

test('an error of ours from a thread that compresses comes as it is, any other one as INTERNAL with its cause', async () => {
  const own = failure(generalErrors.CANCELLED, {});
  assert.equal(await finishWith(own), own);
  const other = new RangeError('the thread ended');
  const error = (await finishWith(other)) as { readonly code?: string; readonly cause?: unknown };
  assert.deepEqual([error.code, error.cause], ['INTERNAL', other]);
});

test('a text of at most fifty bytes is preferred to a longer one', () => {
  const samples = new TextSamples();
  const text = (length: number): Uint8Array => new Uint8Array(length).fill(0xe4);
  for (const length of [51, 52, 53, 54, 55, 50]) samples.add(text(length), 0, length);
  assert.deepEqual(samples.texts.map(({ length }) => length), [50, 51, 52, 53, 54]); // biome-ignore format: one line
});

test('samples are full at fifty different texts, and are not changed by more', () => {
  const samples = new TextSamples();
  for (let i = 0; i < 50; i++) {
    assert.equal(samples.isFull, false);
    samples.add(Uint8Array.of(0xe4, 0x41 + i), 0, 2);
    samples.add(Uint8Array.of(0xe4, 0x41 + i), 0, 2);
  }
  assert.equal(samples.isFull, true);
});

/** The end of an archive with so many members whose directory begins there. */
function endOf(memberCount: number, start: number): Buffer {
  const written: Uint8Array[] = [];
  const sink = { byteLength: start + 100, append: (bytes: Uint8Array) => written.push(bytes) };
  writeEnd(sink as unknown as ByteSink, memberCount, start);
  return Buffer.concat(written);
}

test('an archive has the records of zip64 as soon as the plain record cannot hold a number', () => {
  for (const [count, start] of [
    [65_534, 1000],
    [3, 0xfffffffe],
  ]) {
    // biome-ignore format: one line
    const plain = endOf(count, start);
    assert.equal(plain.length, 22);
    assert.deepEqual(
      [plain.readUInt16LE(8), plain.readUInt16LE(10), plain.readUInt32LE(16)],
      [count, count, start],
    );
  }
  for (const [count, start] of [
    [65_535, 1000],
    [70_000, 1000],
    [3, 0xffffffff],
    [3, 2 ** 33],
  ]) {
    // biome-ignore format: one line
    const far = endOf(count, start);
    assert.equal(far.length, 56 + 20 + 22);
    assert.deepEqual([far.readBigUInt64LE(32), far.readBigUInt64LE(48)], [BigInt(count), BigInt(start)]);
    assert.deepEqual([far.readUInt16LE(76 + 8), far.readUInt32LE(76 + 16)], [Math.min(count, 65_535), 0xffffffff]); // biome-ignore format: one line
  }
});
