/** Entries of a zip that share bytes: 58 kB would unpack to gigabytes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import yazl from 'yazl';
import { UnpackBudget } from '../../packages/io/src/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '../../packages/io/src/zip-read.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { DEFAULT_INPUT_LIMITS as LIMITS } from '../support/limits.ts';

interface Listed {
  readonly name: string;
  /** Offset of the local header according to the directory. */
  readonly offset: number;
  readonly packed: Uint8Array;
  readonly content: Uint8Array;
}

function localHeader({ name, packed, content }: Omit<Listed, 'offset'>): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc32(content), 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

/** `body` and a central directory with the entries, which may point anywhere. */
function zipOf(body: Uint8Array, entries: readonly Listed[]): Buffer {
  const directory = Buffer.concat(
    entries.map(({ name, offset, packed, content }) => {
      const record = Buffer.alloc(46);
      record.writeUInt32LE(0x02014b50, 0);
      record.writeUInt16LE(20, 6);
      record.writeUInt16LE(8, 10);
      record.writeUInt32LE(crc32(content), 16);
      record.writeUInt32LE(packed.length, 20);
      record.writeUInt32LE(content.length, 24);
      record.writeUInt16LE(name.length, 28);
      record.writeUInt32LE(offset, 42);
      return Buffer.concat([record, Buffer.from(name)]);
    }),
  );
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, directory, end]);
}

function member(name: string, byteLength: number): Omit<Listed, 'offset'> {
  const content = new Uint8Array(byteLength).fill(0x20);
  return { name, content, packed: deflateRawSync(content) };
}

const list = (path: string) => readZipDirectory(path, 'in.zip', new UnpackBudget(LIMITS));

test('rejects entries that repeat an offset', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'bomb.zip');
  // 8 MiB each: below the size from which the ratio is checked.
  const one = member('0.shp', 8 << 20);
  const body = Buffer.concat([localHeader(one), one.packed]);
  const entries = Array.from({ length: 280 }, (_, i) => ({ ...one, name: `${i}.shp`, offset: 0 }));
  writeFileSync(path, zipOf(body, entries));
  await assert.rejects(list(path), { code: 'ZIP_OVERLAP' });
  await assert.rejects(convertFile(path, workspace.path, { from: 'shp', to: 'geojson' }), {
    code: 'ZIP_OVERLAP',
    message: /entries '0\.shp' and '1\.shp' overlap/,
  });
  // Nothing was unpacked.
  assert.deepEqual(
    workspace.entries().filter((name) => name.includes('shp-')),
    [],
  );
});

test('rejects an entry within the data of another, in any order of the directory', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'nested.zip');
  const inner = member('inner.dbf', 100);
  const innerBytes = Buffer.concat([localHeader(inner), inner.packed]);
  const outer = { name: 'outer.shp', content: new Uint8Array(500), packed: innerBytes };
  const head = localHeader(outer);
  const body = Buffer.concat([head, innerBytes]);
  const entries = [
    { ...inner, offset: head.length },
    { ...outer, offset: 0 },
  ];
  for (const order of [entries, entries.toReversed()]) {
    writeFileSync(path, zipOf(body, order));
    await assert.rejects(list(path), { code: 'ZIP_OVERLAP', message: /'outer\.shp' and 'inner\.dbf'/ });
  }
});

test('accepts gaps, padding, other orders and bytes before the first entry', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'odd.zip');
  const members = [member('a.shp', 1000), member('b.dbf', 0), member('c.prj', 50)];
  const pieces: Buffer[] = [Buffer.alloc(512, 1)];
  const entries = members.map((one, i): Listed => {
    const offset = pieces.reduce((sum, { length }) => sum + length, 0);
    pieces.push(localHeader(one), Buffer.from(one.packed), Buffer.alloc(i * 4096));
    return { ...one, offset };
  });
  for (const [i, order] of [entries, entries.toReversed()].entries()) {
    writeFileSync(path, zipOf(Buffer.concat(pieces), order));
    const found = await list(path);
    assert.equal(found.length, 3);
    for (const entry of found) {
      const target = join(workspace.path, `${i}-${entry.name}`);
      const { byteLength } = await unpackEntry(path, entry, 'in.zip', target);
      assert.equal(byteLength, entry.unpackedBytes);
    }
  }
});

for (const forceZip64Format of [false, true])
  test(`accepts data descriptors and stored entries${forceZip64Format ? ' in zip64' : ''}`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'streamed.zip');
    const zip = new yazl.ZipFile();
    const options = { forceZip64Format };
    zip.addReadStream(Readable.from([Buffer.from('streamed')]), 'a.txt', options);
    zip.addReadStream(Readable.from([Buffer.from('stored')]), 'b.txt', { ...options, compress: false });
    zip.addBuffer(Buffer.alloc(0), 'empty.txt', options);
    zip.addEmptyDirectory('folder');
    zip.addBuffer(Buffer.from('last'), 'folder/c.txt', { ...options, compress: false });
    zip.end({ forceZip64Format, comment: '' });
    const chunks: Buffer[] = [];
    for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
    writeFileSync(path, Buffer.concat(chunks));
    assert.equal((await list(path)).length, 5);
  });
