/** What the platform has for browsers does what it does in Node.js, as far as a test without a browser can see. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import yazl from 'yazl';
import { seededRandom } from '../../../bench/data.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import * as browserBytes from '../src/browser/bytes.ts';
import * as browserStreams from '../src/browser/compressed-streams.ts';
import * as browserCompression from '../src/browser/compression.ts';
import * as browserDigests from '../src/browser/digests.ts';
import { fileBytes, makeDirectory, writeNewFile } from '../src/browser/files.ts';
import { definePart, loadWantedParts } from '../src/browser/parts.ts';
import * as browserPaths from '../src/browser/paths.ts';
import * as browserSerialization from '../src/browser/serialization.ts';
import { startFiles } from '../src/browser/worker-files.ts';
import * as browserZip from '../src/browser/zip-directory.ts';
import * as bytes from '../src/node/bytes.ts';
import * as compression from '../src/node/compression.ts';
import * as digests from '../src/node/digests.ts';
import * as paths from '../src/node/paths.ts';
import * as serialization from '../src/node/serialization.ts';
import * as zip from '../src/node/zip-directory.ts';

/** A function of a module, by its name. */
function of<Module, Name extends keyof Module>(module: Module, name: Name): Module[Name] {
  return module[name];
}

const ROOT = join(import.meta.dirname, '../../..');
startFiles({
  swap: null,
  memoryBlocks: 8,
  readBlob: () => {
    throw new Error('no Blob is mounted');
  },
});
makeDirectory('/files');

test('every module for browsers exports what that of Node.js does', async () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages/platform/package.json'), 'utf8')) as {
    exports: Record<string, string | { browser: string; default: string }>;
  };
  const functions = (path: string): string[] =>
    [...readFileSync(join(ROOT, 'packages/platform', path), 'utf8').matchAll(/^export (?:async )?(?:function\*?|const) (\w+)/gm)].map(([, name]) => name); // biome-ignore format: one line
  for (const [name, target] of Object.entries(exports)) {
    // Conversions run in the worker itself, which starts no thread.
    if (name === './thread-port.js' || name.startsWith('./browser/')) continue;
    assert.ok(typeof target === 'object', `${name} has a side for browsers`);
    const missing = functions(target.default).filter((one) => !functions(target.browser).includes(one));
    assert.deepEqual(missing, [], name);
  }
});

test('bytes and texts', () => {
  const random = seededRandom(1);
  const texts = ['', 'abc', 'Straße', '\ufeffa', 'a\ud800b', '😀'.repeat(20), 'x'.repeat(20_000)];
  const samples = [
    ...texts.map((text) => new Uint8Array(Buffer.from(text))),
    ...Array.from({ length: 50 }, () => new Uint8Array(Math.floor(random() * 60)).map(() => random() * 256)),
  ];
  for (const sample of samples) {
    for (const name of ['latin1Text', 'utf8Text', 'hexText', 'base64Text'] as const) {
      assert.equal(of(browserBytes, name)(sample), of(bytes, name)(sample), name);
      if (sample.length >= 5)
        assert.equal(of(browserBytes, name)(sample, 1, 5), of(bytes, name)(sample, 1, 5), name);
    }
    assert.equal(browserBytes.areAscii(sample), bytes.areAscii(sample));
    assert.equal(browserBytes.areUtf8(sample), bytes.areUtf8(sample));
    assert.deepEqual([...browserBytes.base64Bytes(bytes.base64Text(sample))], [...sample]);
    for (const other of samples)
      assert.equal(browserBytes.compareBytes(sample, other), bytes.compareBytes(sample, other));
    for (const wanted of [65, sample.slice(3, 6), new Uint8Array([1, 2])])
      if (typeof wanted === 'number' || wanted.length > 0)
        assert.equal(
          browserBytes.byteView(sample).indexOf(wanted, 1),
          bytes.byteView(sample).indexOf(wanted, 1),
        );
  }
  for (const text of texts) assert.equal(browserBytes.utf8Length(text), bytes.utf8Length(text), text);
});

test('paths', () => {
  const all = ['/a/b.shp', 'a.b/c', '/', '.shp', 'a', '/a/b/', 'a/../b.tar.gz', './x', '/a//b', ''];
  for (const path of all) {
    for (const name of ['fileName', 'directoryOf', 'endingOf', 'nameInArchive'] as const)
      assert.equal(of(browserPaths, name)(path), of(paths, name)(path), `${name} ${path}`);
    for (const other of all) {
      assert.equal(browserPaths.joinedPath(path, other), paths.joinedPath(path, other), `${path} ${other}`);
      assert.equal(browserPaths.pathInArchive(path, other), paths.pathInArchive(path, other));
    }
  }
});

test('values as bytes and back', () => {
  const value = {
    ...{ a: undefined, b: null, c: [true, false, 1.5, -0, Number.NaN, 2n ** 70n, 'ä\ud800'] },
    ...{ map: new Map([['k', new Set([1])]]), date: new Date(5), typed: new Float64Array([1, 2]) },
    ...{
      small: new Uint8Array([1, 2, 3]).subarray(1),
      big: new BigInt64Array([-1n]),
      buffer: new ArrayBuffer(3),
    },
  };
  assert.deepEqual(browserSerialization.deserialized(browserSerialization.serialized(value)), value);
  assert.deepEqual(browserSerialization.deserialized(browserSerialization.serialized(value)), serialization.deserialized(serialization.serialized(value))); // biome-ignore format: one line
  assert.throws(() => browserSerialization.serialized(() => 1), TypeError);
});

