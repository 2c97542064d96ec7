import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import yazl from 'yazl';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { withSegment } from '../src/file-segment.ts';
import type { InputLimits } from '../src/limits.ts';
import { UnpackBudget } from '../src/unpack-budget.ts';
import { readZipDirectory, unpackEntry, type ZipEntry } from '../src/zip-read.ts';
import { ZipWriter } from '../src/zip-write.ts';

function workspace(): { path: (name: string) => string; [Symbol.dispose](): void } {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-zip-'));
  return {
    path: (name) => join(directory, name),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

async function makeZip(
  path: string,
  members: readonly (readonly [string, Uint8Array<ArrayBuffer> | string])[],
): Promise<void> {
  const zip = new ZipWriter(path);
  for (const [name, content] of members) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    zip.addMember(name, 0).append(bytes);
  }
  await zip.finish();
}

async function makeForeignZip(
  path: string,
  members: readonly (readonly [string, Buffer, Partial<yazl.Options>])[],
): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [name, content, options] of members) zip.addBuffer(content, name, options);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  writeFileSync(path, Buffer.concat(chunks));
}

const list = (path: string, limits: Partial<InputLimits> = {}): Promise<ZipEntry[]> =>
  readZipDirectory(path, 'in.zip', new UnpackBudget({ ...DEFAULT_INPUT_LIMITS, ...limits }));

async function rejectsWith(code: string, promise: Promise<unknown>, pattern = /./): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, pattern);
    return true;
  });
}

async function content(path: string, entry: ZipEntry, target: string): Promise<string> {
  const segment = await unpackEntry(path, entry, 'in.zip', target);
  return Buffer.from(withSegment(segment, (source) => source.slice(0, source.byteLength))).toString();
}

for (const name of [
  '../a.shp',
  'a/../../b.shp',
  '/etc/a.shp',
  'C:/a.shp',
  '..\\a.shp',
  '\\a.shp',
  'a\0.shp',
]) {
  test(`rejects an entry named ${JSON.stringify(name)}`, async () => {
    using files = workspace();
    await makeZip(files.path('in.zip'), [[name, 'x']]);
    await rejectsWith('ZIP_ENTRY_NAME', list(files.path('in.zip')));
  });
}

test('reads backslashes between directories as slashes', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [['a\\b.shp', 'x']]);
  assert.equal((await list(files.path('in.zip')))[0].name, 'a/b.shp');
});

test('accepts a name with dots that stays in its directory', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [['a..b/c...shp', 'x']]);
  assert.equal((await list(files.path('in.zip')))[0].name, 'a..b/c...shp');
});

test('rejects more entries than allowed before reading them', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [
    ['a', ''],
    ['b', ''],
    ['c', ''],
  ]);
  await rejectsWith('LIMIT_EXCEEDED', list(files.path('in.zip'), { zipEntries: 2 }), /is 3; the limit is 2/);
});

test('rejects more unpacked bytes than allowed by the declared sizes', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [
    ['a', 'x'.repeat(600)],
    ['b', 'x'.repeat(600)],
  ]);
  await rejectsWith('LIMIT_EXCEEDED', list(files.path('in.zip'), { unzippedBytes: 1000 }), /1200/);
});

test('rejects a zip bomb by its ratio', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [['bomb.shp', new Uint8Array(16 << 20)]]);
  await rejectsWith('LIMIT_EXCEEDED', list(files.path('in.zip')), /ratio/);
});

test('accepts a small table of blanks', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [['blank.dbf', new Uint8Array(1 << 20).fill(0x20)]]);
  assert.equal((await list(files.path('in.zip'))).length, 1);
});

for (const size of [1000, 20 << 20]) {
  test(`rejects an entry of ${size} bytes that unpacks to more than it declares`, async () => {
    using files = workspace();
    const path = files.path('in.zip');
    // Random enough for a low ratio.
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * i * 31) >> 7);
    await makeZip(path, [['a', bytes]]);
    const [entry] = await list(path);
    const lying = { ...entry, unpackedBytes: size - 10 };
    await rejectsWith('ZIP_INVALID', unpackEntry(path, lying, 'in.zip', files.path('out')));
    const short = { ...entry, unpackedBytes: size + 10 };
    await rejectsWith('ZIP_INVALID', unpackEntry(path, short, 'in.zip', files.path('out2')), /fewer/);
    const damaged = { ...entry, crc32: entry.crc32 ^ 1 };
    await rejectsWith('ZIP_INVALID', unpackEntry(path, damaged, 'in.zip', files.path('out3')), /CRC/);
    const segment = await unpackEntry(path, entry, 'in.zip', files.path('out4'));
    assert.equal(segment.byteLength, size);
    assert.ok(readFileSync(segment.path).equals(bytes));
  });
}

test('reads a stored entry in place', async () => {
  using files = workspace();
  const path = files.path('in.zip');
  await makeForeignZip(path, [
    ['a.txt', Buffer.from('first'), { compress: true }],
    ['b.txt', Buffer.from('second'), { compress: false }],
  ]);
  const [a, b] = await list(path);
  const segment = await unpackEntry(path, b, 'in.zip', files.path('never'));
  assert.equal(segment.path, path);
  assert.equal(await content(path, b, files.path('never')), 'second');
  assert.equal(await content(path, a, files.path('a')), 'first');
});

test('reads zip64 archives', async () => {
  using files = workspace();
  const path = files.path('in.zip');
  await makeForeignZip(path, [['a.txt', Buffer.from('hello'), { compress: true, forceZip64Format: true }]]);
  const [entry] = await list(path);
  assert.equal(await content(path, entry, files.path('a')), 'hello');
});

test('names an encrypted entry when it is needed', async () => {
  using files = workspace();
  const path = files.path('in.zip');
  await makeZip(path, [['a.shp', 'x'.repeat(100)]]);
  const bytes = readFileSync(path);
  const central = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  bytes[central + 8] |= 1;
  writeFileSync(path, bytes);
  const [entry] = await list(path);
  await rejectsWith('ZIP_INVALID', unpackEntry(path, entry, 'in.zip', files.path('out')), /encrypted/);
});

test('rejects a symbolic link when it is needed', async () => {
  using files = workspace();
  const path = files.path('in.zip');
  await makeForeignZip(path, [['a.shp', Buffer.from('/etc/passwd'), { mode: 0o120777 }]]);
  const [entry] = await list(path);
  await rejectsWith('ZIP_INVALID', unpackEntry(path, entry, 'in.zip', files.path('out')), /symbolic link/);
});

test('rejects an archive truncated at any length with a code', async () => {
  using files = workspace();
  await makeZip(files.path('in.zip'), [
    ['a', 'abc'.repeat(50)],
    ['b', 'def'.repeat(50)],
  ]);
  const whole = readFileSync(files.path('in.zip'));
  for (let length = 0; length < whole.length; length++) {
    const path = files.path('cut.zip');
    writeFileSync(path, whole.subarray(0, length));
    await assert.rejects(
      async () => {
        for (const [i, entry] of (await list(path)).entries())
          await unpackEntry(path, entry, 'in.zip', files.path(`cut-${length}-${i}`));
      },
      (error: unknown) => error instanceof GeomillError && error.fault === 'user',
    );
  }
});
