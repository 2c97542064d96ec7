/** Gzip files are unpacked whole or rejected, within the limits of archives. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { gzipFile, isGzip, unpackGzip } from '../src/gzip.ts';
import { UNLIMITED } from '../src/limits.ts';
import { UnpackBudget } from '../src/unpack-budget.ts';

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const { signal } = new AbortController();
const text = Buffer.from('id;geom_wkt\n'.repeat(5000));
let count = 0;

async function unpack(bytes: Uint8Array, limits = {}): Promise<Buffer> {
  const path = join(directory, `${count++}.gz`);
  writeFileSync(path, bytes);
  const file = { path, name: 'roads.csv.gz', byteLength: bytes.length };
  await unpackGzip(file, `${path}.out`, new UnpackBudget({ ...UNLIMITED, ...limits }), signal);
  return readFileSync(`${path}.out`);
}

test('a gzip file with one or more members is unpacked whole', async () => {
  const one = gzipSync(text);
  assert.ok(isGzip(one));
  assert.deepEqual(await unpack(one), text);
  assert.deepEqual(
    await unpack(Buffer.concat([one, gzipSync('end')])),
    Buffer.concat([text, Buffer.from('end')]),
  );
  assert.equal((await unpack(gzipSync(''))).length, 0);
});

test('a file that is cut at any byte or damaged is rejected', async () => {
  const whole = gzipSync(text);
  for (const length of [3, 9, 10, 20, whole.length - 8, whole.length - 1])
    await assert.rejects(unpack(whole.subarray(0, length)), { code: 'GZIP_INVALID' }, `${length} bytes`);
  const wrongCrc = Buffer.from(whole);
  wrongCrc[whole.length - 6] ^= 1;
  await assert.rejects(unpack(wrongCrc), { code: 'GZIP_INVALID' });
});

test('the unpacked size and the ratio are limited while bytes are unpacked', async () => {
  await assert.rejects(unpack(gzipSync(text), { unzippedBytes: 1000 }), /MAX_UNZIPPED/);
  const blanks = gzipSync(Buffer.alloc(9 << 20));
  await assert.rejects(unpack(blanks, { unzipRatio: 100 }), /MAX_UNZIP_RATIO/);
});

test('a compressed file has its name only when it is complete', async () => {
  const path = join(directory, 'plain.csv');
  writeFileSync(path, text);
  const size = await gzipFile(path, join(directory, 'plain.csv.gz'), signal);
  const written = readFileSync(join(directory, 'plain.csv.gz'));
  assert.equal(written.length, size);
  assert.deepEqual(gunzipSync(written), text);
  const aborted = AbortSignal.abort();
  await assert.rejects(gzipFile(path, join(directory, 'other.gz'), aborted));
  assert.ok(!existsSync(join(directory, 'other.gz')) && !existsSync(join(directory, 'other.gz.partial')));
});
