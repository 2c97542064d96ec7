import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { OutputFileSink } from '../src/output-file.ts';

function withDirectory(use: (directory: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-output-'));
  try {
    use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('inserting space within a file moves the bytes after it, for any size', () => {
  withDirectory((directory) => {
    // Larger than two blocks of the move, and no multiple of one.
    const body = Buffer.alloc(9_000_001, 'geomill ');
    const path = join(directory, 'out');
    const sink = new OutputFileSink(path);
    sink.append(Buffer.from('head'));
    sink.append(body);
    sink.insert(4, 6);
    sink.patch(0, Buffer.from('HEAD AGAIN'));
    sink.append(Buffer.from('tail'));
    assert.equal(sink.finish(), 10 + body.length + 4);
    const written = readFileSync(path);
    assert.equal(written.subarray(0, 10).toString(), 'HEAD AGAIN');
    assert.ok(written.subarray(10, 10 + body.length).equals(body));
    assert.equal(written.subarray(10 + body.length).toString(), 'tail');
  });
});

test('an aborted output leaves no file', () => {
  withDirectory((directory) => {
    const path = join(directory, 'out');
    const sink = new OutputFileSink(path);
    sink.append(Buffer.from('half'));
    sink.abort();
    assert.ok(!existsSync(path) && !existsSync(`${path}.partial`));
  });
});
