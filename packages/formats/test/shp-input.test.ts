/** Forms of shapefile input: archives in archives, loose files, other files, requested encodings. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { type ReadInput, readFileLayers } from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { ZipWriter } from '../../io/src/zip-write.ts';
import { reader } from '../src/shp/read.ts';

const fixture = (name: string): string => join(import.meta.dirname, '../../../test/fixtures/shp', name);

async function zipOf(
  path: string,
  members: readonly (readonly [string, Uint8Array<ArrayBuffer>])[],
): Promise<void> {
  const zip = new ZipWriter(path);
  for (const [name, bytes] of members) zip.addMember(name, 0).append(bytes);
  await zip.finish();
}

async function rejectsWith(code: string, promise: Promise<ReadInput>, pattern: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
}

test('reads a zip in a zip if it is the only one', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'outer.zip');
  await zipOf(path, [
    ['readme.txt', new Uint8Array(5)],
    ['in/inner.zip', readFileSync(fixture('rings.zip'))],
  ]);
  const { layers } = await readFileLayers(reader, path);
  assert.deepEqual(
    layers.map(({ source, rows }) => [source.name, rows.length]),
    [['rings', 9]],
  );
});

test('rejects a zip of several zips and lists its content', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'outer.zip');
  const inner = readFileSync(fixture('rings.zip'));
  await zipOf(path, [
    ['a.zip', inner],
    ['b.zip', inner],
  ]);
  await rejectsWith(
    'SHP_MEMBER_MISSING',
    readFileLayers(reader, path),
    /no \.shp file; it contains a\.zip, b\.zip/,
  );
});

test('rejects endlessly nested zips', async () => {
  using workspace = makeWorkspace();
  let bytes = readFileSync(fixture('rings.zip'));
  for (let depth = 0; depth < 5; depth++) {
    const path = join(workspace.path, `${depth}.zip`);
    await zipOf(path, [['in.zip', bytes]]);
    bytes = readFileSync(path);
  }
  await rejectsWith('SHP_MEMBER_MISSING', readFileLayers(reader, join(workspace.path, '4.zip')), /in\.zip/);
});

test('names the kind of an empty file and of other files', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.zip');
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['', 'INPUT_EMPTY', /0 bytes/],
    ['{"type":"FeatureCollection"}', 'INPUT_WRONG_FORMAT', /looks like GeoJSON/],
    ['SQLite format 3\0', 'INPUT_WRONG_FORMAT', /SQLite/],
    ['PK\x05\x06', 'ZIP_INVALID', /x\.zip/],
  ];
  for (const [content, code, pattern] of cases) {
    writeFileSync(path, content, 'latin1');
    await rejectsWith(code, readFileLayers(reader, path), pattern);
  }
  const empty = join(workspace.path, 'none.zip');
  await zipOf(empty, []);
  await rejectsWith('SHP_MEMBER_MISSING', readFileLayers(reader, empty), /contains nothing/);
});

test('recognises a shapefile by its bytes: a zip may have any name', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'upload.bin');
  copyFileSync(fixture('rings.zip'), path);
  assert.equal((await readFileLayers(reader, path)).layers.length, 1);
});

test('uses the requested encoding, also if the file declares another one', async () => {
  const options = { encoding: 'CP1250' };
  const guessed = await readFileLayers(reader, fixture('guess-1252.zip'), { options });
  assert.equal(guessed.layers[0].source.encoding, 'windows-1250');
  assert.deepEqual(guessed.findings, []);
  const stated = await readFileLayers(reader, fixture('ldid-1251.zip'), { options });
  assert.equal(stated.layers[0].source.encoding, 'windows-1250');
  assert.deepEqual(
    stated.findings.map(({ code }) => code),
    ['ENCODING_OVERRIDDEN'],
  );
  await rejectsWith(
    'TEXT_ENCODING_UNKNOWN',
    readFileLayers(reader, fixture('guess-1252.zip'), { options: { encoding: 'klingon' } }),
    /klingon/,
  );
});
