/** What every platform offers to the pure workspaces. These tests name no module of Node.js besides the runner's, so that another side can be held to them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { concatBytes, hexText } from '../src/node/bytes.ts';
import {
  crc32,
  deflatedRun,
  deflatedRunBeside,
  gzip,
  inflatedBeside,
  isTooLong,
  unpacked,
  zstd,
} from '../src/node/compression.ts';
import { digestOf } from '../src/node/digests.ts';
import {
  closeFile,
  createFile,
  fileBytes,
  fileFacts,
  isFileError,
  makeDirectory,
  makeNewDirectory,
  namesIn,
  openFileSize,
  openToChange,
  openToRead,
  readFileAt,
  realPath,
  removeDirectory,
  removeFile,
  writeFileAt,
  writeNewFile,
} from '../src/node/files.ts';
import { joinedPath } from '../src/node/paths.ts';
import { eventTurn } from '../src/node/scheduling.ts';
import { deserialized, serialized } from '../src/node/serialization.ts';
import { isInexactInteger, openDatabase } from '../src/node/sqlite.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Throws what `act` throws. */
function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('reads and writes parts of files', () => {
  using workspace = makeWorkspace();
  const path = joinedPath(workspace.path, 'file');
  const made = createFile(path);
  writeFileAt(made, bytesOf('hello world'), 0);
  writeFileAt(made, bytesOf('W'), 6);
  const target = new Uint8Array(8).fill(0x2e);
  assert.equal(readFileAt(made, target, 6, 2, 5), 3);
  assert.equal(textOf(target), '..Wor...');
  // What a file has no bytes for stays as it is.
  assert.equal(readFileAt(made, target, 9), 2);
  assert.equal(textOf(target), 'ldWor...');
  assert.equal(readFileAt(made, target, 99), 0);
  assert.equal(openFileSize(made), 11);
  closeFile(made);
  const changed = openToChange(path);
  writeFileAt(changed, bytesOf('J'), 0);
  closeFile(changed);
  assert.equal(textOf(fileBytes(path)), 'Jello World');
});

test('creates no file over another one, unless that is wanted', () => {
  using workspace = makeWorkspace();
  const path = joinedPath(workspace.path, 'ä.txt');
  writeNewFile(path, 'Straße');
  const facts = fileFacts(path);
  assert.deepEqual([facts?.size, facts?.isFile, facts?.isDirectory], [7, true, false]);
  assert.equal(fileFacts(realPath(path))?.identity, facts?.identity);
  assert.notEqual(fileFacts(workspace.path)?.identity, facts?.identity);
  for (const again of [() => writeNewFile(path, ''), () => createFile(path)]) {
    const error = thrownBy(again);
    assert.ok(isFileError(error) && error instanceof Error && 'code' in error);
    assert.equal(error.code, 'EEXIST');
  }
  closeFile(createFile(path, true));
  assert.equal(fileFacts(path)?.size, 0);
  assert.ok(!isFileError(new Error('of something else')));
});

test('makes and removes directories, and says what is there', () => {
  using workspace = makeWorkspace();
  const deep = joinedPath(workspace.path, 'a/b/c');
  makeDirectory(deep);
  makeDirectory(deep);
  const fresh = [1, 2].map(() => makeNewDirectory(joinedPath(workspace.path, 'part-')));
  assert.notEqual(fresh[0], fresh[1]);
  writeNewFile(joinedPath(deep, 'x'), new Uint8Array(3));
  assert.deepEqual(namesIn(deep), ['x']);
  assert.equal(fileFacts(deep)?.isFile, false);
  removeDirectory(joinedPath(workspace.path, 'a'));
  assert.equal(fileFacts(deep), null);
  assert.deepEqual(namesIn(workspace.path).length, 2);
  // Nothing to remove is no error; nothing to open is one.
  removeFile(deep);
  removeDirectory(deep);
  assert.equal((thrownBy(() => openToRead(deep)) as { code: string }).code, 'ENOENT');
});

