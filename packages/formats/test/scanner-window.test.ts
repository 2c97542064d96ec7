import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GeomillError } from '../../core/src/messages/errors.ts';
import type { ByteSource } from '../../io/src/byte-source.ts';
import { XmlWindow } from '../../io/src/xml-window.ts';
import { readStructure } from '../src/gpx/structure.ts';

const GIB = 2 ** 30;

/** A document that begins with `head` and goes on with one character. */
function endless(head: string, byteLength: number): ByteSource {
  const begin = new TextEncoder().encode(head);
  const readInto = (target: Uint8Array, start: number): void => {
    target.fill(0x61);
    if (start < begin.length) target.set(begin.subarray(start, start + target.length));
  };
  return {
    byteLength,
    readInto,
    slice(start, end) {
      const bytes = new Uint8Array(end - start);
      readInto(bytes, start);
      return bytes;
    },
    [Symbol.dispose]() {},
  };
}

function isLimit(limit: number, offset: number): (error: unknown) => boolean {
  return (error) =>
    error instanceof GeomillError &&
    error.code === 'LIMIT_EXCEEDED' &&
    error.params.limit === limit &&
    error.location?.offset === offset;
}

test('a feature of more than 1 GiB of text is an error before memory is taken for it', () => {
  const window = new XmlWindow(endless('<kml>', 8 * GIB), 'a.kml');
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(() => window.load(5, 5 + GIB + 1), isLimit(GIB, 5));
  assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 20);
});

test('a window grows up to its limit, and not beyond it', () => {
  const window = new XmlWindow(endless('<kml>', 8 * GIB), 'a.kml', 3 << 20);
  window.load(0, 1 << 20);
  window.grow(5);
  assert.equal(window.scanner.limit, 2 * ((1 << 20) - 5));
  window.grow(0);
  assert.deepEqual([window.base, window.scanner.limit], [5, 3 << 20]);
  assert.throws(() => window.grow(0), isLimit(3 << 20, 5));
});

test('a window may be as long as its limit at the end of the file', () => {
  const window = new XmlWindow(endless('<kml>', 3 << 20), 'a.kml', 3 << 20);
  window.load(0, 1 << 21);
  window.grow(0);
  assert.ok(window.reachesEnd);
  assert.equal(window.scanner.limit, 3 << 20);
});

test('a text of a GPX that does not end is an error that says where it begins', () => {
  const head = '<gpx version="1.1"><trk>';
  for (const [start, endlessly] of [
    [head.length + 8, '<trkseg><trkpt lat="1" lon="2"><desc>'],
    [head.length, '<!-- '],
  ] as const)
    assert.throws(
      () => readStructure(endless(head + endlessly, 8 * GIB), 'a.gpx', ROOT, 1 << 20),
      isLimit(1 << 26, start),
    );
});

const ROOT = { start: 0, name: 'gpx', prefix: new Uint8Array(0) } as const;
