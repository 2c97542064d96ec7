/** Line and column of a byte are those that an editor shows. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { positionInFile } from '../src/text-position.ts';

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, 'text');

test('lines and characters are counted from 1, over block boundaries', () => {
  const unit = fc.constantFrom('a', '\n', 'ä', '日', '😀', '\r\n');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
      const text = units.join('');
      writeFileSync(path, `${text}x`);
      const lines = text.split('\n');
      const column = [...(lines.at(-1) as string)].length + 1;
      assert.deepEqual(positionInFile(path, Buffer.byteLength(text)), { line: lines.length, column });
    }),
    { numRuns: 60 },
  );
  const long = `${'ä'.repeat((1 << 19) - 1)}日\n${'b'.repeat(1 << 20)}`;
  writeFileSync(path, long);
  assert.deepEqual(positionInFile(path, Buffer.byteLength(long)), { line: 2, column: (1 << 20) + 1 });
  assert.deepEqual(positionInFile(path, (1 << 20) + 1), { line: 1, column: (1 << 19) + 1 });
});
