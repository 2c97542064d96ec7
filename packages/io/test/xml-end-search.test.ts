/** The search for end tags in windows that reuse their memory. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { EndSearch } from '../../core/src/text/xml-end-search.ts';
import { XmlFault } from '../../core/src/text/xml-fault.ts';
import type { ByteSource } from '../src/byte-source.ts';
import { XmlWindow } from '../src/xml-window.ts';

const WORD = new TextEncoder().encode('e');

function sourceOf(text: string): ByteSource {
  const bytes = new TextEncoder().encode(text);
  return {
    byteLength: bytes.length,
    slice: (start, end) => bytes.slice(start, end),
    readInto: (target, start) => target.set(bytes.subarray(start, start + target.length)),
    [Symbol.dispose]() {},
  };
}

/** Skips the element at the start of the window `[start, end)`; returns the offset in the text after it. */
function skipped(window: XmlWindow, ends: EndSearch, start: number, end: number): number {
  window.load(start, end);
  const { scanner } = window;
  scanner.depth = 0;
  return start + ends.skip(WORD, scanner.tag(0), window);
}

for (const hiding of ['<e><![CDATA[</e>]]></e>', '<e><!-- </e> --></e>', '<e><?x </e> ?></e>'])
  test(`sees what hides an end tag in a later window: ${hiding}`, () => {
    const plain = '<e>text</e>'.padEnd(100);
    const window = new XmlWindow(sourceOf(plain + hiding.padEnd(100)), 'a.xml');
    const ends = new EndSearch(window.scanner, new Uint8Array(0));
    assert.equal(skipped(window, ends, 0, 100), '<e>text</e>'.length);
    assert.equal(skipped(window, ends, 100, 200), 100 + hiding.length);
  });

test('finds no end tag in what a longer window before has left in memory', () => {
  const first = `${'<e>'.padEnd(200)}</e>`;
  const second = `${'<e>'.padEnd(150)}</e>`;
  const window = new XmlWindow(sourceOf(`${first}${second} `), 'a.xml');
  const ends = new EndSearch(window.scanner, new Uint8Array(0));
  assert.equal(skipped(window, ends, 0, first.length), first.length);
  assert.throws(
    () => skipped(window, ends, first.length, first.length + 100),
    (error) => error instanceof XmlFault && error.at >= 100,
  );
  assert.equal(
    skipped(window, ends, first.length, first.length + second.length),
    first.length + second.length,
  );
});

test('finds the end tag in a window that is longer than the one before', () => {
  const text = '<e>'.padEnd(500);
  const window = new XmlWindow(sourceOf(`${text}</e> `), 'a.xml');
  const ends = new EndSearch(window.scanner, new Uint8Array(0));
  // Leaves enough memory for all windows.
  window.load(0, text.length + 4);
  assert.throws(() => skipped(window, ends, 0, 100), XmlFault);
  assert.equal(skipped(window, ends, 0, text.length + 4), text.length + 4);
});
