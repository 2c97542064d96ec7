import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { KnownTiles } from '../src/pmtiles/known-tiles.ts';

const COUNT = 3000;
const MOST = 2000;

/** Digests of COUNT texts, one after another. */
const digests = new Int32Array(
  new Uint8Array(Buffer.concat(Array.from({ length: COUNT }, (_, i) => hash('sha1', `${i}`, 'buffer'))))
    .buffer,
);

test('finds the offsets of the tiles that were added first, and no others', () => {
  const known = new KnownTiles(MOST);
  for (let i = 0; i < COUNT; i++) {
    assert.equal(known.offsetOf(digests, i * 5), -1);
    known.add(digests, i * 5, i * 2 ** 33);
  }
  for (let i = 0; i < COUNT; i++) assert.equal(known.offsetOf(digests, i * 5), i < MOST ? i * 2 ** 33 : -1);
});

test('tells digests apart that differ only in their last word', () => {
  const known = new KnownTiles(MOST);
  const similar = Int32Array.from({ length: COUNT * 5 }, (_, i) => (i % 5 === 4 ? i : 7));
  for (let i = 0; i < 100; i++) known.add(similar, i * 5, i);
  for (let i = 0; i < 200; i++) assert.equal(known.offsetOf(similar, i * 5), i < 100 ? i : -1);
});
