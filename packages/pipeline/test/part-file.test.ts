/** Files with the results of a part that are not whole are refused. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { serialize } from 'node:v8';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { PartReader } from '../src/division/part-file.ts';

const MAGIC = Buffer.from('geomill part 1\n\0');

function part(index: Buffer, stated = index.length, magic = MAGIC): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(stated));
  return Buffer.concat([index, length, magic]);
}

test('a file is read if it ends with its mark and has the whole index', () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'part');
  const index = serialize([null]);
  writeFileSync(path, part(index));
  const reader = new PartReader(path);
  assert.equal(reader.result(0), null);
  reader.close();
  const whole = part(index);
  for (const bytes of [
    Buffer.alloc(0),
    part(Buffer.alloc(0)),
    MAGIC.subarray(1),
    whole.subarray(0, -1),
    whole.subarray(0, index.length),
    part(index, index.length, Buffer.from('geomill part 2\n\0')),
    part(index, index.length + 1),
    part(index, 2 ** 40),
  ]) {
    writeFileSync(path, bytes);
    assert.throws(() => new PartReader(path), {
      code: 'INTERNAL',
      message: /results of a part are incomplete/,
    });
  }
});