test('serializes what can be sent to a thread', () => {
  const value = {
    numbers: Float64Array.of(1.5, Number.NaN),
    keys: BigInt64Array.of(2n ** 62n),
    names: new Map([['a', new Set([1, undefined, -0])]]),
    nothing: undefined,
    large: 2n ** 80n,
    text: '\ud800 half of a pair',
  };
  assert.deepEqual(deserialized(serialized(value)), value);
  assert.throws(() => serialized({ act: () => 1 }));
});

const sample = bytesOf('roads '.repeat(5000));

test('packs and unpacks in memory, within a limit', async () => {
  const packed = { gzip: gzip(sample, { level: 1 }), zstd: zstd(sample, { level: 3, chunkSize: 4096 }) };
  for (const kind of ['gzip', 'zstd'] as const) {
    assert.ok(packed[kind].length < sample.length / 10);
    assert.deepEqual(new Uint8Array(unpacked(kind, packed[kind], sample.length)), sample);
    assert.ok(isTooLong(thrownBy(() => unpacked(kind, packed[kind], sample.length - 1))));
    assert.ok(!isTooLong(thrownBy(() => unpacked(kind, sample, sample.length))));
  }
  const setting = { level: 1, memLevel: 9, chunkSize: 1 << 16 };
  const first = deflatedRun(sample, setting);
  assert.deepEqual(new Uint8Array(await deflatedRunBeside(sample, setting)), new Uint8Array(first));
  // Runs one after another are a stream, which an empty last block ends.
  const stream = concatBytes([first, first, Uint8Array.of(3, 0)]);
  const twice = concatBytes([sample, sample]);
  assert.deepEqual(new Uint8Array(unpacked('deflate', stream, twice.length)), twice);
  assert.deepEqual(new Uint8Array(await inflatedBeside(stream, twice.length)), twice);
  await assert.rejects(inflatedBeside(stream, sample.length), isTooLong);
});

test('computes checksums and digests', () => {
  assert.equal(crc32(bytesOf('123456789')), 0xcbf43926);
  assert.equal(crc32(bytesOf('6789'), crc32(bytesOf('12345'))), 0xcbf43926);
  assert.equal(hexText(digestOf('sha1', bytesOf('abc'))), 'a9993e364706816aba3e25717850c26c9cd0d89d');
  assert.equal(digestOf('sha256', bytesOf('')).length, 32);
});

test('opens databases with the rights that are stated', () => {
  using workspace = makeWorkspace();
  const path = joinedPath(workspace.path, 'a ?#%.db');
  const made = openDatabase(path, {});
  made.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)');
  const insert = made.prepare('INSERT INTO t VALUES (?, ?)');
  insert.setReadBigInts(true);
  assert.equal(Number(insert.run(1, 'a').changes), 1);
  insert.run(2n ** 60n, null);
  assert.ok(!made.isTransaction && made.isOpen);
  made.close();
  const read = openDatabase(path, { readOnly: true, isImmutable: true });
  assert.throws(() => read.exec('DELETE FROM t'));
  const all = read.prepare('SELECT id, name FROM t ORDER BY id');
  all.setReturnArrays(true);
  assert.ok(isInexactInteger(thrownBy(() => all.all())));
  all.setReadBigInts(true);
  assert.deepEqual(all.all(), [[1n, 'a'], [2n ** 60n, null]]); // biome-ignore format: one line
  read.setAuthorizer(() => 1);
  assert.throws(() => read.prepare('SELECT 1'), { errcode: 23 });
  read.close();
  assert.deepEqual(namesIn(workspace.path), ['a ?#%.db']);
});

test('gives timers and messages their turn', async () => {
  const came = new Set<string>();
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = () => came.add('message');
  port1.postMessage(null);
  setTimeout(() => came.add('timer'), 0);
  for (let turns = 0; came.size < 2 && turns < 1e6; turns++) await eventTurn();
  assert.deepEqual([...came].sort(), ['message', 'timer']);
  port1.close();
});