test('digests and checksums', () => {
  const sample = new Uint8Array(1000).map((_, i) => i * 7);
  for (const algorithm of ['sha1', 'sha256'] as const)
    assert.equal(
      bytes.hexText(browserDigests.digestOf(algorithm, sample)),
      bytes.hexText(digests.digestOf(algorithm, sample)),
    );
  assert.equal(browserCompression.crc32(sample, 77), compression.crc32(sample, 77));
});

test('what one side packs the other one unpacks, within the limit', async () => {
  definePart(browserCompression.ZSTD, async () => {
    const zstd = await import('@bokuweb/zstd-wasm');
    await zstd.init();
    return zstd;
  });
  assert.throws(() => browserCompression.zstd(new Uint8Array(1), { level: 3, chunkSize: 1 }));
  assert.equal(await loadWantedParts(), true);
  assert.equal(await loadWantedParts(), false);
  const text = new Uint8Array(Buffer.from('geomill '.repeat(5000)));
  const setting = { level: 6, memLevel: 8, chunkSize: 1 << 14 };
  const sides = [compression, browserCompression] as const;
  for (const [from, to] of [sides, [sides[1], sides[0]], [sides[1], sides[1]]] as const) {
    const run = from.deflatedRun(text, setting);
    const end = new Uint8Array([3, 0]);
    const packed = {
      gzip: from.gzip(text, { level: 6 }),
      zstd: from.zstd(text, { level: 3, chunkSize: 1 << 14 }),
      deflate: new Uint8Array([...run, ...from.deflatedRun(text.subarray(0, 9), setting), ...end]),
    };
    for (const kind of ['gzip', 'zstd', 'deflate'] as const) {
      const whole = kind === 'deflate' ? new Uint8Array([...text, ...text.subarray(0, 9)]) : text;
      assert.deepEqual(new Uint8Array(to.unpacked(kind, packed[kind], whole.length)), whole, kind);
      assert.throws(
        () => to.unpacked(kind, packed[kind], whole.length - 1),
        (error) => to.isTooLong(error),
        kind,
      );
      assert.throws(() => to.unpacked(kind, packed[kind].subarray(0, 20), whole.length), Error, kind);
    }
  }
});

test('runs of any length end at a byte', () => {
  const random = seededRandom(3);
  const setting = { level: 6, memLevel: 8, chunkSize: 1 << 14 };
  for (let length = 0; length < 300; length++) {
    const sample = new Uint8Array(length).map(() => 65 + random() * 12);
    const run = browserCompression.deflatedRun(sample, setting);
    assert.deepEqual(
      compression.unpacked('deflate', new Uint8Array([...run, 3, 0]), length),
      Buffer.from(sample),
    );
  }
});

test('large files are packed and unpacked in pieces', async () => {
  const text = new Uint8Array(Buffer.from(Array.from({ length: 300_000 }, (_, i) => `${i} `).join('')));
  const signal = new AbortController().signal;
  // Two members, one after the other.
  const half = text.length >> 1;
  writeNewFile('/files/a.gz', new Uint8Array([...gzipSync(text.subarray(0, half)), ...gzipSync(text.subarray(half))])); // biome-ignore format: one line
  let checked = 0;
  await browserStreams.gunzipFile('/files/a.gz', '/files/a', (chunk) => (checked += chunk.length), signal);
  assert.equal(checked, text.length);
  assert.ok(Buffer.from(fileBytes('/files/a')).equals(text));
  await browserStreams.gzipFile('/files/a', '/files/b.gz', signal);
  assert.ok(Buffer.from(compression.unpacked('gzip', fileBytes('/files/b.gz'), text.length)).equals(text));
  const stopped = AbortSignal.abort(new Error('stop'));
  await assert.rejects(browserStreams.gzipFile('/files/a', '/files/c.gz', stopped), /stop/);
  const packed = compression.deflatedRun(text, { level: 6, memLevel: 8, chunkSize: 1 << 14 });
  const parts = [packed.subarray(0, 1000), packed.subarray(1000), new Uint8Array([3, 0])];
  const chunks: Uint8Array[] = [];
  await browserStreams.inflateParts(parts, async (given) => {
    for await (const chunk of given) chunks.push(chunk);
  });
  assert.ok(Buffer.concat(chunks).equals(text));
});

test('the directories of archives', async () => {
  using workspace = makeWorkspace();
  const archive = new yazl.ZipFile();
  archive.addBuffer(Buffer.from('a'.repeat(1000)), 'folder/ä.txt', { mtime: new Date(0) });
  archive.addEmptyDirectory('empty', { mtime: new Date(0) });
  archive.addBuffer(Buffer.from('b'), 'stored', { compress: false, mtime: new Date(0) });
  archive.end({ forceZip64Format: true, comment: 'with a comment' });
  const parts: Uint8Array[] = [];
  for await (const part of archive.outputStream) parts.push(part as Uint8Array);
  const whole = Buffer.concat(parts);
  const all = async (side: typeof zip, path: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    await side.readDirectory(
      path,
      (count) => found.push(count),
      (entry) => found.push({ ...entry, nameBytes: [...entry.nameBytes] }),
    );
    return found;
  };
  const compare = async (name: string, content: Uint8Array): Promise<boolean> => {
    const path = join(workspace.path, name);
    writeFileSync(path, content);
    writeNewFile(`/files/${name}`, content);
    const [expected, found] = await Promise.allSettled([all(zip, path), all(browserZip as typeof zip, `/files/${name}`)]); // biome-ignore format: one line
    if (expected.status === 'fulfilled') assert.deepEqual(found, expected, name);
    return found.status === 'fulfilled';
  };
  assert.equal(await compare('whole.zip', whole), true);
  for (let length = 0; length < whole.length; length += 7)
    assert.equal(await compare(`cut-${length}.zip`, whole.subarray(0, length)), false);
  const sample = readFileSync(join(ROOT, 'samples/harbour.zip'));
  assert.equal(await compare('sample.zip', sample), true);
});
